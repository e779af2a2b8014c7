/**
 * The service that the page came from.
 *
 * @module shared/service
 */

import { Minecheck, MinecheckProblem, MinecheckUnreachable } from "./minecheck.js";

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
