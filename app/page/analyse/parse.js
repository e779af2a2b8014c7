/**
 * Parsing texts: a link of this page, a question as JSON or in a curl command, or rows.
 *
 * @module analyse/parse
 */

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
const NOTHING = /^(?:-1|none|null|nil|nan|undefined)\.?$/i;
const FENCE = /^\s*(```|~~~)/;
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
  const link = LINK.exec(whole);
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

/** The board of a question to the service, which names its notation itself. */
function asked(json, left) {
  const { mines = null, notation = "standard", ...others } = parsed(json);
  const name = BOARDS.find((key) => typeof others[key] === "string" || Array.isArray(others[key]));
  const total = mines === null || (Number.isInteger(mines) && mines >= 0 && mines <= MOST_MINES);
  if (!total) throw new NoBoard('Its "mines" is not a whole number.');
  if (!Object.hasOwn(DIALECTS, notation)) throw new NoBoard("Its notation is unknown.");
  const names = Object.keys(others).filter((key) => key !== name).map((key) => JSON.stringify(key));
  return { ...rowsOf(linesOf(others[name] ?? null), [notation], [...left, ...names]), mines };
}

/** The cells of lists in lists, as JSON, Python, NumPy and C have them. */
function listed(text) {
  const rows = [...text.matchAll(/[[({]([^[\](){}]*)[\])}]/g)].map(([, row]) => row);
  return rows.map((row) => [...row.matchAll(ITEM)].map(([item, one, other]) => (NOTHING.test(item) ? null : (one ?? other ?? item))));
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

/** The rows of lines in the first of some notations, or if it lacks one of their symbols in another. */
function rowsOf(lines, [first, ...others], left) {
  const wanted = tried(lines, first, left);
  if (wanted.rows) return wanted;
  const found = wanted.foreign ? others.map((notation) => tried(lines, notation, left)) : [];
  const read = found.find(({ rows }) => rows);
  if (read === undefined) throw new NoBoard(wanted.wrong, wanted.maybe);
  return read;
}

/** The rows of lines in one notation, or what is wrong, and whether it may be in another notation, or of another program. */
function tried(lines, notation, left) {
  const dialect = new Map(Object.entries(DIALECTS[notation]));
  const { cells, dropped } = cellsOf(lines, dialect.has(" "));
  if (cells.length === 0) return { wrong: "There is no text yet." };
  const large = tooLarge(cells.length, cells.reduce((most, { length }) => Math.max(most, length), 0));
  if (large !== null) return { wrong: large };
  for (const [row, symbols] of cells.entries()) {
    const col = symbols.findIndex((symbol) => !dialect.has(symbol));
    if (col < 0) continue;
    const shown = JSON.stringify(symbols[col].slice(0, 20));
    const wrong = `The symbol ${shown} at row ${row + 1}, column ${col + 1} is not part of the notation ${notation}.`;
    // Blanks say little: most stand between symbols.
    const foreign = cells.flat().some((other) => /^\S$/u.test(other) && !dialect.has(other));
    return { wrong, foreign, maybe: true };
  }
  const width = cells[0].length;
  const ragged = cells.findIndex(({ length }) => length !== width);
  if (ragged >= 0) {
    return { maybe: true, wrong: `Row ${ragged + 1} has ${several(cells[ragged].length, "cell")}, but row 1 has ${width}.` };
  }
  const taken = [...new Set(cells.flat())].filter((symbol) => dialect.get(symbol) !== symbol);
  const meanings = taken.map((symbol) => `${JSON.stringify(symbol)} as ${SYMBOLS.get(dialect.get(symbol))}`);
  const notes = meanings.length ? [`Read ${meanings.join(", ")}.`] : [];
  const rowsBy = (meaning) => cells.map((symbols) => symbols.map(meaning).join(""));
  const rows = rowsBy((symbol) => dialect.get(symbol));
  const dots = dialect.get(".") === "0" && taken.includes(".");
  return {
    rows,
    dots: dots ? rowsBy((symbol) => (symbol === "." ? "?" : dialect.get(symbol))) : null,
    notes: [...notes, ...ignored([...left, ...dropped])],
  };
}

/** The symbols of lines, which may stand apart, all by the same; blanks may be symbols. */
function cellsOf(lines, blanks) {
  const bare = bared(lines, blanks);
  const dropped = bare.join("\n") === lines.join("\n") ? [] : ["spaces and empty lines around the board"];
  const [, apart] = (blanks ? /^.([\t,;|]+)/u : /^.([\s,;|]+)/u).exec(bare[0] ?? "") ?? [];
  if (apart === undefined) return { cells: bare.map((line) => [...line]), dropped };
  return { cells: bare.map((line) => line.split(apart)), dropped: [...dropped, "separators between the cells"] };
}

/** Lines without empty ones around them, and where blanks are no symbols, without their margins. */
function bared(lines, blanks) {
  const ended = blanks ? lines : lines.map((line) => line.trimEnd());
  const first = ended.findIndex((line) => line !== "");
  const kept = first < 0 ? [] : ended.slice(first, ended.findLastIndex((line) => line !== "") + 1);
  if (blanks) return kept;
  const margin = kept.reduce((least, line) => (line === "" ? least : Math.min(least, line.search(/\S/))), Infinity);
  return kept.map((line) => line.slice(margin));
}

/** @param {string[]} names */
function ignored(names) {
  return names.length ? [`Ignored: ${names.join(", ")}.`] : [];
}
