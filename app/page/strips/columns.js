/**
 * What an automaton reads of a window, column by column.
 *
 * @module strips/columns
 */

import { neighbours, PLANE } from "../shared/topology.js";
import { cellsOf } from "../shared/windows.js";

/** @typedef {import("../shared/windows.js").Window} Window */

/**
 * The columns that are read, or the rows where the machine reads these. A clue is what it leaves for cells that are
 * not known to be mines outside the window, "!" where these are too many; cells outside are unknown if a clue in the
 * window sees them and may be mines, else safe.
 *
 * @param {string[]} board
 * @param {Window} window
 * @param {Window} read the window and what its clues see, as the service tells it
 * @param {boolean} turned whether the machine reads from the top to the bottom
 * @returns {string[]}
 */
export function columnsOf(board, window, read, turned) {
  const lines = Array.from({ length: turned ? read.height : read.width }, () => "");
  for (const [row, col] of cellsOf(read)) {
    lines[turned ? row - read.row : col - read.col] += symbol(board, window, row, col);
  }
  return lines;
}

function symbol(board, window, row, col) {
  const cell = unflagged(board[row][col]);
  const around = neighbours(PLANE, board.length, board[0].length, row, col);
  if (!includes(window, row, col)) {
    const seen = around.some(([at, to]) => includes(window, at, to) && isClue(board[at][to]));
    return cell === "?" && seen ? "?" : "S";
  }
  if (!isClue(cell)) return cell;
  const mines = around.filter(([at, to]) => !includes(window, at, to) && board[at][to] === "B").length;
  return Number(cell) < mines ? "!" : String(Number(cell) - mines);
}

/** A flag is a claim, not a fact. */
function unflagged(cell) {
  return cell === "F" ? "?" : cell;
}

function isClue(cell) {
  return /\d/.test(cell);
}

function includes({ row, col, height, width }, at, to) {
  return at >= row && at < row + height && to >= col && to < col + width;
}
