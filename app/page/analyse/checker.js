/**
 * An independent checker of certificates: layouts that fit, and refutations in LRAT of clauses that
 * follow from single clues. It searches for nothing and knows nothing of how answers were found.
 *
 * A clause is judged by adding up: if all its literals were false, a clue (or the total, or the
 * meaning of a counter) would have too many mines or too few. The format is that of
 * minefield/certificates/document.py.
 *
 * @module analyse/checker
 */

import { say } from "../shared/language.js";

/**
 * @typedef {object} Certificate
 * @property {"consistent" | "inconsistent" | "mine" | "safe"} claim
 * @property {[row: number, col: number]} [cell] of the claims "mine" and "safe"
 * @property {string[]} [witness]
 * @property {number[][]} [variables] variable k + 1 says that this cell is a mine
 * @property {{order: number[], at_least: [first: number, end: number, mines: number][]}[]} [counters]
 * @property {string} [cnf]
 * @property {string} [proof]
 */
/** @typedef {{low: number, high: number}} Range */
/** @typedef {{cells: Set<string>, need: number}} Sum so many mines in these cells */

/** A certificate that does not show what it claims; the message says where it fails. */
export class CertificateFault extends Error {}

/**
 * Check that a layout fits a board.
 *
 * @param {string[]} rows
 * @param {number | null} mines
 * @param {string[]} layout digits, and B for mines
 * @throws {CertificateFault}
 */
export function checkLayout(rows, mines, layout) {
  if (layout.length !== rows.length || layout.some((line, row) => line.length !== rows[row].length)) {
    throw new CertificateFault(say("The layout has another size than the board."));
  }
  let laid = 0;
  for (const [row, line] of layout.entries()) {
    for (const [col, symbol] of [...line].entries()) {
      const known = rows[row][col];
      const location = { row: row + 1, column: col + 1 };
      const [isMine, hasMine, isSafe] = [symbol === "B", known === "B", /[0-8S]/.test(known)];
      laid += Number(isMine);
      if ((hasMine && !isMine) || (isSafe && isMine)) fail(say("The layout differs from the board at row {row}, column {column}.", location));
      const near = around(layout, row, col).filter(([r, c]) => layout[r][c] === "B").length;
      if (/\d/.test(known) && near !== Number(known)) fail(say("The clue at row {row}, column {column} is not met.", location));
    }
  }
  if (mines !== null && laid !== mines) fail(say("The layout has {laid} mines instead of {mines}.", { laid, mines }));
}

/**
 * Check a refutation: that a board has no layout, or that a cell is the same in all of them.
 *
 * @param {string[]} rows
 * @param {number | null} mines
 * @param {Certificate} certificate
 * @returns {{clauses: number, steps: number}} how much was checked
 * @throws {CertificateFault}
 */
export function checkRefutation(rows, mines, certificate) {
  const judge = new Judge(rows, mines, certificate);
  const clauses = judge.clauses(certificate.cnf ?? "");
  return { clauses: clauses.length, steps: checkProof(clauses, certificate.proof ?? "") };
}

/** @param {string} why @returns {never} */
function fail(why) {
  throw new CertificateFault(why);
}

/** The cells that touch a cell. */
function around(rows, row, col) {
  const near = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [row + down, col + right]));
  return near.filter(([r, c]) => (r !== row || c !== col) && rows[r]?.[c] !== undefined);
}

/** Judges each clause of a formula by what its comment says that it follows from. */
class Judge {
  #rows;
  #mines;
  #claim;
  /** The cell of each variable, as "row,col". */
  #variables;
  #counters;
  /** The counter, range and number of mines of each variable after those. */
  #ranges;
  /** The sum that the clauses of a counter were used with first. @type {Map<number, string>} */
  #counted = new Map();
  #denials = 0;

