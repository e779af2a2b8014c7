/**
 * Parsing texts: a link of this page, a question as JSON or in a curl command, or rows.
 *
 * @module analyse/parse
 */

import { unescapedLink } from "../shared/link-text.js";
import { several } from "../shared/numbers.js";
import { fromParameters } from "../shared/position-link.js";
import { DIALECTS, SYMBOLS, tooLarge } from "../shared/position.js";
import { plain } from "./chat-symbols.js";

/**
 * @typedef {object} Found
 * @property {string} kind what the text is, "" for rows
 * @property {string[]} rows standard notation
 * @property {number | null} [mines] undefined where such a text does not say
 * @property {[row: number, col: number] | null} [first] the first click, where such a file has one
 * @property {string | number | null} [density] of mines, where a link says it
 * @property {string[] | null} [dots] the rows with "." as unknown, where it was read as zero
 * @property {string[]} notes sentences: how symbols were read, and what was ignored
 */

/** A text without a board that can be read; the message says why. */
export class NoBoard extends Error {
  /** @param {string} why @param {boolean} [maybe] it may be of another program */
  constructor(why, maybe = false) {
    super(why);
    this.maybe = maybe;
  }
}

const LINK = /^\S*#(?:analyse|strips)(?:\?(\S*))?$/;
/** How a row of a table begins, and a line between its rows. */
const BAR = /^\s*[|│┃║]/u;
const RULE = /^(?=\s*[|│┃║+├┝┌┏└┗╔╟╠╚])[^\p{L}\p{N}?#*.]*(?:[-=]{2}|[─━═])[^\p{L}\p{N}?#*.]*$/u;
/** Lists in lists, an item of a list, and an item that says nothing. */
const LISTS = /^(?:array|Matrix)?\(?[[({]\s*[[({]/;
const ITEM = /'([^']*)'|"([^"]*)"|[^\s,;]+/g;
/** Where an item was left empty; a comma after the last one does not mean another. */
const EMPTY = /(^|[,;])\s*(?=[,;])/g;
const NOTHING = /^(?:-1|none|null|nil|nan|undefined)\.?$/i;
const FENCE = /^\s*(```|~~~)/;
/** What separates cells, and is none in any notation; and what then stands for an unknown one. */
const SEPARATORS = [",", ";", "|"];
const EMPTY_FIELD = "";
/** Fields of JSON that a board may be in, the likelier ones first. */
const BOARDS = ["board", "layout", "grid", "cells", "field", "map", "rows"];
const MOST_MINES = 999_999_999;

/**
 * The board of a text. Rows are in the first of the notations that has all their symbols: no two
 * notations read the same symbols as different boards.
 *
 * @param {string} text
 * @param {string[]} notations
 * @returns {Promise<Found>}
 * @throws {NoBoard | import("../shared/position-link.js").BadLink}
 */
export async function boardOf(text, notations) {
  const { lines, chat, left } = unwrapped(text);
  const whole = lines.join("\n").trim();
  const link = LINK.exec(unescapedLink(whole));
  if (link) {
    const position = await fromParameters(new URLSearchParams(link[1] ?? ""));
    if (position === null) throw new NoBoard("This link does not contain a board.");
    return { kind: "a link of this page", ...position, notes: ignored(left) };
  }
  if (/^curl\s/.test(whole)) return { kind: "a curl command", ...asked(/'(\{.*\})'/s.exec(whole)?.[1] ?? "", left) };
  if (/^\{\s*"/.test(whole)) return { kind: "JSON", ...asked(whole, left) };
  if (LISTS.test(whole)) return { kind: "lists", ...rowsOf(linesOf(listed(whole)), notations, left) };
  if (whole.startsWith("[")) return { kind: "JSON", ...rowsOf(linesOf(parsed(whole)), notations, left) };
  return { kind: chat ? "emoji or wide symbols" : "", ...rowsOf(lines, notations, left) };
}

/** The lines of a text in plain symbols, without the code fence that chats put around it. */
function unwrapped(whole) {
  const { text, chat, left } = plain(whole);
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const from = first >= 0 && FENCE.test(lines[first]) ? first + 1 : 0;
  const to = last >= from && FENCE.test(lines[last]) ? last : lines.length;
  const fenced = to - from < lines.length;
  const inside = lines.slice(from, to);
  const bare = tableless(inside);
  const dropped = [...(fenced ? ["the code fence"] : []), ...(bare === inside ? [] : ["the lines of the table"])];
  return { lines: bare, chat, left: [...left, ...dropped] };
}

/** Rows of a table without the lines between them; other lines as they are. */
function tableless(lines) {
  const filled = lines.filter((line) => line.trim() !== "");
  const rows = filled.filter((line) => !RULE.test(line));
  // A row of mines and unknown cells may look like a line between rows, but there are no rows then.
  if (rows.length === 0 || !rows.every((line) => BAR.test(line))) return lines;
  const bars = (line) => line.trim().replace(/^[|│┃║]\s*|\s*[|│┃║]$/gu, "").replace(/\s*[|│┃║]\s*/gu, ",");
  return rows.map(bars);
}

/** The board of a question to the service, which names its notation itself. @returns {Omit<Found, "kind">} */
function asked(json, left) {
  const { mines = null, notation = "standard", ...others } = parsed(json);
  const name = BOARDS.find((key) => typeof others[key] === "string" || Array.isArray(others[key]));
  const total = mines === null || (Number.isInteger(mines) && mines >= 0 && mines <= MOST_MINES);
  if (!total) throw new NoBoard('Its "mines" is not a whole number.');
  if (!Object.hasOwn(DIALECTS, notation)) throw new NoBoard("Its notation is unknown.");
  const names = Object.keys(others).filter((key) => key !== name).map((key) => JSON.stringify(key));
  return { ...rowsOf(linesOf((name && others[name]) ?? null), [notation], [...left, ...names]), mines };
}

/** The cells of lists in lists, as JSON, Python, NumPy and C have them. */
function listed(text) {
  const rows = [...text.matchAll(/[[({]([^[\](){}]*)[\])}]/g)].map(([, row]) => row);
  const filled = rows.map((row) => row.replace(EMPTY, "$1null"));
  return filled.map((row) => [...row.matchAll(ITEM)].map(([item, one, other]) => (NOTHING.test(item) ? null : (one ?? other ?? item))));
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    throw new NoBoard("It does not contain valid JSON.");
  }
}

/** The lines of a board as the API takes it: text, strings, or lists of symbols and clues. */
function linesOf(board) {
  if (typeof board === "string") return board.replace(/\n$/, "").split("\n");
  const lines = Array.isArray(board) ? board.map((row) => (Array.isArray(row) ? joined(row) : row)) : [null];
  if (lines.every((line) => typeof line === "string")) return lines;
  throw new NoBoard("It does not contain a board.");
}

function joined(cells) {
  // Programs have -1 or nothing for a cell that is not known.
  const symbols = cells.map((cell) => (cell === null || cell === -1 ? "?" : String(cell)));
  return symbols.every((symbol) => [...symbol].length === 1) ? symbols.join("") : null;
}

/**
 * The rows of lines in the first of some notations, or if it lacks one of their symbols in another.
 *
 * @param {string[]} lines
 * @param {string[]} notations
 * @param {string[]} left
 * @returns {Omit<Found, "kind">}
 */
function rowsOf(lines, [first, ...others], left) {
  /** @type {any} */
  const wanted = tried(lines, first, left, others.length === 0);
  if (wanted.rows) return wanted;
  const found = wanted.foreign ? others.map((notation) => tried(lines, notation, left)) : [];
  const read = /** @type {any} */ (found.find(({ rows }) => rows));
  if (read !== undefined) return read;
  const { wrong, maybe } = /** @type {any} */ ([wanted, ...found].find(({ torn }) => torn) ?? wanted);
  throw new NoBoard(wrong, maybe);
}

/** The rows of lines in one notation, or what is wrong, and whether it may be in another notation, or of another program. */
function tried(lines, notation, left, chosen = false) {
  const dialect = new Map([...Object.entries(DIALECTS[notation]), [EMPTY_FIELD, "?"]]);
  const { cells, dropped, empty, wrong: torn } = cellsOf(lines, dialect.has(" "), chosen);
  if (torn !== undefined) return { wrong: torn, torn: true, foreign: isForeign(lines.join(""), dialect), maybe: true };
  if (cells.length === 0) return { wrong: "There is no text yet." };
  const large = tooLarge(cells.length, cells.reduce((most, { length }) => Math.max(most, length), 0));
  if (large !== null) return { wrong: large };
  for (const [row, symbols] of cells.entries()) {
    const col = symbols.findIndex((symbol) => !dialect.has(symbol));
    if (col < 0) continue;
    const shown = JSON.stringify(symbols[col].slice(0, 20));
    const wrong = `The symbol ${shown} at row ${row + 1}, column ${col + 1} is not part of the notation ${notation}.`;
    return { wrong, foreign: isForeign(cells.flat(), dialect), maybe: true };
  }
  const width = cells[0].length;
  const ragged = cells.findIndex(({ length }) => length !== width);
  if (ragged >= 0) {
    return { maybe: true, wrong: `Row ${ragged + 1} has ${several(cells[ragged].length, "cell")}, but row 1 has ${width}.` };
  }
  const taken = [...new Set(cells.flat())].filter((symbol) => symbol !== EMPTY_FIELD && dialect.get(symbol) !== symbol);
  const meanings = taken.map((symbol) => `${JSON.stringify(symbol)} as ${SYMBOLS.get(dialect.get(symbol))}`);
  const notes = meanings.length ? [`Read ${meanings.join(", ")}.`] : [];
  const rowsBy = (meaning) => cells.map((symbols) => symbols.map(meaning).join(""));
  const rows = rowsBy((symbol) => dialect.get(symbol));
  const dots = dialect.get(".") === "0" && taken.includes(".");
  return {
    rows,
    dots: dots ? rowsBy((symbol) => (symbol === "." ? "?" : dialect.get(symbol))) : null,
    notes: [...notes, ...(empty ? ["Read empty fields as unknown."] : []), ...ignored([...left, ...dropped])],
  };
}

/** Whether symbols are of another notation; blanks say little: most stand between symbols. */
function isForeign(symbols, dialect) {
  return [...symbols].some((other) => /^[^\s,;|]$/u.test(other) && !dialect.has(other));
}

/**
 * The symbols of lines, which may stand apart, all by the same; or what is wrong with how they do.
 *
 * @param {string[]} lines
 * @param {boolean} blanks whether blanks are symbols
 * @param {boolean} chosen whether they are meant as such, as the notation was chosen
 * @returns {{cells: string[][], dropped: string[], empty?: boolean, wrong?: string}}
 */
function cellsOf(lines, blanks, chosen) {
  const full = lines.map((line) => line.trim() !== "" || (blanks && line !== ""));
  const kept = full.includes(true) ? lines.slice(full.indexOf(true), full.lastIndexOf(true) + 1) : [];
  const separator = SEPARATORS.find((one) => kept.some((line) => line.includes(one))) ?? (isTabbed(kept) ? "\t" : null);
  if (separator !== null) return fieldsOf(kept, separator);
  const bare = blanks ? kept : bared(kept);
  const dropped = bare.join("\n") === lines.join("\n") ? [] : ["spaces and empty lines around the board"];
  if (!bare.some((line) => /\s/u.test(line)) || (blanks && chosen)) return { cells: bare.map((line) => [...line]), dropped };
  const symbols = bare.map((line) => [...line]);
  // Wherever one blank stands between every two cells, it is none itself.
  const between = (line) => line.length % 2 === 1 && line.every((symbol, at) => (symbol === " ") === (at % 2 === 1));
  if (symbols.every(between) && symbols.some(({ length }) => length > 1)) {
    const cells = symbols.map((line) => line.filter((_, at) => at % 2 === 0));
    return { cells, dropped: [...dropped, "separators between the cells"] };
  }
  if (blanks && !isRowsInARow(bare)) return { cells: symbols, dropped };
  return { cells: [], dropped, wrong: strayBlank(symbols) };
}

/** Whether tabs stand between cells, or beside the only one of each line. */
function isTabbed(lines) {
  return lines.some((line) => /\S *\t[ \t]*\S/u.test(line)) || (lines.some((line) => line.includes("\t")) && lines.every((line) => line.trim().length <= 1));
}

/** The fields of lines, an empty one being an unknown cell. */
function fieldsOf(lines, separator) {
  const fields = lines.map((line) => line.split(separator).map((field) => field.replace(/^ +| +$/g, "")));
  for (const [end, at] of [["first", 0], ["last", -1]]) {
    // A field, or one separator too many: who reads it cannot know.
    if (fields.every((row) => row.at(at) === EMPTY_FIELD)) {
      return { cells: [], dropped: [], wrong: `The ${end} field of every row is empty. Write ? where cells are unknown, or leave out the separators there.` };
    }
  }
  return { cells: fields, dropped: ["separators between the cells"], empty: fields.flat().includes(EMPTY_FIELD) };
}

/** Whether a single line is several rows of the same length, with blanks between them. */
function isRowsInARow(lines) {
  const [rows] = lines.map((line) => line.trim().split(" "));
  return lines.length === 1 && rows.length > 1 && rows[0].length > 1 && rows.every(({ length }) => length === rows[0].length);
}

/** What is wrong with lines in which blanks stand between some cells and not between others. */
function strayBlank(lines) {
  const isBlank = (symbol) => /\s/u.test(symbol);
  const misplaced = (symbol, at) => isBlank(symbol) && (at % 2 === 0 || symbol !== " ");
  const inOrder = lines.findIndex((line) => line.some(misplaced));
  const row = inOrder >= 0 ? inOrder : lines.findIndex((line) => line.some(isBlank));
  const col = inOrder >= 0 ? lines[row].findIndex(misplaced) : lines[row].findIndex(isBlank);
  const place = `row ${row + 1}, column ${col + 1}`;
  return `The blank at ${place} may stand for a cell, or for the end of a row. Put each row on a line of its own, with nothing between its cells, or one blank between every two.`;
}

/** Lines without their margins and the blanks at their ends. */
function bared(lines) {
  const ended = lines.map((line) => line.trimEnd());
  const margin = ended.reduce((least, line) => (line === "" ? least : Math.min(least, line.search(/\S/))), Infinity);
  return ended.map((line) => line.slice(margin));
}

/** @param {string[]} names */
function ignored(names) {
  return names.length ? [`Ignored: ${names.join(", ")}.`] : [];
}
