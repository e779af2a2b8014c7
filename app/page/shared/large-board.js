/**
 * A board with more cells than a page can make elements of: a picture to scroll, to zoom and to click.
 *
 * @module shared/large-board
 */

import { chosenCellSize, pinching } from "./cell-size.js";
import { heat, heatColour, percent, percentage, USUAL_DENSITY } from "./chances.js";
import { Bubble } from "./bubble.js";
import { cellName } from "./board.js";
import { make } from "./elements.js";
import { say } from "./language.js";

/** @typedef {import("./board.js").Mark} Mark */
/** @typedef {import("./board.js").Marks} Marks */

/** Pixels of a cell from which on its symbol is written, and its percentage. */
const WRITTEN = 9;
const PERCENT_SIZE = 22;
/** Pixels of a cell that is not chosen otherwise. */
const USUAL = 12;

/** Which colour of the page frames a cell of each kind. */
const FRAMES = {
  mine: "mine",
  safe: "safe",
  wrong: "mine",
  conflict: "mine",
  reason: "accent",
  kept: "safe",
  target: "warn",
  window: "accent",
  guess: "warn",
};
const COVERED = "?FSB";
const GLYPHS = { F: "⚑", B: "✹", S: "✓" };

/** The picture; it has "primary" events as `BoardView` has, and like it shows rows and marks. */
export class LargeBoard extends EventTarget {
  #frame;
  #canvas = make("canvas", { tabIndex: 0, role: "img" });
  #sheet = make("div", { class: "large-board" }, this.#canvas);
  #bubble;
  #label;
  #rows = [];
  #marks = new Map();
  #density = USUAL_DENSITY;
  #waiting = 0;

