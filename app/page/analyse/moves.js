/**
 * The best cells to open in a position, and the chance to win it: what a player would ask.
 *
 * @module analyse/moves
 */

import { cellName } from "../shared/board.js";
import { percent } from "../shared/chances.js";
import { button, make, panel, whileAt } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { COLUMNS, chanceToWin } from "../shared/moves-in-words.js";
import { several } from "../shared/numbers.js";
import { capital, shortCellName } from "../shared/phrases.js";
import { isUsual } from "../shared/rules.js";

/** @typedef {import("../shared/position.js").Position} Position */
/** @typedef {import("../shared/types.js").MovesAnswer} MovesAnswer */
/** @typedef {NonNullable<MovesAnswer["moves"]>[number]} MoveFound */
/** @typedef {[row: number, col: number]} Cell */

/** Moves that are listed. */
const LISTED = 6;
/** Milliseconds for the answer: ends of games are played out as far as that goes. */
const DEADLINE = 2000;

/** The table of moves; a "found" event says that `facts` has changed. */
export class Moves extends EventTarget {
  /** @type {HTMLElement} */
  element;
  #service;
  #point;
  #latest = new LatestRequest();
  #why = make("p", { class: "faint" });
  #table = make("table", { class: "moves" });
  /** @type {MovesAnswer | null} */
  #answer = null;
  #waiting = false;

  /**
   * @param {import("../shared/minecheck.js").Minecheck} service
   * @param {(cell: Cell | null) => void} point point a cell out on the board, or none any more
   */
  constructor(service, point) {
    super();
    [this.#service, this.#point] = [service, point];
    this.element = panel(say("Moves"), this.#why, make("div", { class: "scrolled" }, this.#table));
    this.forget();
  }

  /** Another board. */
  forget() {
    this.#latest.end();
    [this.#answer, this.#waiting] = [null, false];
    this.element.hidden = true;
  }

  /** Ask about a position with a total that is known to be consistent. @param {Position} position */
  async about(position) {
    const { rows, mines } = position;
    if (mines === null || !isUsual(position) || !/[?F]/.test(rows.join(""))) return;
    try {
      const options = { mines, limit: LISTED, deadline_ms: DEADLINE };
      this.#waiting = true;
      this.dispatchEvent(new CustomEvent("found"));
      const answer = await this.#latest.ask((signal) => this.#service.moves(rows, { ...options, signal }));
      if (answer === undefined) return;
      if (answer.moves?.length) {
        this.#answer = answer;
        this.#show(answer.moves);
      }
    } catch {
      // The rest of the answer is shown without them.
    }
    this.#waiting = false;
    this.dispatchEvent(new CustomEvent("found"));
  }

  /** The best move and the chance to win, as terms and what is said of them. @returns {[term: string, content: Node | string][]} */
  get facts() {
    // Nothing moves when they come.
    if (this.#waiting) return [say("Best move"), say("Chance to win")].map((term) => [term, "…"]);
    if (!this.#answer?.moves) return [];
    const { moves, win } = this.#answer;
    const [best] = moves;
    /** @type {[term: string, content: Node | string][]} */
    const facts = [[say("Best move"), this.#move(best, bestWords(best))]];
    const chance = chanceToWin(win);
    return chance ? [...facts, [say("Chance to win"), chance]] : facts;
  }

  #move(move, text) {
    const cell = /** @type {Cell} */ (move.cell);
    const show = () => this.#point(cell);
    return button(text, show, { class: "place", "data-short": shortCellName(...cell), ...whileAt(show, () => this.#point(null)) });
  }

  /** @param {MoveFound[]} moves */
  #show(moves) {
    const columns = COLUMNS.filter(({ of }) => moves.some((move) => of(move) != null));
    const heads = [{ name: say("cell"), title: "" }, ...columns].map(({ name, title }) => make("th", { scope: "col", title }, name));
    const rows = moves.map((move) => {
      const named = this.#move(move, capital(cellName(...move.cell)));
      const head = make("th", { scope: "row" }, named, move.dead ? ` ${say("tells nothing")}` : null);
      const chances = columns.map(({ of }) => of(move) ?? null);
      return make("tr", {}, head, ...chances.map((chance) => make("td", {}, chance === null ? "–" : percent(chance))));
    });
    this.#why.textContent = order(moves);
    this.#table.replaceChildren(make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
    this.element.hidden = false;
  }
}

/** @param {MoveFound} move */
function bestWords({ cell, safe, mine }) {
  return [cellName(...cell), safe ? say("proved safe") : say("{chance} safe", { chance: percent(1 - mine) })].join(say(", "));
}

/** Why the first move is the first. @param {MoveFound[]} moves */
function order(moves) {
  const safe = moves.filter((move) => move.safe).length;
  if (safe > 1) return say("{cells} here are proved safe: open them in any order.", { cells: several(safe, "cell") });
  if (safe) return say("It is proved safe.");
  const name = capital(cellName(...moves[0].cell));
  if (moves[0].win !== null) {
    return say("{cell} comes first: with best play from then on, no other cell wins more often.", { cell: name });
  }
  return say(
    "{cell} comes first: it does best at surviving this click and the next. The rest of the game has too many layouts to be played out in time.",
    { cell: name },
  );
}
