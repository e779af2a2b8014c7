/**
 * The best moves of a position in words, and on the board.
 *
 * @module play/best-moves
 */

import { placeName } from "../shared/board.js";
import { percent } from "../shared/chances.js";
import { marked } from "../shared/layered-board.js";
import { several } from "../shared/numbers.js";
import { capital } from "../shared/phrases.js";

/** @typedef {import("../shared/types.js").MovesAnswer} MovesAnswer */
/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {import("./walk.js").Item} Item */

/**
 * A chance to win in words.
 *
 * @param {MovesAnswer["win"] | undefined} win
 * @returns {string} "" where nothing is known
 */
export function bounded(win) {
  if (!win) return "";
  const { low, high, exact } = win;
  if (exact) return percent(high);
  // Far from the end of a game the lower bound says nothing.
  if (low >= 0.01) return `between ${percent(low)} and ${percent(high)}`;
  return high === 1 ? "" : `at most ${percent(high)}`;
}

/** The chance to win a position, as a sentence. @param {MovesAnswer["win"]} win */
export function winning(win) {
  const chance = bounded(win);
  return chance && `Chance to win with best play: ${chance}.`;
}

/** What is known of a move, in words. @param {NonNullable<MovesAnswer["moves"]>[number]} move */
export function described({ cell, safe, mine, progress, survival, win, dead }) {
  const said = [safe ? "proved safe" : `${percent(1 - mine)} safe`];
  if (win !== null && !safe) said.push(`${percent(win)} to win`);
  else if (!safe && survival !== null) said.push(`${percent(survival)} to survive the next click, too`);
  if (!safe && win === null && progress) said.push(`${percent(progress)} that a safe cell follows`);
  if (dead) said.push("tells nothing");
  return `${capital(placeName(...cell))}: ${said.join(", ")}`;
}

/**
 * Moves, and guesses that cannot be avoided, as a list to go through.
 *
 * @param {MovesAnswer} answer with at least one move
 * @returns {Item[]}
 */
export function bestMoves({ moves, guesses }) {
  if (!moves) return [];
  /** @type {[string, Mark][]} */
  const chances = moves.map(({ cell, mine, dead }) => [
    cell.join(),
    { chance: mine, ...(dead && { kind: "dead" }), label: dead ? "opening it tells nothing" : "a move" },
  ]);
  const unavoidable = (guesses ?? []).flatMap(({ cells }) => marked(cells, { kind: "guess" }));
  const all = [...chances, ...unavoidable];
  /** @type {[string, Mark]} */
  const best = [moves[0].cell.join(), { kind: "target", label: "the best move" }];
  return [
    ...moves.map((move) => ({
      text: described(move),
      cell: move.cell,
      marks: () => [...all, best, ...marked([move.cell], { selected: true })],
    })),
    ...(guesses ?? []).map(({ cells, chance }) => ({
      text: `${capital(several(cells.length, "cell"))} that nothing else can tell apart: a guess of ${percent(chance)} that cannot be avoided`,
      cell: cells[0],
      marks: () => [...all, ...marked(cells, { selected: true })],
    })),
  ];
}
