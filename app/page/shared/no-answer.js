/**
 * What is shown in place of an answer that did not come.
 *
 * @module shared/no-answer
 */

import { button, make } from "./elements.js";
import { say } from "./language.js";
import { inWords } from "./problem-words.js";

/**
 * Why there is no answer, and unless it would be rejected again, a button that asks again.
 *
 * @param {Error} error
 * @param {() => void} again
 * @returns {HTMLElement[]}
 */
export function noAnswer(error, again) {
  const why = make("p", {}, ...inWords(error));
  const rejected = "status" in error && error.status === 422;
  return rejected ? [why] : [why, make("div", { class: "bar" }, button(say("Ask again"), again))];
}
