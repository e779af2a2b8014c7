/**
 * What was achieved in games of a size: played, won, the best time; kept in this browser.
 *
 * @module play/records
 */

import { say } from "../shared/language.js";
import { several } from "../shared/numbers.js";
import { save, saved } from "../shared/storage.js";
import { PLANE } from "../shared/topology.js";

/** @typedef {import("../shared/undoable-game.js").Size} Size */
/** @typedef {{played: number, won: number, best: number | null}} Achieved seconds of the best time */

const NAME = "minecheck-records";

/** Whether no game was counted yet. */
export function isEmpty() {
  return Object.keys(all()).length === 0;
}

/** What was achieved in games of a size. @param {Size} size @returns {Achieved} */
function achieved(size) {
  const { played, won, best } = all()[key(size)] ?? {};
  const count = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : 0);
  return { played: count(played), won: count(won), best: Number.isFinite(best) && best >= 0 ? best : null };
}

/**
 * Count a game that is over.
 *
 * @param {Size} size
 * @param {boolean} won
 * @param {number | null} seconds null where the time does not count
 * @returns {boolean} whether it is the best time
 */
export function count(size, won, seconds) {
  const before = achieved(size);
  const times = [before.best, won ? seconds : null].filter((time) => time !== null);
  const after = {
    played: before.played + 1,
    won: before.won + Number(won),
    best: times.length ? Math.min(...times) : null,
  };
  save(NAME, { ...all(), [key(size)]: after }, true);
  return after.best !== before.best;
}

/** What was achieved, in words; "" before the first game. @param {Size} size @param {(seconds: number) => string} time */
export function describeRecord(size, time) {
  const { played, won, best } = achieved(size);
  if (!played) return "";
  const values = { games: several(played, "game"), won };
  if (best === null) return say("{games} of this size played here, {won} won.", values);
  return say("{games} of this size played here, {won} won; best time without help {time}.", { ...values, time: time(best) });
}

function key({ height, width, mines, topology = PLANE }) {
  return `${height}x${width}/${mines}${topology === PLANE ? "" : ` ${topology}`}`;
}

function all() {
  return saved(NAME, (kept) => ({ ...kept }), true) ?? {};
}
