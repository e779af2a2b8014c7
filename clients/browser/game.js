/**
 * A game to play, from a board with its solution.
 *
 * @module game
 */

/** @import { Coordinates } from "./types.d.ts" */

/** A game of a board as `boards` answers it, from its first click on. */
export class Game {
  /** @type {string[]} */
  #layout;
  /** @type {string[][]} */
  #seen;
  /** Safe cells that are not open. */
  #left;
  #lost = false;
  /** Of each call that changed something, the cells and what was seen of them before. @type {[Coordinates, string][][]} */
  #moves = [];

  /**
   * @param {{layout: string[] | null, board: string[] | null}} answer `layout` has numbers on safe
   *   cells and B on mines, `board` what is shown at first
   */
  constructor({ layout, board }) {
    if (!layout || !board) throw new TypeError("There is no board to play: none was found in time.");
    this.#layout = layout;
    this.#seen = board.map((row) => [...row]);
    this.#left = layout.join("").replaceAll("B", "").length - board.join("").replaceAll("?", "").length;
  }

  /**
   * What the player sees: numbers, `?` on closed cells, `F` on flags, `B` on a mine that was hit.
   *
   * @returns {string[]}
   */
  get rows() {
    return this.#seen.map((row) => row.join(""));
  }

  /**
   * Whether a mine was hit, or all safe cells are open.
   *
   * @returns {"playing" | "won" | "lost"}
   */
  get state() {
    if (this.#lost) return "lost";
    return this.#left === 0 ? "won" : "playing";
  }

  /**
   * What is shown at the end: as `rows`, but once the game is lost `X` is the mine that was hit, `B`
   * are the other mines, and `!` wrong flags; once it is won, `F` is on all mines.
   *
   * @returns {string[]}
   */
  get revealed() {
    const { state } = this;
    if (state === "playing") return this.rows;
    const reveal = (seen, hidden) => {
      if (state === "won") return hidden === "B" ? "F" : seen;
      if (seen === "F") return hidden === "B" ? "F" : "!";
      if (seen === "B") return "X";
      return hidden === "B" ? "B" : seen;
    };
    return this.#seen.map((symbols, row) => symbols.map((seen, col) => reveal(seen, this.#layout[row][col])).join(""));
  }

  /**
   * Mines without a flag; below zero with too many flags.
   *
   * @returns {number}
   */
  get minesLeft() {
    const mines = this.#layout.join("").replaceAll(/[^B]/g, "").length;
    return mines - this.#seen.flat().filter((symbol) => symbol === "F").length;
  }

  /**
   * Open a cell, and around a 0 all that follows. Flags are not opened, nor is anything after the end.
   *
   * @param {Coordinates} cell
   * @returns {Coordinates[]} the cells that changed
   */
  open(cell) {
    this.#symbol(cell);
    return this.#open([cell]);
  }

  /**
   * Open all around a number that has as many flags.
   *
   * @param {Coordinates} cell
   * @returns {Coordinates[]} the cells that changed
   */
  chord(cell) {
    const number = this.#symbol(cell);
    const near = around(cell);
    const flags = near.filter(([row, col]) => this.#seen[row]?.[col] === "F").length;
    return number === String(flags) ? this.#open(near) : [];
  }

  /**
   * Take back what changed the board last, a fatal move too.
   *
   * @returns {Coordinates[]} the cells that changed
   */
  undo() {
    const changed = this.#moves.pop() ?? [];
    for (const [[row, col], before] of changed) {
      const symbol = this.#seen[row][col];
      if (symbol === "B") this.#lost = false;
      else if (symbol !== "F" && before === "?") this.#left += 1;
      this.#seen[row][col] = before;
    }
    return changed.map(([cell]) => cell);
  }

  /** Open closed cells, and around each 0 all that follows. @param {Coordinates[]} cells @returns {Coordinates[]} */
  #open(cells) {
    /** @type {Coordinates[]} */
    const changed = [];
    const next = this.state === "playing" ? [...cells] : [];
    for (let cell = next.pop(); cell; cell = next.pop()) {
      const [row, col] = cell;
      if (this.#seen[row]?.[col] !== "?") continue;
      const symbol = this.#layout[row][col];
      this.#seen[row][col] = symbol;
      changed.push(cell);
      if (symbol === "B") this.#lost = true;
      else this.#left -= 1;
      if (symbol === "0") next.push(...around(cell));
    }
    if (changed.length) this.#moves.push(changed.map((cell) => [cell, "?"]));
    return changed;
  }

  /**
   * Flag a closed cell, or take its flag away.
   *
   * @param {Coordinates} cell
   * @returns {Coordinates[]} the cell, if that changed it
   */
  flag(cell) {
    const other = { "?": "F", F: "?" }[this.#symbol(cell)];
    if (other === undefined || this.state !== "playing") return [];
    const [row, col] = cell;
    this.#moves.push([[cell, this.#seen[row][col]]]);
    this.#seen[row][col] = other;
    return [cell];
  }

  /** What is seen of a cell. */
  #symbol([row, col]) {
    const symbol = this.#seen[row]?.[col];
    if (symbol !== undefined) return symbol;
    const size = `${this.#seen.length} rows and ${this.#seen[0].length} columns`;
    throw new RangeError(`Row ${row}, column ${col} is not on the board: it has ${size}, from 0.`);
  }
}

/**
 * The cells around one, those beyond the edges too.
 *
 * @param {Coordinates} cell
 * @returns {Coordinates[]}
 */
function around([row, col]) {
  const steps = [-1, 0, 1];
  return steps.flatMap((down) => steps.map((right) => /** @type {Coordinates} */ ([row + down, col + right])));
}
