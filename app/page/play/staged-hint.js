/**
 * A hint that is given away bit by bit: where to look, at which clues, which cells it is, and the steps from there on.
 *
 * @module play/staged-hint
 */

import { cellName } from "../shared/board.js";
import { say } from "../shared/language.js";
import { marked } from "../shared/layered-board.js";
import { capital, cellNames, techniqueName } from "../shared/phrases.js";
import { provedInWords } from "../shared/proof-in-words.js";

/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {[row: number, col: number]} Cell */
/**
 * What the page asks of a step of a walk; cells are pairs of numbers.
 *
 * @typedef {object} Step
 * @property {Cell[]} clues
 * @property {boolean} total whether the total of mines is needed
 * @property {Cell[]} mines
 * @property {Cell[]} safe
 * @property {number[]} uses earlier steps of the walk, by their numbers
 * @property {string | null} pattern what players call it
 * @property {boolean} [reduced] whether known mines were taken off the clues of the pattern first
 */
/** @typedef {{text: string, marks: [key: string, mark: Mark][]}} Stage */

/** The least side of an area: smaller ones would give the cells away. */
const SIDE = 5;
/** Clues that are named; more are marked only. */
const NAMED = 4;
/** Names of steps that players do not use as they are. */
const UNNAMED = ["single clue", "mine counting"];

/** A hint about the first of some steps. */
export class StagedHint {
  /** Steps that can be walked through. @type {Step[]} */
  steps;
  #stages;
  /** How many stages were given away. */
  given = 0;

  /**
   * @param {Step[]} steps at least one
   * @param {{height: number, width: number}} size of the board
   */
  constructor(steps, size) {
    this.steps = steps;
    this.#stages = [area(steps[0], size), clues(steps[0]), cells(steps[0])];
  }

  /** How many stages there are; after them come the steps. */
  get length() {
    return this.#stages.length;
  }

  /** The next stage; undefined once only the steps are left. @returns {Stage | undefined} */
  next() {
    const stage = this.#stages[this.given];
    this.given = Math.min(this.given + 1, this.#stages.length + 1);
    return stage;
  }
}

/**
 * The steps of a walk that tell the player something, the next one first: the earliest one that rests on none of the
 * others, and proves a safe cell if any such step does.
 *
 * @param {Step[]} walk
 * @param {(cell: Cell, value: "safe" | "mine") => boolean} isNews whether a cell is not known to the player yet
 * @returns {Step[]}
 */
export function nextSteps(walk, isNews) {
  const isNew = walk.map(({ safe, mines }) => safe.some((cell) => isNews(cell, "safe")) || mines.some((cell) => isNews(cell, "mine")));
  const ready = walk.filter(({ uses }, at) => isNew[at] && uses.every((used) => !isNew[used]));
  const first = ready.find(({ safe }) => safe.some((cell) => isNews(cell, "safe"))) ?? ready[0];
  return first ? [first, ...walk.filter((step, at) => isNew[at] && step !== first)] : [];
}

/** Steps as a list to go through. @param {Step[]} steps @returns {import("./walk.js").Item[]} */
export function stepsInWords(steps) {
  return steps.map((step, at) => ({
    text: inWords(step),
    cell: step.safe[0] ?? step.mines[0],
    marks: () => [
      ...steps.slice(0, at).flatMap(proved),
      ...marks(step),
      ...marked([...step.safe, ...step.mines], { selected: true }),
    ],
  }));
}

/** A step as a sentence, with the name of its pattern. @param {Step} step */
function inWords({ clues: cells, total, safe, mines, pattern, reduced }) {
  const reasons = [...(cells.length ? [cellNames(cells)] : []), ...(total ? [say("the mines left")] : [])];
  const text = say("By {reasons}: {proof}", { reasons: reasons.join(say("; ")), proof: provedInWords({ safe, mines }) });
  if (!pattern || UNNAMED.includes(pattern)) return text;
  const named = { pattern: capital(techniqueName(pattern)), text };
  return reduced ? say("{pattern} after reduction. {text}", named) : say("{pattern}. {text}", named);
}

/** The clues of a step and what they prove. @param {Step} step @returns {[key: string, mark: Mark][]} */
function marks(step) {
  return [...marked(step.clues, { kind: "reason" }), ...proved(step)];
}

/** What a step proves. @param {Step} step @returns {[key: string, mark: Mark][]} */
function proved({ safe, mines }) {
  return [...marked(safe, { kind: "safe" }), ...marked(mines, { kind: "mine" })];
}

/** Where to look: around the cells and the clues. @param {Step} step @returns {Stage} */
function area({ safe, mines, clues: cells }, { height, width }) {
  const all = [...safe, ...mines, ...cells];
  const [top, bottom] = widened(all.map(([row]) => row), height);
  const [left, right] = widened(all.map(([, col]) => col), width);
  const inside = [];
  for (let row = top; row <= bottom; row += 1) for (let col = left; col <= right; col += 1) inside.push([row, col]);
  const values = { top: top + 1, bottom: bottom + 1, left: left + 1, right: right + 1 };
  return { text: say("Something is proved in rows {top} to {bottom}, columns {left} to {right}.", values), marks: marked(inside, { kind: "area" }) };
}

/** The ends of a span that is wide enough and within the board. @returns {[number, number]} */
function widened(numbers, length) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const more = Math.max(0, SIDE - (most - least + 1));
  const first = Math.max(0, Math.min(least - Math.ceil(more / 2), length - SIDE));
  return [first, Math.min(length - 1, Math.max(most, first + SIDE - 1))];
}

/** @param {Step} step @returns {Stage} */
function clues({ clues: cells, total }) {
  const listed = [...names(cells), ...(total ? [say("the mines left")] : [])];
  return { text: say("Look at {cells}.", { cells: inList(listed) }), marks: marked(cells, { kind: "reason" }) };
}

/** @param {Step} step @returns {Stage} */
function cells(step) {
  return { text: provedInWords(step), marks: marks(step) };
}

/** Some cells by their names, and how many more there are. @param {Cell[]} cells @returns {string[]} */
function names(cells) {
  const named = cells.slice(0, NAMED).map((cell) => cellName(...cell));
  return cells.length > NAMED ? [...named, say("{count} more", { count: cells.length - NAMED })] : named;
}

/** Names, which have commas in them, as a list in a sentence. @param {string[]} named */
function inList(named) {
  const [last, ...others] = named.toReversed();
  return others.length ? say("{names} and {last}", { names: others.toReversed().join(say("; ")), last }) : last;
}
