/**
 * What stands in place of an answer that did not come.
 *
 * @module unanswered
 */

import { button } from "./elements.js";
import { make } from "./make.js";
import { inWords } from "./service.js";

/**
 * Why there is no answer, and a button that asks again, but for what would only be refused again.
 *
 * @param {Error} error
 * @param {() => void} again
 * @returns {HTMLElement[]}
 */
export function unanswered(error, again) {
  const why = make("p", {}, inWords(error));
  const refused = "status" in error && error.status === 422;
  return refused ? [why] : [why, make("div", { class: "bar" }, button("Ask again", again))];
}
