/**
 * Copying texts, where the browser allows it.
 *
 * @module shared/clipboard
 */

import { make } from "./elements.js";
import { say } from "./language.js";

/**
 * Copy a text; where the browser does not allow that, show it selected.
 *
 * @param {string} text
 * @param {import("../main.js").Context["tell"]} tell
 * @param {HTMLElement} container where it may be shown
 * @param {string} [more] what else to say
 */
export async function copy(text, tell, container, more = "") {
  try {
    await navigator.clipboard.writeText(text);
    tell([say("Copied."), more].join(" ").trim(), "info");
  } catch {
    const named = { class: "to-copy", "aria-label": say("Text to copy") };
    const shown = make("textarea", { ...named, readOnly: true, value: text, rows: 3 });
    container.querySelector(".to-copy")?.remove();
    container.append(shown);
    shown.select();
    tell([say("This browser does not let pages copy: the text is selected, copy it yourself."), more].join(" ").trim(), "info");
  }
}
