/**
 * A count of any size: short, with all its digits on demand.
 *
 * @module shared/count
 */

import { copy } from "./clipboard.js";
import { button, make } from "./elements.js";
import { formatWhole, say } from "./language.js";
import { MOST_DIGITS, several } from "./numbers.js";

/**
 * A number of layouts, and where it is long, its digits behind a click.
 *
 * @param {bigint} count
 * @param {import("../main.js").Context["tell"]} tell
 * @returns {HTMLElement}
 */
export function countElement(count, tell) {
  const rounded = make("span", { class: "count" }, several(count, "layout"));
  const digits = String(count);
  if (digits.length <= MOST_DIGITS) return rounded;
  const details = make("details", { class: "digits" });
  const shown = make("code", {});
  details.append(
    make("summary", {}, say("All {count} digits", { count: digits.length })),
    shown,
    button(say("Copy the digits"), () => copy(digits, tell, details)),
  );
  details.addEventListener("toggle", () => {
    shown.textContent = formatWhole(count);
  });
  return make("div", {}, rounded, details);
}
