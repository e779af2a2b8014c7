/**
 * The service that the page came from: what the client module has no method for.
 *
 * @module service
 */

import { Minecheck, MinecheckProblem } from "./minecheck.js";

/** Where the service is: the page's files are in a folder below it. */
const HOME = new URL("..", import.meta.url);

/** No answer came, not even a problem. */
export class Unreachable extends TypeError {
  constructor(cause) {
    super("The service cannot be reached.", { cause });
    this.name = "Unreachable";
  }
}

/** `fetch`, and what it rejects with where there is no connection tells itself from mistakes. */
export async function reach(resource, options) {
  try {
    return await fetch(resource, options);
  } catch (error) {
    throw error instanceof TypeError ? new Unreachable(error) : error;
  }
}

/** A client of this service. */
export function connect() {
  return new Minecheck(HOME, { fetch: reach, retries: 1 });
}

/**
 * What the service answers to a JSON body.
 *
 * @param {string} path such as v1/boards
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 * @throws {MinecheckProblem | Unreachable}
 */
export async function post(path, body, signal) {
  const response = await reach(new URL(path, HOME), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  throw new MinecheckProblem({ ...document(text), status: response.status });
}

/** A problem document, also of what is none, such as the page of a proxy. */
function document(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return { detail: text.slice(0, 200) };
  }
}

/**
 * What went wrong, for people: a problem's own words and its mend, or that there is no connection.
 *
 * @param {Error} error
 * @returns {string}
 */
export function inWords(error) {
  if (error instanceof MinecheckProblem) {
    return error.message || `The service answers with the status ${error.status}.`;
  }
  if (error instanceof Unreachable) return error.message;
  if (error.name === "TimeoutError") return "The service took too long.";
  console.error(error);
  return `Something in this page went wrong: ${error.message}`;
}
