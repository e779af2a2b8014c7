/**
 * Boards to play: from the service, or made here where it has none.
 *
 * @module deal
 */

import { layoutWithOpening } from "./game.js";
import { inWords } from "./service.js";

/**
 * What is dealt.
 *
 * @typedef {object} Wish
 * @property {number} height
 * @property {number} width
 * @property {number} mines
 * @property {boolean} guessFree can be won without guesses from the first cell on
 * @property {[row: number, col: number]} first the cell that is opened first
 * @property {number} seed below 2 ** 32: the same wish gives the same board
 * @property {boolean} [here] made by the page itself
 */
/** @typedef {{layout: string[], here: boolean, why: string | null}} Dealt why it was made here, if it had to be */

/** Milliseconds for a board without guesses. */
const DEADLINE = 10_000;

/** @returns {number} */
export function newSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

/**
 * A layout for a wish. What the service cannot give is made here, without a look at guesses.
 *
 * @param {import("./service.js").Service} service
 * @param {Wish} wish
 * @param {AbortSignal} signal
 * @returns {Promise<Dealt>} rejects only when it is aborted
 */
export async function deal(service, wish, signal) {
  const { height, width, mines, guessFree, first, seed, here } = wish;
  if (here) return made(wish, null);
  const kind = guessFree ? "guess-free" : "opening";
  const asked = { height, width, mines, kind, first, seed, deadline_ms: DEADLINE };
  try {
    const { found, layout } = await service.ask("boards", asked, { signal });
    if (found) return { layout, here: false, why: null };
    return made(wish, "No board without guesses was found in time.");
  } catch (error) {
    signal.throwIfAborted();
    return made(wish, reason(error));
  }
}

function made(wish, why) {
  return { layout: layoutWithOpening(wish, wish.first, wish.seed), here: true, why };
}

/** Why the service has no board. */
function reason(error) {
  if (error.status === 404) return "The service makes no boards.";
  // How to fix the question is of no use to who wants to play.
  return error.status === 422 ? error.detail : inWords(error);
}
