/**
 * Links to games: what the board of a game is made from, in the address.
 *
 * @module play/game-link
 */

import { isPlayable } from "./game.js";

/** @typedef {import("./new-board.js").Spec} Spec */

/** The first letters of moves. */
const LETTERS = { reveal: "o", flag: "f", chord: "c" };

/**
 * What stands for a board after the `?` of a hash, or for a game as it was played.
 *
 * @param {Spec} spec
 * @param {import("./game.js").Move[]} [moves]
 * @returns {string}
 */
export function toParameters({ height, width, mines, guessFree, first, seed, here }, moves = []) {
  const played = moves.map(([name, row, col]) => LETTERS[name] + (row * width + col)).join("");
  const said = { height, width, mines, first: first.join(), seed, ...(played && { played }) };
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

/**
 * The moves of a game as it was played.
 *
 * @param {URLSearchParams} parameters
 * @param {import("./game.js").Size} size
 * @returns {import("./game.js").Move[]} none where none can be read
 */
export function movesFrom(parameters, { width }) {
  const played = parameters.get("played") ?? "";
  if (!/^([ofc][0-9]{1,4}){1,10000}$/.test(played)) return [];
  const names = Object.fromEntries(Object.entries(LETTERS).map(([name, letter]) => [letter, name]));
  return [...played.matchAll(/([ofc])([0-9]+)/g)].map(([, letter, at]) => [
    names[letter],
    Math.floor(Number(at) / width),
    Number(at) % width,
  ]);
}
