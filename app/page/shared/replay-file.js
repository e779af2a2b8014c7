/**
 * Replays: files in which other programs keep a game. The service reads them; here they become games.
 *
 * @module shared/replay-file
 */

import { say } from "./language.js";
import { Game, isLayout, isPlayable } from "./undoable-game.js";

/**
 * @typedef {object} Replay
 * @property {Game} game as it was played
 * @property {import("./game-link.js").Spec} spec its board
 * @property {number} seconds
 * @property {string} player "" if the file does not say
 * @property {string} program
 */

/** How such files end. */
export const SUFFIXES = [".avf", ".evf", ".msor", ".mvf", ".rawvf", ".rmv"];
/** Milliseconds for the service; the page reviews games by itself. */
const DEADLINE = 2000;
/** What the clicks of files are here; the same move sets a flag and removes it. */
const MOVES = { open: "reveal", chord: "chord", flag: "flag", unflag: "flag" };

/** Whether a file is a replay, by its name. @param {File} file */
export function isReplay({ name }) {
  return SUFFIXES.some((suffix) => name.toLowerCase().endsWith(suffix));
}

/**
 * Read a replay.
 *
 * @param {import("./service.js").Service} service
 * @param {File} file
 * @param {AbortSignal} signal
 * @returns {Promise<Replay>}
 * @throws {RangeError} its board is too large for the page, or it was not read in time
 */
export async function readReplay(service, file, signal) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const answer = await service.replays({ file: text, deadline_ms: DEADLINE, signal });
  const { layout, clicks, seconds, player, program } = answer;
  if (!layout || !clicks) throw new RangeError(say("The service could not read this replay in time."));
  const size = { height: Number(answer.rows), width: Number(answer.cols), mines: Number(answer.mines) };
  if (!isPlayable(size) || !isLayout(size, layout)) throw new RangeError(say("The board of this replay is too large for the page."));
  const game = new Game(size);
  game.deal(layout);
  // A click without an effect, such as one beside the flags that it would need, is no move.
  for (const { kind, cell } of clicks) game[MOVES[kind]](...cell);
  const [row, col] = clicks.find(({ kind }) => kind === "open")?.cell ?? [0, 0];
  const spec = { ...size, guessFree: false, first: /** @type {[number, number]} */ ([row, col]), seed: 0, layout };
  return { game, spec, seconds: seconds ?? 0, player: player ?? "", program: program ?? "" };
}
