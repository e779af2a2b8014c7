/**
 * The end of a game: its result and figures, the record, and the review of its clicks.
 *
 * @module play/ending
 */

import { cellName } from "../shared/board.js";
import { densityOf } from "../shared/chances.js";
import { button } from "../shared/elements.js";
import { fewestClicks, gradeInWords, hardestStep } from "../shared/grade-in-words.js";
import { formatDecimal, formatList, say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { several } from "../shared/numbers.js";
import { PLANE } from "../shared/topology.js";
import { exactTimeText, timeText } from "./clock.js";
import { luckInWords, survival } from "./luck.js";
import * as records from "./records.js";
import { inWords, review } from "./review.js";
import { timeline } from "./timeline.js";

/** @typedef {import("../shared/undoable-game.js").Game} Game */

/**
 * How a game was played.
 *
 * @typedef {object} Played
 * @property {boolean} helped with hints
 * @property {string} uncounted why it does not count, "" if it does
 * @property {number} seconds
 * @property {[row: number, col: number] | null} first the first click
 * @property {boolean} isNew it ended just now
 */

/** Why games do not count, by what is saved of that. @type {Object<string, string>} */
const UNCOUNTED = {
  "a game from a link": say("a game from a link"),
  "a board that was played before": say("a board that was played before"),
  "a game with moves taken back": say("a game with moves taken back"),
};
/** Milliseconds for the grade of a map. */
const GRADE_MS = 3000;

export class Ending {
  #service;
  #tell;
  #controls;
  #walk;
  #playOn;
  #reviewing = new LatestRequest();
  #figures = new LatestRequest();
  #grading = new LatestRequest();
  /** How the game ended, to be said again after a review. */
  #message = /** @type {[text: string, kind: string, more: string]} */ (["", "", ""]);

  /**
   * @param {import("../shared/service.js").Service} service
   * @param {(message: string | Error) => void} tell
   * @param {ReturnType<typeof import("./controls.js").layOut>} controls
   * @param {import("./walk.js").Walk} walk
   * @param {{playOn: (moves: number) => void}} actions play on after so many moves
   */
  constructor(service, tell, controls, walk, { playOn }) {
    this.#service = service;
    this.#tell = tell;
    this.#controls = controls;
    this.#walk = walk;
    this.#playOn = playOn;
  }

  /** Whether no game was ever counted here. */
  get isFirst() {
    return records.isEmpty();
  }

  /** The game goes on, or another one begins. */
  begin() {
    this.#reviewing.end();
    this.#figures.end();
    this.#grading.end();
    this.#controls.end.hide();
  }

  /** Show what was achieved at the size of a game. @param {Game} game */
  showRecord(game) {
    this.#controls.record.textContent = records.describeRecord(game, timeText);
  }

  /** Show how a game ended. @param {Game} game @param {Played} played */
  show(game, { helped, uncounted, seconds, first, isNew }) {
    const { end, verdict } = this.#controls;
    const won = game.state === "won";
    const isBest = isNew && this.#count(game, won && !helped ? seconds : null, uncounted);
    const help = formatList([...(helped ? [say("hints")] : []), ...(game.undone ? [several(game.undone, "undo")] : [])]);
    const best = isBest ? [say("Your best time at this size!")] : [];
    const time = exactTimeText(seconds);
    const result = help ? say("Won in {time} with {help}.", { time, help }) : say("Won in {time}.", { time });
    if (won) this.#message = [[result, ...best].join(" "), "won", ""];
    else this.#message = [game.last ? fatal(game.last, time) : say("Lost after {time}.", { time }), "lost", say("Undo takes it back.")];
    verdict.say(...this.#message);
    verdict.offer(button(say("Result"), () => end.show(won ? "won" : "lost")));
    const not = uncounted && say("Not counted: {why}.", { why: UNCOUNTED[uncounted] ?? uncounted });
    const title = won ? say("Won in {time}", { time }) : say("Lost after {time}", { time });
    end.fill(title, [help && say("With {help}.", { help }), ...best, not].filter(Boolean).join(" "));
    if (isNew) end.show(won ? "won" : "lost");
    this.#findFigures(game, first, won ? seconds : null);
  }

  /** Count a game that ended for the first time; whether it is the best of its size. */
  #count(game, seconds, uncounted) {
    if (game.undone || uncounted) return false;
    const isBest = records.count(game, game.state === "won", seconds);
    this.showRecord(game);
    return isBest;
  }

  /** Find what the board was, and how lucky the player; without the service there are no figures. */
  async #findFigures(game, first, seconds) {
    const { end, verdict } = this.#controls;
    if (!game.toJSON().layout || !first || game.topology !== PLANE) return;
    try {
      const found = await this.#figures.ask(async (signal) => {
        const grade = await this.#gradeOf(game, first, signal);
        return { grade, luck: await survival(this.#service, game.turns(), game.mines, signal) };
      });
      if (!found) return;
      const bbbv = found.grade["3bv"];
      /** @type {[string, string][]} */
      const speed = seconds === null || !seconds ? [] : [["3BV/s", formatDecimal(bbbv / seconds, 2)]];
      const show = (fewest) => {
        /** @type {[string, string][]} */
        const figures = [
          ["3BV", String(bbbv)],
          ...speed,
          [say("Clicks"), String(game.turns().length + 1)],
          [say("Fewest clicks"), fewest],
          [say("Luck"), luckInWords(found.luck)],
          [say("Hardest step"), hardestStep(found.grade)],
        ];
        end.showFigures(figures);
        verdict.conclude(figures);
      };
      show("…");
      try {
        const graded = await this.#figures.ask((signal) => this.#gradeOf(game, first, signal, { fewest_clicks: true }));
        if (graded) show(fewestClicks(graded) || "–");
      } catch {
        show("–");
      }
    } catch {
      // The result stands without figures; hints will say that there is no service.
    }
  }

  #gradeOf(game, first, signal, more = {}) {
    return this.#service.grade({ layout: game.toJSON().layout, first, deadline_ms: GRADE_MS, signal, ...more });
  }

  /** Say how hard the map of a game is, which gives no cell away. @param {Game} game @param {[row: number, col: number]} first */
  async grade(game, first) {
    const { verdict } = this.#controls;
    verdict.wait(say("Grading the map"));
    try {
      const found = await this.#grading.ask((signal) => this.#gradeOf(game, first, signal));
      if (!found) return;
      const { size, guess, hardest } = gradeInWords(found);
      verdict.say(size || guess, "", [size && guess, hardest].filter(Boolean).join(" "));
    } catch (error) {
      verdict.say("");
      this.#tell(error);
    }
  }

  /** Go through all clicks of a game, and what each of them risked. @param {Game} game */
  async review(game) {
    const { verdict, end } = this.#controls;
    const turns = game.turns();
    end.hide();
    if (!turns.length || game.topology !== PLANE) {
      const why = turns.length ? say("Reviews are for plane boards.") : say("The first click decided the game: there is nothing to review.");
      verdict.say(why);
      return;
    }
    const report = (done) => verdict.say(say("Reviewing: {done} of {clicks}", { done, clicks: several(turns.length, "click") }));
    try {
      const clicks = await this.#reviewing.ask((signal) => review(this.#service, turns, game.mines, report, signal));
      if (!clicks) return;
      verdict.say(...this.#message);
      const { items, more, worst } = inWords(clicks);
      const density = densityOf(game.position, game.mines);
      const playOn = (at) => button(say("Play on from here"), () => this.#playOn(clicks[at()].before));
      this.#walk.open(
        { title: say("Review of the game"), more, noun: "click", items, controls: (at) => [playOn(at)], list: timeline(clicks, density) },
        worst,
      );
    } catch (error) {
      verdict.say(...this.#message);
      this.#tell(error);
    }
  }
}

/** Whether a game is won or lost. @param {Game} game */
export function isOver({ state }) {
  return state === "won" || state === "lost";
}

/** How a game was lost. @param {import("../shared/undoable-game.js").Move} move @param {string} time */
function fatal([name, row, col], time) {
  const values = { time, cell: cellName(row, col) };
  if (name === "reveal") return say("Lost after {time}: {cell} was a mine.", values);
  return say("Lost after {time}: a flag beside {cell} is wrong, so that opening around it hit a mine.", values);
}
