/**
 * The language of the board in other pages, which is English.
 *
 * @module chosen-language
 */

/** The code of the language. */
export const language = "en";

/** English needs no table. @type {Object<string, string>} */
export const messages = {};
/** @type {Object<string, Object<string, string>>} */
export const nouns = {};
