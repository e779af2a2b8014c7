/**
 * Games in links, and kept until the window is closed.
 *
 * @module kept
 */

import { Game, isPlayable } from "./game.js";
import { store, stored } from "./session.js";

/** @typedef {import("./deal.js").Wish} Wish */

/**
 * What is kept of the tab.
 *
 * @typedef {object} Kept
 * @property {Game} game
 * @property {Wish | null} dealt what its board was dealt for, null before
 * @property {string} followed the link that it came from, "" without one
 * @property {boolean} disclosed all mines of a lost game are shown
 * @property {boolean} guessFree the next board is to need no guess
 * @property {number} seconds on the clock
 */

const KEPT = "minecheck.game";

/** A wish as it stands in a link. @param {Wish} wish */
export function linked({ height, width, mines, guessFree, first, seed, here }) {
  const said = { height, width, mines, first: first.join(), seed };
  const flags = { ...(guessFree && { guessFree: 1 }), ...(here && { here: 1 }) };
  return new URLSearchParams({ ...said, ...flags }).toString().replaceAll("%2C", ",");
}

/** A wish from a link, null where it makes no sense. @param {URLSearchParams} parameters @returns {Wish | null} */
export function wished(parameters) {
  const number = (name) => (/^[0-9]{1,10}$/.test(parameters.get(name) ?? "") ? Number(parameters.get(name)) : NaN);
  const size = { height: number("height"), width: number("width"), mines: number("mines") };
  const first = /^([0-9]{1,4}),([0-9]{1,4})$/.exec(parameters.get("first") ?? "");
  const seed = number("seed");
  if (!isPlayable(size) || !first || !(seed < 2 ** 32)) return null;
  const [row, col] = [Number(first[1]), Number(first[2])];
  if (row >= size.height || col >= size.width) return null;
  return { ...size, guessFree: parameters.has("guessFree"), first: [row, col], seed, here: parameters.has("here") };
}

/** Keep a game in place of the last one. @param {Kept} all */
export function keep({ dealt, ...rest }) {
  store(KEPT, { ...rest, dealt: dealt && linked(dealt) });
}

/** What was kept last, null if there is nothing, or nothing that can be gone on with. @returns {Kept | null} */
export function kept() {
  return stored(KEPT, checked);
}

/** @throws {TypeError} it is nothing that was kept */
function checked({ game: record, dealt: link, followed, disclosed, guessFree, seconds }) {
  const game = Game.from(record);
  const dealt = link === null ? null : wished(new URLSearchParams(link));
  const size = dealt ?? game;
  const isWhole =
    (dealt !== null) === (record.layout !== null) &&
    ["height", "width", "mines"].every((side) => size[side] === game[side]) &&
    typeof followed === "string" &&
    [disclosed, guessFree].every((value) => typeof value === "boolean") &&
    Number.isSafeInteger(seconds) && seconds >= 0;
  if (!isWhole) throw new TypeError("nothing that was kept");
  return { game, dealt, followed, disclosed, guessFree, seconds };
}
