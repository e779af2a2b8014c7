/**
 * A board as a grid of cells, for pointers, touch, keys and screen readers. It knows no rules.
 *
 * @module shared/board
 */

import { Bubble } from "./bubble.js";
import { pinching } from "./cell-size.js";
import { heat, heatColour, percent, percentage, USUAL_DENSITY } from "./chances.js";
import { make } from "./elements.js";
import { say } from "./language.js";
import { Pointing, cellOf } from "./pointing.js";
import { PLANE, joined, neighbours } from "./topology.js";

/**
 * What is shown on a cell beside its symbol; what is left out is null.
 *
 * @typedef {object} Mark
 * @property {"mine" | "safe" | "wrong" | "conflict" | "reason" | "area" | "target" | "window" | "guess" | "dead" | "kept" | "spare" | null} [kind]
 * @property {boolean} [selected] what is said is about this cell
 * @property {number | null} [chance] of a mine: a heat colour, and the percentage in the cell
 * @property {boolean} [silent] the percentage stands elsewhere, and not in the cell
 * @property {string | null} [text] small text in the cell
 * @property {string | null} [clue] a number that is not a digit, in place of the symbol
 * @property {string | null} [label] added to what screen readers say
 */
/** @typedef {Map<string, Mark>} Marks by "row,col" */

/** Rows that PageUp and PageDown pass. */
const PAGE = 5;

const SYMBOLS = {
  "?": say("unknown"),
  0: say("open, no mines around"),
  B: say("mine"),
  S: say("safe"),
  F: say("flag"),
  X: say("the mine that was stepped on"),
  "!": say("wrong flag"),
};
const KINDS = {
  mine: say("proved mine"),
  safe: say("proved safe"),
  wrong: say("this flag is proved wrong"),
  conflict: say("in conflict"),
  reason: say("a reason"),
  area: say("in the area of the hint"),
  target: say("pointed out"),
  window: say("in the window"),
  guess: say("part of a guess that cannot be avoided"),
  dead: say("tells nothing"),
  kept: say("kept"),
  spare: say("not needed"),
};
/** Symbols that are drawn by the style sheet. */
const DRAWN = "?0BFX!";

/**
 * The name of a cell, counted from 1 as by the rulers of the board. The service counts from 0.
 *
 * @param {...number} cell a row and a column
 */
export function cellName(...[row, col]) {
  return say("row {row}, column {column}", { row: row + 1, column: col + 1 });
}

/**
 * The board.
 *
 * Events are CustomEvents whose detail has row and col: "primary" (click, Enter, Space), "secondary"
 * (right click, long press, F), "chord" (both buttons, middle or double click, C), "key" ({key} of
 * other printable keys, Backspace and Delete), "hover" (a pointer or the focus comes to a cell), and
 * with `drag` also "drag" ({phase: "start" | "over" | "end"}).
 */
export class BoardView extends EventTarget {
  #frame;
  #grid;
  #bubble;
  /** @type {HTMLElement[]} */
  #cells = [];
  /** Where cells at joined edges are seen again, by their number. @type {Map<number, HTMLElement[]>} */
  #echoes = new Map();
  #topology = PLANE;
  #layers = 1;
  /** What each cell shows, to change no other. @type {string[]} */
  #shown = [];
  /** @type {string[]} */
  #rows = [];
  #width = 0;
  /** The one cell that the Tab key comes to. */
  #current = 0;

