/**
 * The steps of a proof in the language of the reader. The service says them in English, with finer words than other
 * languages have here.
 *
 * @module shared/proof-in-words
 */

import { cellName } from "./board.js";
import { ENGLISH, language } from "./chosen-language.js";
import { formatList, say } from "./language.js";
import { several } from "./numbers.js";
import { capital, fromOne, cellNames } from "./phrases.js";

/** @typedef {[row: number, col: number]} Cell */
/**
 * A step of a proof: `cells` hold `low` to `high` mines, because of a clue, the total or earlier steps, numbered from 0.
 *
 * @typedef {object} ProofStep
 * @property {string} rule
 * @property {Cell[]} cells
 * @property {number} low
 * @property {number} high
 * @property {number[]} sources
 * @property {Cell | null} clue
 * @property {string} text
 */

/** Cells that are named; more are counted only. */
const NAMED = 8;

/**
 * A step as a sentence.
 *
 * @param {ProofStep} step
 * @param {string[]} rows of the board
 * @returns {string}
 */
export function stepInWords(step, rows) {
  if (language === ENGLISH) return fromOne(step.text);
  const { rule, sources } = step;
  if (isContradiction(step)) return contradiction(step, rows);
  const proof = claim(step);
  if (rule === "assume") return say("Suppose: {proof}", { proof });
  if (rule === "look-ahead") {
    const [supposed, against] = sources.map((source) => named([source]));
    return say("{against} refutes {supposed}: {proof}", { against: capital(against), supposed, proof });
  }
  if (rule === "search") return say("In every way of placing mines that agrees with {steps}: {proof}", { steps: named(sources), proof });
  return say("By {reasons}: {proof}", { reasons: reason(step, rows), proof });
}

/** Cells that are proved, in a sentence or two. @param {{safe: Cell[], mines: Cell[]}} cells */
export function provedInWords({ safe, mines }) {
  const values = { safe: { cells: capital(cellNames(safe)) }, mines: { cells: capital(cellNames(mines)) } };
  const said = [];
  if (safe.length) said.push(safe.length > 1 ? say("{cells} are safe.", values.safe) : say("{cells} is safe.", values.safe));
  if (mines.length) said.push(mines.length > 1 ? say("{cells} are mines.", values.mines) : say("{cells} is a mine.", values.mines));
  return said.join(" ");
}

/** @param {ProofStep} step */
function isContradiction({ cells, low, high }) {
  return low > high || low > cells.length || high < 0;
}

/** @param {ProofStep} step @param {string[]} rows */
function contradiction(step, rows) {
  const reasons = reason(step, rows);
  return step.sources.length > 1
    ? say("No layout fits: {reasons} contradict each other.", { reasons })
    : say("No layout fits: {reasons} cannot be met.", { reasons });
}

/** What a step rests on. @param {ProofStep} step @param {string[]} rows */
function reason({ rule, clue, sources }, rows) {
  if (rule === "total") return say("the total of mines [as a reason]");
  if (clue === null) return named(sources);
  const [row, col] = clue;
  const [number, cell] = [rows[row][col], cellName(row, col)];
  return /[0-8]/.test(number) ? say("the {number} at {cell}", { number, cell }) : say("the clue at {cell}", { cell });
}

/** Steps by their numbers, which are from 1 here. @param {number[]} steps */
function named(steps) {
  return formatList(steps.map((step) => say("step {number}", { number: step + 1 })));
}

/** What a step says about its cells. @param {ProofStep} step */
function claim({ cells, low, high }) {
  if (cells.length <= NAMED && high === 0) return provedInWords({ safe: cells, mines: [] });
  if (cells.length <= NAMED && low === cells.length) return provedInWords({ safe: [], mines: cells });
  const values = {
    cells: cells.length > NAMED ? several(cells.length, "cell") : capital(cellNames(cells)),
    mines: minesBetween(Math.max(low, 0), Math.min(high, cells.length), cells.length),
  };
  return cells.length > 1 ? say("{cells} hold {mines}.", values) : say("{cells} holds {mines}.", values);
}

/** @param {number} low @param {number} high @param {number} most */
function minesBetween(low, high, most) {
  if (low === high) return say("exactly {mines}", { mines: several(low, "mine") });
  if (low === 0) return say("at most {mines}", { mines: several(high, "mine") });
  return high === most ? say("at least {mines}", { mines: several(low, "mine") }) : say("{low} to {high} mines", { low, high });
}
