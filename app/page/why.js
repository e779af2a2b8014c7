/**
 * Why a cell is forced, or a board inconsistent: steps that can be walked on the board.
 *
 * @module why
 */

import { placeName } from "./board.js";
import { button, panel } from "./elements.js";
import { graded } from "./explanation.js";
import { Latest } from "./latest.js";
import { make } from "./make.js";
import { several } from "./numbers.js";
import { inWords } from "./service.js";
import { laidOut, marked } from "./sheet.js";
import { cannotHold } from "./words.js";

/** @typedef {import("./position.js").Position} Position */

/** The panel with explanations. */
export class Why {
  /** @type {HTMLElement} */
  element;
  #service;
  #sheet;
  /** @type {Position} */
  #position;
  #latest = new Latest();
  #content = make("div", { "aria-live": "polite" });

  /**
   * @param {import("./minecheck.js").Minecheck} service
   * @param {import("./sheet.js").Sheet} sheet
   */
  constructor(service, sheet) {
    [this.#service, this.#sheet] = [service, sheet];
    this.element = panel("Why?", this.#content);
    this.element.classList.add("why");
  }

  /** What is asked does not matter any more. */
  end() {
    this.#latest.end();
    this.element.setAttribute("aria-busy", "false");
  }

  /** Another board. @param {Position} position */
  about(position) {
    this.#position = position;
    this.end();
    this.#content.replaceChildren(
      make("p", { class: "faint" }, "Look at an unknown cell to see what is known of it, and why."),
    );
  }

  /**
   * Explain a cell; of an inconsistent board, the conflict.
   *
   * @param {number} row
   * @param {number} col
   */
  async cell(row, col) {
    if (!"?F".includes(this.#position.rows[row][col])) {
      this.about(this.#position);
      this.#sheet.cover(null);
      return;
    }
    this.#sheet.cover({ marks: new Map([[`${row},${col}`, { kind: "selected" }]]) });
    const answer = await this.#ask({ cell: [row, col] });
    if (!answer) return;
    if (answer.consistent === false) this.#conflict(answer);
    else if (answer.explanations?.length) this.#explanation(answer.explanations[0], [row, col]);
    else this.#open(answer, [row, col]);
  }

  /** Explain why the board is inconsistent. */
  async conflict() {
    const answer = await this.#ask({});
    if (answer) this.#conflict(answer);
  }

  async #ask(options) {
    const { rows, mines } = this.#position;
    this.element.setAttribute("aria-busy", "true");
    try {
      const answer = await this.#latest.ask((signal) =>
        this.#service.explain(rows, { mines, signal, ...options }),
      );
      if (answer !== undefined) this.element.setAttribute("aria-busy", "false");
      return answer;
    } catch (error) {
      this.element.setAttribute("aria-busy", "false");
      this.#say(inWords(error));
      return undefined;
    }
  }

  #explanation({ cells, value, difficulty, steps, reasons, reasons_mines: total }, [row, col]) {
    const clues = reasons === null ? "" : ` ${reasonsOf(reasons, total)}`;
    const one = cells.length === 1;
    const names = one ? `${sentence(placeName(row, col))} is` : `These ${cells.length} cells are`;
    const mine = one ? "a mine" : "mines";
    this.#say(`${names} ${value === "mine" ? mine : "safe"} in every layout.${clues} ${graded(difficulty)}`);
    const end = marked(cells, { kind: value, label: "to be explained" });
    this.#steps(steps, [...marked(reasons ?? [], { kind: "reason" }), ...end]);
  }

  #open({ either }, [row, col]) {
    if (!either) {
      this.#say("It was not decided in time.");
      return;
    }
    const name = sentence(placeName(row, col));
    this.#say(`${name} is not forced: there are layouts with a mine in it, and without.`);
    const shows = (text, layout) =>
      button(text, () => this.#sheet.cover(laidOut(this.#position.rows, layout)));
    const back = button("Back to the board", () => this.#sheet.cover(null));
    const bar = [shows("One with a mine", either.mine), shows("One without", either.safe), back];
    this.#content.append(make("div", { class: "bar" }, ...bar));
  }

  #conflict({ steps, conflict, conflict_mines: total, solver }) {
    if (steps === null && !solver.complete) {
      this.#say("It was not explained in time.");
      return;
    }
    const clash = conflict === null ? "" : reasonsOf(conflict, total, `${cannotHold(conflict, total)}.`);
    this.#say(`No layout fits. ${clash}`);
    const clues = marked(conflict ?? [], { kind: "conflict" });
    // In place of the conflict that the analysis has found, which may be a larger one.
    this.#steps(steps, clues, { rows: this.#position.rows, throughout: clues });
  }

  #say(text) {
    this.#content.replaceChildren(make("p", {}, text.trim()));
  }

  /** The steps; before one is chosen the board shows `all`, and `throughout` with each of them. */
  #steps(steps, all, { rows, throughout = [] } = {}) {
    this.#sheet.cover({ rows, marks: new Map(all) });
    if (!steps?.length) return;
    const buttons = steps.map((step, place) =>
      button(step.text, () => choose(place), { class: "step", "aria-pressed": "false" }),
    );
    const choose = (chosen) => {
      buttons.forEach((other, place) => other.setAttribute("aria-pressed", String(place === chosen)));
      this.#sheet.cover({ rows, marks: new Map([...throughout, ...highlights(steps[chosen])]) });
    };
    this.#content.append(make("ol", { class: "steps" }, ...buttons.map((step) => make("li", {}, step))));
  }
}

/** The clue of a step, and the cells that it tells about. */
function highlights({ clue, cells, low, high }) {
  const kind = low === cells.length ? "mine" : high === 0 ? "safe" : "target";
  return new Map([
    ...marked(cells, { kind, label: "in this step" }),
    ...marked(clue === null ? [] : [clue], { kind: "reason" }),
  ]);
}

function reasonsOf(clues, total, end = clues.length === 1 && !total ? "forces it." : "force it.") {
  const parts = [];
  if (clues.length) parts.push(several(clues.length, "clue"));
  if (total) parts.push("the total of mines");
  return parts.length ? sentence(`${parts.join(" and ")} ${end}`) : "";
}

function sentence(text) {
  return text[0].toUpperCase() + text.slice(1);
}
