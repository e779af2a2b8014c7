/**
 * What is known of moves: their chances by columns, and the chance to win.
 *
 * @module shared/moves-in-words
 */

import { percent } from "./chances.js";
import { say } from "./language.js";

/** @typedef {import("./types.js").MovesAnswer} MovesAnswer */
/** @typedef {NonNullable<MovesAnswer["moves"]>[number]} Move */

/** Columns of tables of moves. @type {{name: string, title: string, of: (move: Move) => number | null | undefined}[]} */
export const COLUMNS = [
  { name: say("safe"), title: say("chance that the cell is safe"), of: ({ mine }) => 1 - mine },
  { name: say("next"), title: say("chance to survive this click and the next"), of: ({ survival }) => survival },
  { name: say("progress"), title: say("chance that it is safe and a safe cell follows"), of: ({ progress }) => progress },
  { name: say("win"), title: say("chance to win with best play"), of: ({ win }) => win },
];

/**
 * A chance to win in words.
 *
 * @param {MovesAnswer["win"] | undefined} win
 * @returns {string} "" where nothing is known
 */
export function chanceToWin(win) {
  if (!win) return "";
  const { low, high, exact } = win;
  if (exact) return percent(high);
  // Far from the end of a game the lower bound says nothing.
  if (low >= 0.01) return say("between {low} and {high}", { low: percent(low), high: percent(high) });
  return high === 1 ? "" : say("at most {high}", { high: percent(high) });
}
