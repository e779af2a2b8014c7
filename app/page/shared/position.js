/**
 * Positions: boards in the standard notation with what else is known, and how people write them.
 *
 * @module shared/position
 */

import { say } from "./language.js";
import { faultOfRules } from "./rules.js";
import { PLANE, TOPOLOGIES, neighbours } from "./topology.js";

/**
 * @typedef {object} Position
 * @property {string[]} rows standard notation: 0-8, ?, B, S, F
 * @property {number | null} mines the total of mines, where it is known
 * @property {number | null} density the chance of a mine in each cell, where that is supposed in place of a total
 * @property {string} [topology] which cells touch, on a plane board if it is left out
 * @property {import("./rules.js").Rules} [rules] other rules, none if they are left out
 */

/** Symbols of a cell and what they say. @type {Map<string, string>} */
export const SYMBOLS = new Map([
  ["?", say("unknown")],
  ...Array.from({ length: 9 }, (_, clue) => /** @type {[string, string]} */ ([String(clue), say("clue {clue}", { clue })])),
  ["B", say("mine")],
  ["S", say("safe, number unknown")],
  ["F", say("flag")],
]);

/** What is shown at most: a page with more is slow. The service takes more. */
export const MOST_CELLS = 250_000;
export const LONGEST_SIDE = 1000;

/** Symbols of unknown cells in every dialect. */
const COVERED = { _: "?", "#": "?" };

/** The symbols of each dialect, and what they are in the standard notation. */
export const DIALECTS = {
  standard: { ...named("012345678?BSF"), ...COVERED, "*": "B", b: "B", M: "B", m: "B", s: "S", f: "F" },
  probst: { ...named("012345678"), ...COVERED, "-": "?", "+": "B", " ": "S" },
  minesweepr: { ...named("012345678"), ...COVERED, ".": "0", x: "?", X: "?", "*": "B" },
};

/** How each dialect draws a cell, where it can. */
const DRAWN = {
  standard: named("?012345678BSF"),
  probst: { ...named("012345678"), "?": "-", B: "+", S: " " },
  minesweepr: { ...named("12345678"), 0: ".", "?": "x", B: "*" },
};

/** The names of the dialects. */
export const NOTATIONS = Object.keys(DIALECTS);

function named(symbols) {
  return Object.fromEntries([...symbols].map((symbol) => [symbol, symbol]));
}

/**
 * The text of a board.
 *
 * @param {string[]} rows
 * @param {string} notation
 * @returns {string | null} null where the dialect has no symbol for one of the cells
 */
export function textOf(rows, notation) {
  const drawn = DRAWN[notation];
  const known = rows.every((row) => [...row].every((cell) => cell in drawn));
  return known ? rows.map((row) => [...row].map((cell) => drawn[cell]).join("")).join("\n") : null;
}

/**
 * Why a page cannot show a board so large.
 *
 * @param {number} height
 * @param {number} width
 * @returns {string | null} null if it can
 */
export function tooLarge(height, width) {
  if (height * width <= MOST_CELLS && Math.max(height, width) <= LONGEST_SIDE) return null;
  const values = { height, width, cells: MOST_CELLS, side: LONGEST_SIDE };
  return say(
    "{height}×{width} cells are too many for this page, which shows at most {cells} cells and {side} on a side. The service takes larger boards.",
    values,
  );
}

/**
 * What is wrong with a position from outside.
 *
 * @param {Position} position rows of strings; the rest is checked
 * @returns {string | null} null if nothing is
 */
export function faultOf({ rows, mines, density, topology = PLANE, rules = {} }) {
  if (!rows[0]) return say("it is empty.");
  if (rows.some((row) => row.length !== rows[0].length)) return say("its rows differ in length.");
  const foreign = rows.join("").match(/[^0-8?BSF]/u);
  if (foreign) return say("it has the symbol {symbol}.", { symbol: JSON.stringify(foreign[0]) });
  if (mines !== null && !Number.isSafeInteger(mines)) return say("its number of mines is not a whole number.");
  if (density !== null && !(density > 0 && density < 1)) return say("its density is not between 0 and 1.");
  if (!TOPOLOGIES.has(topology)) return say("its topology is unknown.");
  return faultOfRules({ rows, rules }) ?? tooLarge(rows.length, rows[0].length);
}

/**
 * The same board with another size; new cells are unknown.
 *
 * @param {string[]} rows
 * @param {number} height
 * @param {number} width
 * @returns {string[]}
 */
export function resized(rows, height, width) {
  const sized = (row) => (row ?? "").padEnd(width, "?").slice(0, width);
  return Array.from({ length: height }, (_, row) => sized(rows[row]));
}

/**
 * The symbols of a cell and of those around it.
 *
 * @param {string[]} rows
 * @param {number} row
 * @param {number} col
 * @param {string} [topology]
 * @returns {string}
 */
export function around(rows, row, col, topology = PLANE) {
  if (topology === PLANE) {
    // By far the most boards, and those with the most cells.
    const lines = [rows[row - 1], rows[row], rows[row + 1]];
    return lines.map((line) => (line ?? "").slice(Math.max(0, col - 1), col + 2)).join("");
  }
  const near = neighbours(topology, rows.length, rows[0].length, row, col);
  return [[row, col], ...near].map(([r, c]) => rows[r][c]).join("");
}

/**
 * The same board with other cells.
 *
 * @param {string[]} rows
 * @param {Iterable<[row: number, col: number, symbol: string]>} changes
 * @returns {string[]}
 */
export function changed(rows, changes) {
  const cells = rows.map((row) => [...row]);
  for (const [row, col, symbol] of changes) cells[row][col] = symbol;
  return cells.map((row) => row.join(""));
}

/**
 * Whether two positions ask the same.
 *
 * @param {Position} one
 * @param {Position} other
 * @returns {boolean}
 */
export function alike(one, other) {
  const [first, second] = [one, other].map(({ mines, density, topology = PLANE, rules = {} }) => JSON.stringify([mines, density, topology, rules]));
  return first === second && one.rows.join("\n") === other.rows.join("\n");
}
