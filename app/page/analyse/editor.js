/**
 * Drawing boards: a palette, strokes of the pointer, and symbols typed into cells.
 *
 * @module analyse/editor
 */

import { button, enable, field, make, select } from "../shared/elements.js";
import { formatNumber, say } from "../shared/language.js";
import { LONGEST_SIDE, SYMBOLS, alike, around, changed, resized, tooLarge } from "../shared/position.js";
import { readClue, withClue } from "../shared/rules.js";
import { PLANE, TOPOLOGIES } from "../shared/topology.js";
import { rulesFields } from "./rules-fields.js";

/** @typedef {import("../shared/position-history.js").PositionHistory} PositionHistory */
/** @typedef {import("../shared/layered-board.js").LayeredBoard} LayeredBoard */

/** The brush that looks at cells, the one that draws as other editors of boards do, and that of clues. */
const [LOOK, DRAW, CLUE] = ["", "draw", "clue"];
/** What the wheel goes through. */
const NUMBERS = "?012345678";

const CLUE_NEEDED = say("Enter a clue such as 1-3, 0|2 or 11.");

/** Other keys that write a symbol. */
const TYPED = { "*": "B", b: "B", s: "S", f: "F" };

/** The tools above a board, and what they do to it. */
export class Editor {
  /** @type {HTMLElement} */
  element;
  #history;
  #board;
  #tell;
  /** The symbol that the pointer paints, `LOOK`, `DRAW` or `CLUE`. */
  #brush = LOOK;
  /** What `CLUE` paints. */
  #clue = make("input", { name: "clue", value: "1-3", size: 6, hidden: true, "aria-label": say("Clue to draw: 1-3, 0|2, or a number above 8") });
  /** A stroke, what it paints, and that its end is still to come. */
  #drawn = "?";
  #stroked = false;
  /** What was there before the stroke. */
  #from;

