/**
 * A map: a board on which every mine is known. It can be played, graded, and analysed from a first click.
 *
 * @module analyse/full-map
 */

import { percent } from "../shared/chances.js";
import { button, field, make, panel } from "../shared/elements.js";
import { fewestClicks, gradeInWords } from "../shared/grade-in-words.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { showProblem } from "../shared/problem-words.js";
import { Game, isPlayable, sizeOf } from "../shared/undoable-game.js";

/** @typedef {import("../shared/position.js").Position} Position */
/** @typedef {[row: number, col: number]} Cell */

/** The panel that offers what can be done with a map; hidden for other boards. */
export class FullMap {
  /** @type {HTMLElement} */
  element;
  #service;
  #go;
  #show;
  #latest = new LatestRequest();
  /** @type {string[]} */
  #layout = [];
  #row = make("input", { type: "number", min: 1, name: "first-row" });
  #col = make("input", { type: "number", min: 1, name: "first-col" });
  #message = make("div", { role: "status" });
  #play = button(say("Play it"), () => this.#played());

  /**
   * @param {import("../shared/service.js").Service} service
   * @param {(hash: string) => void} go to another tab
   * @param {(position: Partial<Position>) => void} show a position of the game in place of the map
   */
  constructor(service, go, show) {
    [this.#service, this.#go, this.#show] = [service, go, show];
    this.element = panel(
      say("All mines are known"),
      make("div", { class: "bar" }, make("span", {}, say("First click:")), field(say("row"), this.#row), field(say("column"), this.#col)),
      make(
        "div",
        { class: "bar" },
        this.#play,
        button(say("Grade it"), () => this.#grade()),
        button(say("Analyse from the first click"), () => this.#begin()),
      ),
      this.#message,
    );
    this.element.classList.add("map");
  }

  /**
   * Another board; a file may tell the first click.
   *
   * @param {string[]} rows
   * @param {Cell | null} [first]
   */
  about(rows, first = null) {
    this.#latest.end();
    this.#message.replaceChildren();
    const flat = rows.join("");
    const isMap = flat.includes("B") && /^[0-8B]+$/.test(flat) && /\d/.test(flat);
    this.element.hidden = !isMap;
    if (!isMap) return;
    this.#layout = rows;
    const [row, col] = first ?? likely(rows);
    [this.#row.max, this.#col.max] = [String(rows.length), String(rows[0].length)];
    [this.#row.value, this.#col.value] = [String(row + 1), String(col + 1)];
    this.#play.hidden = !isPlayable(sizeOf(rows));
  }

  /** The first click; null (and said) where there is none, or a mine. @returns {Cell | null} */
  #first() {
    if (![this.#row, this.#col].every((input) => input.reportValidity())) return null;
    const [row, col] = [this.#row.valueAsNumber - 1, this.#col.valueAsNumber - 1];
    if (this.#layout[row]?.[col] !== "B") return [row, col];
    this.#message.replaceChildren(say("There is a mine at the first click: choose another cell."));
    return null;
  }

  #played() {
    const first = this.#first();
    if (first) this.#go(`#play?map=${this.#layout.join(".")}&first=${first}`);
  }

  /** The map without its mines, as the first click leaves it. */
  #begin() {
    const first = this.#first();
    if (!first) return;
    const game = new Game(sizeOf(this.#layout));
    game.deal(this.#layout);
    game.reveal(...first);
    this.#show({ rows: game.position, mines: game.mines, density: null });
  }

  async #grade() {
    const first = this.#first();
    if (!first) return;
    this.element.setAttribute("aria-busy", "true");
    try {
      const options = { layout: this.#layout, first };
      const answer = await this.#latest.ask((signal) => this.#service.ask("grade", options, { signal }));
      if (answer) {
        this.#message.replaceChildren(...this.#graded(answer));
        await this.#addFewestClicks({ ...options, fewest_clicks: true });
      }
    } catch (error) {
      showProblem(this.#message, error);
    }
    this.element.setAttribute("aria-busy", "false");
  }

  /** They take longer than the grade, which is shown meanwhile. */
  async #addFewestClicks(options) {
    const graded = await this.#latest.ask((signal) => this.#service.ask("grade", options, { signal }));
    const clicks = graded && fewestClicks(graded);
    if (clicks) this.#message.append(make("p", {}, say("Fewest clicks with flags and chords: {clicks}.", { clicks })));
  }

  #graded(grade) {
    const { stuck, mines } = grade;
    const { guess, hardest, size } = gradeInWords(grade);
    const facts = [guess, hardest, size].filter(Boolean);
    if (stuck?.win) facts.push(say("Chance to get through with best play: at most {chance}.", { chance: percent(stuck.win.high) }));
    const show = () => this.#show({ rows: stuck.board, mines, density: null });
    const shown = stuck ? [make("div", { class: "bar" }, button(say("Show where it sticks"), show))] : [];
    return [make("p", {}, facts.join(" ")), ...shown];
  }
}

/** A cell that players would open first: without mines around it if there is one, near the middle. @returns {Cell} */
function likely(rows) {
  const cells = rows.flatMap((line, row) => [...line].map((symbol, col) => ({ symbol, row, col })));
  const middle = ({ row, col }) => Math.hypot(row - rows.length / 2, col - rows[0].length / 2);
  const worth = (cell) => (cell.symbol === "B" ? Infinity : middle(cell) + (cell.symbol === "0" ? 0 : cells.length));
  const { row, col } = cells.reduce((best, cell) => (worth(cell) < worth(best) ? cell : best));
  return [row, col];
}
