/**
 * The game, saved until the window is closed.
 *
 * @module play/saved-game
 */

import { save, saved } from "../shared/storage.js";
import { fromParameters, toParameters } from "../shared/game-link.js";
import { Game } from "../shared/undoable-game.js";

/**
 * What is saved of the tab.
 *
 * @typedef {object} SavedGame
 * @property {Game} game
 * @property {import("../shared/game-link.js").Spec | null} dealt what its board was made from, null before
 * @property {string} followed the link that it came from, "" without one
 * @property {boolean} guessFree the next board is to need no guess
 * @property {boolean} helped hints were used
 * @property {string} uncounted why the game does not count among those played, "" if it does
 * @property {number} seconds on the clock
 */

const NAME = "minecheck.game";

/** Save a game in place of the last one. @param {SavedGame} all */
export function saveGame({ dealt, ...rest }) {
  save(NAME, { ...rest, dealt: dealt && toParameters(dealt) });
}

/** The game that was saved last, null where there is none that can be resumed. @returns {SavedGame | null} */
export function savedGame() {
  return saved(NAME, checked);
}

/** @throws {TypeError} it is not a saved game */
function checked({ game: record, dealt: link, followed, guessFree, helped, uncounted = "", seconds }) {
  const game = Game.from(record);
  const dealt = link === null ? null : fromParameters(new URLSearchParams(link));
  const size = dealt ?? game;
  const isWhole =
    (dealt !== null) === (record.layout !== null) &&
    ["height", "width", "mines", "topology"].every((side) => size[side] === game[side]) &&
    [followed, uncounted].every((value) => typeof value === "string") &&
    [guessFree, helped].every((value) => typeof value === "boolean") &&
    Number.isFinite(seconds) && seconds >= 0;
  if (!isWhole) throw new TypeError("not a saved game");
  return { game, dealt, followed, guessFree, helped, uncounted, seconds };
}
