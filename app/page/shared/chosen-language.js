/**
 * The language of the reader, and its table. English needs none: it is what the modules say.
 *
 * Modules that say something wait for this one, so that also their constants are in the language.
 *
 * @module shared/chosen-language
 */

import { save, saved } from "./storage.js";

/** @typedef {Object<string, string>} Forms by the plural categories of the language */
/** Of a type of problems: its title, and where its fields say all, a sentence and a fix in place of the service's. @typedef {{title: string, detail?: string, fix?: string}} Problem */
/** @typedef {{messages: Object<string, string>, nouns: Object<string, Forms>, problems: Object<string, Problem>}} Table */

/** The languages by their codes, each with its own name. @type {Object<string, string>} */
export const LANGUAGES = { en: "English", de: "Deutsch", zh: "中文" };

/** Where the page is: this file is two folders below it. */
const HOME = new URL("../..", import.meta.url);
const NAME = "minecheck-language";
/** The language of the modules, and of the service. */
export const ENGLISH = "en";
/** The parameter of the address that asks for a language. */
const PARAMETER = "lang";

/** The code of the language that the page speaks. */
export const language = chosenLanguage();

/** What its table has. @type {Table} */
export const { messages, nouns, problems } = await loadTable(language);

/** The language of the address, else the one that was chosen here, else the first of the browser's. */
function chosenLanguage() {
  // Programs, and other pages with a board of this one, have not chosen the language of the reader.
  if (typeof location === "undefined" || location.origin + location.pathname !== HOME.href) return ENGLISH;
  const requested = new URLSearchParams(location.search).get(PARAMETER);
  const kept = saved(NAME, (code) => code, true);
  const codes = [requested, kept, ...navigator.languages].map((tag) => String(tag).toLowerCase().split("-")[0]);
  return codes.find((code) => Object.hasOwn(LANGUAGES, code)) ?? ENGLISH;
}

/** @param {string} code @returns {Promise<Table>} */
async function loadTable(code) {
  const none = { messages: {}, nouns: {}, problems: {} };
  if (code === ENGLISH) return none;
  try {
    return await import(`../languages/${code}.js`);
  } catch (error) {
    // A page in English is better than none.
    console.error(error);
    return none;
  }
}

/** Keep a language, and show the page in it; the tabs save what they show. @param {string} code */
export function chooseLanguage(code) {
  save(NAME, code, true);
  const address = new URL(location.href);
  address.searchParams.delete(PARAMETER);
  history.replaceState(history.state, "", address);
  location.reload();
}
