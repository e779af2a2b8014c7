/**
 * A hint that is given away bit by bit: where to look, at which clues, which cell it is, and why.
 *
 * @module play/staged-hint
 */

import { placeName } from "../shared/board.js";
import { say } from "../shared/language.js";
import { marked } from "../shared/layered-board.js";
import { DIFFICULTIES, capital } from "../shared/phrases.js";

/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {[row: number, col: number]} Place */
/**
 * What the page asks of an explanation; cells are pairs of numbers.
 *
 * @typedef {object} Explanation
 * @property {Place[]} cells
 * @property {string} value
 * @property {string | null} difficulty
 * @property {{clues: Place[], total: boolean} | null} reasons
 * @property {any[] | null} steps
 */
/** @typedef {{text: string, marks: [place: string, mark: Mark][]}} Stage */

/** The least side of an area: smaller ones would give the cell away. */
const SIDE = 5;
/** Clues that are named; more are marked only. */
const NAMED = 4;

/** A hint about the cells of one explanation. */
export class StagedHint {
  /** @type {Explanation} */
  explanation;
  #stages;
  /** How many stages were given away. */
  given = 0;

  /**
   * @param {Explanation} explanation
   * @param {{height: number, width: number}} size of the board
   */
  constructor(explanation, size) {
    this.explanation = explanation;
    this.#stages = [area(explanation, size), clues(explanation), cell(explanation)];
  }

  /** How many stages there are; after them comes the proof. */
  get length() {
    return this.#stages.length;
  }

  /** The next stage; undefined once only the proof is left. @returns {Stage | undefined} */
  next() {
    const stage = this.#stages[this.given];
    this.given = Math.min(this.given + 1, this.#stages.length + 1);
    return stage;
  }
}

/**
 * The explanation that is easiest to find, one of safe cells where there is any.
 *
 * @param {Explanation[]} explanations
 * @param {(cell: Place, value: string) => boolean} isNews whether a cell is not known to the player yet
 * @returns {Explanation | undefined}
 */
export function easiest(explanations, isNews) {
  const names = Object.keys(DIFFICULTIES);
  const cost = ({ value, difficulty, reasons, cells }) => [
    Number(value === "mine"),
    names.indexOf(difficulty),
    (reasons?.clues.length ?? 99) + Number(reasons?.total ?? 0),
    cells[0][0],
    cells[0][1],
  ];
  const less = (one, other) => {
    const at = one.findIndex((value, axis) => value !== other[axis]);
    return at < 0 ? 0 : one[at] - other[at];
  };
  return explanations
    .filter(({ cells, value }) => cells.some((place) => isNews(place, value)))
    .toSorted((one, other) => less(cost(one), cost(other)))[0];
}

/** Where to look: around the cells and the clues. @returns {Stage} */
function area({ cells, reasons }, { height, width }) {
  const all = [...cells, ...(reasons?.clues ?? [])];
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

/** @returns {Stage} */
function clues({ reasons }) {
  const places = reasons?.clues ?? [];
  const listed = [...names(places), ...(reasons?.total ? [say("the mines left")] : [])];
  const text = listed.length ? say("Look at {places}.", { places: inList(listed) }) : say("No single clue shows it.");
  return { text, marks: marked(places, { kind: "reason" }) };
}

/** @returns {Stage} */
function cell({ cells, value, reasons }) {
  const values = { places: capital(inList(names(cells))) };
  const [one, many] =
    value === "mine"
      ? [say("{places} is a mine.", values), say("{places} are mines.", values)]
      : [say("{places} is safe.", values), say("{places} are safe.", values)];
  const text = cells.length > 1 ? many : one;
  const kind = /** @type {"mine" | "safe"} */ (value);
  return { text, marks: [...marked(reasons?.clues ?? [], { kind: "reason" }), ...marked(cells, { kind })] };
}

/** Some cells by their names, and how many more there are. @param {Place[]} places @returns {string[]} */
function names(places) {
  const named = places.slice(0, NAMED).map((place) => placeName(...place));
  return places.length > NAMED ? [...named, say("{count} more", { count: places.length - NAMED })] : named;
}

/** Names, which have commas in them, as a list in a sentence. @param {string[]} named */
function inList(named) {
  const [last, ...others] = named.toReversed();
  return others.length ? say("{names} and {last}", { names: others.toReversed().join(say("; ")), last }) : last;
}
