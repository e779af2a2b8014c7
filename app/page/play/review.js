/**
 * A finished game, click by click: what each one risked, and what would have been better.
 *
 * @module play/review
 */

import { placeName } from "../shared/board.js";
import { percent } from "../shared/chances.js";
import { several } from "../shared/numbers.js";
import { bounded } from "./best-moves.js";

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
 * @param {(done: number) => void} told how many are answered
 * @param {AbortSignal} signal
 * @returns {Promise<Reviewed[]>}
 */
export async function review(service, turns, mines, told, signal) {
  const asked = turns.map(({ position, cell }) => ({ board: position, cell }));
  const options = { mines, limit: 1, deadline_ms: DEADLINE, signal };
  const found = [];
  for await (const answer of service.batch("moves", asked, options)) {
    const turn = turns[found.length];
    const known = "moves" in answer && answer.moves?.length ? answer : null;
    found.push({ ...turn, answer: known, gave: known && thrownAway(known, turn.cell) });
    told(found.length);
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
 * The clicks as a list to go through; those that were proved safe are left out.
 *
 * @param {Reviewed[]} clicks
 * @returns {{items: Item[], more: string, worst: number}} the number of the worst one
 */
export function inWords(clicks) {
  const items = clicks.flatMap((click, at) => (isProved(click) ? [] : [item(click, clicks[at + 1])]));
  const guessed = clicks.filter((click) => !isProved(click));
  const gave = guessed.map((click) => click.gave ?? 0);
  const mistakes = gave.filter((lost) => lost > LITTLE).length;
  const more = items.length
    ? `${several(clicks.length, "click")}, ${items.length} of them not proved safe. ${mistakes ? `In ${several(mistakes, "click")} chances were thrown away.` : "No chance was thrown away."}`
    : `${several(clicks.length, "click")}, all of them proved safe.`;
  return { items, more, worst: Math.max(0, gave.indexOf(Math.max(...gave))) };
}

function isProved({ answer, cell, fatal }) {
  return !fatal && Boolean(answer?.moves.find((move) => move.cell.join() === cell.join())?.safe);
}

/** One click, with the position before it. */
function item({ number, cell, position, answer, gave, fatal, won }, next) {
  const [best] = answer?.moves ?? [];
  const chosen = answer?.moves.find((move) => move.cell.join() === cell.join());
  const said = [];
  if (chosen) said.push(`${percent(chosen.mine)} mine`);
  const [before, after] = [bounded(answer?.win), afterwards(next, fatal, won)];
  if (before || after) said.push(`chance to win ${before || "not known"}, then ${after || "not known"}`);
  if (best && gave > LITTLE) {
    const why = best.safe ? "is proved safe" : `has ${percent(best.mine)} mine`;
    said.push(`threw away ${percent(gave)}: ${placeName(...best.cell)} ${why}`);
  } else if (best && gave !== null) {
    said.push("nothing better");
  } else {
    said.push("not told in time");
  }
  const marks = [];
  if (best && gave > LITTLE) marks.push([best.cell.join(), { kind: "target", chance: best.mine, label: "the better move" }]);
  marks.push([cell.join(), { selected: true, chance: chosen?.mine ?? null, label: fatal ? "a mine" : "the click" }]);
  return { text: `Click ${number}, ${placeName(...cell)}: ${said.join("; ")}`, cell, marks: () => marks, rows: position };
}

function afterwards(next, fatal, won) {
  return fatal || won ? percent(Number(won)) : bounded(next?.answer?.win);
}
