/**
 * How hard a map is, in words that say nothing of single cells.
 *
 * @module shared/grade-in-words
 */

import { say } from "./language.js";
import { several } from "./numbers.js";
import { DIFFICULTIES, DIFFICULTY_NAMES } from "./phrases.js";

/** @typedef {import("./types.js").GradeAnswer} Grade */

/** Whether maps need guesses. @type {Map<boolean | null, string>} */
const GUESSES = new Map([
  [true, say("No guess is needed.")],
  [false, say("It needs a guess.")],
]);

/**
 * The sentences about a map.
 *
 * @param {Grade} grade
 * @returns {{size: string, guess: string, hardest: string}} "" where something is not known
 */
export function gradeInWords({ guess_free: guessFree, difficulty, openings, "3bv": clicks }) {
  const found = DIFFICULTIES[difficulty ?? ""];
  return {
    size: openings === null || clicks === null ? "" : say("{openings}, 3BV {clicks}.", { openings: several(openings, "opening"), clicks }),
    guess: GUESSES.get(guessFree) ?? say("There was no time to find out whether it needs a guess."),
    hardest: found ? say("At its hardest {what}.", { what: found }) : "",
  };
}

/** The fewest clicks of a map as a figure, such as "52", or "51–52" where they are not proved. @param {Grade} grade @returns {string} "" if nothing is known */
export function fewestClicks({ fewest_clicks: found }) {
  if (!found) return "";
  return found.exact ? String(found.high) : `${found.low}–${found.high}`;
}

/** The hardest step by its name. @param {Grade} grade */
export function hardestStep({ guess_free: guessFree, difficulty }) {
  if (guessFree === false) return say("a guess");
  return DIFFICULTY_NAMES[difficulty ?? ""] ?? say("not known yet");
}
