/**
 * Why something holds, step by step.
 *
 * @module play/explanation
 */

import { marked } from "../shared/layered-board.js";
import { stepInWords } from "../shared/proof-in-words.js";

/** @typedef {import("./walk.js").Item} Item */
/** @typedef {import("./walk.js").Cell} Cell */
/** @typedef {import("../shared/proof-in-words.js").ProofStep} Step */

/**
 * The steps of an explanation as a list to go through.
 *
 * @param {Step[]} steps
 * @param {string[]} rows of the board
 * @param {Cell | null} cell that is explained
 * @returns {Item[]}
 */
export function stepByStep(steps, rows, cell) {
  return steps.map((step, at) => ({
    text: stepInWords(step, rows),
    marks: () => [
      ...marked(step.cells, { kind: "target" }),
      ...marked(cluesOf(steps, at), { kind: "reason" }),
      ...marked(cell ? [cell] : [], { selected: true }),
    ],
  }));
}

/** The clues that a step rests on. @returns {Cell[]} */
function cluesOf(steps, at) {
  /** @type {Cell[]} */
  const found = [];
  const [waiting, met] = [[at], new Set()];
  while (waiting.length) {
    const next = waiting.pop();
    if (met.has(next)) continue;
    met.add(next);
    const { clue, sources } = steps[next];
    if (clue) found.push(clue);
    waiting.push(...sources);
  }
  return found;
}
