/**
 * The tab that looks at strips: a window of the board, what holds in it, and an automaton over it.
 *
 * @module strips
 */

import { counted } from "./count.js";
import { Desk } from "./desk.js";
import { button, enable, field, panel } from "./elements.js";
import { Latest } from "./latest.js";
import { Layouts } from "./layouts.js";
import { Listing } from "./listing.js";
import { make } from "./make.js";
import { several } from "./numbers.js";
import { Player } from "./player.js";
import { changed } from "./position.js";
import { keep, kept, read, written } from "./share.js";
import { Sheet, marked } from "./sheet.js";
import { unanswered } from "./unanswered.js";
import { between, cellsOf, firstWindow, numbersOf, sizeOf, windowOf, within } from "./windows.js";
import { cannotHold } from "./words.js";

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./windows.js").Window} Window */

const EXAMPLE = { rows: ["?2", "B?"], mines: null, notation: "standard" };
const PAUSE = 150;

/**
 * @param {HTMLElement} element
 * @param {Context} context
 */
export function start(element, context) {
  const tab = new Strips(element, context, kept() ?? EXAMPLE);
  tab.open(context.parameters());
  context.onParameters((parameters) => tab.open(parameters));
  return { shown: () => tab.shown(), hidden: () => tab.hidden() };
}

class Strips {
  #context;
  #desk;
  #sheet;
  #player;
  #layouts;
  #listing;
  #latest = new Latest();
  #opening = new Latest();
  /** @type {Window} */
  #window;
  /** What the board measured when the window was chosen. */
  #size;
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
  #undo = button("Undo", () => this.#desk.undo());
  #facts = make("div", {});
  #known = panel("In the window", this.#facts);

  /**
   * @param {HTMLElement} element
   * @param {Context} context
   * @param {Position} position
   */
  constructor(element, context, position) {
    this.#context = context;
    this.#player = new Player(context.service);
    this.#desk = new Desk(position);
    this.#window = firstWindow(position.rows);
    const frame = make("div", {});
    this.#sheet = new Sheet(frame, { label: "Board with the window", drag: true });
    this.#layouts = new Layouts(context.service, this.#sheet, () => {});
    this.#listing = new Listing(context.service, (number) => this.#layouts.go(number));
    this.#layouts.element.append(this.#listing.element);
    this.#fields = this.#numbers();
    this.#lay(element, frame);
    this.#listen(frame);
    this.#choose(this.#window);
  }

  /** The position of a link, and the window in it, if it has them. @param {URLSearchParams} parameters */
  async open(parameters) {
    try {
      const position = await this.#opening.ask(() => read(parameters));
      if (!position) return;
      this.#desk.change(position);
      const numbers = parameters.get("w");
      if (numbers === null) return;
      const chosen = windowOf(numbers, position.rows);
      if (chosen === null) this.#context.tell("The window of this link is not on its board.", "problem");
      else this.#choose(chosen);
    } catch (error) {
      this.#context.tell(error.message, "problem");
    }
  }

  /** Another tab may have changed the board. */
  shown() {
    this.#visible = true;
    const position = kept();
    if (position !== null) this.#desk.change(position);
    this.#stay();
  }

  hidden() {
    this.#visible = false;
    this.#player.stop();
  }

