/**
 * A position as a game that goes on from there: with its own mines where all are known, else with
 * those of a layout that is drawn at random.
 *
 * @module analyse/play-on
 */

import { button, enable } from "../shared/elements.js";
import { toParameters } from "../shared/game-link.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { hasRules, setting } from "../shared/rules.js";
import { PLANE } from "../shared/topology.js";
import { Game, LONGEST, isLayout, isPlayable, sizeOf } from "../shared/undoable-game.js";

/** @typedef {import("../shared/position.js").Position} Position */

/**
 * Why a position cannot be played on; "" if it can.
 *
 * @param {Position} position
 * @param {boolean | null} consistent
 */
export function obstacle({ rows, rules }, consistent) {
  if (hasRules(rules)) return say("Games have no such rules.");
  if (Math.max(rows.length, rows[0].length) > LONGEST) return say("Games have at most {count} rows and columns.", { count: LONGEST });
  if (!consistent) return say("It is not known yet whether any layout fits.");
  return /[?FS]/.test(rows.join("")) ? "" : say("Nothing is left to be opened.");
}

/**
 * The address of a game in which a position has been reached.
 *
 * @param {string[]} rows of the position
 * @param {string[]} layout digits, and B for mines
 * @param {string} [topology]
 * @returns {string | null} null where the layout cannot be played
 */
export function gameLink(rows, layout, topology = PLANE) {
  const size = { ...sizeOf(layout), topology };
  if (!isPlayable(size) || !isLayout(size, layout)) return null;
  const cells = rows.flatMap((symbols, row) => [...symbols].map((symbol, col) => ({ symbol, row, col })));
  const game = new Game(size);
  game.deal(layout);
  const opened = cells.filter(({ symbol, row, col }) => /\d/.test(symbol) && game.reveal(row, col));
  const flagged = cells.filter(({ symbol, row, col }) => "BF".includes(symbol) && game.isClosed(row, col));
  const first = opened[0] ?? cells.find(({ row, col }) => layout[row][col] !== "B");
  /** @type {import("../shared/game-link.js").Spec} */
  const spec = { ...size, layout, first: [first.row, first.col], seed: 0, guessFree: false };
  /** @type {(name: "reveal" | "flag") => (cell: {row: number, col: number}) => import("../shared/undoable-game.js").Move} */
  const move = (name) => ({ row, col }) => [name, row, col];
  const played = opened.length ? [...opened.map(move("reveal")), ...flagged.map(move("flag"))] : [];
  return `#play?${toParameters(spec, played)}`;
}

/** The button. */
export class PlayOn {
  /** @type {HTMLButtonElement} */
  element = button(say("Play on from here"), () => this.#play());
  #context;
  #latest = new LatestRequest();
  /** @type {Position} */
  #position;

  /** @param {import("../main.js").Context} context */
  constructor(context) {
    this.#context = context;
  }

  /** Another board, or more is known of it. @param {Position} position @param {boolean | null} consistent */
  about(position, consistent) {
    this.#latest.end();
    this.#position = position;
    const why = obstacle(position, consistent);
    enable(this.element, why === "", why);
  }

  async #play() {
    const { service, tell, go } = this.#context;
    const { rows, mines, density, topology } = this.#position;
    try {
      const options = { mines, density, ...setting(this.#position), limit: 1 };
      const answer = await this.#latest.ask((signal) => service.sample(rows, { ...options, signal }));
      if (answer === undefined) return;
      const [layout] = answer.samples ?? [];
      const link = layout ? gameLink(rows, layout, topology) : null;
      if (link) go(link);
      else tell(layout ? say("The layout that was drawn cannot be played.") : say("No layout was found in time."), "problem");
    } catch (error) {
      tell(error);
    }
  }
}
