/**
 * How lucky a game was: the chance that nobody would have hit a mine with these clicks.
 *
 * @module play/luck
 */

import { percent } from "../shared/chances.js";
import { formatNumber, formatWhole, say } from "../shared/language.js";

/** @typedef {import("../shared/undoable-game.js").Turn} Turn */

/**
 * The chance to survive all clicks but a fatal one: of the layouts that fit before each click, the
 * share that has no mine in any of the cells that it opens.
 *
 * @param {import("../shared/minecheck.js").Minecheck} service
 * @param {Turn[]} turns
 * @param {number} mines
 * @param {AbortSignal} signal
 * @returns {Promise<number | null>} null where it was not found in time
 */
export async function survival(service, turns, mines, signal) {
  const survived = turns.filter(({ fatal }) => !fatal);
  const requests = survived.flatMap(({ position, opens }) => [{ board: position }, { board: openedIn(position, opens) }]);
  const counts = [];
  for await (const answer of service.batch("count", requests, { mines, deadline_ms: 1000, signal })) {
    counts.push("count" in answer && answer.count !== null && answer.solver?.complete ? BigInt(answer.count) : null);
  }
  let chance = 1;
  for (let at = 0; at < counts.length; at += 2) {
    const [before, after] = [counts[at], counts[at + 1]];
    if (before === null || after === null || before === 0n) return null;
    chance *= share(after, before);
  }
  return chance;
}

/** The chance in words, as players say it. @param {number | null} chance */
export function luckInWords(chance) {
  if (chance === null) return say("not known");
  if (chance > 0.9995) return say("none needed");
  if (chance > 0.1) return percent(chance);
  const odds = 1 / chance;
  const written = odds < 100 ? formatNumber(Number(odds.toPrecision(2))) : formatWhole(Math.round(Number(odds.toPrecision(3))));
  return say("1 in {number}", { number: written });
}

/** A position with cells that are said to be without mines. @returns {string[]} */
function openedIn(position, cells) {
  const open = new Set(cells.map(String));
  return position.map((symbols, row) => [...symbols].map((symbol, col) => (open.has(`${row},${col}`) ? "S" : symbol)).join(""));
}

/** The quotient of two counts of any size. @param {bigint} part @param {bigint} whole */
function share(part, whole) {
  return Number((part * 10n ** 18n) / whole) / 1e18;
}
