/**
 * Words that several panels use.
 *
 * @module words
 */

/**
 * What is said of clues in conflict, and of the total of mines if it is one of the reasons.
 *
 * @param {unknown[] | null} clues
 * @param {boolean} total
 * @returns {string}
 */
export function cannotHold(clues, total) {
  return (clues?.length ?? 0) + Number(total) === 1 ? "cannot hold" : "cannot hold together";
}

/** A text with a capital at its beginning. @param {string} text */
export function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
