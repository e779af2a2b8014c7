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
import { shortCellName } from "../shared/phrases.js";
import { solverInWords } from "../shared/solver-in-words.js";

/** @typedef {import("./verdict.js").Facts} Facts */

/** @param {import("../shared/types.js").AnalyzeAnswer} answer @returns {Facts} */
export function factsOfAnalysis({ count, forced, safest, solver }) {
  const proved = forced?.safe.length ?? 0;
  const [best] = safest ?? [];
  // Only what is asked for names cells by text, or chances as fractions.
  const [row, col] = /** @type {[number, number]} */ (best?.cell ?? [0, 0]);
  const leastRisk = best && describeBest([row, col], percent(1 - Number(best.probability)));
  return {
    layouts: count === null || count === undefined ? "" : short(BigInt(count)),
    ...(proved ? { best: say("{count} proved safe", { count: proved }) } : leastRisk),
    solver: solverInWords({ ...solver, cached: false }),
  };
}

/** @param {import("../shared/types.js").MovesAnswer} answer @returns {Facts} */
export function factsOfMoves({ moves, win, solver }) {
  const [best] = moves ?? [];
  return {
    ...(best && describeBest(best.cell, best.safe ? say("safe") : percent(1 - best.mine))),
    win: chanceToWin(win) || say("not known yet"),
    solver: solverInWords({ ...solver, cached: false }),
  };
}

/** The best cell and how safe it is, with its full name and with its short one. @param {[row: number, col: number]} cell @param {string} chance @returns {Facts} */
function describeBest(cell, chance) {
  const [best, shortBest] = [cellName(...cell), shortCellName(...cell)].map((name) => [name, chance].join(say(", ")));
  return { best, shortBest };
}

/** What an analysis says, in a sentence. @param {import("../shared/types.js").AnalyzeAnswer} answer */
export function headline({ forced }) {
  const { safe = [], mines = [] } = forced ?? {};
  if (safe.length) return say("{cells} proved safe, {mines} proved.", { cells: several(safe.length, "cell"), mines: several(mines.length, "mine") });
  return say("Nothing is proved safe.");
}
