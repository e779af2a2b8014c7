/**
 * What the page says, in the language of the reader: texts, numbers and lists.
 *
 * The English text is the key of a message. What a table lacks is said in English.
 *
 * @module shared/language
 */

import { language, messages, nouns } from "./chosen-language.js";

/** English as it is written here: without a comma before the last "and". */
const LOCALE = language === "en" ? "en-GB" : language;
// They are made when they are first needed: that takes longer than the rest of a small module.
const wholeNumbers = once(() => new Intl.NumberFormat(LOCALE));
const pluralRules = once(() => new Intl.PluralRules(LOCALE));
const lists = once(() => new Intl.ListFormat(LOCALE, { type: "conjunction" }));

/** What stands between groups of three digits. @returns {string} */
export const findGroupSeparator = once(
  () => wholeNumbers().formatToParts(1_000_000).find(({ type }) => type === "group")?.value ?? "",
);

/**
 * A message.
 *
 * @param {string} text in English, with names in braces in place of what varies; it is written out
 *   in the call, where `tests/page/test_languages.py` finds it
 * @param {Object<string, string | number | bigint>} [values] by those names
 * @returns {string}
 */
export function say(text, values = {}) {
  return fill(translate(text), values);
}

/**
 * What the table has for a text; the text itself where it has nothing.
 *
 * @param {string} text where one English word needs several in other languages, it ends with what it
 *   is about, which is not shown: "Play [a run]"
 * @returns {string}
 */
export function translate(text) {
  return Object.hasOwn(messages, text) ? messages[text] : text.replace(/ \[.*\]$/, "");
}

/**
 * A number, however it is written, with its noun.
 *
 * @param {number | bigint} count
 * @param {string} noun in English, in the singular
 * @param {string} written the number as it is to be read
 * @returns {string}
 */
export function sayCount(count, noun, written) {
  const forms = nouns[noun] ?? { one: `{count} ${noun}`, other: `{count} ${noun}s` };
  return fill(forms[pluralRules().select(Number(count))] ?? forms.other, { count: written });
}

/** A whole number with all digits, in groups of three: 12,012. @param {number | bigint} number */
export function formatWhole(number) {
  return wholeNumbers().format(number);
}

/** A number with so many decimals: 12.5. @param {number} number @param {number} decimals */
export function formatDecimal(number, decimals) {
  return formatter(decimals, decimals).format(number);
}

/** A number with as many decimals as it has: 0.5. @param {number} number */
export function formatNumber(number) {
  return formatter(0, 20).format(number);
}

/** Names in a sentence: a, b and c. @param {string[]} names */
export function formatList(names) {
  return lists().format(names);
}

/**
 * A function that computes its value in the first call, and keeps it.
 *
 * @template T
 * @param {() => T} compute
 * @returns {() => T}
 */
function once(compute) {
  /** @type {{value: T} | null} */
  let kept = null;
  return () => {
    kept ??= { value: compute() };
    return kept.value;
  };
}

function formatter(minimumFractionDigits, maximumFractionDigits) {
  return new Intl.NumberFormat(LOCALE, { minimumFractionDigits, maximumFractionDigits, useGrouping: false });
}

/** A text with values in place of their names in braces. @param {string} text @param {Object<string, unknown>} values */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
