/**
 * The service that the page came from, and what is said where it has no answer.
 *
 * @module service
 */

import { Minecheck, MinecheckProblem } from "./minecheck.js";

/** Where the service is: the page's files are in a folder below it. */
const HOME = new URL("..", import.meta.url);
/** Milliseconds that an answer may take. */
const PATIENCE = 30_000;

/** No answer came, not even a problem. */
export class Unreachable extends TypeError {
  constructor(cause) {
    super("The service cannot be reached.", { cause });
    this.name = "Unreachable";
  }
}

/** A client of this service that asks the reader for a key where the service wants one. */
export class Service extends Minecheck {
  /** Has an "answer" event whenever an answer has come. */
  answers = new EventTarget();
  #keyring;

  /** @param {import("./keyring.js").Keyring} keyring */
  constructor(keyring) {
    super(HOME, { fetch: (resource, options) => this.#fetched(resource, options), retries: 1 });
    this.#keyring = keyring;
  }

  /** Whether a key goes with what is asked. */
  get keyed() {
    return this.#keyring.key !== null;
  }

  /** @override */
  async ask(route, body, how) {
    const found = await super.ask(route, body, how);
    this.answers.dispatchEvent(new Event("answer"));
    return found;
  }

  /** All of a response, with the key of this tab. */
  async #fetched(resource, options) {
    for (;;) {
      const { key } = this.#keyring;
      const headers = key === null ? options.headers : { ...options.headers, Authorization: `Bearer ${key}` };
      const response = await whole(resource, { ...options, headers });
      if (response.status !== 401 || !(await this.#keyring.other(key))) return response;
    }
  }
}

/** A response whose body has come, so that it cannot break any more. */
async function whole(resource, options) {
  const late = AbortSignal.timeout(PATIENCE);
  const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
  try {
    const response = await fetch(resource, { ...options, signal });
    return new Response(await response.blob(), response);
  } catch (error) {
    throw error instanceof TypeError ? new Unreachable(error) : error;
  }
}

/** Statuses of a service, or of what is in front of it, that has no answers for now. */
const FOR_NOW = [401, 429, 502, 503, 504];
/** What has the status of those and is about the question. */
const LASTING = ["out-of-memory", "worker-lost"];

/**
 * Whether an error is over as soon as the service answers anything.
 *
 * @param {Error} error
 * @returns {boolean}
 */
export function passing(error) {
  if (error instanceof MinecheckProblem) return FOR_NOW.includes(error.status) && !LASTING.includes(error.code);
  return error instanceof Unreachable || error instanceof SyntaxError;
}

/**
 * What went wrong, for people: a problem's own words and its fix, or that there is no answer.
 *
 * @param {Error} error
 * @returns {string}
 */
export function inWords(error) {
  if (error instanceof MinecheckProblem) return problemWords(error);
  if (error instanceof Unreachable) return error.message;
  if (error.name === "TimeoutError") return "The service took too long.";
  console.error(error);
  if (error instanceof SyntaxError) return "What answers is not the service: something in between may be wrong.";
  return `Something in this page went wrong: ${error.message}`;
}

/** Where keys are typed. */
const TYPED = 'It is typed under "API key" at the top of the page.';

/**
 * What is said in place of what the API says to programs, by the type of the problem and the field
 * that it is about, or by the type alone.
 *
 * @type {Object<string, {detail?: string, fix?: string}>}
 */
const WORDS = {
  "bad-value/mines": { fix: 'Change "Mines in all", or leave it empty.' },
  "over-the-limit/board": { detail: "This service takes no board as large as this.", fix: "Try a smaller one." },
  "missing-key": { detail: "This service asks for a key.", fix: TYPED },
  "wrong-key": { detail: "The service knows no such key.", fix: TYPED },
  "too-many-requests": { detail: "This page asks faster than this service allows.", fix: "Try again in a moment." },
  overloaded: { detail: "The service has too much to do." },
  "worker-lost": { detail: "The service lost the question before it had an answer.", fix: "Ask again." },
  "out-of-memory": { detail: "This takes more memory than the service has for one question.", fix: "Try a smaller board." },
  "internal-error": { detail: "The service failed on this question.", fix: "The fault is not yours: please report it." },
  "request-timeout": { detail: "The question did not come to the service as a whole.", fix: "Ask again." },
  "body-too-large": { detail: "This is more than the service reads.", fix: "Try a smaller file or board." },
  "not-found": { detail: "This service does not answer such questions.", fix: "" },
  "offset-beyond-the-last": { detail: "There are fewer layouts than that.", fix: "Choose a smaller number." },
  "format-unknown": { fix: 'Choose it under "Format". A file that is named .mbf or .abf tells it so.' },
  "invalid-utf-8": { fix: 'Choose the format that the file has, or "tell by itself".' },
  "wrong-length": { fix: "It takes the whole file and nothing else." },
  "link-too-long": { fix: "Paste one link and nothing else." },
  "board-too-large": { fix: "It is too large for this service." },
};

function problemWords({ code, type, status, detail, fix, pointer, retryAfter, document: { title } }) {
  // Proxies send whole pages, which are no words.
  const own = type === "about:blank" ? {} : { detail, fix };
  const said = { detail: "", fix: "", ...own, ...(WORDS[code + (pointer ?? "")] ?? WORDS[code]) };
  const plain = said.detail || `The service answers ${[status, title].filter(Boolean).join(" ")}.`;
  const later = retryAfter > 1 ? `Try again in ${retryAfter} s.` : said.fix;
  return `${plain} ${later}`.trim();
}
