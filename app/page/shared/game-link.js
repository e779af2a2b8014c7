/**
 * Links to games: what the board of a game is made from, in the address.
 *
 * @module shared/game-link
 */

import { DIFFICULTIES } from "./phrases.js";
import { PLANE } from "./topology.js";
import { isLayout, isPlayable, sizeOf } from "./undoable-game.js";

/**
 * What a board is made from.
 *
 * @typedef {object} Spec
 * @property {number} height
 * @property {number} width
 * @property {number} mines
 * @property {string} [topology] which cells touch
 * @property {any} [difficulty] the hardest step that a board without guesses may need, "" for any
 * @property {boolean} guessFree can be won without guesses from the first cell on
 * @property {[row: number, col: number]} first the cell that is opened first
 * @property {number} seed below 2 ** 32: the same values give the same board
 * @property {boolean} [here] made by the page itself
 * @property {string[]} [layout] the board itself, if it was given
 */

/** The first letters of moves. */
const LETTERS = { reveal: "o", flag: "f", chord: "c" };

/**
 * What stands for a board after the `?` of a hash, or for a game as it was played.
 *
 * @param {Spec} spec
 * @param {import("./undoable-game.js").Move[]} [moves]
 * @returns {string}
 */
export function toParameters({ height, width, mines, topology = PLANE, difficulty, guessFree, first, seed, here, layout }, moves = []) {
  const played = moves.map(([name, row, col]) => LETTERS[name] + (row * width + col)).join("");
  const made = layout ? { map: layout.join(".") } : { height, width, mines, seed };
  const rules = { ...(topology !== PLANE && { t: topology }), ...(difficulty && { difficulty }) };
  /** @type {Object<string, any>} */
  const said = { ...made, first: first.join(), ...(played && { played }) };
  /** @type {Object<string, any>} */
  const flags = { ...(guessFree && { guessFree: 1 }), ...(here && { here: 1 }) };
  return new URLSearchParams({ ...said, ...flags, ...rules }).toString().replaceAll("%2C", ",");
}

/** @param {URLSearchParams} parameters @returns {Spec | null} null where no board can be made from them */
export function fromParameters(parameters) {
  const number = (name) => (/^[0-9]{1,10}$/.test(parameters.get(name) ?? "") ? Number(parameters.get(name)) : NaN);
  const layout = parameters.get("map")?.split(".");
  const drawn = layout ? sizeOf(layout) : { height: number("height"), width: number("width"), mines: number("mines") };
  const size = { ...drawn, topology: parameters.get("t") ?? PLANE };
  const difficulty = parameters.get("difficulty") ?? "";
  const first = /^([0-9]{1,4}),([0-9]{1,4})$/.exec(parameters.get("first") ?? "");
  const seed = layout ? 0 : number("seed");
  if (!isPlayable(size) || !first || !(seed < 2 ** 32)) return null;
  if (difficulty && !Object.hasOwn(DIFFICULTIES, difficulty)) return null;
  const [row, col] = [Number(first[1]), Number(first[2])];
  if (row >= size.height || col >= size.width) return null;
  if (layout && (!isLayout(size, layout) || layout[row][col] === "B")) return null;
  const flags = { guessFree: parameters.has("guessFree"), here: parameters.has("here") };
  return { ...size, difficulty, ...flags, first: [row, col], seed, ...(layout && { layout }) };
}

/**
 * The moves of a game as it was played.
 *
 * @param {URLSearchParams} parameters
 * @param {import("./undoable-game.js").Size} size
 * @returns {import("./undoable-game.js").Move[]} none where none can be read
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
