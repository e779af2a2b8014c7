/**
 * Chances of mines: in words, in colours, and on the cells of a board.
 *
 * @module shared/chances
 */

import { around } from "./position.js";

/** @typedef {import("./board.js").Mark} Mark */
/** @typedef {import("./board.js").Marks} Marks */
/** @typedef {(number | null)[][]} Probabilities of a mine in each unknown cell, null elsewhere */

/** Where one warmth ends and the next begins, in parts of the usual chance. */
const WARMTHS = [0.75, 1.5];
/** As many remote cells tell their chance together. */
const MANY = 9;

/**
 * A chance in whole percent, for a cell; only what is certain is 0 or 100.
 *
 * @param {number} chance
 * @returns {string} such as 25, <1, >99
 */
export function percentage(chance) {
  if (chance > 0 && chance < 0.005) return "<1";
  if (chance < 1 && chance > 0.995) return ">99";
  return String(Math.min(chance < 1 ? 99 : 100, Math.round(100 * chance)));
}

/** A chance in percent with one decimal, in words where that would be a certainty. @param {number} chance */
export function percent(chance) {
  if (chance === 0 || chance === 1) return `${100 * chance}\u00a0%`;
  const shown = (100 * chance).toFixed(1);
  if (shown === "0.0") return "less than 0.1\u00a0%";
  return shown === "100.0" ? "more than 99.9\u00a0%" : `${shown}\u00a0%`;
}

/**
 * Which of the five heat colours a chance of a mine has; what is certain has one to itself.
 *
 * @param {number} chance
 * @param {number} usual the chance that cells have on the whole, see `usualChance`
 */
export function warmth(chance, usual) {
  if (chance <= 0) return 0;
  if (chance >= 1) return 4;
  return 1 + WARMTHS.filter((limit) => chance >= limit * usual).length;
}

/** Whether a chance of a mine is no certainty. @param {number | null} [chance] @returns {chance is number} */
export function isOpen(chance) {
  return chance != null && chance > 0 && chance < 1;
}

/** The mean of the chances in marks that are no certainties: how dense mines are. @param {Marks} marks */
export function usualChance(marks) {
  const chances = [...marks.values()].map(({ chance }) => chance).filter(isOpen);
  return chances.reduce((sum, chance) => sum + chance, 0) / Math.max(1, chances.length);
}

/**
 * Chances cell by cell. Those of remote cells, which no clue touches, are all the same.
 *
 * @param {string[]} rows standard notation
 * @param {Probabilities} probabilities
 * @param {string} [topology]
 * @returns {{near: [cell: [row: number, col: number], chance: number][], remote: [cell: [row: number, col: number], chance: number][]}}
 */
export function chancesOf(rows, probabilities, topology) {
  /** @type {ReturnType<typeof chancesOf>} */
  const { near, remote } = { near: [], remote: [] };
  for (const [row, chances] of probabilities.entries()) {
    for (const [col, chance] of chances.entries()) {
      if (chance !== null) (/\d/.test(around(rows, row, col, topology)) ? near : remote).push([[row, col], chance]);
    }
  }
  return { near, remote };
}

/**
 * Marks for chances; where many cells are remote, the chance that they share is not written on each.
 *
 * @param {ReturnType<typeof chancesOf>} chances
 * @returns {[place: string, mark: Mark][]}
 */
export function chanceMarks({ near, remote }) {
  const silent = remote.length >= MANY;
  return [
    ...near.map(([cell, chance]) => /** @type {[string, Mark]} */ ([cell.join(), { chance }])),
    ...remote.map(([cell, chance]) => /** @type {[string, Mark]} */ ([cell.join(), { chance, silent }])),
  ];
}
