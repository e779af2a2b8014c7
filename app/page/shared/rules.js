/**
 * Rules that a board may have beside the usual ones: layers, several mines in a cell, clues that may
 * lie, and clues that say less, or more, than a digit. The names are those of the service.
 *
 * @module shared/rules
 */

import { say } from "./language.js";
import { PLANE } from "./topology.js";

/**
 * @typedef {object} Rules
 * @property {number} [layers] so many boards lie on each other, and are drawn one below the other
 * @property {number} [mines_per_cell] the most mines of a cell
 * @property {number} [lies] so many clues are wrong
 * @property {number} [most_lies] at most so many are
 * @property {Object<string, string>} [clues] by "row,col", on cells that are S in the rows: a number
 *   above 8 ("11"), an interval ("1-3") or several numbers ("0|2")
 */
/** @typedef {{rows: string[], topology?: string, rules?: Rules}} Ruled */

/** What is a whole number, and the least that says something. @type {[name: keyof Rules, least: number][]} */
const NUMBERS = [["layers", 2], ["mines_per_cell", 2], ["lies", 1], ["most_lies", 1]];
/** The names of all rules, as links have them. */
export const RULES = [...NUMBERS.map(([name]) => name), "clues"];
/** As large as any of them may be. */
const MOST = 1000;
/** A clue as the service writes it, and as people do. */
const CLUE = /^\d{1,3}(?:-\d{1,3}|(?:\|\d{1,3})+)?$/;

/** What is sent to the service beside the rows and the mines of a board. @param {Omit<Ruled, "rows">} position */
export function setting({ topology = PLANE, rules = {} }) {
  const { clues, ...numbers } = rules;
  return { ...(topology !== PLANE && { topology }), ...numbers, ...(clues && { clues: cluesText(clues) }) };
}

/** Whether a board has other rules than the usual ones. @param {Rules} [rules] */
export function hasRules(rules = {}) {
  return Object.keys(rules).length > 0;
}

/** Whether a board is one of the usual ones, in the plane and without other rules. @param {Omit<Ruled, "rows">} position */
export function isUsual({ topology = PLANE, rules }) {
  return topology === PLANE && !hasRules(rules);
}

/** Whether the service gives reasons, conflicts and repairs under these rules. @param {Rules} [rules] */
export function isExplained({ mines_per_cell: most, lies, most_lies: mostLies, clues = {} } = {}) {
  return !most && !lies && !mostLies && !Object.values(clues).some((clue) => clue.includes("|"));
}

/**
 * A clue as people write it: "1-3", "1 to 3", "0, 2", "0 or 2", "11".
 *
 * @param {string} text
 * @returns {string | null} as the service writes it, null if it is none
 */
export function readClue(text) {
  const plain = text.trim().replace(/\s*(?:[-–—…]|\.\.|to|bis|到)\s*/iu, "-").replace(/\s*(?:[,;/|、]|or|oder|或|\s)\s*/giu, "|");
  return CLUE.test(plain) ? plain : null;
}

/** A clue as it is drawn. @param {string} clue */
export function formatClue(clue) {
  return clue.replace("-", "–").replaceAll("|", "/");
}

/** The rules with another clue in a cell. @param {Rules} rules @param {string} key @param {string | null} clue null for none @returns {Rules} */
export function withClue(rules, key, clue) {
  const { clues: before, ...numbers } = rules;
  const clues = { ...before };
  if (clue === null) delete clues[key];
  else clues[key] = clue;
  return Object.keys(clues).length ? { ...numbers, clues } : numbers;
}

/** The rules with other numbers. @param {Rules} rules @param {Object<string, any>} numbers null takes one away @returns {Rules} */
export function withNumbers(rules, numbers) {
  return Object.fromEntries(Object.entries({ ...rules, ...numbers }).filter(([, value]) => value !== null));
}

/**
 * The same position without clues in cells that are not there, or have another symbol now.
 *
 * @template {Ruled} P
 * @param {P} position
 * @returns {P}
 */
export function withoutLostClues(position) {
  const { rows, rules } = position;
  const lost = Object.keys(rules?.clues ?? {}).filter((key) => symbolAt(rows, key) !== "S");
  if (!lost.length) return position;
  return { ...position, rules: lost.reduce((left, key) => withClue(left, key, null), rules ?? {}) };
}

/** What is wrong with rules from outside, null if nothing is. @param {Ruled} position @returns {string | null} */
export function faultOfRules({ rows, rules = {} }) {
  const names = Object.keys(rules);
  const known = names.every((name) => RULES.includes(name));
  const isNumber = ([name, least]) => rules[name] === undefined || (Number.isInteger(rules[name]) && rules[name] >= least && rules[name] <= MOST);
  const numbers = NUMBERS.every(isNumber);
  const clues = Object.entries(rules.clues ?? {}).every(([key, clue]) => CLUE.test(clue) && symbolAt(rows, key) === "S");
  return known && numbers && clues ? null : say("its rules cannot be read.");
}

/** Parameters of a link. @param {Rules} rules @returns {[name: string, text: string][]} */
export function rulesToParameters(rules) {
  return Object.entries(setting({ rules })).map(([name, value]) => [name, String(value)]);
}

/** The rules of a link, which may be wrong. @param {URLSearchParams} parameters @returns {Rules} */
export function rulesFromParameters(parameters) {
  /** @type {Rules} */
  const rules = {};
  for (const [name] of NUMBERS) {
    const text = parameters.get(name);
    if (text !== null) Object.assign(rules, { [name]: /^\d{1,4}$/.test(text) ? Number(text) : NaN });
  }
  const clues = parameters.get("clues");
  if (clues !== null) rules.clues = Object.fromEntries(clues.split(" ").map((clue) => clue.split("=")).map(([key, clue = ""]) => [key, clue]));
  return rules;
}

/** Clues as a request has them: "0,0=1-3 2,2=0|2". @param {Object<string, string>} clues */
function cluesText(clues) {
  return Object.entries(clues).map(([key, clue]) => `${key}=${clue}`).join(" ");
}

function symbolAt(rows, key) {
  if (!/^\d{1,4},\d{1,4}$/.test(key)) return undefined;
  const [row, col] = key.split(",").map(Number);
  return rows[row]?.[col];
}
