/**
 * Links to games: what the board of a game is made from, in the address.
 *
 * @module play/game-link
 */

import { isPlayable } from "./game.js";

/** @typedef {import("./new-board.js").Spec} Spec */

/** What stands for a game after the `?` of a hash. @param {Spec} spec @returns {string} */
export function toParameters({ height, width, mines, guessFree, first, seed, here }) {
  const said = { height, width, mines, first: first.join(), seed };
  const flags = { ...(guessFree && { guessFree: 1 }), ...(here && { here: 1 }) };
  return new URLSearchParams({ ...said, ...flags }).toString().replaceAll("%2C", ",");
}

/** @param {URLSearchParams} parameters @returns {Spec | null} null where no board can be made from them */
export function fromParameters(parameters) {
  const number = (name) => (/^[0-9]{1,10}$/.test(parameters.get(name) ?? "") ? Number(parameters.get(name)) : NaN);
  const size = { height: number("height"), width: number("width"), mines: number("mines") };
  const first = /^([0-9]{1,4}),([0-9]{1,4})$/.exec(parameters.get("first") ?? "");
  const seed = number("seed");
  if (!isPlayable(size) || !first || !(seed < 2 ** 32)) return null;
  const [row, col] = [Number(first[1]), Number(first[2])];
  if (row >= size.height || col >= size.width) return null;
  return { ...size, guessFree: parameters.has("guessFree"), first: [row, col], seed, here: parameters.has("here") };
}
