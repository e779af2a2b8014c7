/**
 * What the page says where it has no answer.
 *
 * Problems of the service are worded for programs, in English. Here they are worded for readers of the page, by their
 * types and fields; what is still in English in another language is marked as English.
 *
 * @module shared/problem-words
 */

import { ENGLISH, language, problems } from "./chosen-language.js";
import { make } from "./elements.js";
import { fill, say } from "./language.js";
import { MinecheckProblem, MinecheckUnreachable } from "./minecheck.js";
import { fromOne } from "./phrases.js";

const ENTER_KEY = say('Enter one under "API key" at the top of the page.');

/**
 * Sentences for people, instead of those for programs, by the type of the problem and the
 * field that it is about, or by the type alone.
 *
 * @type {Object<string, {detail?: string, fix?: string}>}
 */
const WORDS = {
  "bad-value/mines": { fix: say('Change "Mines in all", or leave it empty.') },
  "over-the-limit/board": { detail: say("This board is too large for this service."), fix: say("Try a smaller one.") },
  "missing-key": { detail: say("This service asks for a key."), fix: ENTER_KEY },
  "wrong-key": { detail: say("The service rejected the key."), fix: ENTER_KEY },
  "too-many-requests": { detail: say("This page sends more requests than this service allows."), fix: say("Try again in a moment.") },
  overloaded: { detail: say("The service is overloaded.") },
  "worker-lost": { detail: say("The service lost this question before it was answered."), fix: say("Ask again.") },
  "out-of-memory": { detail: say("This needs more memory than the service allows for one question."), fix: say("Try a smaller board.") },
  "internal-error": { detail: say("The service failed to answer this question."), fix: say("This is not your fault: please report it.") },
  "request-timeout": { detail: say("The service did not receive the whole question."), fix: say("Ask again.") },
  "body-too-large": { detail: say("This is larger than the service accepts."), fix: say("Try a smaller file or board.") },
  "not-found": { detail: say("This service does not answer this kind of question."), fix: "" },
  "offset-beyond-the-last": { detail: say("There are not that many layouts."), fix: say("Choose a smaller number.") },
  "format-unknown": { fix: say('Choose its format beside "as". Files named .mbf or .abf are recognised.') },
  "invalid-utf-8": { fix: say('Choose the format of the file beside "as", or "recognise it".') },
  "wrong-length": { fix: say("Open the whole file and nothing else.") },
  "link-too-long": { fix: say("Paste one link and nothing else.") },
  "board-too-large": { fix: say("It is too large for this service.") },
};

/** A text, and whether it is in the language of the page, as all is but some texts of the service. @typedef {{text: string, isOurs: boolean}} Part */

/**
 * What went wrong, for people: a problem and its fix, or that there is no answer.
 *
 * @param {Error} error
 * @returns {(string | HTMLElement)[]} what an element is to hold
 */
export function inWords(error) {
  if (!(error instanceof MinecheckProblem)) return [failureOf(error)];
  const { detail, fix } = wordsOf(error);
  if (detail.isOurs && fix.isOurs) return [`${detail.text} ${fix.text}`.trim()];
  const lines = detail.isOurs ? [detail.text] : [titleOf(error), make("span", { class: "line", lang: ENGLISH }, detail.text)];
  if (fix.isOurs) return [...lines, make("span", { class: "line" }, fix.text)];
  return [...lines, make("span", { class: "line" }, `${say("How to fix it:")} `, make("span", { lang: ENGLISH }, fix.text))];
}

/** The same in a sentence, without the fix, which may be for programs. @param {Error} error @returns {string} */
export function inBrief(error) {
  if (!(error instanceof MinecheckProblem)) return failureOf(error);
  const { detail } = wordsOf(error);
  return detail.isOurs ? detail.text : titleOf(error);
}

/** Say in an element what went wrong, in place of what it holds. @param {Element} element @param {Error} error */
export function showProblem(element, error) {
  element.replaceChildren(...inWords(error));
}

/** Why there is no answer of the service, not even a problem. @param {Error} error */
function failureOf(error) {
  if (error instanceof MinecheckUnreachable) return say("The service cannot be reached.");
  if (error.name === "TimeoutError") return say("The service took too long to answer.");
  console.error(error);
  if (error instanceof SyntaxError) return say("The answer is not from the service: check the network or proxy in between.");
  return say("Something in this page went wrong: {error}", { error: error.message });
}

/** @param {MinecheckProblem} problem @returns {{detail: Part, fix: Part}} */
function wordsOf(problem) {
  const { code, type, status, detail, fix, pointer, retryAfter, document: { title } } = problem;
  const ours = WORDS[code + (pointer ?? "")] ?? WORDS[code] ?? {};
  const translated = problems[code + (pointer ?? "")] ?? problems[code] ?? {};
  // Proxies send whole pages, which are not for reading here.
  const sent = type === "about:blank" ? { detail: "", fix: "" } : { detail, fix };
  const later = retryAfter !== null && retryAfter > 1 ? say("Try again in {seconds} s.", { seconds: retryAfter }) : undefined;
  const answered = say("The service answered {status}.", { status: [status, title].filter(Boolean).join(" ") });
  return {
    detail: partOf(ours.detail ?? located(translated.detail, problem), sent.detail, answered),
    fix: partOf(later ?? ours.fix ?? translated.fix, sent.fix, ""),
  };
}

/** The first text that there is: ours, that of the service, or another of ours. @returns {Part} */
function partOf(ours, sent, other) {
  const text = ours ?? (sent ? fromOne(sent) : other);
  return { text, isOurs: language === ENGLISH || ours !== undefined || !sent };
}

/** A sentence with the row and the column that it names; undefined if the problem does not say them. */
function located(sentence, { row, col }) {
  const known = { ...(row !== null && { row: row + 1 }), ...(col !== null && { col: col + 1 }) };
  const isKnown = (sentence?.match(/(?<=\{)\w+(?=\})/g) ?? []).every((name) => name in known);
  return sentence && isKnown ? fill(sentence, known) : undefined;
}

/** The kind of a problem, in the language of the page. @param {MinecheckProblem} problem */
function titleOf({ code, document: { title } }) {
  return say("{problem}.", { problem: problems[code]?.title ?? title });
}
