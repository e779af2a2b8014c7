/**
 * Phrases that several panels use.
 *
 * @module shared/phrases
 */

import { several } from "./numbers.js";

/** @typedef {{clues: unknown[], total: boolean}} Reasons clues, and whether the total of mines is one */

/** How hard a cell is to find, by the name of the easiest technique in answers of the service. */
export const DIFFICULTIES = {
  trivial: "single clues are enough, one after another",
  subset: "it takes comparing a clue with one whose cells it includes",
  bounds: "it takes combining two clues at a time",
  "look-ahead": "it takes one assumption at a time",
  global: "it takes the total of mines",
  search: "it takes several assumptions at a time",
};

/**
 * How hard a cell is to find, which is not how hard its steps are: those keep to the reasons.
 *
 * @param {string | null} [name]
 * @returns {string} "" where it is not known
 */
export function difficulty(name) {
  const found = DIFFICULTIES[name];
  return found ? `With the whole board in view, ${found}. The steps use few clues, and can be harder.` : "";
}

/**
 * Reasons with what they do: "2 clues and the total of mines force it".
 *
 * @param {Reasons | null | undefined} reasons
 * @param {string} one what a single reason does
 * @param {string} many
 * @returns {string} "" without any
 */
export function reasoned(reasons, one, many) {
  const { clues = [], total = false } = reasons ?? {};
  const named = [];
  if (clues.length) named.push(several(clues.length, "clue"));
  if (total) named.push("the total of mines");
  const does = clues.length + Number(total) === 1 ? one : many;
  return named.length ? `${named.join(" and ")} ${does}` : "";
}

/** Why a board is inconsistent. @param {Reasons | null} [conflict] */
export function noLayoutFits(conflict) {
  const why = reasoned(conflict, "cannot be met", "contradict each other");
  return why ? `No layout fits: ${why}.` : "No layout fits.";
}

/** A text of the service, which counts rows and columns from 0, as the page counts them. @param {string} text */
export function fromOne(text) {
  const next = (number) => Number(number) + 1;
  return text
    .replace(/\b(row|column) (\d+)/gi, (_, noun, number) => `${noun} ${next(number)}`)
    .replace(/\((\d+), (\d+)\)/g, (_, row, col) => `(${next(row)}, ${next(col)})`);
}

/** A text with a capital at its beginning. @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
