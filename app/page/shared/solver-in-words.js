/**
 * Who answered, and how fast.
 *
 * @module shared/solver-in-words
 */

import { formatDecimal, formatNumber, say } from "./language.js";

/**
 * The name of a solver with its time: "positions, 1.2 ms".
 *
 * @param {{name?: string, cached?: boolean, elapsed_ms?: number}} solver
 * @returns {string} "" where it is not known
 */
export function solverInWords({ name, cached, elapsed_ms: elapsed }) {
  if (!name || elapsed === undefined) return "";
  const values = { name, time: timeInWords(elapsed) };
  return cached ? say("{name}, {time}, from the cache", values) : say("{name}, {time}", values);
}

/** @param {number} elapsed milliseconds */
function timeInWords(elapsed) {
  if (elapsed >= 1000) return say("{number} s", { number: formatNumber(Number((elapsed / 1000).toPrecision(2))) });
  return say("{number} ms", { number: elapsed < 10 ? formatDecimal(elapsed, 1) : Math.round(elapsed) });
}
