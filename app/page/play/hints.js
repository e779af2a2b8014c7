/**
 * What the service says about a position in a game, and how it is marked on the board.
 *
 * @module play/hints
 */

import { chanceMarks, chancesOf } from "../shared/chances.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { setting } from "../shared/rules.js";

/** @typedef {import("../shared/board.js").Marks} Marks */
/** @typedef {import("../shared/types.js").AnalyzeAnswer} AnalyzeAnswer */
/** @typedef {[row: number, col: number]} Cell */

/** Milliseconds for the best moves: the end of a game is played out as far as that goes. */
const MOVES_MS = 1000;
/** Milliseconds for the reasons of all forced cells. */
const REASONS_MS = 3000;

/** Answers about the position of a game; those about older ones are forgotten. */
export class Hints {
  #service;
  #game;
  #trusted;
  #latest = new LatestRequest();
  /** Moves have a queue of their own: while a game is watched, its chances are asked for, too. */
  #latestMoves = new LatestRequest();
  /** The AnalyzeAnswer for the last position that was asked about; null before. @type {any} */
  #answer = null;
  /** The position that this is about. */
  #about = "";
  /** Chances of that position. */
  chances = chancesOf([], []);
  /** The analysis under way. @type {{key: string, answer: Promise<AnalyzeAnswer | undefined>} | null} */
  #analysis = null;
  /** Cells that were proved and are to be marked, by "row,col". @type {Map<string, "mine" | "safe">} */
  #proved = new Map();
  /** Clues in conflict with flags that are trusted. @type {Cell[]} */
  #conflict = [];
  /** A cell that is pointed out. @type {Cell | null} */
  #target = null;
  /** What a hint shows beside what is proved. @type {[key: string, mark: import("../shared/board.js").Mark][]} */
  #shown = [];

  /**
   * @param {import("../shared/minecheck.js").Minecheck} service
   * @param {import("../shared/undoable-game.js").Game} game
   * @param {() => boolean} trusted whether flags are to be taken for mines
   */
  constructor(service, game, trusted) {
    this.#service = service;
    this.#game = game;
    this.#trusted = trusted;
  }

  /** The board has changed: questions end, and only what stays true is kept. */
  changed() {
    this.#latest.end();
    this.#latestMoves.end();
    this.#analysis = null;
    this.#conflict = [];
    this.#target = null;
    this.#shown = [];
  }

  /** Nothing is known any more. */
  forget() {
    this.changed();
    this.#answer = null;
    this.chances = chancesOf([], []);
    this.#proved.clear();
  }

