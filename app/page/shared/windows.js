/**
 * Windows: rectangles of cells on a board.
 *
 * @module shared/windows
 */

/** @typedef {{row: number, col: number, height: number, width: number}} Window */

/** @param {string[]} rows */
export function sizeOf(rows) {
  return { height: rows.length, width: rows[0].length };
}

/**
 * The whole board if that is a strip, else its first two rows.
 *
 * @param {string[]} rows
 * @returns {Window}
 */
export function firstWindow(rows) {
  const { height, width } = sizeOf(rows);
  return { row: 0, col: 0, height: Math.min(height, width) <= 2 ? height : 2, width };
}

/**
 * The window with two corners.
 *
 * @param {number[]} corner row and column
 * @param {number[]} other
 * @returns {Window}
 */
export function between([row, col], [otherRow, otherCol]) {
  return {
    row: Math.min(row, otherRow),
    col: Math.min(col, otherCol),
    height: Math.abs(row - otherRow) + 1,
    width: Math.abs(col - otherCol) + 1,
  };
}

/**
 * The part of a window that lies on the board, at least one cell.
 *
 * @param {Window} given
 * @param {string[]} rows
 * @returns {Window}
 */
export function within(given, rows) {
  const size = sizeOf(rows);
  const bounded = (value, least, most) => Math.max(least, Math.min(most, Math.trunc(value) || 0));
  const [row, col] = [bounded(given.row, 0, size.height - 1), bounded(given.col, 0, size.width - 1)];
  const height = bounded(given.height, 1, size.height - row);
  return { row, col, height, width: bounded(given.width, 1, size.width - col) };
}

/**
 * The window that a link names by its four numbers.
 *
 * @param {string} text row,col,height,width
 * @param {string[]} rows
 * @returns {Window | null} null for what is not a window of this board
 */
export function windowOf(text, rows) {
  if (!/^\d{1,9}(,\d{1,9}){3}$/.test(text)) return null;
  const [row, col, height, width] = text.split(",").map(Number);
  const given = { row, col, height, width };
  return numbersOf(within(given, rows)) === numbersOf(given) ? given : null;
}

/**
 * @param {Window} window
 * @returns {string} as `windowOf` reads it
 */
export function numbersOf({ row, col, height, width }) {
  return [row, col, height, width].join(",");
}

/**
 * Its cells in reading order.
 *
 * @param {Window} window
 * @returns {number[][]} row and column of each
 */
export function cellsOf({ row, col, height, width }) {
  return Array.from({ length: height * width }, (_, at) => [row + Math.floor(at / width), col + (at % width)]);
}

/**
 * The board with a layout in place of the window.
 *
 * @param {string[]} rows
 * @param {Window} window
 * @param {string[]} layout
 * @returns {string[]}
 */
export function replaced(rows, { row, col, width }, layout) {
  return rows.map((symbols, at) => {
    const inside = layout[at - row];
    return inside === undefined ? symbols : symbols.slice(0, col) + inside + symbols.slice(col + width);
  });
}
