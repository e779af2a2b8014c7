/**
 * What answers say of a position, for the card with the verdict.
 *
 * @module play/facts
 */

import { cellName } from "../shared/board.js";
import { percent } from "../shared/chances.js";
import { say } from "../shared/language.js";
import { chanceToWin } from "../shared/moves-in-words.js";
import { several, short } from "../shared/numbers.js";
import { solverInWords } from "../shared/solver-in-words.js";

/** @typedef {import("./verdict.js").Facts} Facts */

/** @param {import("../shared/types.js").AnalyzeAnswer} answer @returns {Facts} */
export function factsOfAnalysis({ count, forced, safest, solver }) {
  const proved = forced?.safe.length ?? 0;
  const [best] = safest ?? [];
  // Only what is asked for names cells by text, or chances as fractions.
  const [row, col] = /** @type {[number, number]} */ (best?.cell ?? [0, 0]);
  const safe = best && [cellName(row, col), percent(1 - Number(best.probability))].join(say(", "));
  return {
    layouts: count === null || count === undefined ? "" : short(BigInt(count)),
    best: proved ? say("{count} proved safe", { count: proved }) : safe,
    solver: solverInWords({ ...solver, cached: false }),
  };
}

/** @param {import("../shared/types.js").MovesAnswer} answer @returns {Facts} */
export function factsOfMoves({ moves, win, solver }) {
  const [best] = moves ?? [];
  const chance = best && (best.safe ? say("safe") : percent(1 - best.mine));
  return {
    best: best && [cellName(...best.cell), chance].join(say(", ")),
    win: chanceToWin(win) || say("not known yet"),
    solver: solverInWords({ ...solver, cached: false }),
  };
}

/** What an analysis says, in a sentence. @param {import("../shared/types.js").AnalyzeAnswer} answer */
export function headline({ forced }) {
  const { safe = [], mines = [] } = forced ?? {};
  if (safe.length) return say("{cells} proved safe, {mines} proved.", { cells: several(safe.length, "cell"), mines: several(mines.length, "mine") });
  return say("Nothing is proved safe.");
}
