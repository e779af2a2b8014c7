/**
 * A game of Minesweeper, without a page: what was dealt, what was done, what is seen.
 *
 * @module shared/undoable-game
 */

import { PLANE, TOPOLOGIES, neighbours } from "./topology.js";

/** @typedef {{height: number, width: number, mines: number, topology?: string}} Size a plane board if nothing else is said */
/** @typedef {"ready" | "playing" | "won" | "lost"} State ready: nothing is dealt yet */
/** @typedef {[name: "reveal" | "flag" | "chord", row: number, col: number]} Move */
/** @typedef {[row: number, col: number]} Cell */

/**
 * A click that opened something.
 *
 * @typedef {object} Turn
 * @property {number} number from 1
 * @property {string[]} position what was shown before, without flags
 * @property {Cell} cell that it opened: of several a mine, if there was one
 * @property {Cell[]} opens the closed cells that it opened itself, before what follows from zeros
 * @property {number} before how many moves came before it
 * @property {boolean} fatal it was a mine
 * @property {boolean} won it was the last one
 */

/**
 * A game as plain values, for JSON.
 *
 * @typedef {object} Record
 * @property {number} height
 * @property {number} width
 * @property {number} mines
 * @property {string} [topology] which cells touch
 * @property {string[] | null} layout digits, and B for mines; null before it is dealt
 * @property {Move[]} moves all that were not taken back
 * @property {number} undone
 */

/** The longest side of a board to play. */
export const LONGEST = 60;

const MINE = 9;
const [CLOSED, OPEN, FLAGGED] = [0, 1, 2];
const MOVES = ["reveal", "flag", "chord"];

/** One game; cells are numbered row by row inside it. */
export class Game {
  /** What each cell is: mines around it, or MINE. @type {Uint8Array | null} */
  #layout = null;
  #seen;
  /** Mines that were stepped on; a chord may open several. */
  #stepped = 0;
  /** Moves, the cells that each changed, and what they were. @type {{move: Move, cells: [at: number, was: number][]}[]} */
  #moves = [];
  #undone = 0;
  #opened = 0;
  #flags = 0;

  /** @param {Size} size */
  constructor({ height, width, mines, topology = PLANE }) {
    this.height = height;
    this.width = width;
    this.mines = mines;
    this.topology = topology;
    this.#seen = new Uint8Array(height * width);
  }

  /**
   * A saved game, by playing its moves again.
   *
   * @param {Record} record from `toJSON`; anything else is checked
   * @returns {Game}
   * @throws {TypeError} it is not a game
   */
  static from({ height, width, mines, topology = PLANE, layout, moves, undone }) {
    const size = { height, width, mines, topology };
    if (!isPlayable(size)) throw new TypeError("not the size of a game");
    if (layout !== null && !isLayout(size, layout)) throw new TypeError("not a layout of this size");
    if (!Number.isSafeInteger(undone) || undone < 0) throw new TypeError("not a number of undos");
    const game = new Game(size);
    if (layout) game.deal(layout);
    for (const [name, row, col] of moves) {
      const isCell = within(row, 0, height - 1) && within(col, 0, width - 1);
      if (!isCell || !MOVES.includes(name) || !game[name](row, col)) throw new TypeError("not a move");
    }
    game.#undone = undone;
    return game;
  }

