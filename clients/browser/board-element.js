/**
 * `<minecheck-board>`: the board of minecheck's page, for other pages.
 *
 * @module board-element
 */

import { BoardView } from "./board.js";
import { chanceMarks, chancesOf, densityOf } from "./chances.js";

/**
 * What is shown on a cell beside its symbol: a kind of mark, whether it is selected, the chance of a
 * mine, small text, and more words for screen readers.
 *
 * @typedef {{kind?: "mine" | "safe" | "wrong" | "conflict" | "reason" | "area" | "target" | "guess" | "dead" | null, selected?: boolean, chance?: number | null, text?: string | null, label?: string | null}} BoardMark
 */

/** The style sheets of the board, which are beside this file. */
const SHEETS = ["tokens.css", "board.css", "board-element.css"];
/** Events of the board that the element has, too. */
const EVENTS = ["primary", "secondary", "chord", "key", "hover"];

/**
 * A board with keys, touch, names for screen readers, marks and chances. Its attribute `label` names it.
 *
 * Events have the cell in their detail, `{row, col}` from 0: "primary" (click, tap, Enter, Space),
 * "secondary" (right click, long press, F), "chord" (both buttons, middle or double click, C), "key"
 * (with `key`, other printable keys), "hover". `--minecheck-least-cell` and `--minecheck-most-cell`
 * limit the size of cells; colours are the custom properties of tokens.css.
 */
export class MinecheckBoard extends HTMLElement {
  /** @type {BoardView} */
  #view;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const frame = document.createElement("div");
    for (const sheet of SHEETS) {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = new URL(sheet, import.meta.url).href;
      root.append(link);
    }
    root.append(frame);
    const label = this.getAttribute("label") ?? "Minefield";
    this.#view = new BoardView(frame, { label, game: true, resizes: false });
    for (const name of EVENTS) {
      this.#view.addEventListener(name, (event) => {
        const { detail } = /** @type {CustomEvent} */ (event);
        this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
      });
    }
  }

  /**
   * Show a board.
   *
   * @param {string[]} rows numbers, `?` unknown, `F` flag, `S` safe, `B` mine, `X` the mine that was hit, `!` wrong flag
   * @param {{marks?: Iterable<[cell: [row: number, col: number], mark: BoardMark]>, probabilities?: (number | null)[][] | null, mines?: number | null, topology?: string}} [how] marks
   *   of cells; chances of a mine, as `analyze` answers them; the total of mines, by which chances are coloured
   * @returns {void}
   */
  show(rows, { marks = [], probabilities = null, mines = null, topology } = {}) {
    const shown = new Map(probabilities ? chanceMarks(chancesOf(rows, probabilities, topology)) : []);
    for (const [cell, mark] of marks) shown.set(String(cell), { ...shown.get(String(cell)), ...mark });
    this.#view.show(rows, shown, { topology, density: densityOf(rows, mines) });
  }

  /**
   * Bring the keyboard to a cell.
   *
   * @param {number} row
   * @param {number} col
   * @returns {void}
   */
  focusCell(row, col) {
    this.#view.focus(row, col);
  }
}

if (!customElements.get("minecheck-board")) customElements.define("minecheck-board", MinecheckBoard);