  #numbers() {
    const number = (name, least) => {
      const input = make("input", { type: "number", min: least, name });
      const chosen = () => this.#choose({ ...this.#window, [name]: Number(input.value) });
      input.addEventListener("change", chosen);
      return input;
    };
    const [row, col] = [number("row", 0), number("col", 0)];
    return { row, col, height: number("height", 1), width: number("width", 1) };
  }

  #lay(element, frame) {
    const { row, col, height, width } = this.#fields;
    const whole = () => this.#choose({ row: 0, col: 0, ...sizeOf(this.#desk.position.rows) });
    const back = button("Back to Analyse", () => this.#context.go("#analyse"));
    const corner = [field("Row", row), field("Column", col)];
    const numbers = [...corner, field("Height", height), field("Width", width)];
    const hint =
      "Drag over the board to choose a window, or choose its corners: Enter, a click or a touch " +
      "on one, then on the other.";
    element.classList.add("strips");
    element.append(
      make("h1", {}, "Strips"),
      make("div", { class: "bar" }, ...numbers, button("Whole board", whole), this.#undo, back),
      make("p", { class: "faint hint" }, hint),
      make(
        "div",
        { class: "columns" },
        make("div", { class: "drawn" }, frame, this.#known, this.#layouts.element),
        make("div", { class: "answers" }, this.#player.element),
      ),
    );
  }

  #listen(frame) {
    const { view } = this.#sheet;
    let touching = false;
    frame.addEventListener("pointerdown", (event) => {
      touching = event.pointerType === "touch";
    });
    view.addEventListener("drag", ({ detail }) => touching || this.#drag(detail));
    view.addEventListener("primary", ({ detail: { row, col } }) => this.#corners(row, col));
    this.#desk.addEventListener("change", () => {
      const { rows } = this.#desk.position;
      const same = rows.length === this.#size.height && rows[0].length === this.#size.width;
      this.#choose(same ? this.#window : firstWindow(rows));
      keep(this.#desk.position);
    });
    this.#player.addEventListener("step", ({ detail }) => {
      this.#reading = detail;
      this.#mark();
    });
  }

  /** A window from where the drag began to where it is. */
  #drag({ phase, row, col }) {
    if (phase === "start") [this.#from, this.#dragged] = [[row, col], false];
    // Only where it ends in the cell in which it began a click follows.
    if (phase === "end" && String([row, col]) !== String(this.#from)) this.#dragged = false;
    if (phase !== "over") return;
    this.#dragged = true;
    this.#corner = null;
    this.#choose(between(this.#from, [row, col]));
  }

  /** One corner after the other. */
  #corners(row, col) {
    // The click at the end of a drag that came back to where it began.
    if (this.#dragged) {
      this.#dragged = false;
      return;
    }
    const corner = this.#corner;
    this.#corner = corner === null ? [row, col] : null;
    this.#choose(between(corner ?? [row, col], [row, col]));
  }

  #choose(wanted) {
    const { rows } = this.#desk.position;
    this.#size = sizeOf(rows);
    this.#window = within(wanted, rows);
    for (const [name, input] of Object.entries(this.#fields)) input.value = String(this.#window[name]);
    enable(this.#undo, this.#desk.undoable);
    [this.#answer, this.#reading] = [null, []];
    this.#layouts.about(this.#desk.position, null, this.#window);
    this.#listing.clear();
    this.#mark();
    this.#asked();
  }

  async #asked() {
    const { position } = this.#desk;
    const [rows, chosen] = [position.rows, this.#window];
    this.#known.setAttribute("aria-busy", "true");
    try {
      const answer = await this.#latest.ask((signal) => {
        this.#stay();
        this.#player.about(rows, chosen);
        return this.#context.service.strips(rows, { window: chosen, signal });
      }, PAUSE);
      if (answer === undefined) return;
      this.#answer = answer;
      this.#tell(answer, position.mines);
      this.#layouts.about(position, answer, chosen);
      if (answer.consistent !== false) this.#listing.about(rows, chosen);
      this.#player.read(answer.machines);
      this.#mark();
    } catch (error) {
      const headline = make("p", { class: "headline", "data-kind": "problem", role: "status" }, "No answer.");
      this.#facts.replaceChildren(headline, ...unanswered(error, () => this.#asked()));
    }
    this.#known.setAttribute("aria-busy", "false");
  }

  /** Make the address of the page a link to the board and the window. */
  async #stay() {
    const { position } = this.#desk;
    const chosen = this.#window;
    const parameters = await written(position);
    if (!this.#visible || position !== this.#desk.position || chosen !== this.#window) return;
    this.#context.stay(`${parameters}&w=${numbersOf(chosen)}`);
  }

  #tell(answer, mines) {
    const { consistent, count, forced, loosened, conflict, solver } = answer;
    const facts = [verdict(consistent)];
    if (conflict?.length) {
      facts.push(make("p", {}, `${several(conflict.length, "clue")} ${cannotHold(conflict, false)}.`));
    }
    if (consistent && count !== null) facts.push(counted(count, "layout", this.#context.tell));
    if (consistent && forced !== null) facts.push(...this.#same(forced));
    if (loosened?.length) facts.push(lookingOut(loosened));
    if (!solver.complete) {
      facts.push(make("p", { class: "warning" }, "This answer is incomplete."));
    }
    if (mines !== null) facts.push(make("p", { class: "faint" }, leftAside(mines)));
    this.#facts.replaceChildren(...facts);
  }

  /** What is the same in all layouts of the window, to be written to the board. */
  #same({ mines, safe }) {
    const found = [];
    if (mines.length) found.push(several(mines.length, "mine"));
    if (safe.length) found.push(several(safe.length, "safe cell"));
    if (found.length === 0) return [make("p", {}, "No cell of it is the same in all of them.")];
    const apply = button("Apply what is the same in all", () => this.#apply(mines, safe));
    const same = make("p", {}, `The same in all: ${found.join(" and ")}.`);
    return [same, make("div", { class: "bar" }, apply)];
  }

  #apply(mines, safe) {
    const written = (cells, symbol) => cells.map(([row, col]) => [row, col, symbol]);
    const changes = [...written(mines, "B"), ...written(safe, "S")];
    this.#desk.change({ rows: changed(this.#desk.position.rows, changes) });
    // The button that was pressed will be gone.
    this.#sheet.view.focus(changes[0][0], changes[0][1]);
  }

  /** The window, and in it the chances if they are wanted. */
  #windowed(chances = null) {
    const { row, col } = this.#window;
    const marks = new Map();
    for (const [at, to] of cellsOf(this.#window)) {
      marks.set(`${at},${to}`, { kind: "window", chance: chances?.[at - row][to - col] ?? null });
    }
    return marks;
  }

  /** All that is known of the window, and the column that is being read. */
  get #marks() {
    const marks = this.#windowed(this.#answer?.probabilities);
    const known = [
      ...marked(this.#answer?.conflict ?? [], { kind: "conflict" }),
      ...marked(this.#reading, { kind: "target", label: "being read" }),
    ];
    for (const [place, mark] of known) marks.set(place, { ...marks.get(place), ...mark });
    return marks;
  }

  #mark() {
    this.#sheet.put(this.#desk.position.rows, this.#marks);
  }
}

function verdict(consistent) {
  const [said, kind] = new Map([
    [true, ["Consistent.", "yes"]],
    [false, ["Inconsistent.", "no"]],
  ]).get(consistent) ?? ["Not decided in time.", "unknown"];
  return make("p", { class: "headline", "data-kind": kind, role: "status" }, said);
}

function leftAside(mines) {
  const total = `The total of ${several(mines, "mine")} is left aside here`;
  return `${total}: what is said of a window follows from the clues in it alone.`;
}

function lookingOut(loosened) {
  const items = loosened.map(({ clue: [row, col], number, low, high }) => {
    const needs = low === high ? String(low) : `${low} to ${high}`;
    return make("li", {}, `The ${number} at row ${row}, column ${col}: ${needs} in the window.`);
  });
  const summary = `${several(loosened.length, "clue")} with neighbours outside`;
  return make("details", {}, make("summary", {}, summary), make("ul", {}, ...items));
}