  /**
   * @param {HTMLElement} element what the board is put into
   * @param {{label?: string}} [how] its name
   */
  constructor(element, { label = say("Board") } = {}) {
    super();
    [this.#frame, this.#label] = [element, label];
    this.#bubble = new Bubble(element);
    element.addEventListener("scroll", () => this.#soon());
    document.addEventListener("cellsize", () => this.#measure());
    new ResizeObserver(() => this.#soon()).observe(element);
    pinching(element, () => (this.#sheet.isConnected ? this.#size : 0));
    this.#canvas.addEventListener("click", (event) => {
      const [row, col] = this.#cellAt(event);
      if (this.#rows[row]?.[col]) this.dispatchEvent(new CustomEvent("primary", { detail: { row, col } }));
    });
    this.#canvas.addEventListener("pointermove", (event) => this.#point(event));
  }

  /** @returns {string[]} */
  get rows() {
    return this.#rows;
  }

  /** @param {string[]} rows @param {Marks} [marks] @param {{density?: number}} [how] mines per cell */
  show(rows, marks = new Map(), { density = USUAL_DENSITY } = {}) {
    [this.#rows, this.#marks, this.#density] = [rows, marks, density];
    if (!this.#sheet.isConnected) this.#frame.prepend(this.#sheet);
    this.#canvas.setAttribute("aria-label", say("{label}: a picture of {rows} rows and {columns} columns", { label: this.#label, rows: rows.length, columns: rows[0].length }));
    this.#measure();
  }

  /** Give the frame to another view. */
  leave() {
    this.#sheet.remove();
  }

  /** Bring a cell into sight. @param {number} row @param {number} col */
  focus(row, col) {
    const size = this.#size;
    this.#frame.scrollTo((col + 0.5) * size - this.#frame.clientWidth / 2, (row + 0.5) * size - this.#frame.clientHeight / 2);
  }

  get #size() {
    return Number.parseInt(chosenCellSize(), 10) || USUAL;
  }

  #measure() {
    if (!this.#sheet.isConnected) return;
    this.#sheet.style.width = `${this.#rows[0].length * this.#size}px`;
    this.#sheet.style.height = `${this.#rows.length * this.#size}px`;
    this.#soon();
  }

  #soon() {
    if (this.#waiting) return;
    this.#waiting = requestAnimationFrame(() => {
      this.#waiting = 0;
      if (this.#sheet.isConnected && this.#frame.clientWidth) this.#draw();
    });
  }

  /** The cells in sight, and no others. */
  #draw() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.#frame;
    const [size, sharp] = [this.#size, devicePixelRatio];
    const [width, height] = [this.#rows[0].length * size, this.#rows.length * size].map((all, at) =>
      Math.min(all, [clientWidth, clientHeight][at]),
    );
    [this.#canvas.width, this.#canvas.height] = [width * sharp, height * sharp];
    [this.#canvas.style.width, this.#canvas.style.height] = [`${width}px`, `${height}px`];
    const context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d"));
    context.scale(sharp, sharp);
    context.translate(-scrollLeft, -scrollTop);
    [context.textAlign, context.textBaseline] = ["center", "middle"];
    const style = getComputedStyle(this.#frame);
    const colours = new Map();
    const colour = (name) => {
      if (!colours.has(name)) colours.set(name, resolved(this.#frame, style, name));
      return colours.get(name);
    };
    const last = { row: (scrollTop + height) / size, col: (scrollLeft + width) / size };
    for (let row = Math.floor(scrollTop / size); row < last.row && row < this.#rows.length; row += 1) {
      for (let col = Math.floor(scrollLeft / size); col < last.col && col < this.#rows[row].length; col += 1) {
        const mark = this.#marks.get(`${row},${col}`) ?? {};
        paint(context, { symbol: this.#rows[row][col], mark, x: col * size, y: row * size, size }, this.#density, colour);
      }
    }
  }

  #cellAt({ offsetX, offsetY }) {
    const { scrollLeft, scrollTop } = this.#frame;
    return [Math.floor((scrollTop + offsetY) / this.#size), Math.floor((scrollLeft + offsetX) / this.#size)];
  }

  /** Say which cell is pointed at, and its chance. */
  #point(event) {
    const [row, col] = this.#cellAt(event);
    const chance = this.#marks.get(`${row},${col}`)?.chance;
    const name = cellName(row, col);
    const text = typeof chance === "number" ? say("{cell}: {chance} mine", { cell: name, chance: percent(chance) }) : name;
    this.#bubble.say(this.#rows[row]?.[col] ? text : "", event.clientX, event.clientY);
  }
}

function paint(context, { symbol, mark, x, y, size }, density, colour) {
  const { kind, selected, chance, silent } = mark;
  const warm = typeof chance === "number";
  const gap = size > 6 ? 1 : 0;
  const ground = COVERED.includes(symbol) ? "cell-closed" : "cell-open";
  context.fillStyle = warm && !silent ? heatColour(heat(chance, density)) : colour(ground);
  context.fillRect(x, y, size - gap, size - gap);
  const frame = selected ? "ink" : FRAMES[kind];
  if (frame) {
    context.strokeStyle = colour(frame);
    context.lineWidth = Math.max(1, size / 10);
    context.strokeRect(x + 1, y + 1, size - gap - 2, size - gap - 2);
  }
  const isProof = symbol === "?" && (kind === "safe" || kind === "mine");
  const glyph = isProof ? (kind === "safe" ? GLYPHS.S : GLYPHS.B) : (GLYPHS[symbol] ?? (/[1-8]/.test(symbol) ? symbol : ""));
  if (glyph && size >= WRITTEN) {
    const own = /[1-8]/.test(symbol) ? `n${symbol}` : isProof ? kind : "ink";
    write(context, glyph, 0.7 * size, colour(own), x + size / 2, y + size / 2);
  } else if (warm && !silent && size >= PERCENT_SIZE) {
    write(context, percentage(chance), 0.4 * size, colour("on-heat"), x + size / 2, y + size / 2);
  }
}

function write(context, text, size, colour, x, y) {
  context.font = `650 ${size}px system-ui, sans-serif`;
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** A colour of the page as a canvas takes it. */
function resolved(frame, style, name) {
  frame.style.outlineColor = `var(--${name})`;
  const found = style.outlineColor;
  frame.style.outlineColor = "";
  return found;
}
