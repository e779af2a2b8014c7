/**
 * How large cells are on screens with room: as large as fits, or as was chosen in this browser.
 *
 * @module play/cell-size
 */

import { save, saved } from "../shared/storage.js";

const NAME = "minecheck-cell-size";

/** What there is to choose from: pixels, "" for as large as fits. @type {[value: string, text: string][]} */
export const CELL_SIZES = [
  ["", "as large as fits"],
  ...["18", "22", "26", "32", "38", "44"].map((size) => /** @type {[string, string]} */ ([size, `${size} pixels`])),
];

/** The size that was chosen last. @returns {string} one of `CELL_SIZES` */
export function chosenCellSize() {
  const kept = saved(NAME, (size) => size, true);
  return CELL_SIZES.some(([size]) => size === kept) ? kept : "";
}

/** Show all boards with a size, and keep the choice. @param {string} size */
export function chooseSize(size) {
  const { style } = document.documentElement;
  if (size) style.setProperty("--chosen-size", `${size}px`);
  else style.removeProperty("--chosen-size");
  save(NAME, size, true);
}
