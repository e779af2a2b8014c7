/**
 * The service that the page came from, and what the page says where it has no answer.
 *
 * @module shared/service
 */

import { say } from "./language.js";
import { Minecheck, MinecheckProblem, MinecheckUnreachable } from "./minecheck.js";
import { fromOne } from "./phrases.js";

/** Where the service is: this file is two folders below it. */
const HOME = new URL("../..", import.meta.url);
/** The type of answers line by line. */
const STREAM = "application/x-ndjson";
/** Milliseconds that an answer may take. */
const PATIENCE = 30_000;

/** A client of this service that asks the reader for a key where the service wants one. */
export class Service extends Minecheck {
  /** Has an "answer" event whenever an answer has come. */
  answers = new EventTarget();
  #apiKey;

  /** @param {import("./api-key.js").ApiKey} apiKey */
  constructor(apiKey) {
    super(HOME, { fetch: (resource, options) => this.#fetched(resource, options), retries: 1 });
    this.#apiKey = apiKey;
  }

  /** Whether requests are sent with a key. */
  get keyed() {
    return this.#apiKey.value !== null;
  }

  /** @override */
  async ask(route, body, how) {
    const found = await super.ask(route, body, how);
    this.answers.dispatchEvent(new Event("answer"));
    return found;
  }

  /** The whole response to a request with the key of this tab; of a stream, as it comes. */
  async #fetched(resource, options) {
    for (;;) {
      const key = this.#apiKey.value;
      const headers = key === null ? options.headers : { ...options.headers, Authorization: `Bearer ${key}` };
      const response = await whole(resource, { ...options, headers });
      if (response.status !== 401 || !(await this.#apiKey.other(key))) return response;
    }
  }
}

/** A response whose body has come, so that it cannot break any more; a stream is read meanwhile. */
async function whole(resource, options) {
  const late = AbortSignal.timeout(PATIENCE);
  const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
  const response = await fetch(resource, { ...options, signal });
  const streamed = response.headers.get("Content-Type") === STREAM;
  return streamed ? response : new Response(await response.blob(), response);
}

/** Statuses of a service, or of a proxy in front of it, that cannot answer for the moment. */
const FOR_NOW = [401, 429, 502, 503, 504];
/** Problems with one of those statuses that are about the question. */
const LASTING = ["out-of-memory", "worker-lost"];

/**
 * Whether an error is over as soon as the service answers any question.
 *
 * @param {Error} error
 * @returns {boolean}
 */
export function passing(error) {
  if (error instanceof MinecheckProblem) return FOR_NOW.includes(error.status) && !LASTING.includes(error.code);
  return error instanceof MinecheckUnreachable || error instanceof SyntaxError;
}

/**
 * What went wrong, for people: a problem's own words and its fix, or that there is no answer.
 *
 * @param {Error} error
 * @returns {string}
 */
export function inWords(error) {
  if (error instanceof MinecheckProblem) return problemWords(error);
  if (error instanceof MinecheckUnreachable) return say("The service cannot be reached.");
  if (error.name === "TimeoutError") return say("The service took too long to answer.");
  console.error(error);
  if (error instanceof SyntaxError) return say("The answer is not from the service: check the network or proxy in between.");
  return say("Something in this page went wrong: {error}", { error: error.message });
}

const ENTER_KEY = say('Enter one under "API key" at the top of the page.');

/**
 * What people are told in place of the words for programs, by the type of the problem and the
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

/** @param {MinecheckProblem} problem */
function problemWords({ code, type, status, detail, fix, pointer, retryAfter, document: { title } }) {
  // Proxies send whole pages, which are not for reading here.
  const own = type === "about:blank" ? {} : { detail, fix };
  const words = { detail: "", fix: "", ...own, ...(WORDS[code + (pointer ?? "")] ?? WORDS[code]) };
  const plain = words.detail || say("The service answered {status}.", { status: [status, title].filter(Boolean).join(" ") });
  const later = retryAfter !== null && retryAfter > 1 ? say("Try again in {seconds} s.", { seconds: retryAfter }) : words.fix;
  return fromOne(`${plain} ${later}`.trim());
}
