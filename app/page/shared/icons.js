/**
 * The icons of the page: lines that take the colour of the text beside them.
 *
 * @module shared/icons
 */

import { draw } from "./elements.js";

/** What each icon draws, in a square of 24 by 24. @type {Object<string, string>} */
const PATHS = {
  again: "M4 11a8 8 0 1 1 2.3 6.6M4 5v6h6",
  analyse: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.3 15.3 20.5 20.5",
  best: "M12 3v4M12 17v4M3 12h4M17 12h4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  close: "M6 6l12 12M18 6 6 18",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  flag: "M6 21V4M6 4.5c4-2 7 2 12 0v8.5c-5 2-8-2-12 0",
  heat: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM16.5 13v7M13 16.5h7",
  hint: "M9 18h6M10 21h4M8.5 14.5A6 6 0 1 1 15.5 14.5c-.7.6-1 1.2-1 2v1.5h-5V16.5c0-.8-.3-1.4-1-2z",
  language: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c-5 5.5-5 12.5 0 18M12 3c5 5.5 5 12.5 0 18",
  large: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  light: "M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  new: "M12 5v14M5 12h14",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.5 19 12 7 19.5z",
  share: "M12 15V3.5M7.5 8 12 3.5 16.5 8M5 13v7h14v-7",
  step: "M6 4.5 15 12l-9 7.5zM18.5 4.5v15",
  system: "M12 3.5a8.5 8.5 0 1 0 0 17zM12 3.5a8.5 8.5 0 0 1 0 17",
  undo: "M9 7 4.5 11.5 9 16M4.5 11.5H14a5.5 5.5 0 0 1 0 11",
  watch: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z",
  why: "M9 9a3.2 3.2 0 1 1 4.6 2.9c-1.1.5-1.6 1.2-1.6 2.4v.5M12 18h.01M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19z",
};

/**
 * An icon, which screen readers pass over.
 *
 * @param {string} name one of `PATHS`
 * @returns {SVGElement}
 */
export function icon(name) {
  const line = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" };
  const path = draw("path", { d: PATHS[name], ...line });
  return draw("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, path);
}

/**
 * What a button with an icon contains: the icon, its word, and the key that does the same.
 *
 * @param {string} name of the icon
 * @param {string} word
 * @param {string} [key]
 * @returns {Node[]}
 */
export function iconAndWord(name, word, key = "") {
  const text = document.createElement("span");
  text.textContent = word;
  if (!key) return [icon(name), text];
  const hint = document.createElement("kbd");
  hint.textContent = key;
  hint.setAttribute("aria-hidden", "true");
  return [icon(name), text, hint];
}
