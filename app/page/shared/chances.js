/**
 * Chances of mines: in words, in colours, and on the cells of a board.
 *
 * @module shared/chances
 */

import { formatDecimal, say } from "./language.js";
import { around } from "./position.js";

/** @typedef {import("./board.js").Mark} Mark */
/** @typedef {import("./board.js").Marks} Marks */
/** @typedef {(number | null)[][]} Probabilities of a mine in each unknown cell, null elsewhere */

/** Mines per cell of usual boards, where nothing says how dense they are. */
export const USUAL_DENSITY = 0.2;
/** Where the scale of heat has the usual chance; below it are good cells, above it bad ones. */
const MIDDLE = 0.45;
/**
 * Colours at even distances on the scale: lightness, chroma and hue of OKLCH, in which equal steps
 * look equal. Dark text is readable on all of them.
 */
const STOPS = [
  [0.78, 0.13, 160],
  [0.84, 0.13, 105],
  [0.74, 0.15, 65],
  [0.62, 0.19, 27],
];
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
  if (chance === 0 || chance === 1) return say("{number}\u00a0%", { number: 100 * chance });
  const shown = Math.round(1000 * chance);
  if (shown === 0) return say("less than {number}\u00a0%", { number: formatDecimal(0.1, 1) });
  if (shown === 1000) return say("more than {number}\u00a0%", { number: formatDecimal(99.9, 1) });
  return say("{number}\u00a0%", { number: formatDecimal(100 * chance, 1) });
}

/**
 * The heat of a chance, its position on the scale, which goes by how dense the mines of the board are:
 * the same chance has the same heat on every position of a board.
 *
 * @param {number} chance of a mine
 * @param {number} density mines per cell of the board, more than 0
 * @returns {number} 0 for what is proved safe, 100 for a proved mine, between them 1 to 99
 */
export function heat(chance, density) {
  if (chance <= 0 || chance >= 1) return chance <= 0 ? 0 : 100;
  const usual = Math.min(0.99, density);
  const part = chance < usual ? (MIDDLE * chance) / usual : MIDDLE + ((1 - MIDDLE) * (chance - usual)) / (1 - usual);
  return Math.min(99, Math.max(1, Math.round(100 * part)));
}

/** The colour of a heat. @param {number} heat 0 to 100 @returns {string} rgb(…) */
export function heatColour(heat) {
  const along = (heat / 100) * (STOPS.length - 1);
  const at = Math.min(STOPS.length - 2, Math.floor(along));
  const [lightness, chroma, hue] = STOPS[at].map((value, axis) => value + (along - at) * (STOPS[at + 1][axis] - value));
  return rgb(lightness, chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180));
}

/** A colour of OKLab (Ottosson) for style sheets, canvases and pictures alike. */
function rgb(lightness, a, b) {
  const [l, m, s] = [
    lightness + 0.3963377774 * a + 0.2158037573 * b,
    lightness - 0.1055613458 * a - 0.0638541728 * b,
    lightness - 0.0894841775 * a - 1.291485548 * b,
  ].map((cone) => cone ** 3);
  const shares = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((share) => Math.round(255 * gamma(Math.min(1, Math.max(0, share)))));
  return `rgb(${shares.join(" ")})`;
}

/** A share of linear light as screens take it (sRGB). */
function gamma(share) {
  return share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055;
}

/** Whether a chance of a mine is no certainty. @param {number | null} [chance] @returns {chance is number} */
export function isOpen(chance) {
  return chance != null && chance > 0 && chance < 1;
}

/**
 * Mines per cell of a board.
 *
 * @param {string[]} rows
 * @param {number | null} mines in all, null where nobody says
 * @returns {number} `USUAL_DENSITY` where it is not known
 */
export function densityOf(rows, mines) {
  const cells = rows.length * (rows[0]?.length ?? 0);
  return mines && cells ? mines / cells : USUAL_DENSITY;
}

/**
 * Chances cell by cell. Those of remote cells, which no clue touches, are all the same.
 *
 * @param {string[]} rows standard notation
 * @param {Probabilities} probabilities
 * @param {string} [topology]
 * @param {boolean} [isRuled] the board has other rules, under which no cell is taken as remote
 * @returns {{near: [cell: [row: number, col: number], chance: number][], remote: [cell: [row: number, col: number], chance: number][]}}
 */
export function chancesOf(rows, probabilities, topology, isRuled = false) {
  /** @type {ReturnType<typeof chancesOf>} */
  const { near, remote } = { near: [], remote: [] };
  for (const [row, chances] of probabilities.entries()) {
    for (const [col, chance] of chances.entries()) {
      if (chance !== null) (isRuled || /\d/.test(around(rows, row, col, topology)) ? near : remote).push([[row, col], chance]);
    }
  }
  return { near, remote };
}

/**
 * Marks for chances; where many cells are remote, the chance that they share is not written on each.
 *
 * @param {ReturnType<typeof chancesOf>} chances
 * @returns {[key: string, mark: Mark][]}
 */
export function chanceMarks({ near, remote }) {
  const silent = remote.length >= MANY;
  return [
    ...near.map(([cell, chance]) => /** @type {[string, Mark]} */ ([cell.join(), { chance }])),
    ...remote.map(([cell, chance]) => /** @type {[string, Mark]} */ ([cell.join(), { chance, silent }])),
  ];
}
