/**
 * Parsing texts: a link of this page, a question as JSON or in a curl command, or rows.
 *
 * @module analyse/parse
 */

import { several } from "../shared/numbers.js";
import { fromParameters } from "../shared/position-link.js";
import { DIALECTS, NOTATIONS, SYMBOLS, tooLarge } from "../shared/position.js";
import { plain } from "./chat-symbols.js";

/**
 * @typedef {object} Found
 * @property {string} kind what the text is, "" for rows
 * @property {string[]} rows standard notation
 * @property {number | null} [mines] undefined where such a text does not say
 * @property {string} notation
 * @property {string[]} notes sentences: how symbols were read, and what was ignored
 */

/** A text without a board that can be read; the message says why. */
export class NoBoard extends Error {}

const LINK = /^\S*#(?:analyse|strips)(?:\?(\S*))?$/;
const FENCE = /^\s*(```|~~~)/;
/** How files and links of other programs begin. */
const ELSEWHERE = /^(https?:|\d+x\d+\D|# MINESWEEPER)/;
const MOST_MINES = 999_999_999;

/**
 * The board of a text. Rows are in the notation that is named, or else in the one that has all
 * their symbols: no two notations read the same symbols as different boards.
 *
 * @param {string} text
 * @param {string} notation
 * @returns {Promise<Found>}
 * @throws {NoBoard | import("../shared/position-link.js").BadLink}
 */
export async function boardOf(text, notation) {
  const { lines, chat, left } = unwrapped(text);
  const whole = lines.join("\n").trim();
  const link = LINK.exec(whole);
  if (link) {
    const position = await fromParameters(new URLSearchParams(link[1] ?? ""));
    if (position === null) throw new NoBoard("This link does not contain a board.");
    return { kind: "a link of this page", ...position, notes: ignored(left) };
  }
  if (/^curl\s/.test(whole)) return { kind: "a curl command", ...asked(/'(\{.*\})'/s.exec(whole)?.[1] ?? "", left) };
  if (whole.startsWith("{")) return { kind: "JSON", ...asked(whole, left) };
  if (whole.startsWith("[")) return { kind: "JSON", ...rowsOf(linesOf(parsed(whole)), notation, left) };
  try {
    return { kind: chat ? "emoji or wide symbols" : "", ...rowsOf(lines, notation, left) };
  } catch (error) {
    if (!ELSEWHERE.test(whole)) throw error;
    throw new NoBoard('This looks like the output of another program: see "Files and links of other programs".');
  }
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
  return { lines: lines.slice(from, to), chat, left: [...left, ...(fenced ? ["the code fence"] : [])] };
}

/** The board of a question to the service, which names its notation itself. */
function asked(json, left) {
  const { board, mines = null, notation = "standard", ...others } = parsed(json);
  const total = mines === null || (Number.isInteger(mines) && mines >= 0 && mines <= MOST_MINES);
  if (!total) throw new NoBoard('Its "mines" is not a whole number.');
  if (!NOTATIONS.includes(notation)) throw new NoBoard("Its notation is unknown.");
  const names = Object.keys(others).map((name) => JSON.stringify(name));
  return { ...rowsOf(linesOf(board), notation, [...left, ...names]), mines };
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

/** The rows of lines in a notation, or in another if it lacks one of their symbols. */
function rowsOf(lines, notation, left) {
  const wanted = tried(lines, notation, left);
  if (wanted.rows) return wanted;
  const others = wanted.foreign ? NOTATIONS.map((name) => tried(lines, name, left)) : [];
  const found = others.find(({ rows }) => rows);
  if (found === undefined) throw new NoBoard(wanted.wrong);
  return found;
}

/** The rows of lines in one notation, or what is wrong, and whether that is a symbol of another. */
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
    const foreign = cells.flat().some((symbol) => /^\S$/u.test(symbol) && !dialect.has(symbol));
    const wrong = `The symbol ${shown} at row ${row}, column ${col} is not part of the notation ${notation}.`;
    return { wrong, foreign };
  }
  const width = cells[0].length;
  const ragged = cells.findIndex(({ length }) => length !== width);
  if (ragged >= 0) {
    return { wrong: `Row ${ragged} has ${several(cells[ragged].length, "cell")}, but row 0 has ${width}.` };
  }
  const taken = [...new Set(cells.flat())].filter((symbol) => dialect.get(symbol) !== symbol);
  const meanings = taken.map((symbol) => `${JSON.stringify(symbol)} as ${SYMBOLS.get(dialect.get(symbol))}`);
  const notes = meanings.length ? [`Read ${meanings.join(", ")}.`] : [];
  const rows = cells.map((symbols) => symbols.map((symbol) => dialect.get(symbol)).join(""));
  return { rows, notation, notes: [...notes, ...ignored([...left, ...dropped])] };
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
