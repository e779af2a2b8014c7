/**
 * New boards: from the service, or made here where it has none.
 *
 * @module play/new-board
 */

import { say } from "../shared/language.js";
import { inBrief } from "../shared/problem-words.js";
import { PLANE } from "../shared/topology.js";
import { layoutWithOpening } from "../shared/undoable-game.js";

/** @typedef {import("../shared/game-link.js").Spec} Spec */
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
  const { height, width, mines, topology = PLANE, guessFree, difficulty, first, seed, here, layout: given } = spec;
  if (given) return { layout: given, here: false, why: null };
  if (here) return made(spec, null);
  if (topology !== PLANE) return made(spec, guessFree ? say("Only plane boards can be made without guesses.") : null);
  /** @type {"guess-free" | "opening"} */
  const kind = guessFree ? "guess-free" : "opening";
  const hardest = guessFree && difficulty ? { difficulty } : {};
  const request = { rows: height, cols: width, mines, kind, ...hardest, first, seed, deadline_ms: DEADLINE };
  try {
    const { found, layout } = await service.boards({ ...request, signal });
    if (found && layout) return { layout, here: false, why: null };
    return made(spec, difficulty ? say("No board as easy as that was found in time.") : say("No board without guesses was found in time."));
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
  if (error.status === 404) return say("The service does not make boards.");
  return inBrief(error);
}
