/**
 * A finished game, click by click: what each one risked, and what would have been better.
 *
 * @module play/review
 */

import { cellName } from "../shared/board.js";
import { percent } from "../shared/chances.js";
import { say } from "../shared/language.js";
import { chanceToWin } from "../shared/moves-in-words.js";
import { several } from "../shared/numbers.js";

/** @typedef {import("../shared/types.js").MovesAnswer} MovesAnswer */
/** @typedef {import("../shared/undoable-game.js").Turn} Turn */
/** @typedef {import("./walk.js").Item} Item */

/** A click, what was known before it, and what it threw away. */
/** @typedef {Turn & {answer: MovesAnswer | null, gave: number | null}} Reviewed */

/** Less than this is not worth a word. */
const LITTLE = 0.0005;
/** Milliseconds for each click. */
const DEADLINE = 2000;

/**
 * Ask about each click of a game.
 *
 * @param {import("../shared/minecheck.js").Minecheck} service
 * @param {Turn[]} turns
 * @param {number} mines
 * @param {(done: number) => void} report how many are answered
 * @param {AbortSignal} signal
 * @returns {Promise<Reviewed[]>}
 */
export async function review(service, turns, mines, report, signal) {
  const requests = turns.map(({ position, cell }) => ({ board: position, cell }));
  const options = { mines, limit: 1, deadline_ms: DEADLINE, signal };
  const found = [];
  for await (const answer of service.batch("moves", requests, options)) {
    const turn = turns[found.length];
    const known = "moves" in answer && answer.moves?.length ? answer : null;
    found.push({ ...turn, answer: known, gave: known && thrownAway(known, turn.cell) });
    report(found.length);
  }
  return found;
}

/** What a click threw away of the chance to win, or else to survive two clicks; null if not known. */
function thrownAway({ moves: [best], moves }, cell) {
  const chosen = moves.find((move) => move.cell.join() === cell.join());
  if (!chosen) return null;
  if (chosen.safe) return 0;
  if (best.win !== null && chosen.win !== null) return best.win - chosen.win;
  // What is proved safe costs nothing.
  if (best.safe) return chosen.mine;
  if (best.survival === null || chosen.survival === null) return null;
  return Math.max(0, best.survival - chosen.survival);
}

/**
 * The clicks as a list to go through.
 *
 * @param {Reviewed[]} clicks all but the first
 * @returns {{items: Item[], more: string, worst: number}} the number of the worst one
 */
export function inWords(clicks) {
  const guessed = clicks.filter((click) => !isProved(click));
  const gave = clicks.map((click) => (isProved(click) ? 0 : (click.gave ?? 0)));
  const mistakes = gave.filter((lost) => lost > LITTLE).length;
  const first = clicks.findIndex((click) => !isProved(click));
  const worst = mistakes ? gave.indexOf(Math.max(...gave)) : Math.max(0, first);
  return { items: clicks.map((click, at) => item(click, clicks[at + 1])), more: summary(clicks.length, guessed.length, mistakes), worst };
}

/** A game in a line: its clicks, and how many of them were no proof, or mistakes. */
function summary(reviewed, guessed, mistakes) {
  // The first click is never a mine, and is not reviewed.
  const clicks = several(reviewed + 1, "click");
  if (!guessed) return say("{clicks}, all of them proved safe.", { clicks });
  const thrown = mistakes
    ? say("In {clicks} chances were thrown away.", { clicks: several(mistakes, "click") })
    : say("No chance was thrown away.");
  return [say("{clicks}, {count} of them not proved safe.", { clicks, count: guessed }), thrown].join(" ");
}

/** Whether a click opened a cell that was proved safe. @param {Reviewed} click */
export function isProved({ answer, cell, fatal }) {
  return !fatal && Boolean(answer?.moves?.find((move) => move.cell.join() === cell.join())?.safe);
}

/** One click, with the position before it. */
function item(click, next) {
  const { number, cell, position, answer, gave, fatal } = click;
  const [best] = answer?.moves ?? [];
  const chosen = answer?.moves?.find((move) => move.cell.join() === cell.join());
  const marks = [];
  if (best && gave > LITTLE) marks.push([best.cell.join(), { kind: "target", chance: best.mine, label: say("the better move") }]);
  marks.push([cell.join(), { selected: true, chance: chosen?.mine ?? null, label: fatal ? say("a mine") : say("the click") }]);
  const said = isProved(click) ? [say("proved safe")] : risks(click, chosen, best, next);
  return { text: say("Click {number}, {cell}: {what}", { number, cell: cellName(...cell), what: said.join(say("; ")) }), cell, marks: () => marks, rows: position };
}

/** What a click that was not proved safe risked, and what would have been better. @returns {string[]} */
function risks({ answer, gave, fatal, won }, chosen, best, next) {
  const said = [];
  if (chosen) said.push(say("{chance} mine", { chance: percent(chosen.mine) }));
  const [before, after] = [chanceToWin(answer?.win), afterwards(next, fatal, won)];
  if (before || after) {
    const unknown = say("not known");
    said.push(say("chance to win {before}, then {after}", { before: before || unknown, after: after || unknown }));
  }
  if (best && gave > LITTLE) {
    const values = { loss: percent(gave), cell: cellName(...best.cell), chance: percent(best.mine) };
    if (best.safe) said.push(say("threw away {loss}: {cell} is proved safe", values));
    else said.push(say("threw away {loss}: {cell} has {chance} mine", values));
  } else if (best && gave !== null) {
    said.push(say("nothing better"));
  } else {
    said.push(say("not known in time"));
  }
  return said;
}

function afterwards(next, fatal, won) {
  return fatal || won ? percent(Number(won)) : chanceToWin(next?.answer?.win);
}
