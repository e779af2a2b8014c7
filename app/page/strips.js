/**
 * The tab that looks at strips: a window of the board, what holds in it, and an automaton over it.
 *
 * @module strips
 */

import { counted } from "./count.js";
import { Desk } from "./desk.js";
import { button, enable, field, panel } from "./elements.js";
import { Latest } from "./latest.js";
import { turned } from "./machines.js";
import { make } from "./make.js";
import { cannotHold, several } from "./numbers.js";
import { Player } from "./player.js";
import { changed } from "./position.js";
import { inWords } from "./service.js";
import { keep, kept, read } from "./share.js";
import { Sheet, marked } from "./sheet.js";
import { between, cut, firstWindow, pasted, sizeOf, within } from "./windows.js";

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./windows.js").Window} Window */

const EXAMPLE = { rows: ["?2", "B?"], mines: null, notation: "standard" };
const PAUSE = 150;
const LISTED = 50;

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
  #latest = new Latest();
  #opening = new Latest();
  /** @type {Window} */
  #window;
  /** What the board measured when the window was chosen. */
  #size;
  #answer = null;
  /** @type {{name: string, column: number | null} | null} */
  #reading = null;
  /** The first corner of a window, while the other is still to come. @type {number[] | null} */
  #corner = null;
  /** Where the drag began, and whether it went on. */
  #from = [0, 0];
  #dragged = false;
  #fields;
  #undo = button("Undo", () => this.#desk.undo());
  #facts = make("div", {});
  #list = make("div", { class: "strip-layouts" });
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
    this.#fields = this.#numbers();
    this.#lay(element, frame);
    this.#listen(frame);
    this.#choose(this.#window);
  }

  /** The position of a link, if it has one. @param {URLSearchParams} parameters */
  async open(parameters) {
    try {
      const position = await this.#opening.ask(() => read(parameters));
      if (position) this.#desk.change(position);
    } catch (error) {
      this.#context.tell(error.message, "problem");
    }
  }

  /** Another tab may have changed the board. */
  shown() {
    const position = kept();
    if (position !== null) this.#desk.change(position);
  }

  hidden() {
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
        make("div", { class: "drawn" }, frame, this.#known, panel("Layouts", this.#list)),
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
    [this.#answer, this.#reading] = [null, null];
    this.#sheet.cover(null);
    this.#mark();
    this.#asked();
  }

  async #asked() {
    const { rows } = this.#desk.position;
    const chosen = this.#window;
    const { service } = this.#context;
    this.#known.setAttribute("aria-busy", "true");
    try {
      const answers = await this.#latest.ask(async (signal) => {
        this.#player.read(cut(rows, chosen));
        const whole = chosen.height === rows.length && chosen.width === rows[0].length;
        const layouts = whole ? service.layouts(rows, { limit: LISTED, signal }) : null;
        return Promise.all([service.strips(rows, { window: chosen, signal }), layouts]);
      }, PAUSE);
      if (answers === undefined) return;
      [this.#answer] = answers;
      this.#tell(...answers);
      this.#mark();
    } catch (error) {
      this.#facts.replaceChildren(make("p", {}, inWords(error)));
      this.#list.replaceChildren();
    }
    this.#known.setAttribute("aria-busy", "false");
  }

  #tell(answer, layouts) {
    const { consistent, count, forced, loosened, conflict, solver } = answer;
    const facts = [verdict(consistent)];
    if (conflict?.length) {
      facts.push(make("p", {}, `${several(conflict.length, "clue")} ${cannotHold(conflict, false)}.`));
    }
    if (consistent && count !== null) facts.push(counted(count, "layout", this.#context.tell));
    if (consistent && forced !== null) facts.push(...this.#same(forced));
    if (loosened?.length) facts.push(lookingOut(loosened));
    if (!solver.complete) {
      facts.push(make("p", { class: "warning" }, `This answer is incomplete. ${solver.note ?? ""}`));
    }
    this.#facts.replaceChildren(...facts);
    this.#list.replaceChildren(...this.#layouts(answer, layouts));
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

  /** Buttons that show layouts of the window on the board. */
  #layouts({ witness, count }, whole) {
    const found = whole?.layouts ?? (witness === null ? [] : [witness]);
    if (found.length === 0) return [make("p", {}, "None is known.")];
    const { rows } = this.#desk.position;
    const shows = found.map((layout) => {
      const show = () =>
        this.#sheet.cover({ rows: pasted(rows, this.#window, layout), marks: this.#windowed() });
      const named = { class: "layout", "aria-label": `Layout ${layout.join(", ")}` };
      return make("li", {}, button(layout.join("\n"), show, named));
    });
    const all = count !== null && BigInt(found.length) === count;
    const said = all ? "All of them:" : whole ? `The first ${found.length}:` : "One of them:";
    const back = button("Back to the board", () => this.#sheet.cover(null));
    return [make("p", {}, said), make("ul", {}, ...shows), make("div", { class: "bar" }, back)];
  }

  /** The window, and in it the chances if they are wanted. */
  #windowed(chances = null) {
    const { row, col, height, width } = this.#window;
    const marks = new Map();
    for (let down = 0; down < height; down += 1) {
      for (let right = 0; right < width; right += 1) {
        const chance = chances?.[down][right] ?? null;
        marks.set(`${row + down},${col + right}`, { kind: "window", chance });
      }
    }
    return marks;
  }

  /** All that is known of the window, and the column that is being read. */
  get #marks() {
    const marks = this.#windowed(this.#answer?.probabilities);
    const known = [
      ...marked(this.#answer?.conflict ?? [], { kind: "conflict" }),
      ...marked(this.#column, { kind: "target", label: "being read" }),
    ];
    for (const [place, mark] of known) marks.set(place, { ...marks.get(place), ...mark });
    return marks;
  }

  /** The cells that the automaton reads now. */
  get #column() {
    const { name, column = null } = this.#reading ?? {};
    if (column === null) return [];
    const { row, col, height, width } = this.#window;
    if (turned(name, this.#window)) {
      return Array.from({ length: width }, (_, at) => [row + column, col + at]);
    }
    return Array.from({ length: height }, (_, at) => [row + at, col + column]);
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

function lookingOut(loosened) {
  const items = loosened.map(({ clue: [row, col], number, low, high }) => {
    const needs = low === high ? String(low) : `${low} to ${high}`;
    return make("li", {}, `The ${number} at row ${row}, column ${col}: ${needs} in the window.`);
  });
  const summary = `${several(loosened.length, "clue")} with neighbours outside`;
  return make("details", {}, make("summary", {}, summary), make("ul", {}, ...items));
}
