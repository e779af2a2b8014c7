/**
 * Drills: positions of games whose next step needs one technique, which the player is to find.
 *
 * @module play/drill
 */

import { cellName } from "../shared/board.js";
import { say } from "../shared/language.js";
import { several } from "../shared/numbers.js";
import { DIFFICULTY_NAMES, techniqueName } from "../shared/phrases.js";
import { Game } from "../shared/undoable-game.js";
import { stepsInWords } from "./staged-hint.js";

/** @typedef {[row: number, col: number]} Cell */
/** @typedef {import("./staged-hint.js").Step} Proof */
/** @typedef {import("./walk.js").Item} Item */

/** What can be practised: grades of difficulty, and patterns. */
export const TECHNIQUES = [...Object.keys(DIFFICULTY_NAMES), "1-1", "1-2", "1-2-1", "1-2-2-1", "box"];
/** Milliseconds for the search. */
const DEADLINE = 10_000;

/**
 * Look for a position.
 *
 * @param {import("../shared/service.js").Service} service
 * @param {{height: number, width: number, mines: number, technique: string, guessFree: boolean, seed: number}} wish
 * @param {AbortSignal} signal
 * @returns {Promise<Drill | null>} null if none was found in time
 */
export async function findDrill(service, { height, width, mines, technique, guessFree, seed }, signal) {
  /** @type {"guess-free" | "opening"} */
  const kind = guessFree ? "guess-free" : "opening";
  const name = /** @type {any} */ (technique);
  const options = { rows: height, cols: width, mines, kind, technique: name, seed, deadline_ms: DEADLINE };
  const { drill, layout, board, first } = await service.boards({ ...options, signal });
  if (!drill || !layout || !board) return null;
  const spec = { height, width, mines, guessFree: false, first: /** @type {Cell} */ (first), seed: 0, layout };
  return new Drill(technique, spec, board, /** @type {Proof[]} */ (drill.steps));
}

/** A position with what its technique proves. */
export class Drill {
  /** What its board is made from. @type {import("../shared/game-link.js").Spec} */
  spec;
  /** Whether the player found a cell. */
  isSolved = false;
  #technique;
  #board;
  #proofs;
  /** Cells that were tried in vain. */
  #misses = 0;
  /** How many moves lead to the position. */
  #given = 0;

  /**
   * @param {string} technique
   * @param {import("../shared/game-link.js").Spec} spec
   * @param {string[]} board digits, B for mines that were proved before, and ?
   * @param {Proof[]} proofs
   */
  constructor(technique, spec, board, proofs) {
    this.#technique = technique;
    this.spec = spec;
    this.#board = board;
    this.#proofs = proofs;
  }

  /** What the player is to do. */
  get task() {
    const grade = DIFFICULTY_NAMES[this.#technique];
    if (grade) return say("Open or flag a cell that a step of the grade “{grade}” proves.", { grade });
    return say("Open or flag a cell that the pattern {pattern} proves.", { pattern: techniqueName(this.#technique) });
  }

  /** The game in this position: proved mines have flags. @returns {Game} */
  start() {
    const game = new Game(this.spec);
    game.deal(/** @type {string[]} */ (this.spec.layout));
    for (const [row, symbols] of this.#board.entries()) {
      for (const [col, symbol] of [...symbols].entries()) {
        if (symbol === "B") game.flag(row, col);
        else if (symbol !== "?") game.reveal(row, col);
      }
    }
    this.#given = game.toJSON().moves.length;
    return game;
  }

  /** Whether a game is where the drill began. @param {Game} game */
  isStart(game) {
    return game.toJSON().moves.length === this.#given;
  }

  /**
   * Judge a move.
   *
   * @param {Cell} cell
   * @param {"safe" | "mine"} value what the move takes it for
   * @returns {string} what is wrong with it, "" if the technique proves it
   */
  judge([row, col], value) {
    const isProved = this.#proofs.some(({ safe, mines }) => (value === "safe" ? safe : mines).some((one) => one[0] === row && one[1] === col));
    this.isSolved ||= isProved;
    if (isProved) return "";
    this.#misses += 1;
    const cell = { cell: cellName(row, col) };
    return value === "safe"
      ? say("Nothing here proves that {cell} is safe. Try another cell, or press Hint.", cell)
      : say("Nothing here proves that {cell} is a mine. Try another cell, or press Hint.", cell);
  }

  /** How the player did. */
  get praise() {
    return this.#misses ? say("Right, after {cells}.", { cells: several(this.#misses, "wrong cell") }) : say("Right, at the first try.");
  }

  /** The proofs as a list to go through, each from the board as it stands. @returns {Item[]} */
  proofs() {
    return this.#proofs.flatMap((proof) => stepsInWords([proof]));
  }
}