  /**
   * @param {PositionHistory} history
   * @param {LayeredBoard} board
   * @param {{host: HTMLElement, look: (row: number, col: number) => void, tell: Function}} how the
   *   element around the board; what is done about a cell that is looked at
   */
  constructor(history, board, { host, look, tell }) {
    [this.#history, this.#board, this.#tell] = [history, board, tell];
    this.element = make("div", { class: "editor" }, this.#palette(), ...this.#bars());
    const { view } = board;
    const on = (name, act) => view.addEventListener(name, (event) => act(/** @type {CustomEvent} */ (event).detail));
    on("primary", ({ row, col }) => this.#use(row, col, look));
    on("secondary", ({ row, col }) => {
      if (this.#brush === DRAW) this.#paint(row, col, this.#symbol(row, col) === "B" ? "?" : "B");
      else look(row, col);
    });
    on("hover", ({ row, col }) => {
      // Keys write where the mouse is.
      if (this.#brush === DRAW && host.contains(document.activeElement)) board.focus(row, col);
    });
    on("key", ({ row, col, key }) => this.#type(row, col, key));
    on("drag", (drag) => this.#stroke(drag));
    host.addEventListener("keydown", (event) => this.#flag(event), { capture: true });
    host.addEventListener("keydown", (event) => this.#undo(event));
    host.addEventListener("wheel", (event) => this.#turn(event), { passive: false });
    host.classList.toggle("looking", true);
    this.element.addEventListener("input", () => host.classList.toggle("looking", this.#brush === LOOK));
  }

  #palette() {
    const choice = (symbol, shown, name) => {
      const picked = () => {
        this.#brush = symbol;
        this.#clue.hidden = symbol !== CLUE;
      };
      const radio = make("input", {
        type: "radio",
        name: "brush",
        value: symbol,
        checked: symbol === LOOK,
        "aria-label": name,
        oninput: picked,
      });
      const face = make("span", { "data-symbol": symbol, "aria-hidden": "true" }, shown);
      return make("label", { title: name }, radio, face);
    };
    const symbols = [...SYMBOLS].map(([symbol, name]) => choice(symbol, symbol, name));
    this.#clue.addEventListener("input", () => this.#clue.setCustomValidity(readClue(this.#clue.value) === null ? CLUE_NEEDED : ""));
    return make(
      "fieldset",
      { class: "palette" },
      make("legend", { class: "unseen" }, say("Click or drag")),
      choice(LOOK, say("Look"), say("look at cells without drawing")),
      choice(DRAW, say("Draw"), say("draw: left for numbers, right for mines, the wheel to change them, keys 0 to 8")),
      ...symbols,
      choice(CLUE, "1–3", say("a clue that is not a digit: 1-3, 0|2, or a number above 8")),
      this.#clue,
    );
  }

  /** What is changed as a whole: back and forth, and the size and kind of the board. */
  #bars() {
    const size = (name) => make("input", { type: "number", min: 1, max: LONGEST_SIDE, name });
    const [height, width] = [size("height"), size("width")];
    const mines = make("input", { inputMode: "numeric", name: "mines", size: 5, placeholder: say("unknown") });
    const density = make("input", { inputMode: "decimal", name: "density", size: 5, placeholder: say("none") });
    const shape = select([...TOPOLOGIES], { name: "topology" });
    const undo = button(say("Undo"), () => this.#history.undo());
    const redo = button(say("Redo"), () => this.#history.redo());
    const shown = () => {
      const { rows, mines: total, density: chance, topology } = this.#history.position;
      shape.value = topology ?? PLANE;
      [height.value, width.value] = [String(rows.length), String(rows[0].length)];
      if (document.activeElement !== mines || minesOf(mines.value) !== total) {
        mines.value = total === null ? "" : String(total);
      }
      if (document.activeElement !== density || densityOf(density.value) !== chance) {
        density.value = chance === null ? "" : formatNumber(Number((100 * chance).toFixed(6)));
      }
      enable(undo, this.#history.undoable, say("There is no change to take back."));
      enable(redo, this.#history.redoable, say("No change was taken back."));
    };
    const resize = () => this.#resize(Number(height.value), Number(width.value), shown);
    height.addEventListener("change", resize);
    width.addEventListener("change", resize);
    mines.addEventListener("input", () => this.#count(mines));
    density.addEventListener("input", () => this.#suppose(density));
    shape.addEventListener("change", () => this.#history.change({ topology: shape.value }));
    this.#history.addEventListener("change", shown);
    shown();
    const clear = button(say("Clear"), () => this.#clear());
    const known = [field(say("Mines in all"), mines), field(say("or density in %"), density)];
    const fields = [...known, field(say("Rows"), height), field(say("Columns"), width), field(say("Topology"), shape)];
    const acts = make("div", { class: "bar acts" }, undo, redo, clear, rulesFields(this.#history));
    return [acts, make("div", { class: "bar fields" }, ...fields)];
  }

  #resize(height, width, back) {
    const whole = Number.isInteger(height) && Number.isInteger(width) && height > 0 && width > 0;
    const wrong = whole ? tooLarge(height, width) : say("A board has at least one row and one column.");
    if (wrong !== null) {
      this.#tell(wrong, "problem");
      back();
      return;
    }
    this.#history.change({ rows: resized(this.#history.position.rows, height, width) });
  }

  #count(input) {
    const mines = minesOf(input.value);
    input.setCustomValidity(mines === undefined ? say("Enter a whole number, or leave it empty if it is not known.") : "");
    input.setAttribute("aria-invalid", String(!input.reportValidity()));
    if (mines !== undefined) this.#history.change(mines === null ? { mines } : { mines, density: null });
  }

  #suppose(input) {
    const density = densityOf(input.value);
    input.setCustomValidity(density === undefined ? say("Enter a percentage between 0 and 100, or leave it empty.") : "");
    input.setAttribute("aria-invalid", String(!input.reportValidity()));
    if (density !== undefined) this.#history.change(density === null ? { density } : { density, mines: null });
  }

  #clear() {
    const { rows } = this.#history.position;
    this.#history.change({ rows: rows.map((row) => "?".repeat(row.length)), mines: null, density: null });
  }

  #paint(row, col, symbol, joined = false) {
    this.#board.overlay(null);
    const clue = symbol === CLUE ? readClue(this.#clue.value) : null;
    if (symbol === CLUE && clue === null) {
      this.#clue.reportValidity();
      return;
    }
    const { rows, rules = {} } = this.#history.position;
    const drawn = changed(rows, [[row, col, clue === null ? symbol : "S"]]);
    this.#history.change({ rows: drawn, rules: withClue(rules, `${row},${col}`, clue) }, { joined });
  }

  #symbol(row, col) {
    return this.#history.position.rows[row][col];
  }

  /** What a click does, unless it ends a stroke, which has done it. */
  #use(row, col, look) {
    if (this.#brush === LOOK) look(row, col);
    else if (!this.#stroked) this.#paint(row, col, this.#painted(row, col));
  }

  #stroke({ phase, row, col }) {
    // The click comes just after the end.
    if (phase === "end") setTimeout(() => (this.#stroked = false));
    if (this.#brush === LOOK || phase === "end") return;
    const { position } = this.#history;
    if (phase === "start") [this.#stroked, this.#from, this.#drawn] = [true, position, this.#painted(row, col)];
    this.#paint(row, col, this.#drawn, !alike(this.#from, position));
  }

  /** What a stroke that begins in a cell paints. */
  #painted(row, col) {
    if (this.#brush !== DRAW) return this.#brush;
    return this.#symbol(row, col) === "?" ? this.#numberOf(row, col) : "?";
  }

  /** The number of a cell as far as mines are drawn around it. */
  #numberOf(row, col) {
    const { rows, topology } = this.#history.position;
    return String([...around(rows, row, col, topology).matchAll(/B/g)].length);
  }

  /** The wheel over a cell changes its number. */
  #turn(event) {
    const cell = event.target.closest('[role="gridcell"]');
    if (!cell || this.#brush !== DRAW || event.ctrlKey) return;
    event.preventDefault();
    const [row, col] = placeOf(cell);
    const at = NUMBERS.indexOf(this.#symbol(row, col)) - Math.sign(event.deltaY);
    this.#paint(row, col, NUMBERS[Math.max(0, Math.min(NUMBERS.length - 1, at))]);
  }

  #type(row, col, key) {
    const { rows } = this.#history.position;
    const width = rows[0].length;
    const at = row * width + col;
    const to = (index) => this.#board.focus(Math.floor(index / width), index % width);
    if (key === "Backspace") {
      const before = Math.max(0, at - 1);
      this.#paint(Math.floor(before / width), before % width, "?");
      to(before);
      return;
    }
    const symbol = key === "Delete" ? "?" : (TYPED[key] ?? key);
    if (!SYMBOLS.has(symbol)) return;
    this.#paint(row, col, symbol);
    if (key !== "Delete" && this.#brush !== DRAW) to(Math.min(at + 1, rows.length * width - 1));
  }

  /** Ctrl Z or Cmd Z goes back, with Shift forward again. */
  #undo(event) {
    if (event.key.toLowerCase() !== "z" || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const [row, col] = placeOf(event.target.closest('[role="gridcell"]'));
    if (event.shiftKey) this.#history.redo();
    else this.#history.undo();
    // On a board of another size, that cell may not exist.
    const { rows } = this.#history.position;
    this.#board.focus(Math.min(row, rows.length - 1), Math.min(col, rows[0].length - 1));
  }

  /** F is a symbol here, before it is what the right button does. */
  #flag(event) {
    const cell = event.target.closest('[role="gridcell"]');
    if (!cell || event.key.toLowerCase() !== "f" || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#type(...placeOf(cell), "F");
  }
}

/** The row and column of a cell. */
function placeOf(cell) {
  const row = Number(cell.parentElement.getAttribute("aria-rowindex"));
  return [row - 1, Number(cell.getAttribute("aria-colindex")) - 1];
}

/** A total of mines, null for none, undefined for anything else. */
function minesOf(text) {
  if (text.trim() === "") return null;
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}

/** A density of a percentage, null for none, undefined for anything else. */
function densityOf(text) {
  if (text.trim() === "") return null;
  const percent = Number(text.replace("%", "").replace(",", "."));
  return percent > 0 && percent < 100 ? Number((percent / 100).toFixed(8)) : undefined;
}