  /** What `from` restores the game from. @returns {Record} */
  toJSON() {
    const { height, width, mines, topology } = this;
    const symbol = (at) => (this.#layout?.[at] === MINE ? "B" : String(this.#layout?.[at]));
    const layout = this.#layout && rowsOf(this, symbol);
    return { height, width, mines, topology, layout, moves: this.#moves.map(({ move }) => move), undone: this.#undone };
  }

  /** @returns {State} */
  get state() {
    if (!this.#layout) return "ready";
    if (this.#stepped) return "lost";
    return this.#opened === this.#seen.length - this.mines ? "won" : "playing";
  }

  /** Mines that have no flag yet; below zero with too many flags. */
  get minesLeft() {
    return this.state === "won" ? 0 : this.mines - this.#flags;
  }

  /** How many moves were taken back. */
  get undone() {
    return this.#undone;
  }

  /** How many cells are open, mines left out. */
  get opened() {
    return this.#opened;
  }

  get canUndo() {
    return this.#moves.length > 0;
  }

  /** The last move that was not taken back, undefined before any. @returns {Move | undefined} */
  get last() {
    return this.#moves.at(-1)?.move;
  }

  /**
   * Lay the mines; flags stay.
   *
   * @param {string[]} rows digits, and B for mines
   */
  deal(rows) {
    this.#layout = Uint8Array.from(rows.join(""), (symbol) => (symbol === "B" ? MINE : Number(symbol)));
  }

  /**
   * Open a closed cell, and around a cell without mines all that follows.
   *
   * @param {number} row
   * @param {number} col
   * @returns {boolean} whether anything changed
   */
  reveal(row, col) {
    if (this.state !== "playing") return false;
    return this.#open(["reveal", row, col], [row * this.width + col]);
  }

  /** Flag a closed cell, or remove its flag. @returns {boolean} whether anything changed */
  flag(row, col) {
    const at = row * this.width + col;
    if (!["ready", "playing"].includes(this.state) || this.#seen[at] === OPEN) return false;
    this.#moves.push({ move: ["flag", row, col], cells: [] });
    this.#set(at, this.#seen[at] === FLAGGED ? CLOSED : FLAGGED);
    return true;
  }

  /** Open the closed neighbours of a number with as many flags around it. @returns {boolean} */
  chord(row, col) {
    const at = row * this.width + col;
    if (this.state !== "playing" || this.#seen[at] !== OPEN) return false;
    const around = this.#around(at);
    const flags = around.filter((near) => this.#seen[near] === FLAGGED).length;
    return flags === this.#layout?.[at] && this.#open(["chord", row, col], around);
  }

  /** Take the last move back, a fatal one too. @returns {boolean} */
  undo() {
    const last = this.#moves.pop();
    if (!last) return false;
    for (const [at, was] of last.cells.toReversed()) this.#turn(at, was);
    this.#undone += 1;
    return true;
  }

  /** Whether a cell is closed: unknown or flagged. */
  isClosed(row, col) {
    return this.#seen[row * this.width + col] !== OPEN;
  }

  /** The board as it is asked about: flags are F. @returns {string[]} */
  get position() {
    return rowsOf(this, (at) => {
      if (this.#seen[at] === FLAGGED) return "F";
      return this.#seen[at] === OPEN && this.#layout?.[at] !== MINE ? String(this.#layout?.[at]) : "?";
    });
  }

  /**
   * The board as it is shown. Of a game that is lost also X the mine that was stepped on, B the other
   * mines, and ! wrong flags; of one that is won F on all mines.
   *
   * @returns {string[]}
   */
  shown() {
    const { state } = this;
    const all = state === "lost";
    return rowsOf(this, (at) => {
      const mine = this.#layout?.[at] === MINE;
      if (this.#seen[at] === OPEN) return mine ? "X" : String(this.#layout?.[at]);
      if (this.#seen[at] === FLAGGED) return all && !mine ? "!" : "F";
      if (mine && state === "won") return "F";
      return mine && all ? "B" : "?";
    });
  }

  /** The clicks that opened something after the first one. @returns {Turn[]} */
  turns() {
    const record = this.toJSON();
    const again = Game.from({ ...record, moves: [] });
    /** @type {Turn[]} */
    const found = [];
    for (const [before, [name, row, col]] of record.moves.entries()) {
      const position = again.position.map((symbols) => symbols.replaceAll("F", "?"));
      const at = row * this.width + col;
      const closed = (name === "chord" ? this.#around(at) : [at]).filter((near) => again.#seen[near] === CLOSED);
      again[name](row, col);
      if (name === "flag") continue;
      const opens = closed.map((near) => this.#cellAt(near));
      const cell = opens[Math.max(0, closed.findIndex((near) => again.#layout?.[near] === MINE))];
      const { state } = again;
      found.push({ number: found.length + 1, position, cell, opens, before, fatal: state === "lost", won: state === "won" });
    }
    return found.slice(1);
  }

  /** @returns {Cell} */
  #cellAt(at) {
    return [Math.floor(at / this.width), at % this.width];
  }

  /** Open cells in one move; whether any was closed. */
  #open(move, cells) {
    const closed = cells.filter((at) => this.#seen[at] === CLOSED);
    if (!closed.length) return false;
    this.#moves.push({ move, cells: [] });
    const waiting = [...closed];
    while (waiting.length) {
      const at = waiting.pop();
      if (this.#seen[at] !== CLOSED) continue;
      this.#set(at, OPEN);
      if (this.#layout?.[at] === 0) waiting.push(...this.#around(at));
    }
    return true;
  }

  /** Change a cell as a part of the last move. */
  #set(at, to) {
    this.#moves.at(-1)?.cells.push([at, this.#seen[at]]);
    this.#turn(at, to);
  }

  #turn(at, to) {
    const was = this.#seen[at];
    const opened = Number(to === OPEN) - Number(was === OPEN);
    if (this.#layout?.[at] === MINE) this.#stepped += opened;
    else this.#opened += opened;
    this.#flags += Number(to === FLAGGED) - Number(was === FLAGGED);
    this.#seen[at] = to;
  }

  #around(at) {
    return around(this, at);
  }
}

/** Whether a game has such a size: no longer than `LONGEST`, and with a cell without a mine. @param {Size} size */
export function isPlayable({ height, width, mines, topology = PLANE }) {
  if (!TOPOLOGIES.has(topology)) return false;
  return within(height, 1, LONGEST) && within(width, 1, LONGEST) && within(mines, 0, height * width - 1);
}

/**
 * A layout at random, the same for the same seed: no mine in the cells around the first one, as far
 * as the others have room for all mines.
 *
 * @param {Size} size at least one cell is without a mine
 * @param {[row: number, col: number]} first never a mine
 * @param {number} seed below 2 ** 32
 * @returns {string[]} digits, and B for mines
 */
export function layoutWithOpening(size, [row, col], seed) {
  const { height, width, mines } = size;
  const first = row * width + col;
  const near = new Set([first, ...around(size, first)]);
  const random = numbers(seed);
  const far = shuffled([...Array(height * width).keys()].filter((at) => !near.has(at)), random);
  const rest = shuffled([...near].filter((at) => at !== first), random);
  return numbered(size, new Set([...far, ...rest].slice(0, mines)));
}

/** The size of a layout. @param {string[]} layout digits, and B for mines @returns {Size} */
export function sizeOf(layout) {
  return { height: layout.length, width: layout[0].length, mines: minesOf(layout).length };
}

/** The cells with mines, numbered row by row. @returns {number[]} */
function minesOf(layout) {
  return [...layout.join("").matchAll("B")].map(({ index }) => index);
}

/**
 * Whether rows are digits and as many mines as there are, each digit the mines around it.
 *
 * @param {Size} size
 * @param {string[]} rows
 */
export function isLayout(size, rows) {
  const { height, mines } = size;
  const laid = new Set(minesOf(rows));
  const numbers = numbered(size, laid);
  return laid.size === mines && rows.length === height && numbers.every((row, at) => row === rows[at]);
}

/** The layout with mines in some cells. @param {Size} size @param {Set<number>} laid @returns {string[]} digits, and B for mines */
function numbered(size, laid) {
  const mines = (cells) => cells.filter((at) => laid.has(at)).length;
  return rowsOf(size, (at) => (laid.has(at) ? "B" : String(mines(around(size, at)))));
}

/** Rows of symbols. @returns {string[]} */
function rowsOf({ height, width }, symbol) {
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, col) => symbol(row * width + col)).join(""),
  );
}

function within(number, least, most) {
  return Number.isInteger(number) && number >= least && number <= most;
}

/** The cells that touch a cell. @param {{height: number, width: number, topology?: string}} size @param {number} at @returns {number[]} */
function around({ height, width, topology = PLANE }, at) {
  return neighbours(topology, height, width, Math.floor(at / width), at % width).map(([row, col]) => row * width + col);
}

/** The same in random order (Fisher and Yates). */
function shuffled(cells, random) {
  for (let left = cells.length - 1; left > 0; left -= 1) {
    const other = Math.floor(random() * (left + 1));
    [cells[left], cells[other]] = [cells[other], cells[left]];
  }
  return cells;
}

/** Numbers from 0 to below 1 that depend on a seed (xorshift32 by Marsaglia, started by a hash). */
function numbers(seed) {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  state = (state ^ (state >>> 15)) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
