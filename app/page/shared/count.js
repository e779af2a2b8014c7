/**
 * A count of any size: short, with all its digits on demand.
 *
 * @module shared/count
 */

import { copy } from "./clipboard.js";
import { button, make } from "./elements.js";
import { MOST_DIGITS, grouped, several } from "./numbers.js";

/**
 * A count with its noun, and where it is long, its digits behind a click.
 *
 * @param {bigint} count
 * @param {string} noun
 * @param {import("../main.js").Context["tell"]} tell
 * @returns {HTMLElement}
 */
export function countElement(count, noun, tell) {
  const said = make("span", { class: "count" }, several(count, noun));
  const digits = String(count);
  if (digits.length <= MOST_DIGITS) return said;
  const place = make("details", { class: "digits" });
  const shown = make("code", {});
  place.append(
    make("summary", {}, `All ${digits.length} digits`),
    shown,
    button("Copy the digits", () => copy(digits, tell, place)),
  );
  place.addEventListener("toggle", () => {
    shown.textContent = grouped(count);
  });
  return make("div", {}, said, place);
}
