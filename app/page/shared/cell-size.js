/**
 * How large the cells of boards are: as large as fits, the whole board, or as was chosen here,
 * from a list or with two fingers.
 *
 * @module shared/cell-size
 */

import { say } from "./language.js";
import { save, saved } from "./storage.js";

const NAME = "minecheck-cell-size";
/** As large as leaves cells that a finger or a mouse can hit. */
const FITTING = "";
/** As small as it takes for all of the board to be in sight. */
const WHOLE = "whole";
const [LEAST, MOST, STEP] = [10, 64, 2];
/** Pixels between cells. */
const GAP = 2;

const PIXELS = Array.from({ length: (MOST - LEAST) / STEP + 1 }, (_, at) => String(LEAST + STEP * at));

/** What there is to choose from. @type {[value: string, text: string][]} */
export const CELL_SIZES = [
  [FITTING, say("as large as fits")],
  [WHOLE, say("the whole board in sight")],
  ...PIXELS.map((size) => /** @type {[string, string]} */ ([size, say("{size} pixels", { size })])),
];

/** The size that was chosen last. @returns {string} one of `CELL_SIZES` */
export function chosenCellSize() {
  const kept = saved(NAME, (size) => size, true);
  return CELL_SIZES.some(([size]) => size === kept) ? kept : FITTING;
}

/** Show all boards with a size, by default the one that was chosen last. @param {string} [size] */
export function applySize(size = chosenCellSize()) {
  const { style, classList } = document.documentElement;
  classList.toggle("whole-board", size === WHOLE);
  if (PIXELS.includes(size)) style.setProperty("--chosen-size", `${size}px`);
  else style.removeProperty("--chosen-size");
}

/** Show all boards with a size, and keep the choice; a "cellsize" event of the page follows. @param {string} size */
export function chooseSize(size) {
  save(NAME, size, true);
  applySize(size);
  document.dispatchEvent(new Event("cellsize"));
}

/**
 * Let two fingers, or the wheel with Ctrl, change the size of the cells in a frame.
 *
 * @param {HTMLElement} frame what scrolls
 * @param {() => number} size of a cell, in pixels; 0 while others are seen in the frame
 */
export function pinching(frame, size) {
  /** @type {{apart: number, size: number} | null} */
  let began = null;
  frame.addEventListener("touchstart", (event) => {
    began = event.touches.length === 2 ? { apart: apart(event), size: size() } : null;
  });
  const pinched = (event) => {
    if (!began || event.touches.length !== 2) return;
    event.preventDefault();
    const [one, other] = event.touches;
    const middle = { x: (one.clientX + other.clientX) / 2, y: (one.clientY + other.clientY) / 2 };
    resize(frame, size(), (began.size * apart(event)) / began.apart, middle);
  };
  const turned = (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    resize(frame, size(), size() - STEP * Math.sign(event.deltaY), { x: event.clientX, y: event.clientY });
  };
  frame.addEventListener("touchmove", pinched, { passive: false });
  frame.addEventListener("wheel", turned, { passive: false });
}

/** @param {TouchEvent} event */
function apart({ touches: [one, other] }) {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}

/** Give cells another size; what is at a point of the screen stays there. */
function resize(frame, before, target, { x, y }) {
  if (!before) return;
  const size = Math.max(LEAST, Math.min(MOST, STEP * Math.round(target / STEP)));
  if (size === before) return;
  const { left, top } = frame.getBoundingClientRect();
  const [across, down] = [frame.scrollLeft + x - left, frame.scrollTop + y - top];
  chooseSize(String(size));
  const larger = (size + GAP) / (before + GAP);
  frame.scrollLeft = across * larger - (x - left);
  frame.scrollTop = down * larger - (y - top);
  // A frame as high as its board does not scroll: the page does.
  scrollBy({ top: down * larger - (y - top) - frame.scrollTop, behavior: "instant" });
}
