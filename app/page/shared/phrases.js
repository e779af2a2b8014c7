/**
 * Phrases that several panels use.
 *
 * @module shared/phrases
 */

import { formatList, say } from "./language.js";
import { several } from "./numbers.js";

/** @typedef {{clues: unknown[], total: boolean}} Reasons clues, and whether the total of mines is one */

/** How hard a cell is to find, by the name of the easiest technique in answers of the service. */
export const DIFFICULTIES = {
  trivial: say("single clues are enough, one after another"),
  subset: say("it takes comparing a clue with one whose cells it includes"),
  bounds: say("it takes combining two clues at a time"),
  "look-ahead": say("it takes one assumption at a time"),
  global: say("it takes the total of mines"),
  search: say("it takes several assumptions at a time"),
};

/** What the degrees of difficulty are called. @type {Object<string, string>} */
export const DIFFICULTY_NAMES = {
  trivial: say("trivial"),
  subset: say("subset"),
  bounds: say("bounds"),
  "look-ahead": say("look-ahead"),
  global: say("global"),
  search: say("search"),
};

/** What players call patterns that have no numbers. @type {Object<string, string>} */
const PATTERN_NAMES = { box: say("box logic") };

/** The name of a cell where there is little room. @param {number} row from 0 @param {number} col */
export function shortCellName(row, col) {
  return say("R{row} C{column}", { row: row + 1, column: col + 1 });
}

/** What a technique is called: a grade of difficulty or a pattern. @param {string} name */
export function techniqueName(name) {
  return DIFFICULTY_NAMES[name] ?? PATTERN_NAMES[name] ?? name;
}

/**
 * How hard a cell is to find, which is not how hard its steps are: those keep to the reasons.
 *
 * @param {string | null} [name]
 * @returns {string} "" where it is not known
 */
export function difficulty(name) {
  const found = DIFFICULTIES[name];
  return found ? say("With the whole board in view, {what}. The steps use few clues, and can be harder.", { what: found }) : "";
}

/** What forces a cell, in a sentence: "2 clues and the total of mines force it." @param {Reasons | null} [reasons] */
export function forcing(reasons) {
  const { named, isOne } = nameReasons(reasons);
  if (!named) return "";
  const values = { reasons: capital(named) };
  return isOne ? say("{reasons} forces it.", values) : say("{reasons} force it.", values);
}

/** Why a board is inconsistent. @param {Reasons | null} [conflict] */
export function noLayoutFits(conflict) {
  const { named, isOne } = nameReasons(conflict);
  if (!named) return say("No layout fits.");
  const values = { reasons: named };
  return isOne
    ? say("No layout fits: {reasons} cannot be met.", values)
    : say("No layout fits: {reasons} contradict each other.", values);
}

/** Reasons by their names, "" without any, and whether there is but one. @param {Reasons | null} [reasons] */
function nameReasons(reasons) {
  const { clues = [], total = false } = reasons ?? {};
  const named = [];
  if (clues.length) named.push(several(clues.length, "clue"));
  if (total) named.push(say("the total of mines"));
  return { named: formatList(named), isOne: clues.length + Number(total) === 1 };
}

/** How many cells are forced: "3 mines and 1 safe cell"; "" if none are. @param {{mines: unknown[], safe: unknown[]}} forced */
export function countForced({ mines, safe }) {
  const found = [];
  if (mines.length) found.push(several(mines.length, "mine"));
  if (safe.length) found.push(several(safe.length, "safe cell"));
  return formatList(found);
}

/** Cells in a row as the service writes them: (0, 1), (0, 2) and (3, 4). */
const CELLS = /\(\d+, \d+\)(?:(?:, | and )\(\d+, \d+\))*/g;

/** A text of the service, which counts rows and columns from 0 and has short names for cells, as the page says it. @param {string} text */
export function fromOne(text) {
  const next = (number) => Number(number) + 1;
  return text
    .replace(/\b(row|column|line(?= \d+(?:, column| is empty))) (\d+)/gi, (_, noun, number) => `${noun} ${next(number)}`)
    .replace(CELLS, (written, at, all) => {
      const found = [...written.matchAll(/\((\d+), (\d+)\)/g)].map(([, row, col]) => [Number(row), Number(col)]);
      const names = cellNamesInEnglish(found);
      return /(^|[.!?] )$/.test(all.slice(0, at)) ? capital(names) : names;
    });
}

/**
 * Cells by their rows, counted from 1: "row 1, columns 2 and 3; row 4, column 5".
 *
 * @param {number[][]} cells row and column of each, counted from 0
 * @returns {string}
 */
export function cellNames(cells) {
  const named = ({ row, columns }) =>
    columns.length === 1
      ? say("row {row}, column {column}", { row, column: columns[0] })
      : say("row {row}, columns {columns}", { row, columns: formatList(columns) });
  return byRows(cells).map(named).join(say("; "));
}

/** The same for a text of the service, which is in English. @param {number[][]} cells */
function cellNamesInEnglish(cells) {
  const named = ({ row, columns }) => {
    const [last, ...others] = columns.toReversed();
    return others.length ? `row ${row}, columns ${others.toReversed().join(", ")} and ${last}` : `row ${row}, column ${last}`;
  };
  return byRows(cells).map(named).join("; ");
}

/** Cells by their rows, counted from 1. @param {number[][]} cells @returns {{row: number, columns: string[]}[]} */
function byRows(cells) {
  /** @type {Map<number, string[]>} */
  const rows = new Map();
  for (const [row, col] of cells) rows.set(row + 1, [...(rows.get(row + 1) ?? []), String(col + 1)]);
  return [...rows].map(([row, columns]) => ({ row, columns }));
}

/** A text with a capital at its beginning. @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
