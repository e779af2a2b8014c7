/**
 * What was achieved in games of a size: played, won, the best time; kept in this browser.
 *
 * @module play/records
 */

import { several } from "../shared/numbers.js";
import { save, saved } from "../shared/storage.js";

/** @typedef {import("../shared/undoable-game.js").Size} Size */
/** @typedef {{played: number, won: number, best: number | null}} Achieved seconds of the best time */

const NAME = "minecheck-records";

/** What was achieved in games of a size. @param {Size} size @returns {Achieved} */
function achieved(size) {
  const { played, won, best } = all()[key(size)] ?? {};
  const count = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : 0);
  return { played: count(played), won: count(won), best: Number.isSafeInteger(best) ? best : null };
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
export function told(size, time) {
  const { played, won, best } = achieved(size);
  if (!played) return "";
  const fastest = best === null ? "" : `; best time without help ${time(best)}`;
  return `${several(played, "game")} of this size played here, ${won} won${fastest}.`;
}

function key({ height, width, mines }) {
  return `${height}x${width}/${mines}`;
}

function all() {
  return saved(NAME, (kept) => ({ ...kept }), true) ?? {};
}
