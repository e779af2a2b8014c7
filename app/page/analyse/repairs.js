/**
 * Repairs of an inconsistent board: the fewest clues to change, each a button that shows what it would do.
 *
 * @module analyse/repairs
 */

import { cellName } from "../shared/board.js";
import { button, make, panel, whileAt } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { marked } from "../shared/layered-board.js";
import { several } from "../shared/numbers.js";
import { inWords } from "../shared/problem-words.js";
import { formatClue, setting } from "../shared/rules.js";

/** @typedef {import("../shared/position.js").Position} Position */
/** @typedef {{clue: number[], was: number | null, number: number}[]} Repair */

/** The panel with the repairs, hidden for other boards. */
export class Repairs {
  /** @type {HTMLElement} */
  element;
  #service;
  #board;
  #fix;
  #latest = new LatestRequest();
  #offers = make("div", {});

  /**
   * @param {import("../shared/minecheck.js").Minecheck} service
   * @param {import("../shared/layered-board.js").LayeredBoard} board
   * @param {(repair: Repair) => void} fix make a repair
   */
  constructor(service, board, fix) {
    [this.#service, this.#board, this.#fix] = [service, board, fix];
    this.element = panel(say("Repairs"), this.#offers);
    this.element.classList.add("repairs");
    this.forget();
  }

  /** Another board. */
  forget() {
    this.#latest.end();
    this.element.hidden = true;
    this.#offers.replaceChildren();
  }

  /** What to change on a board that is inconsistent. @param {Position} position */
  async about(position) {
    const { rows, mines } = position;
    this.element.hidden = false;
    this.#offers.replaceChildren(make("p", { class: "faint" }, say("Looking for repairs …")));
    try {
      const answer = await this.#latest.ask((signal) => this.#service.repair(rows, { mines, ...setting(position), signal }));
      if (answer !== undefined) this.#offers.replaceChildren(...this.#found(answer, position.rules));
    } catch (error) {
      this.#offers.replaceChildren(make("p", {}, ...inWords(error)));
    }
  }

  #found({ repairs, repairable, more, changes }, rules) {
    if (repairable === false) {
      return [make("p", {}, say("Changing clues cannot repair it: the known cells and the total of mines contradict each other."))];
    }
    if (!repairs?.length) return [make("p", { class: "warning" }, say("No repair was found in time."))];
    const offers = repairs.map((repair) => make("li", {}, this.#offer(repair, rules)));
    const values = { changes: several(changes ?? repairs[0].length, "change") };
    const least = more ? say("It takes {changes}; there may be more ways:", values) : say("It takes {changes}:", values);
    return [make("p", {}, least), make("ul", { class: "steps" }, ...offers)];
  }

  /** A button that points out what it would change while it has the pointer or the keyboard. */
  #offer(repair, rules) {
    const clues = repair.map(({ clue }) => clue);
    /** @type {{cover: any} | null} */
    let back = null;
    const show = () => {
      back ??= { cover: this.#board.overlaid };
      this.#board.overlay({ marks: new Map(marked(clues, { kind: "target" })) });
    };
    const hide = () => {
      if (back !== null) this.#board.overlay(back.cover);
      back = null;
    };
    const applied = () => {
      back = null;
      this.#board.overlay(null);
      this.#fix(repair);
    };
    return button(repairWords(repair, rules), applied, { class: "step", ...whileAt(show, hide) });
  }
}

/** @param {Repair} repair @param {import("../shared/rules.js").Rules} [rules] */
function repairWords(repair, rules) {
  // Clues that are not digits have no number in the answer.
  const shown = (clue, was) => was ?? formatClue(rules?.clues?.[clue.join()] ?? "");
  const words = repair.map(({ clue, was, number }) => say("the {was} at {cell} to {number}", { was: shown(clue, was), cell: cellName(...clue), number }));
  return say("Change {clues}", { clues: words.join(say(", and ")) });
}
