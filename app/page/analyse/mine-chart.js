/**
 * Layouts by their number of mines, as bars; each is a button that makes its number the total.
 *
 * @module analyse/mine-chart
 */

import { button, make, panel } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { noAnswer } from "../shared/no-answer.js";
import { several, short } from "../shared/numbers.js";
import { setting } from "../shared/rules.js";

/** @typedef {import("../shared/position.js").Position} Position */

/** Bars that are drawn: those around the highest one and the total. */
const MOST_BARS = 30;
/** Parts into which the highest bar is divided. */
const PARTS = 1000n;

/** The panel with the chart. A board with a total is counted without it, when the chart is first seen. */
export class MineChart {
  /** @type {HTMLElement} */
  element;
  #service;
  #choose;
  #latest = new LatestRequest();
  /** @type {Position | null} What is still to be counted. */
  #waiting = null;
  #shown = false;
  #message = make("p", { class: "faint" });
  #bars = make("ol", { class: "bars", "aria-label": say("Layouts by number of mines") });

  /**
   * @param {import("../shared/minecheck.js").Minecheck} service
   * @param {(mines: number) => void} choose make a number of mines the total
   */
  constructor(service, choose) {
    [this.#service, this.#choose] = [service, choose];
    this.element = panel(say("Layouts by number of mines"), this.#message, this.#bars);
    this.element.classList.add("mine-chart");
    this.about(null, null);
  }

  /**
   * Another board, or more is known of it.
   *
   * @param {Position | null} position
   * @param {{consistent: boolean | null, by_mines?: Object<string, bigint> | null} | null} answer
   */
  about(position, answer) {
    this.#latest.end();
    this.#waiting = null;
    this.#bars.replaceChildren();
    this.#message.textContent = "";
    this.element.hidden = !position || !answer?.consistent;
    if (!position || !answer?.consistent) return;
    if (position.mines === null && answer.by_mines) this.#draw(answer.by_mines, null);
    else this.#waiting = position;
    if (this.#shown) this.#count();
  }

  /** The chart comes into sight, or goes out of it. @param {boolean} shown */
  seen(shown) {
    this.#shown = shown;
    if (shown) this.#count();
  }

  async #count() {
    if (this.#waiting === null) return;
    const position = this.#waiting;
    this.#waiting = null;
    this.#message.textContent = say("Counting layouts with any number of mines …");
    try {
      const options = { by_mines: true, ...setting(position) };
      const answer = await this.#latest.ask((signal) => this.#service.count(position.rows, { ...options, signal }));
      if (answer === undefined) return;
      if (answer.by_mines) this.#draw(answer.by_mines, position.mines);
      else this.#message.textContent = say("They could not be counted by number of mines in time.");
    } catch (error) {
      const again = () => {
        this.#waiting = position;
        this.#count();
      };
      this.#message.replaceChildren(...noAnswer(error, again));
    }
  }

  /** @param {Object<string, bigint>} byMines @param {number | null} total */
  #draw(byMines, total) {
    const counted = Object.entries(byMines).map(([mines, count]) => ({ mines: Number(mines), count: BigInt(count) }));
    const highest = counted.reduce((best, one) => (one.count > best.count ? one : best), { mines: 0, count: 1n });
    const shown = around(counted, highest.mines, total);
    const left = counted.length - shown.length;
    const most = say("Most layouts have {mines}. Choose a bar to make its number the total.", { mines: several(highest.mines, "mine") });
    this.#message.textContent = left ? `${most} ${omitted(left)}` : most;
    this.#bars.replaceChildren(...shown.map((one) => make("li", {}, this.#bar(one, highest.count, total))));
  }

  #bar({ mines, count }, highest, total) {
    const text = say("{mines}: {layouts}", { mines: several(mines, "mine"), layouts: several(count, "layout") });
    const bar = make("span", { class: "bar-fill", "aria-hidden": "true" });
    bar.style.setProperty("--part", String(Number((PARTS * count) / highest) / Number(PARTS)));
    const given = { class: "bar-line", "aria-label": text, "aria-pressed": String(mines === total) };
    const line = button("", () => this.#choose(mines), given);
    line.append(make("span", { class: "bar-name" }, String(mines)), bar, make("span", { class: "bar-count" }, short(count)));
    return line;
  }
}

/** That bars are left out. @param {number} count */
function omitted(count) {
  const values = { numbers: several(count, "number") };
  return count === 1
    ? say("{numbers} of mines with fewer layouts is left out.", values)
    : say("{numbers} of mines with fewer layouts are left out.", values);
}

/** The bars around the highest, and around the total if that is far from it. */
function around(counted, highest, total) {
  if (counted.length <= MOST_BARS) return counted;
  const middle = total ?? highest;
  const far = ({ mines }) => Math.min(Math.abs(mines - middle), Math.abs(mines - highest));
  const limit = counted.map(far).toSorted((one, other) => one - other)[MOST_BARS - 1];
  return counted.filter((one) => far(one) < limit).slice(0, MOST_BARS);
}