  /**
   * All about the position, from memory where it was asked before.
   *
   * @returns {Promise<AnalyzeAnswer | undefined>} undefined if the board changed meanwhile
   */
  async analysis() {
    const { board, options } = this.#question();
    const key = named(board, options);
    // What the time did not suffice for is asked again.
    if (this.isStale || !this.#answer?.solver.complete) {
      const answer = await this.#shared(key, (signal) => this.#service.analyze(board, { ...options, signal }));
      if (!answer) return undefined;
      [this.#answer, this.#about] = [answer, key];
      this.chances = chancesOf(board, this.#answer.probabilities ?? [], this.#game.topology);
    }
    const { consistent, conflict } = this.#answer;
    this.#conflict = consistent === false ? (conflict?.clues ?? []) : [];
    return this.#answer;
  }

  /**
   * Why a closed cell is forced.
   *
   * @param {Cell} cell its own flag does not count as a reason
   * @returns {Promise<import("../shared/types.js").ExplainAnswer | undefined>}
   */
  explanation(cell) {
    const { board, options } = this.#question(cell);
    this.#analysis = null;
    return this.#latest.ask((signal) => this.#service.explain(board, { ...options, cell, signal }));
  }

  /**
   * The steps that prove all forced cells, easy ones first.
   *
   * @returns {Promise<import("../shared/types.js").ExplainAnswer | undefined>}
   */
  walk() {
    const { board, options } = this.#question();
    this.#analysis = null;
    return this.#latest.ask((signal) => this.#service.explain(board, { ...options, walk: true, deadline_ms: REASONS_MS, signal }));
  }

  /**
   * The best moves of the position.
   *
   * @param {number} limit
   * @param {number} [deadline] in milliseconds
   * @returns {Promise<import("../shared/types.js").MovesAnswer | undefined>}
   */
  moves(limit, deadline = MOVES_MS) {
    const { board, options } = this.#question();
    const request = { ...options, limit, deadline_ms: deadline };
    return this.#latestMoves.ask((signal) => this.#service.moves(board, { ...request, signal }));
  }

  /** True if the chances of the position are not found yet. */
  get isStale() {
    const { board, options } = this.#question();
    return this.#answer === null || this.#about !== named(board, options);
  }

  /** Mark what an answer proves from now on; how many cells that are. */
  mark({ forced }) {
    this.#proved.clear();
    for (const [row, col] of forced?.mines ?? []) this.#proved.set(`${row},${col}`, "mine");
    for (const [row, col] of forced?.safe ?? []) this.#proved.set(`${row},${col}`, "safe");
    return this.#proved.size;
  }

  /** Whether a cell is marked as proved. @param {Cell} cell */
  isProved(cell) {
    return this.#proved.has(cell.join());
  }

  /** Mark cells as proved, beside those that are. @param {Cell[]} cells @param {"mine" | "safe"} value */
  prove(cells, value) {
    for (const cell of cells) this.#proved.set(cell.join(), value);
  }

  /** Point a cell out until the board changes, or none any more. @param {Cell | null} cell */
  point(cell) {
    this.#target = cell;
  }

  /** Show marks until the board changes. @param {[key: string, mark: import("../shared/board.js").Mark][]} marks */
  highlight(marks) {
    this.#shown = marks;
  }

  /**
   * What is to be seen on the board.
   *
   * @param {boolean} heat with the chance of a mine in each closed cell
   * @param {boolean} pointing with the cell that is pointed out; else something else points at one
   * @returns {Marks}
   */
  marks(heat, pointing) {
    /** @type {Marks} */
    const marks = new Map();
    const put = (key, mark) => marks.set(key, { ...marks.get(key), ...mark });
    for (const [key, mark] of this.#shown) put(key, mark);
    if (heat) this.#warm(put, pointing);
    const { position } = this.#game;
    for (const [key, kind] of this.#proved) {
      const [row, col] = key.split(",").map(Number);
      const isWrong = kind === "safe" && position[row][col] === "F";
      if (this.#game.isClosed(row, col)) put(key, { kind: isWrong ? "wrong" : kind });
    }
    for (const [row, col] of this.#conflict) put(`${row},${col}`, { kind: "conflict" });
    if (this.#target && pointing) put(this.#target.join(), { kind: "target" });
    return marks;
  }

  /** Put chances on closed cells, and point out the safest of them. */
  #warm(put, pointing) {
    for (const [key, mark] of chanceMarks(this.chances)) {
      const [row, col] = key.split(",").map(Number);
      if (this.#game.isClosed(row, col)) put(key, mark);
    }
    const [best] = this.#answer?.safest ?? [];
    if (best && pointing && this.#game.isClosed(...best.cell)) {
      put(best.cell.join(), { kind: best.probability === 0 ? "safe" : "target", silent: false, label: say("the safest cell") });
    }
  }

  /** The answer to a question; the same question while it is under way shares it. */
  #shared(key, question) {
    if (this.#analysis?.key !== key) {
      const analysis = { key, answer: this.#latest.ask(question) };
      const done = () => {
        if (this.#analysis === analysis) this.#analysis = null;
      };
      analysis.answer.then(done, done);
      this.#analysis = analysis;
    }
    return this.#analysis?.answer;
  }

  /** The position, flags as the player wants them to be taken. @param {Cell | null} [exempt] */
  #question(exempt = null) {
    const trusted = this.#trusted();
    const board = this.#game.position.map((symbols, row) =>
      [...symbols]
        .map((symbol, col) => (symbol === "F" && (!trusted || (exempt?.[0] === row && exempt?.[1] === col)) ? "?" : symbol))
        .join(""),
    );
    return { board, options: { mines: this.#game.mines, flags: trusted ? "trust" : "claims", ...setting(this.#game) } };
  }
}

/** A question about a position as one text, the same for the same question. */
function named(board, { flags }) {
  return `${flags}\n${board.join("\n")}`;
}
