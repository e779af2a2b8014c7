/**
 * New boards: from the service, or made here where it has none.
 *
 * @module play/new-board
 */

import { inWords } from "../shared/service.js";
import { layoutWithOpening } from "../shared/undoable-game.js";

/**
 * What a board is made from.
 *
 * @typedef {object} Spec
 * @property {number} height
 * @property {number} width
 * @property {number} mines
 * @property {boolean} guessFree can be won without guesses from the first cell on
 * @property {[row: number, col: number]} first the cell that is opened first
 * @property {number} seed below 2 ** 32: the same values give the same board
 * @property {boolean} [here] made by the page itself
 * @property {string[]} [layout] the board itself, if it was given
 */
/** @typedef {{layout: string[], here: boolean, why: string | null}} Dealt why it had to be made here, if so */

/** Milliseconds for a board without guesses. */
const DEADLINE = 10_000;

/** @returns {number} */
export function newSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

/**
 * A layout. What the service cannot make is made here, which may need guesses.
 *
 * @param {import("../shared/service.js").Service} service
 * @param {Spec} spec
 * @param {AbortSignal} signal
 * @returns {Promise<Dealt>} rejects only when it is aborted
 */
export async function deal(service, spec, signal) {
  const { height, width, mines, guessFree, first, seed, here, layout: given } = spec;
  if (given) return { layout: given, here: false, why: null };
  if (here) return made(spec, null);
  /** @type {"guess-free" | "opening"} */
  const kind = guessFree ? "guess-free" : "opening";
  const asked = { rows: height, cols: width, mines, kind, first, seed, deadline_ms: DEADLINE };
  try {
    const { found, layout } = await service.boards({ ...asked, signal });
    if (found && layout) return { layout, here: false, why: null };
    return made(spec, "No board without guesses was found in time.");
  } catch (error) {
    signal.throwIfAborted();
    return made(spec, reason(error));
  }
}

function made(spec, why) {
  return { layout: layoutWithOpening(spec, spec.first, spec.seed), here: true, why };
}

/** Why the service has no board. */
function reason(error) {
  if (error.status === 404) return "The service does not make boards.";
  // The fix is for programs, not for players.
  return error.status === 422 ? error.detail : inWords(error);
}