  /**
   * @param {HTMLElement} element what the board is put into; it scrolls if it is too narrow
   * @param {{label?: string, drag?: boolean, game?: boolean, resizes?: boolean}} [how] its name; whether
   *   cells are dragged over, or give way to a press as in a game; whether two fingers change the size
   *   of all boards
   */
  constructor(element, { label = say("Board"), drag = false, game = false, resizes = true } = {}) {
    super();
    this.#grid = make("div", { class: "board", role: "grid", "aria-label": label });
    this.#grid.classList.toggle("board-drag", drag);
    element.classList.add("board-frame");
    this.#frame = element;
    this.#bubble = new Bubble(element);
    this.#grid.addEventListener("keydown", (event) => this.#onKey(event));
    this.#grid.addEventListener("focusin", (event) => this.#onFocus(event));
    if (resizes) pinching(element, () => this.#cells[0]?.offsetWidth ?? 0);
    if (game) this.#givesWay();
    new Pointing(this.#grid, (name, cell, more) => this.#tell(name, cell, more), drag);
  }

  /** The rows that are shown. @returns {string[]} */
  get rows() {
    return this.#rows;
  }

  /**
   * Show a board; cells that stay as they are are not touched.
   *
   * @param {string[]} rows standard notation, X the mine that was stepped on, ! a wrong flag
   * @param {Marks} [marks]
   * @param {{stale?: boolean, topology?: string, density?: number, layers?: number}} [how] chances are
   *   not of this position any more; which cells touch; mines per cell, for the colours of chances;
   *   how many boards are drawn one below the other
   */
  show(rows, marks = new Map(), { stale = false, topology = PLANE, density = USUAL_DENSITY, layers = 1 } = {}) {
    if (!this.#grid.isConnected) this.#frame.prepend(this.#grid);
    const width = rows[0]?.length ?? 0;
    if (rows.length !== this.#rows.length || width !== this.#width || topology !== this.#topology || layers !== this.#layers) {
      this.#build(rows.length, width, topology, layers);
    }
    this.#rows = [...rows];
    this.#grid.classList.toggle("stale", stale);
    for (let at = 0, row = 0; row < rows.length; row += 1) {
      for (let col = 0; col < width; col += 1, at += 1) {
        const symbol = rows[row][col];
        const mark = marks.size ? marks.get(`${row},${col}`) : undefined;
        const shown = mark ? signature(symbol, mark, density) : symbol;
        if (shown === this.#shown[at]) continue;
        this.#shown[at] = shown;
        paint(this.#cells[at], row, col, symbol, mark ?? {}, density);
        for (const echo of this.#echoes.get(at) ?? []) mirror(this.#cells[at], echo);
      }
    }
    this.#bubble.refresh();
  }

  /** The cell that has the keyboard, null while it is elsewhere. @returns {[row: number, col: number] | null} */
  get focused() {
    const cell = this.#cells[this.#current];
    if (!cell?.matches(":focus")) return null;
    return [Math.floor(this.#current / this.#width), this.#current % this.#width];
  }

  /** Give the frame to another view. */
  leave() {
    this.#grid.remove();
  }

  /** What screen readers say of a cell. @returns {string} */
  describe(row, col) {
    return this.#cells[row * this.#width + col]?.getAttribute("aria-label") ?? "";
  }

  /**
   * Bring the keyboard to a cell.
   *
   * @param {number} row
   * @param {number} col
   */
  focus(row, col) {
    const cell = this.#cells[row * this.#width + col];
    if (!cell) return;
    this.#stopAt(cell);
    cell.focus();
  }

  /** Bring a cell into sight. @param {number} row @param {number} col */
  bring(row, col) {
    this.#cells[row * this.#width + col]?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  #build(height, width, topology, layers) {
    [this.#width, this.#topology, this.#layers] = [width, topology, layers];
    const [joinedRows, joinedCols] = joined(topology);
    this.#echoes = new Map();
    this.#shown = [];
    this.#cells = Array.from({ length: height * width }, (_, at) =>
      make("div", {
        class: "cell",
        role: "gridcell",
        tabIndex: -1,
        "aria-colindex": (at % width) + 1,
        "data-at": at,
      }),
    );
    const rows = Array.from({ length: height }, (_, row) => {
      const cells = this.#cells.slice(row * width, (row + 1) * width);
      const line = joinedCols ? [this.#echo(row, width - 1), ...cells, this.#echo(row, 0)] : cells;
      const apart = row > 0 && (row * layers) % height === 0 ? " layer-first" : "";
      return make("div", { class: `board-row${apart}`, role: "row", "aria-rowindex": row + 1 }, ...line);
    });
    if (joinedRows) {
      const beyond = (row) => {
        const cells = [width - 1, ...Array(width).keys(), 0].map((col) => this.#echo(row, col));
        return make("div", { class: "board-row echoes", "aria-hidden": "true" }, ...cells);
      };
      rows.unshift(beyond(height - 1));
      rows.push(beyond(0));
    }
    const numbers = Array.from({ length: width }, (_, col) => make("span", {}, String(col + 1)));
    const blanks = joinedCols ? [make("span"), make("span")] : [make("span")];
    const ruler = make("div", { class: "board-ruler", "aria-hidden": "true" }, ...blanks, ...numbers);
    this.#grid.dataset.topology = topology;
    this.#grid.setAttribute("aria-rowcount", height);
    this.#grid.setAttribute("aria-colcount", width);
    this.#grid.style.setProperty("--columns", width + (joinedCols ? 2 : 0));
    this.#grid.style.setProperty("--rows", height + (joinedRows ? 2 : 0));
    this.#grid.replaceChildren(ruler, ...rows);
    this.#current = Math.min(this.#current, Math.max(0, height * width - 1));
    if (this.#cells.length) this.#stopAt(this.#cells[this.#current]);
  }

  /** What is seen of a cell beyond the edge that is joined to its own; nobody can point at it. */
  #echo(row, col) {
    const at = row * this.#width + col;
    const echo = make("div", { class: "cell echo", "aria-hidden": "true" });
    this.#echoes.set(at, [...(this.#echoes.get(at) ?? []), echo]);
    return echo;
  }

  /** Make a cell the one that Tab comes to. */
  #stopAt(cell) {
    const before = this.#cells[this.#current];
    if (before) before.tabIndex = -1;
    this.#current = Number(cell.dataset.at);
    cell.tabIndex = 0;
  }

  #onFocus(event) {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    this.#stopAt(cell);
    this.#tell("hover", cell);
  }

  #onKey(event) {
    const cell = event.target.closest(".cell");
    const jumps = event.key === "Home" || event.key === "End";
    // The other keys with Cmd are the browser's.
    if (!cell || event.altKey || (event.metaKey && !jumps)) return;
    const to = this.#reached(event);
    if (to !== null) {
      event.preventDefault();
      this.focus(Math.floor(to / this.#width), to % this.#width);
    } else if (!event.ctrlKey && this.#pressed(event, cell)) {
      event.preventDefault();
    }
  }

  /** The cell that a key leads to, null for keys that do not lead anywhere. */
  #reached({ key, ctrlKey, metaKey }) {
    const [width, height] = [this.#width, this.#rows.length];
    const [row, col] = [Math.floor(this.#current / width), this.#current % width];
    const far = ctrlKey || metaKey;
    const [overRows, overCols] = joined(this.#topology);
    const step = (down, right) =>
      at(overRows ? (row + down + height) % height : row + down, overCols ? (col + right + width) % width : col + right);
    const at = (toRow, toCol) =>
      Math.max(0, Math.min(height - 1, toRow)) * width + Math.max(0, Math.min(width - 1, toCol));
    switch (key) {
      case "ArrowUp": return step(-1, 0);
      case "ArrowDown": return step(1, 0);
      case "ArrowLeft": return step(0, -1);
      case "ArrowRight": return step(0, 1);
      case "PageUp": return at(row - PAGE, col);
      case "PageDown": return at(row + PAGE, col);
      case "Home": return at(far ? 0 : row, 0);
      case "End": return at(far ? height - 1 : row, width - 1);
      default: return null;
    }
  }

  /** Tell what a key does on a cell; whether it does anything. */
  #pressed({ key, repeat }, cell) {
    if (key === "Enter" || key === " ") {
      if (!repeat) this.#tell("primary", cell);
    } else if (key === "f" || key === "F") {
      if (!repeat) this.#tell("secondary", cell);
    } else if (key === "c" || key === "C") {
      if (!repeat) this.#tell("chord", cell);
    } else if (key.length === 1 || key === "Backspace" || key === "Delete") {
      this.#tell("key", cell, { key });
    } else {
      return false;
    }
    return true;
  }

  /** Closed cells look pressed while a button or finger is down on them, or on a number beside them. */
  #givesWay() {
    const release = () => {
      for (const cell of this.#grid.querySelectorAll(".pressed")) cell.classList.remove("pressed");
    };
    const press = (event) => {
      release();
      const pressed = cellOf(event);
      if (pressed) for (const cell of this.#openedBy(pressed)) cell.classList.add("pressed");
    };
    this.#grid.addEventListener("pointerdown", (event) => {
      if (event.button !== 2) press(event);
    });
    // A mouse may slide to another cell before it lets go.
    this.#grid.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse" && event.buttons === 1) press(event);
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) this.#grid.addEventListener(name, release);
  }

  /** The closed cells that a click on a cell may open. @returns {HTMLElement[]} */
  #openedBy(cell) {
    if (cell.dataset.symbol === "?") return [cell];
    const at = Number(cell.dataset.at);
    const [row, col] = [Math.floor(at / this.#width), at % this.#width];
    const near = /[1-8]/.test(cell.dataset.symbol) ? neighbours(this.#topology, this.#rows.length, this.#width, row, col) : [];
    return near
      .filter(([r, c]) => this.#rows[r][c] === "?")
      .map(([r, c]) => this.#cells[r * this.#width + c]);
  }

  #tell(name, cell, more = {}) {
    if (name === "hover") this.#bubble.show(cell);
    const at = Number(cell.dataset.at);
    const position = { row: Math.floor(at / this.#width), col: at % this.#width };
    this.dispatchEvent(new CustomEvent(name, { detail: { ...position, ...more } }));
  }
}

/** All that a cell with a mark shows. @param {string} symbol @param {Mark} mark @param {number} density */
function signature(symbol, { kind, selected, chance, silent, text, clue, label }, density) {
  return [symbol, kind, selected, chance, silent, chance && heat(chance, density), text, clue, label].join("\n");
}

/** Give a cell its colour on the scale of heat, or none. @param {HTMLElement} cell @param {number | null} heat */
function warmUp(cell, heat) {
  if (heat === null) {
    delete cell.dataset.heat;
    cell.style.removeProperty("--heat");
  } else {
    cell.dataset.heat = String(heat);
    cell.style.setProperty("--heat", heatColour(heat));
  }
}

/** Show in one element what another shows. */
function mirror(cell, echo) {
  echo.textContent = "";
  echo.append(...[...cell.childNodes].map((node) => node.cloneNode(true)));
  echo.style.setProperty("--heat", cell.style.getPropertyValue("--heat"));
  for (const name of ["symbol", "kind", "heat"]) {
    if (name in cell.dataset) echo.dataset[name] = cell.dataset[name];
    else delete echo.dataset[name];
  }
}

/**
 * Draw one cell.
 *
 * @param {HTMLElement} cell
 * @param {number} row
 * @param {number} col
 * @param {string} symbol
 * @param {Mark} mark
 * @param {number} density
 */
function paint(cell, row, col, symbol, { kind, selected, chance, silent, text, clue, label }, density) {
  const glyph = clue ?? (DRAWN.includes(symbol) ? "" : symbol);
  const parts = [say("{cell}: {what}", { cell: cellName(row, col), what: clue ?? SYMBOLS[symbol] ?? symbol })];
  cell.toggleAttribute("data-clue", clue != null);
  // What is set anew is styled anew, though it be the same.
  if (cell.dataset.symbol !== symbol) cell.dataset.symbol = symbol;
  if (cell.textContent !== glyph || cell.firstElementChild) cell.textContent = glyph;
  if (kind) {
    cell.dataset.kind = kind;
    parts.push(KINDS[kind]);
  } else {
    delete cell.dataset.kind;
  }
  cell.toggleAttribute("data-selected", Boolean(selected));
  if (selected) parts.push(say("selected"));
  const warm = typeof chance === "number";
  if (warm) {
    cell.dataset.bubble = say("{chance} mine", { chance: percent(chance) });
    parts.push(cell.dataset.bubble);
  } else {
    delete cell.dataset.bubble;
  }
  warmUp(cell, warm && !silent ? heat(chance, density) : null);
  const small = text ?? (warm && !silent ? percentage(chance) : null);
  if (small !== null) cell.append(make("span", { class: "cell-text" }, small));
  if (label) parts.push(label);
  cell.setAttribute("aria-label", parts.join(say(", ")));
}
