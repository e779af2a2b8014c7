/**
 * Links to games: what the board of a game is made from, in the address.
 *
 * @module play/game-link
 */

import { isLayout, isPlayable, sizeOf } from "../shared/undoable-game.js";

/** @typedef {import("./new-board.js").Spec} Spec */

/** The first letters of moves. */
const LETTERS = { reveal: "o", flag: "f", chord: "c" };

/**
 * What stands for a board after the `?` of a hash, or for a game as it was played.
 *
 * @param {Spec} spec
 * @param {import("../shared/undoable-game.js").Move[]} [moves]
 * @returns {string}
 */
export function toParameters({ height, width, mines, guessFree, first, seed, here, layout }, moves = []) {
  const played = moves.map(([name, row, col]) => LETTERS[name] + (row * width + col)).join("");
  const made = layout ? { map: layout.join(".") } : { height, width, mines, seed };
  /** @type {Object<string, any>} */
  const said = { ...made, first: first.join(), ...(played && { played }) };
  /** @type {Object<string, any>} */
  const flags = { ...(guessFree && { guessFree: 1 }), ...(here && { here: 1 }) };
  return new URLSearchParams({ ...said, ...flags }).toString().replaceAll("%2C", ",");
}

/** @param {URLSearchParams} parameters @returns {Spec | null} null where no board can be made from them */
export function fromParameters(parameters) {
  const number = (name) => (/^[0-9]{1,10}$/.test(parameters.get(name) ?? "") ? Number(parameters.get(name)) : NaN);
  const layout = parameters.get("map")?.split(".");
  const size = layout ? sizeOf(layout) : { height: number("height"), width: number("width"), mines: number("mines") };
  const first = /^([0-9]{1,4}),([0-9]{1,4})$/.exec(parameters.get("first") ?? "");
  const seed = layout ? 0 : number("seed");
  if (!isPlayable(size) || !first || !(seed < 2 ** 32)) return null;
  const [row, col] = [Number(first[1]), Number(first[2])];
  if (row >= size.height || col >= size.width) return null;
  if (layout && (!isLayout(size, layout) || layout[row][col] === "B")) return null;
  const flags = { guessFree: parameters.has("guessFree"), here: parameters.has("here") };
  return { ...size, ...flags, first: [row, col], seed, ...(layout && { layout }) };
}

/**
 * The moves of a game as it was played.
 *
 * @param {URLSearchParams} parameters
 * @param {import("../shared/undoable-game.js").Size} size
 * @returns {import("../shared/undoable-game.js").Move[]} none where none can be read
 */
export function movesFrom(parameters, { width }) {
  const played = parameters.get("played") ?? "";
  if (!/^([ofc][0-9]{1,4}){1,10000}$/.test(played)) return [];
  const names = Object.fromEntries(Object.entries(LETTERS).map(([name, letter]) => [letter, name]));
  return [...played.matchAll(/([ofc])([0-9]+)/g)].map(([, letter, at]) => {
    const name = /** @type {keyof typeof LETTERS} */ (names[letter]);
    return [name, Math.floor(Number(at) / width), Number(at) % width];
  });
}
