/**
 * The tab Strips: a window of the board, what its clues say, and an automaton that reads it.
 *
 * @module strips/tab
 */

import { cellName } from "../shared/board.js";
import { countElement } from "../shared/count.js";
import { button, enable, field, make, panel } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { LayeredBoard, marked, merged } from "../shared/layered-board.js";
import { Layouts } from "../shared/layouts.js";
import { noAnswer } from "../shared/no-answer.js";
import { several } from "../shared/numbers.js";
import { countForced, noLayoutFits } from "../shared/phrases.js";
import { PositionHistory } from "../shared/position-history.js";
import { fromParameters, toParameters } from "../shared/position-link.js";
import { changed } from "../shared/position.js";
import { isUsual } from "../shared/rules.js";
import { savePosition, savedPosition } from "../shared/saved-position.js";
import { PLANE } from "../shared/topology.js";
import { between, cellsOf, firstWindow, numbersOf, sizeOf, windowOf, within } from "../shared/windows.js";
import { LayoutList } from "./layout-list.js";
import { RunPanel } from "./run.js";
import { WindowTable } from "./window-table.js";

/** @typedef {import("../main.js").Context} Context */
/** @typedef {import("../shared/position.js").Position} Position */
/** @typedef {import("../shared/windows.js").Window} Window */

const EXAMPLE = { rows: ["?1??3??2?1", "??2?3???2?"], mines: null, density: null, topology: PLANE, rules: {} };
const PAUSE = 150;

/**
 * @param {HTMLElement} element
 * @param {Context} context
 */
export function start(element, context) {
  const tab = new Strips(element, context, savedPosition() ?? EXAMPLE);
  tab.open(context.parameters());
  context.onParameters((parameters) => tab.open(parameters));
  return { shown: () => tab.shown(), hidden: () => tab.hidden() };
}

class Strips {
  #context;
  #history;
  #board;
  #run;
  #layouts;
  #list;
  #latest = new LatestRequest();
  #opening = new LatestRequest();
  /** @type {Window} */
  #window;
  /** What the board measured when the window was chosen. */
  #size;
  /** @type {any} */
  #answer = null;
  /** The cells that the automaton reads now. @type {number[][]} */
  #reading = [];
  #visible = true;
  /** The first corner of a window, while the other is still to come. @type {number[] | null} */
  #corner = null;
  /** Where the drag began, and whether it went on. */
  #from = [0, 0];
  #dragged = false;
  #fields;
  #undo = button(say("Undo"), () => this.#history.undo());
  #facts = make("div", {});
  #known = panel(say("In the window"), this.#facts);

