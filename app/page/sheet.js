/**
 * A board with what is known of it, and with what is held over it for a while.
 *
 * @module sheet
 */

import { BoardView } from "./board.js";

/** @typedef {import("./board.js").Mark} Mark */
/** @typedef {{rows?: string[], marks?: Map<string, Mark>}} Cover rows in place of the board's */

/** What one sees of a position: its rows, its marks, and over them a cover. */
export class Sheet {
  /** @type {BoardView} */
  view;
  #rows = [];
  #marks = new Map();
  /** @type {Cover | null} */
  #cover = null;

  /**
   * @param {HTMLElement} element
   * @param {ConstructorParameters<typeof BoardView>[1]} how
   */
  constructor(element, how) {
    this.view = new BoardView(element, how);
  }

  /** What is shown. @returns {{rows: string[], marks: Map<string, Mark>}} */
  get shown() {
    if (this.#cover === null) return { rows: this.#rows, marks: this.#marks };
    const { rows, marks = new Map() } = this.#cover;
    return rows ? { rows, marks } : { rows: this.#rows, marks: over(this.#marks, marks) };
  }

  /** What is held over the board, to be put back later. @returns {Cover | null} */
  get covered() {
    return this.#cover;
  }

  /**
   * @param {string[]} rows
   * @param {Map<string, Mark>} [marks]
   */
  put(rows, marks = new Map()) {
    [this.#rows, this.#marks] = [rows, marks];
    this.#draw();
  }

  /**
   * Hold marks, or another board of this size with its own marks, over what is there.
   *
   * @param {Cover | null} cover null takes it away
   */
  cover(cover) {
    if (cover === null && this.#cover === null) return;
    this.#cover = cover;
    this.#draw();
  }

  #draw() {
    const { rows, marks } = this.shown;
    this.view.show(rows, marks);
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

/**
 * What a layout makes of the cells that were not known.
 *
 * @param {string[]} rows
 * @param {string[]} layout
 * @returns {Cover}
 */
export function laidOut(rows, layout) {
  const marks = new Map();
  rows.forEach((symbols, row) => {
    [...symbols].forEach((symbol, col) => {
      // A layout of a part leaves the rest as it is.
      if ("?F".includes(symbol) && !"?F".includes(layout[row][col])) {
        marks.set(`${row},${col}`, { kind: "window", label: "unknown on the board" });
      }
    });
  });
  return { rows: layout, marks };
}

function over(marks, cover) {
  const merged = new Map(marks);
  for (const [place, mark] of cover) merged.set(place, { ...marks.get(place), ...mark });
  return merged;
}
