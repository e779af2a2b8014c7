/**
 * A board as a grid of cells, for pointers, touch, keys and screen readers. It knows no rules.
 *
 * @module shared/board
 */

import { Bubble } from "./bubble.js";
import { pinching } from "./cell-size.js";
import { percent, percentage, usualChance, warmth } from "./chances.js";
import { make } from "./elements.js";
import { PLANE, joined } from "./topology.js";

/**
 * What is shown on a cell beside its symbol; what is left out is null.
 *
 * @typedef {object} Mark
 * @property {"mine" | "safe" | "wrong" | "conflict" | "reason" | "target" | "window" | "guess" | "dead" | "kept" | "spare" | null} [kind]
 * @property {boolean} [selected] what is said is about this cell
 * @property {number | null} [chance] of a mine: a heat colour, and the percentage in the cell
 * @property {boolean} [silent] the percentage is told elsewhere, and not in the cell
 * @property {string | null} [text] small text in the cell
 * @property {string | null} [label] added to what screen readers say
 */
/** @typedef {Map<string, Mark>} Marks by "row,col" */

/** Milliseconds until a touch that stays is a secondary click. */
const LONG_PRESS = 400;
/** Pixels that a finger may move meanwhile. */
const STEADY = 10;
/** Rows that PageUp and PageDown pass. */
const PAGE = 5;

const SYMBOLS = {
  "?": "unknown",
  0: "open, no mines around",
  B: "mine",
  S: "safe",
  F: "flag",
  X: "the mine that was stepped on",
  "!": "wrong flag",
};
const KINDS = {
  mine: "proved mine",
  safe: "proved safe",
  wrong: "this flag is proved wrong",
  conflict: "in conflict",
  reason: "a reason",
  target: "pointed out",
  window: "in the window",
  guess: "part of a guess that cannot be avoided",
  dead: "tells nothing",
  kept: "kept",
  spare: "not needed",
};
/** Symbols that are drawn by the style sheet. */
const DRAWN = "?0BFX!";

/**
 * How a cell is called: counted from 1, as by the rulers of the board. The service counts from 0.
 *
 * @param {...number} place a row and a column
 */