  /**
   * @param {HTMLElement} element
   * @param {Context} context
   * @param {Position} position
   */
  constructor(element, context, position) {
    this.#context = context;
    this.#run = new RunPanel(context.service);
    this.#history = new PositionHistory(position);
    this.#window = firstWindow(position.rows);
    const frame = make("div", {});
    this.#known.classList.add("strip-known");
    this.#board = new LayeredBoard(frame, { label: say("Board with the window"), drag: true });
    this.#layouts = new Layouts(context.service, this.#board, () => {});
    this.#layouts.addEventListener("shown", ({ detail }) => {
      this.#run.light(detail);
      const { row, col, height, width } = this.#window;
      this.#list.choose(detail?.slice(row, row + height).map((line) => line.slice(col, col + width)) ?? null);
    });
    this.#list = new LayoutList(context.service, (number) => this.#layouts.go(number));
    this.#layouts.element.append(this.#list.element);
    this.#fields = this.#numbers();
    this.#lay(element, frame);
    this.#listen(frame);
    this.#choose(this.#window);
  }

  /** The position of a link, and the window in it, if it has them. @param {URLSearchParams} parameters */
  async open(parameters) {
    try {
      const position = await this.#opening.ask(() => fromParameters(parameters));
      if (!position) return;
      this.#history.change(position);
      const numbers = parameters.get("w");
      if (numbers === null) return;
      const chosen = windowOf(numbers, position.rows);
      if (chosen === null) this.#context.tell(say("The window of this link does not fit its board."), "problem");
      else this.#choose(chosen);
    } catch (error) {
      this.#context.tell(error.message, "problem");
    }
  }

  /** Another tab may have changed the board. */
  shown() {
    this.#visible = true;
    const position = savedPosition();
    if (position !== null) this.#history.change(position);
    this.#stay();
  }

  hidden() {
    this.#visible = false;
    this.#run.stop();
  }

  #numbers() {
    const number = (name, first) => {
      const input = make("input", { type: "number", min: 1, name });
      const chosen = () => this.#choose({ ...this.#window, [name]: Number(input.value) - first });
      input.addEventListener("change", chosen);
      return input;
    };
    return { row: number("row", 1), col: number("col", 1), height: number("height", 0), width: number("width", 0) };
  }

  /** The table of windows: each is shown between two unknown squares. */
  #windows() {
    const table = new WindowTable(this.#context.service, (squares) => {
      this.#history.change({ ...EXAMPLE, rows: [`?${squares}?`] });
      this.#choose({ row: 0, col: 1, height: 1, width: squares.length });
    });
    return table.element;
  }

  #lay(element, frame) {
    const { row, col, height, width } = this.#fields;
    const whole = () => this.#choose({ row: 0, col: 0, ...sizeOf(this.#history.position.rows) });
    const back = button(say("Back to Analyse"), () => this.#context.go("#analyse"));
    const corner = [field(say("Row"), row), field(say("Column"), col)];
    const numbers = [...corner, field(say("Height"), height), field(say("Width"), width)];
    const purpose = say(
      "One or two rows of a board can be decided by an automaton that reads them column by column, " +
        "in time that grows only with their length: choose a window of the board and watch it being read.",
    );
    const hint = say(
      "Drag over the board to choose a window, or press Enter, click or tap on one corner " +
        "and then on the opposite one.",
    );
    const example = button(say("Show an example"), () => {
      this.#history.change(EXAMPLE);
      this.#choose(firstWindow(EXAMPLE.rows));
    });
    element.classList.add("strips");
    element.append(
      make("h1", { class: "unseen" }, say("Strips")),
      make("p", { class: "purpose" }, purpose),
      make("div", { class: "bar" }, ...numbers, button(say("Whole board"), whole), this.#undo, example, back),
      make(
        "div",
        { class: "strip" },
        make("div", { class: "strip-board" }, frame, make("p", { class: "faint" }, hint)),
        make("div", { class: "strip-side" }, this.#known, this.#layouts.element),
        make("div", { class: "strip-run" }, this.#run.element, this.#windows()),
      ),
    );
  }

  #listen(frame) {
    const { view } = this.#board;
    let touching = false;
    frame.addEventListener("pointerdown", (event) => {
      touching = event.pointerType === "touch";
    });
    view.addEventListener("drag", ({ detail }) => touching || this.#drag(detail));
    view.addEventListener("primary", ({ detail: { row, col } }) => this.#corners(row, col));
    this.#history.addEventListener("change", () => {
      const { rows } = this.#history.position;
      const same = rows.length === this.#size.height && rows[0].length === this.#size.width;
      this.#choose(same ? this.#window : firstWindow(rows));
      savePosition(this.#history.position);
    });
    this.#run.addEventListener("path", ({ detail }) => this.#showPath(detail));
    this.#run.addEventListener("step", ({ detail }) => {
      this.#reading = detail;
      this.#mark();
    });
  }

  /** A window from where the drag began to where it is. */
  #drag({ phase, row, col }) {
    if (phase === "start") [this.#from, this.#dragged] = [[row, col], false];
    // The click comes just after the end.
    if (phase === "end") setTimeout(() => (this.#dragged = false));
    if (phase !== "over") return;
    this.#dragged = true;
    this.#corner = null;
    this.#choose(between(this.#from, [row, col]));
  }

  /** One corner after the other. */
  #corners(row, col) {
    // This click ends a drag.
    if (this.#dragged) return;
    const corner = this.#corner;
    this.#corner = corner === null ? [row, col] : null;
    this.#choose(between(corner ?? [row, col], [row, col]));
  }

  #choose(window) {
    const { rows } = this.#history.position;
    this.#size = sizeOf(rows);
    this.#window = within(window, rows);
    const { row, col, height, width } = this.#window;
    const shown = { row: row + 1, col: col + 1, height, width };
    for (const [name, input] of Object.entries(this.#fields)) input.value = String(shown[name]);
    enable(this.#undo, this.#history.undoable, say("There is no change to take back."));
    [this.#answer, this.#reading] = [null, []];
    this.#layouts.about(this.#history.position, this.#window);
    this.#list.clear();
    this.#mark();
    this.#askService();
  }

  async #askService() {
    const { position } = this.#history;
    const [rows, chosen] = [position.rows, this.#window];
    this.#known.setAttribute("aria-busy", "true");
    try {
      const answer = await this.#latest.ask((signal) => {
        this.#stay();
        this.#run.about(rows, chosen);
        return this.#context.service.strips(rows, { window: chosen, signal });
      }, PAUSE);
      if (answer === undefined) return;
      this.#answer = answer;
      this.#tell(answer, position);
      this.#layouts.learn(answer);
      if (answer.consistent !== false) this.#list.about(rows, chosen);
      this.#run.read(answer.machines);
      this.#mark();
    } catch (error) {
      const headline = make("p", { class: "headline", "data-kind": "problem", role: "status" }, say("No answer."));
      this.#facts.replaceChildren(headline, ...noAnswer(error, () => this.#askService()));
    }
    this.#known.setAttribute("aria-busy", "false");
  }

  /** Make the address of the page a link to the board and the window. */
  async #stay() {
    const { position } = this.#history;
    const chosen = this.#window;
    const parameters = await toParameters(position);
    if (!this.#visible || position !== this.#history.position || chosen !== this.#window) return;
    this.#context.stay(`${parameters}&w=${numbersOf(chosen)}`);
  }

  /** @param {any} answer @param {import("../shared/position.js").Position} position */
  #tell(answer, position) {
    const { mines } = position;
    const { consistent, count, forced, outside, loosened, conflict, solver } = answer;
    /** @type {HTMLElement[]} */
    const facts = [verdict(consistent)];
    if (consistent === false) facts.push(make("p", {}, noLayoutFits(conflict)));
    if (consistent && count != null) facts.push(countElement(count, this.#context.tell));
    if (consistent && forced) facts.push(...this.#forced(forced));
    if (outside) facts.push(...this.#outside(outside));
    if (loosened?.length) facts.push(outward(loosened));
    if (!solver.complete) {
      facts.push(make("p", { class: "warning" }, say("This answer is incomplete.")));
    }
    if (mines !== null) facts.push(make("p", { class: "faint" }, ignored(mines)));
    if (!isUsual(position)) {
      facts.push(make("p", { class: "warning" }, say("The window is read as one of a plane board: topology and other rules are ignored here.")));
    }
    this.#facts.replaceChildren(...facts);
  }

  /** What is forced in the window, to be written to the board. */
  #forced({ mines, safe }) {
    const cells = countForced({ mines, safe });
    if (!cells) return [make("p", {}, say("No unknown cell is forced."))];
    const apply = button(say("Write them to the board"), () => this.#apply(mines, safe));
    return [make("p", {}, say("Forced: {cells}.", { cells })), make("div", { class: "bar" }, apply)];
  }

  /** What must hold outside the window. */
  #outside({ mines, safe, clues }) {
    const cells = countForced({ mines, safe });
    const parts = [];
    if (cells) {
      const apply = button(say("Write these to the board"), () => this.#apply(mines, safe));
      parts.push(make("p", {}, say("Forced outside: {cells}.", { cells })), make("div", { class: "bar" }, apply));
    }
    const bound = clues.filter(({ cells, low, high }) => low > 0 || high < cells.length);
    return bound.length ? [...parts, beyond(bound)] : parts;
  }

  #apply(mines, safe) {
    const written = (cells, symbol) => cells.map(([row, col]) => [row, col, symbol]);
    const changes = [...written(mines, "B"), ...written(safe, "S")];
    this.#history.change({ rows: changed(this.#history.position.rows, changes) });
    // The button that was pressed will be gone.
    this.#board.focus(changes[0][0], changes[0][1]);
  }

  /** Show what a path places in unknown cells; null where it places nothing. */
  #showPath(placed) {
    this.#layouts.close();
    if (placed === null) return;
    const { rows } = this.#history.position;
    const open = placed.filter(([row, col]) => "?F".includes(rows[row][col]));
    const marks = new Map(marked(open, { kind: "window", label: say("placed by the path") }));
    this.#board.overlay({ rows: changed(rows, open), marks });
  }

  /** The window, and in it the chances if they are asked for. */
  #windowed(chances = null) {
    const { row, col } = this.#window;
    const marks = new Map();
    for (const [at, to] of cellsOf(this.#window)) {
      marks.set(`${at},${to}`, { kind: "window", chance: chances?.[at - row][to - col] ?? null });
    }
    return marks;
  }

  /** Mark all that is known of the window, and the column that is being read. */
  #mark() {
    const marks = merged(this.#windowed(this.#answer?.probabilities), [
      ...marked(this.#answer?.conflict?.clues ?? [], { kind: "conflict" }),
      ...marked(this.#answer?.outside?.mines ?? [], { kind: "mine" }),
      ...marked(this.#answer?.outside?.safe ?? [], { kind: "safe" }),
      ...marked(this.#reading, { kind: "target", label: say("being read") }),
    ]);
    this.#board.show(this.#history.position.rows, marks);
  }
}

function verdict(consistent) {
  const [said, kind] = new Map([
    [true, [say("Consistent."), "yes"]],
    [false, [say("Inconsistent."), "no"]],
  ]).get(consistent) ?? [say("Not decided in time."), "unknown"];
  return make("p", { class: "headline", "data-kind": kind, role: "status" }, said);
}

function ignored(mines) {
  return say("The total of {mines} is ignored here: answers about a window use only the clues in it.", { mines: several(mines, "mine") });
}

function beyond(clues) {
  const items = clues.map(({ clue: [row, col], cells, low, high }) => {
    const values = { cell: cellName(row, col), low, high, cells: several(cells.length, "unknown cell") };
    if (low === high) return make("li", {}, say("Around {cell}: exactly {low} of {cells} outside must be mines.", values));
    return high === cells.length
      ? make("li", {}, say("Around {cell}: at least {low} of {cells} outside must be mines.", values))
      : make("li", {}, say("Around {cell}: {low} to {high} of {cells} outside must be mines.", values));
  });
  const summary = say("{clues} about cells outside", { clues: several(clues.length, "clue") });
  return make("details", { open: clues.length <= 4 }, make("summary", {}, summary), make("ul", {}, ...items));
}

function outward(loosened) {
  const items = loosened.map(({ clue: [row, col], number, low, high }) => {
    const values = { number, cell: cellName(row, col), low, high };
    const text =
      low === high
        ? say("The {number} at {cell} needs {low} of its mines in the window.", values)
        : say("The {number} at {cell} needs {low} to {high} of its mines in the window.", values);
    return make("li", {}, text);
  });
  const summary = say("{clues} with neighbours outside", { clues: several(loosened.length, "clue") });
  return make("details", {}, make("summary", {}, summary), make("ul", {}, ...items));
}
