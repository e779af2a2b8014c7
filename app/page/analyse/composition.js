/**
 * The fewest clues that keep what a board tells, shown on it.
 *
 * @module analyse/composition
 */

import { button, field, make, panel, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { marked } from "../shared/layered-board.js";
import { several } from "../shared/numbers.js";
import { showProblem } from "../shared/problem-words.js";

/** @typedef {import("../shared/position.js").Position} Position */

/** What may be kept of a layout beside that it is the only one, by the hardest step it may need. */
const SOLVABLE = [
  ["trivial", say("that single clues solve it")],
  ["subset", say("that comparing clues solves it")],
  ["bounds", say("that combining clues solves it")],
  ["look-ahead", say("that single assumptions solve it")],
];
const SYMMETRIES = [
  ["none", say("none")],
  ["half-turn", say("half turn")],
  ["quarter-turn", say("quarter turn")],
  ["left-right", say("left and right")],
  ["top-bottom", say("top and bottom")],
];

/** The panel that chooses clues. */
export class Composition {
  /** @type {HTMLElement} */
  element;
  #service;
  #board;
  #take;
  /** @type {Position} */
  #position;
  #latest = new LatestRequest();
  #keep = select([["", say("everything on the board")], ...SOLVABLE], { name: "keep" });
  #symmetry = select(SYMMETRIES, { name: "symmetry" });
  #message = make("div", { role: "status" });

  /**
   * @param {import("../shared/minecheck.js").Minecheck} service
   * @param {import("../shared/layered-board.js").LayeredBoard} board
   * @param {(rows: string[]) => void} take the composed board in place of this one
   */
  constructor(service, board, take) {
    [this.#service, this.#board, this.#take] = [service, board, take];
    this.element = panel(
      say("Fewest clues"),
      make("div", { class: "bar" }, field(say("Keep"), this.#keep), field(say("Symmetry"), this.#symmetry)),
      make("div", { class: "bar" }, button(say("Choose the fewest clues"), () => this.#compose())),
      this.#message,
    );
    this.element.classList.add("composition");
  }

  /** Another board. @param {Position} position */
  about(position) {
    this.#position = position;
    this.#latest.end();
    this.element.setAttribute("aria-busy", "false");
    this.#message.replaceChildren();
    const { rows } = position;
    // Only where every cell is known there is something to be solved.
    const whole = !/[?F]/.test(rows.join(""));
    for (const option of this.#keep.options) option.disabled = option.value !== "" && !whole;
    if (!whole) this.#keep.value = "";
    this.#symmetry.options[2].disabled = rows.length !== rows[0].length;
    if (this.#symmetry.selectedOptions[0].disabled) this.#symmetry.value = "none";
  }

  async #compose() {
    const { rows, mines } = this.#position;
    const difficulty = this.#keep.value;
    const keep = difficulty ? { keep: "solvable", difficulty } : {};
    const options = { mines, symmetry: this.#symmetry.value, ...keep };
    this.element.setAttribute("aria-busy", "true");
    this.#message.replaceChildren(make("p", { class: "faint" }, say("Looking for the fewest clues …")));
    try {
      const answer = await this.#latest.ask((signal) => this.#service.compose(rows, { signal, ...options }));
      if (answer) this.#show(answer);
      else return;
    } catch (error) {
      showProblem(this.#message, error);
    }
    this.element.setAttribute("aria-busy", "false");
  }

  #show({ enough, kept, removed, board, clues, optimal, lower_bound: least }) {
    if (enough === false) {
      this.#message.replaceChildren(say("Even all the clues that may be kept are not enough."));
      return;
    }
    if (kept === null) {
      this.#message.replaceChildren(say("No clues were chosen in time."));
      return;
    }
    const proof = optimal ? say("Optimal: no fewer are enough.") : say("At least {count} are needed.", { count: least });
    const { rows } = this.#position;
    const marks = new Map([...marked(kept, { kind: "kept" }), ...marked(removed, { kind: "spare" })]);
    const show = () => this.#board.overlay({ rows, marks });
    this.#message.replaceChildren(
      make("p", {}, [say("{count} of {clues} kept.", { count: kept.length, clues: several(clues, "clue") }), proof].join(" ")),
      make(
        "div",
        { class: "bar" },
        button(say("Show them"), show),
        button(say("Back to all clues"), () => this.#board.overlay(null)),
        button(say("Use only these clues"), () => this.#take(board)),
      ),
    );
    show();
  }
}
