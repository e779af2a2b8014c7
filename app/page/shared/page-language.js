/**
 * The language of the page as it was sent, and the choice of another one.
 *
 * @module shared/page-language
 */

import { LANGUAGES, chooseLanguage, language } from "./chosen-language.js";
import { make } from "./elements.js";
import { icon } from "./icons.js";
import { translate } from "./language.js";

/** Attributes that are read by people. */
const READ = ["aria-label", "placeholder", "title"];

/** Translate what the document itself says. @param {Document} page */
export function translatePage(page) {
  page.documentElement.lang = language;
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node.nodeValue?.trim() ?? "";
    const isOurs = text && !node.parentElement?.closest("[translate=no], noscript");
    if (isOurs) node.nodeValue = /** @type {string} */ (node.nodeValue).replace(text, () => translate(text));
  }
  for (const name of READ) {
    for (const element of page.body.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, translate(/** @type {string} */ (element.getAttribute(name))));
    }
  }
}

/** Fill the list of languages, each under its own name. @param {HTMLSelectElement} list */
export function offerLanguages(list) {
  const choices = Object.entries(LANGUAGES);
  list.replaceChildren(...choices.map(([code, name]) => make("option", { value: code, lang: code }, name)));
  list.value = language;
  list.before(icon("language"));
  list.addEventListener("change", () => chooseLanguage(list.value));
}
