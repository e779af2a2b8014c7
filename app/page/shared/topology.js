/**
 * Which cells of a board touch, by the names that the service gives to topologies.
 *
 * @module shared/topology
 */

import { say } from "./language.js";

/** The plane board. */
export const PLANE = "rectangle";

/** What there is, and what people call it. */
export const TOPOLOGIES = new Map([
  [PLANE, say("plane board")],
  ["torus", say("torus: all edges joined")],
  ["cylinder", say("cylinder: left joined to right")],
  ["hexagonal", say("hexagons")],
  ["knight", say("knight's moves")],
]);

const SQUARE = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([down, right]) => down || right);
const KNIGHT = [-2, -1, 1, 2].flatMap((down) => [-2, -1, 1, 2].map((right) => [down, right])).filter(([down, right]) => Math.abs(down * right) === 2);
/** Of even rows, and of odd ones, which are shifted by half a cell to the right. */
const HEXAGON = [0, 1].map((shift) => [[0, -1], [0, 1], ...[-1, 1].flatMap((down) => [[down, shift - 1], [down, shift]])]);

/** Whether rows, and whether columns, go on at the other side. @returns {[rows: boolean, cols: boolean]} */
export function joined(topology) {
  return [topology === "torus", topology === "torus" || topology === "cylinder"];
}

/**
 * The cells that a cell touches, each once.
 *
 * @param {string} topology
 * @param {number} height
 * @param {number} width
 * @param {number} row
 * @param {number} col
 * @returns {[row: number, col: number][]}
 */
export function neighbours(topology, height, width, row, col) {
  const steps = topology === "hexagonal" ? HEXAGON[row % 2] : topology === "knight" ? KNIGHT : SQUARE;
  const [rows, cols] = joined(topology);
  const found = new Map();
  for (const [down, right] of steps) {
    const r = rows ? (row + down + height) % height : row + down;
    const c = cols ? (col + right + width) % width : col + right;
    const there = r >= 0 && r < height && c >= 0 && c < width && (r !== row || c !== col);
    if (there) found.set(r * width + c, [r, c]);
  }
  return [...found.values()];
}