export function placeName(...[row, col]) {
  return `row ${row + 1}, column ${col + 1}`;
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
  /** What each cell shows, to change no other. @type {string[]} */
  #shown = [];
  /** @type {string[]} */
  #rows = [];
  #width = 0;
  /** The one cell that the Tab key comes to. */
  #current = 0;

  /**
   * @param {HTMLElement} element what the board is put into; it scrolls if it is too narrow
   * @param {{label?: string, drag?: boolean, game?: boolean}} [how] its name; whether cells are
   *   dragged over, or give way to a press as in a game
   */
  constructor(element, { label = "Board", drag = false, game = false } = {}) {
    super();
    this.#grid = make("div", { class: "board", role: "grid", "aria-label": label });
    this.#grid.classList.toggle("board-drag", drag);
    element.classList.add("board-frame");
    this.#frame = element;
    this.#bubble = new Bubble(element);
    this.#grid.addEventListener("keydown", (event) => this.#onKey(event));
    this.#grid.addEventListener("focusin", (event) => this.#onFocus(event));
    pinching(element, () => this.#cells[0]?.offsetWidth ?? 0);
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
   * @param {{stale?: boolean, topology?: string}} [how] chances are not of this position any more;
   *   which cells touch
   */
  show(rows, marks = new Map(), { stale = false, topology = PLANE } = {}) {
    if (!this.#grid.isConnected) this.#frame.prepend(this.#grid);
    const width = rows[0]?.length ?? 0;
    if (rows.length !== this.#rows.length || width !== this.#width || topology !== this.#topology) {
      this.#build(rows.length, width, topology);
    }
    this.#rows = [...rows];
    this.#grid.classList.toggle("stale", stale);
    const usual = usualChance(marks);
    for (let at = 0, row = 0; row < rows.length; row += 1) {
      for (let col = 0; col < width; col += 1, at += 1) {
        const symbol = rows[row][col];
        const mark = marks.size ? marks.get(`${row},${col}`) : undefined;
        const shown = mark ? signature(symbol, mark, usual) : symbol;
        if (shown === this.#shown[at]) continue;
        this.#shown[at] = shown;
        paint(this.#cells[at], row, col, symbol, mark ?? {}, usual);
        for (const echo of this.#echoes.get(at) ?? []) mirror(this.#cells[at], echo);
      }
    }
    this.#bubble.refresh();
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

  #build(height, width, topology) {
    [this.#width, this.#topology] = [width, topology];
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
      return make("div", { class: "board-row", role: "row", "aria-rowindex": row + 1 }, ...line);
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
    this.#grid.addEventListener("pointerdown", (event) => {
      release();
      const pressed = cellOf(event);
      if (pressed && event.button !== 2) for (const cell of this.#openedBy(pressed)) cell.classList.add("pressed");
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) this.#grid.addEventListener(name, release);
  }

  /** The closed cells that a click on a cell may open. @returns {HTMLElement[]} */
  #openedBy(cell) {
    if (cell.dataset.symbol === "?") return [cell];
    const at = Number(cell.dataset.at);
    const [row, col] = [Math.floor(at / this.#width), at % this.#width];
    const near = /[1-8]/.test(cell.dataset.symbol) ? [-1, 0, 1] : [];
    return near
      .flatMap((down) => near.map((across) => [row + down, col + across]))
      .filter(([r, c]) => this.#rows[r]?.[c] === "?")
      .map(([r, c]) => this.#cells[r * this.#width + c]);
  }

  #tell(name, cell, more = {}) {
    if (name === "hover") this.#bubble.show(cell);
    const at = Number(cell.dataset.at);
    const place = { row: Math.floor(at / this.#width), col: at % this.#width };
    this.dispatchEvent(new CustomEvent(name, { detail: { ...place, ...more } }));
  }
}

/** What pointers do to the cells of a grid: mice with up to three buttons, fingers, pens. */
class Pointing {
  #grid;
  #tell;
  /** The press that the next click belongs to was something else already. */
  #spent = false;
  #touching = false;
  #bothButtons = false;
  /** A touch that may become a long one. @type {{timer: number, x: number, y: number} | null} */
  #press = null;
  /** The cell that a drag was over last. @type {Element | null} */
  #dragged = null;

  /**
   * @param {HTMLElement} grid
   * @param {(name: string, cell: HTMLElement, more?: object) => void} tell
   * @param {boolean} drag
   */
  constructor(grid, tell, drag) {
    this.#grid = grid;
    this.#tell = tell;
    const on = (name, listener) => grid.addEventListener(name, (event) => listener(event, cellOf(event)));
    on("pointerdown", (event, cell) => this.#down(event, cell, drag));
    on("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) on(name, () => this.#release());
    on("pointerover", (event, cell) => {
      if (cell && event.pointerType === "mouse") tell("hover", cell);
    });
    on("mousedown", (event) => this.#mouseDown(event));
    on("mouseup", (event, cell) => this.#mouseUp(event, cell));
    on("click", (event, cell) => {
      // Assistive technology clicks without a press.
      if (cell && (event.detail === 0 || !this.#spent)) tell("primary", cell);
    });
    on("dblclick", (_, cell) => {
      if (cell && !this.#spent) tell("chord", cell);
    });
    on("auxclick", (event, cell) => {
      if (cell && event.button === 1) tell("chord", cell);
    });
    on("contextmenu", (event, cell) => {
      event.preventDefault();
      // A finger that rests brings up the menu, too, but at a time of the browser's choice.
      if (cell && !this.#spent && !this.#touching && !this.#bothButtons) tell("secondary", cell);
    });
  }

  #down(event, cell, drag) {
    this.#spent = false;
    this.#touching = event.pointerType !== "mouse";
    this.#release();
    if (!cell) return;
    if (this.#touching) {
      const timer = setTimeout(() => {
        this.#spent = true;
        this.#touching = true;
        this.#press = null;
        this.#tell("hover", cell);
        this.#tell("secondary", cell);
      }, LONG_PRESS);
      this.#press = { timer, x: event.clientX, y: event.clientY };
    }
    if (drag && event.isPrimary && event.button === 0) this.#startDrag(cell);
  }

  #move(event) {
    if (!this.#press) return;
    const { x, y } = this.#press;
    if (Math.hypot(event.clientX - x, event.clientY - y) > STEADY) this.#release();
  }

  #release() {
    if (this.#press) clearTimeout(this.#press.timer);
    this.#press = null;
  }

  #mouseDown(event) {
    if ((event.buttons & 3) === 3) this.#bothButtons = true;
    // No scrolling by the middle button.
    if (event.button === 1) event.preventDefault();
  }

  #mouseUp(event, cell) {
    if (this.#bothButtons && !this.#spent && cell) this.#tell("chord", cell);
    if (this.#bothButtons) this.#spent = true;
    if ((event.buttons & 3) === 0) this.#bothButtons = false;
  }

  #startDrag(cell) {
    const ended = new AbortController();
    const { signal } = ended;
    this.#dragged = cell;
    this.#tell("drag", cell, { phase: "start" });
    const over = (event) => {
      // A finger's events all go to the cell where it came down.
      const under = document.elementFromPoint(event.clientX, event.clientY)?.closest(".cell");
      if (!under || under === this.#dragged || !this.#grid.contains(under)) return;
      this.#dragged = under;
      this.#tell("drag", under, { phase: "over" });
    };
    const end = () => {
      ended.abort();
      this.#tell("drag", this.#dragged, { phase: "end" });
    };
    document.addEventListener("pointermove", over, { signal });
    document.addEventListener("pointerup", end, { signal });
    document.addEventListener("pointercancel", end, { signal });
  }
}

/** @param {Event} event @returns {HTMLElement | null} */
function cellOf(event) {
  return /** @type {Element} */ (event.target).closest(".cell");
}

/** All that a cell with a mark shows. @param {string} symbol @param {Mark} mark @param {number} usual */
function signature(symbol, { kind, selected, chance, silent, text, label }, usual) {
  return [symbol, kind, selected, chance, silent, chance && warmth(chance, usual), text, label].join("\n");
}

/** Show in one element what another shows. */
function mirror(cell, echo) {
  echo.textContent = "";
  echo.append(...[...cell.childNodes].map((node) => node.cloneNode(true)));
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
 * @param {number} usual
 */
function paint(cell, row, col, symbol, { kind, selected, chance, silent, text, label }, usual) {
  const glyph = DRAWN.includes(symbol) ? "" : symbol;
  const said = [placeName(row, col) + ": " + (SYMBOLS[symbol] ?? symbol)];
  // What is set anew is styled anew, though it be the same.
  if (cell.dataset.symbol !== symbol) cell.dataset.symbol = symbol;
  if (cell.textContent !== glyph || cell.firstElementChild) cell.textContent = glyph;
  if (kind) {
    cell.dataset.kind = kind;
    said.push(KINDS[kind]);
  } else {
    delete cell.dataset.kind;
  }
  cell.toggleAttribute("data-selected", Boolean(selected));
  if (selected) said.push("selected");
  const warm = typeof chance === "number";
  if (warm) {
    cell.dataset.heat = String(warmth(chance, usual));
    cell.dataset.bubble = `${percent(chance)} mine`;
    said.push(cell.dataset.bubble);
  } else {
    delete cell.dataset.heat;
    delete cell.dataset.bubble;
  }
  const small = text ?? (warm && !silent ? percentage(chance) : null);
  if (small !== null) cell.append(make("span", { class: "cell-text" }, small));
  if (label) said.push(label);
  cell.setAttribute("aria-label", said.join(", "));
}