  /** @param {string[]} rows @param {number | null} mines @param {Certificate} certificate */
  constructor(rows, mines, { claim, cell, variables = [], counters = [] }) {
    [this.#rows, this.#mines, this.#counters] = [rows, mines, counters];
    this.#variables = variables.map(String);
    if (new Set(this.#variables).size < variables.length || variables.some(([row, col]) => !"?F".includes(rows[row]?.[col] ?? "-"))) {
      fail(say("Its variables are not different unknown cells."));
    }
    this.#ranges = counters.flatMap(({ at_least: all }, counter) => all.map(([first, end, least]) => ({ counter, first, end, least })));
    const variable = this.#variables.indexOf(String(cell)) + 1;
    this.#claim = claim === "mine" ? -variable : claim === "safe" ? variable : 0;
    if (claim !== "inconsistent" && !variable) fail(say("The cell of the claim has no variable."));
  }

  /** The clauses of a formula in DIMACS, each of which was judged. @param {string} cnf @returns {number[][]} */
  clauses(cnf) {
    const found = [];
    let source = "";
    for (const line of cnf.trim().split("\n")) {
      if (line.startsWith("c ")) source = line.slice(2);
      else if (!line.startsWith("p ")) {
        const numbers = line.trim().split(/\s+/).map(Number);
        const clause = numbers.slice(0, -1);
        const whole = numbers.at(-1) === 0 && clause.every((literal) => Number.isInteger(literal) && literal !== 0);
        if (!whole || !this.#follows(source, clause)) fail(say('The clause "{clause}" does not follow from its {source}.', { clause: line, source: source || say("source") }));
        found.push(clause);
      }
    }
    return found;
  }

  #follows(source, clause) {
    const [kind, ...numbers] = source.split(" ");
    if (kind === "claim") {
      this.#denials += 1;
      return this.#denials === 1 && clause.length === 1 && clause[0] === this.#claim && this.#claim !== 0;
    }
    if (kind === "counter") return this.#isDefinition(Number(numbers[0]), clause);
    const sum = kind === "total" ? this.#total() : kind === "clue" ? this.#clue(Number(numbers[0]), Number(numbers[1])) : null;
    return sum !== null && this.#isImplied(source, sum, clause);
  }

  /** @returns {Sum | null} */
  #clue(row, col) {
    const number = this.#rows[row]?.[col] ?? "";
    if (!/\d/.test(number)) return null;
    const near = around(this.#rows, row, col);
    const known = near.filter(([r, c]) => this.#rows[r][c] === "B").length;
    const unknown = near.filter(([r, c]) => "?F".includes(this.#rows[r][c]));
    return { cells: new Set(unknown.map(String)), need: Number(number) - known };
  }

  /** @returns {Sum | null} */
  #total() {
    if (this.#mines === null) return null;
    const cells = this.#rows.flatMap((line, row) => [...line].map((symbol, col) => ({ symbol, at: `${row},${col}` })));
    const known = cells.filter(({ symbol }) => symbol === "B").length;
    return { cells: new Set(cells.filter(({ symbol }) => "?F".includes(symbol)).map(({ at }) => at)), need: this.#mines - known };
  }

  /** Whether a clause follows from so many mines in some cells. @param {string} source @param {Sum} sum @param {number[]} clause */
  #isImplied(source, { cells, need }, clause) {
    const read = this.#read(clause);
    if (read === null) return false;
    const { counter, bounds } = read;
    if (counter === null) {
      if (![...bounds.keys()].every((key) => cells.has(this.#variables[Number(key.split(" ")[0])]))) return false;
    } else if (!this.#isCounterOf(counter, source, cells)) return false;
    return hasNone(bounds, cells.size, { low: need, high: need });
  }

  /** Whether a counter counts cells of this sum alone, the first one that uses it. */
  #isCounterOf(counter, source, cells) {
    const { order } = this.#counters[counter];
    if (!this.#counted.has(counter) && order.every((variable) => cells.has(this.#variables[variable - 1]))) {
      this.#counted.set(counter, source);
    }
    return this.#counted.get(counter) === source;
  }

  /** Whether a clause follows from the meaning of a counter's variables: the longest range holds the others. */
  #isDefinition(counter, clause) {
    const read = this.#read(clause);
    if (read === null || read.counter !== counter || !this.#counters[counter]) return false;
    const ranges = [...read.bounds].map(([key, range]) => ({ key, range, span: key.split(" ").map(Number) }));
    const longest = ranges.reduce((one, other) => (other.span[1] - other.span[0] > one.span[1] - one.span[0] ? other : one));
    const [first, end] = longest.span;
    const inside = ranges.every(({ span: [begin, stop] }) => first <= begin && stop <= end);
    read.bounds.delete(longest.key);
    return longest.range.low > longest.range.high || (inside && hasNone(read.bounds, end - first, longest.range));
  }

  /**
   * What holds of ranges of cells if all literals of a clause are false; null if that cannot be read.
   *
   * @returns {{counter: number | null, bounds: Map<string, Range>} | null} by "first end"
   */
  #read(clause) {
    const all = this.#variables.length;
    const owners = clause.filter((literal) => Math.abs(literal) > all).map((literal) => this.#ranges[Math.abs(literal) - all - 1]?.counter ?? -1);
    if (owners.includes(-1) || new Set(owners).size > 1) return null;
    const counter = owners[0] ?? null;
    const bounds = new Map();
    for (const literal of clause) {
      const span = this.#spanOf(Math.abs(literal), counter);
      if (span === null) return null;
      const { first, end, least } = span;
      const key = `${first} ${end}`;
      const { low, high } = bounds.get(key) ?? { low: 0, high: end - first };
      bounds.set(key, literal > 0 ? { low, high: Math.min(high, least - 1) } : { low: Math.max(low, least), high });
    }
    return { counter, bounds };
  }

  #spanOf(variable, counter) {
    if (variable > this.#variables.length) return this.#ranges[variable - this.#variables.length - 1];
    if (counter === null) return { first: variable - 1, end: variable, least: 1 };
    const at = this.#counters[counter].order.indexOf(variable);
    return at < 0 ? null : { first: at, end: at + 1, least: 1 };
  }
}

/**
 * Whether bounds on parts of so many cells rule a number of mines out. Where parts overlap, that is left open.
 *
 * @param {Map<string, Range>} bounds
 * @param {number} size
 * @param {Range} mines
 */
function hasNone(bounds, size, { low, high }) {
  const parts = [...bounds].map(([key, range]) => ({ ...range, span: key.split(" ").map(Number) }));
  parts.sort((one, other) => one.span[0] - other.span[0] || one.span[1] - other.span[1]);
  let [least, most, bound, last] = [0, 0, 0, -1];
  for (const { low: fewest, high: greatest, span: [first, end] } of parts) {
    if (fewest > greatest) return true;
    if (first < last) return false;
    last = end;
    [least, most, bound] = [least + fewest, most + greatest, bound + end - first];
  }
  return least > high || most + size - bound < low;
}

/**
 * Check a proof in LRAT that clauses have no model (Cruz-Filipe and others, 2017).
 *
 * @param {number[][]} formula
 * @param {string} proof
 * @returns {number} steps up to the empty clause
 */
function checkProof(formula, proof) {
  const clauses = new Map(formula.map((clause, at) => [at + 1, clause]));
  let steps = 0;
  for (const line of proof.trim().split("\n")) {
    if (/^\d+ d /.test(line)) continue;
    const found = /^(\d+) ((?:-?\d+ )*?)0 ((?:\d+ )*)0$/.exec(line.trim());
    if (!found) fail(say('The step "{step}" cannot be read.', { step: line }));
    const [lemma, hints] = [found[2], found[3]].map((text) => text.split(" ").filter(Boolean).map(Number));
    if (clauses.has(Number(found[1])) || !follows(clauses, lemma, hints)) fail(say('The step "{step}" does not follow from those before it.', { step: line }));
    steps += 1;
    if (!lemma.length) return steps;
    clauses.set(Number(found[1]), lemma);
  }
  return fail(say("The proof ends before the contradiction."));
}

/** Whether a lemma follows: with it false, each hint leaves one literal, the last one none. */
function follows(clauses, lemma, hints) {
  const wrong = new Set(lemma);
  for (const hint of hints) {
    const clause = clauses.get(hint);
    if (clause === undefined) return false;
    const left = new Set(clause.filter((literal) => !wrong.has(literal)));
    if (left.size === 0) return true;
    if (left.size > 1) return false;
    for (const literal of left) wrong.add(-literal);
  }
  return false;
}
