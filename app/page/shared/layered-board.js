/**
 * A board with what is known of it, and an overlay that is shown for a while.
 *
 * @module shared/layered-board
 */

import { BoardView } from "./board.js";
import { USUAL_DENSITY } from "./chances.js";
import { say } from "./language.js";
import { LargeBoard } from "./large-board.js";
import { PLANE } from "./topology.js";

/** @typedef {import("./board.js").Mark} Mark */
/** @typedef {{rows?: string[], marks?: Map<string, Mark>}} Overlay rows in place of the board's */

/** Cells that are drawn as elements of the page at most. */
const MOST_DRAWN = 10_000;

/** What is seen of a position: its rows, its marks, and over them an overlay. */
export class LayeredBoard {
  /** Where cells can be pointed at. @type {BoardView} */
  view;
  /** In its place for large boards. */
  #picture;
  #rows = [];
  #marks = new Map();
  #topology = PLANE;
  #density = USUAL_DENSITY;
  #layers = 1;
  /** @type {Overlay | null} */
  #overlay = null;

  /**
   * @param {HTMLElement} element
   * @param {ConstructorParameters<typeof BoardView>[1]} how
   */
  constructor(element, how) {
    this.view = new BoardView(element, how);
    this.#picture = new LargeBoard(element, how);
    this.#picture.addEventListener("primary", ({ detail }) => this.view.dispatchEvent(new CustomEvent("primary", { detail })));
  }

  /** Bring the keyboard to a cell, or the cell into sight. @param {number} row @param {number} col */
  focus(row, col) {
    this.#seen.focus(row, col);
  }

  /** What is shown. @returns {{rows: string[], marks: Map<string, Mark>}} */
  get shown() {
    if (this.#overlay === null) return { rows: this.#rows, marks: this.#marks };
    const { rows, marks = new Map() } = this.#overlay;
    return rows ? { rows, marks } : { rows: this.#rows, marks: merged(this.#marks, marks) };
  }

  /** The overlay, to be put back later. @returns {Overlay | null} */
  get overlaid() {
    return this.#overlay;
  }

  /**
   * @param {string[]} rows
   * @param {Map<string, Mark>} [marks]
   * @param {string} [topology]
   * @param {number} [density] mines per cell, for the colours of chances
   * @param {number} [layers] how many boards are drawn one below the other
   */
  show(rows, marks = new Map(), topology = PLANE, density = USUAL_DENSITY, layers = 1) {
    [this.#rows, this.#marks, this.#topology, this.#density, this.#layers] = [rows, marks, topology, density, layers];
    this.#draw();
  }

  /**
   * Lay marks, or another board of this size with its own marks, over what is there.
   *
   * @param {Overlay | null} overlay null takes it away
   */
  overlay(overlay) {
    if (overlay === null && this.#overlay === null) return;
    this.#overlay = overlay;
    this.#draw();
  }

  #draw() {
    const { rows, marks } = this.shown;
    const other = this.#seen === this.view ? this.#picture : this.view;
    other.leave();
    this.#seen.show(rows, marks, { topology: this.#topology, density: this.#density, layers: this.#layers });
  }

  get #seen() {
    return this.#rows.length * (this.#rows[0]?.length ?? 0) > MOST_DRAWN ? this.#picture : this.view;
  }
}

/**
 * Marks for cells that are alike.
 *
 * @param {Iterable<number[]>} cells
 * @param {Mark} mark
 * @returns {[string, Mark][]}
 */
export function marked(cells, mark) {
  return [...cells].map(([row, col]) => [`${row},${col}`, mark]);
}

/** A layout as the service writes it: rows, and under other rules the mines of each cell, or the clues that lie. @typedef {string[] | {rows: string[], mines?: number[][], lies?: number[][]}} WrittenLayout */

/** The rows of a layout. @param {WrittenLayout} layout @returns {string[]} */
export function rowsOf(layout) {
  return Array.isArray(layout) ? layout : layout.rows;
}

/** What rows cannot say of a layout. @param {string[]} rows of the board @param {WrittenLayout} layout @returns {[string, Mark][]} */
function marksBeside(rows, layout) {
  if (Array.isArray(layout)) return [];
  const { mines = [], lies = [] } = layout;
  const several = mines.flatMap((held, row) => held.map((count, col) => ({ count, cell: [row, col] }))).filter(({ count }) => count > 1);
  return [
    ...several.flatMap(({ count, cell }) => marked([cell], { text: `×${count}`, label: say("{count} mines", { count }) })),
    ...lies.flatMap(([row, col]) => {
      const clue = rows[row][col] === "S" ? "" : rows[row][col];
      return marked([[row, col]], { kind: "conflict", text: `≠${clue}`, label: say("the clue on the board is wrong") });
    }),
  ];
}

/**
 * A layout in place of a board, the cells that are unknown there marked.
 *
 * @param {string[]} rows
 * @param {WrittenLayout} written
 * @returns {Overlay}
 */
export function layoutOverlay(rows, written) {
  const layout = rowsOf(written);
  const marks = new Map();
  rows.forEach((symbols, row) => {
    [...symbols].forEach((symbol, col) => {
      // A layout of a part leaves the rest as it is.
      if ("?F".includes(symbol) && !"?F".includes(layout[row][col])) {
        marks.set(`${row},${col}`, { kind: "window", label: say("unknown on the board") });
      }
    });
  });
  return { rows: layout, marks: merged(marks, marksBeside(rows, written)) };
}

/**
 * Marks with others on the same cells and elsewhere; of each cell, what the later ones say.
 *
 * @param {Iterable<[string, Mark]>} marks
 * @param {Iterable<[string, Mark]>} others
 * @returns {Map<string, Mark>}
 */
export function merged(marks, others) {
  const all = new Map(marks);
  for (const [key, mark] of others) all.set(key, { ...all.get(key), ...mark });
  return all;
}
