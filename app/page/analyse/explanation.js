/**
 * Why a cell is forced, or a board inconsistent: steps that are shown on the board.
 *
 * @module analyse/explanation
 */

import { cellName } from "../shared/board.js";
import { button, make, panel } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { layoutOverlay, marked, merged } from "../shared/layered-board.js";
import { MinecheckIncomplete } from "../shared/minecheck.js";
import { several } from "../shared/numbers.js";
import { capital, difficulty, forcing, noLayoutFits } from "../shared/phrases.js";
import { stepInWords } from "../shared/proof-in-words.js";
import { inWords } from "../shared/problem-words.js";
import { setting } from "../shared/rules.js";

/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {import("../shared/position.js").Position} Position */

/** Sets of clues that are listed. */
const MOST_CONFLICTS = 50;

/** What is said of sets of clues, by whether there may be more. @type {Object<string, (sets: string) => string>} */
const ENDED = {
  all: (sets) => say("{sets} of clues of which none can be dropped:", { sets }),
  more: (sets) => say("{sets} of clues of which none can be dropped, and there are more:", { sets }),
  "perhaps more": (sets) => say("{sets} of clues of which none can be dropped, and there may be more:", { sets }),
  "so far": (sets) => say("{sets} of clues of which none can be dropped so far:", { sets }),
};

/** The panel with explanations. */
export class Explanation {
  /** @type {HTMLElement} */
  element;
  #service;
  #board;
  /** @type {Position} */
  #position;
  #latest = new LatestRequest();
  #content = make("div", { "aria-live": "polite" });

  /**
   * @param {import("../shared/minecheck.js").Minecheck} service
   * @param {import("../shared/layered-board.js").LayeredBoard} board
   */
  constructor(service, board) {
    [this.#service, this.#board] = [service, board];
    this.element = panel(say("Why?"), this.#content);
    this.element.classList.add("why");
  }

  /** The question under way does not matter any more. */
  end() {
    this.#latest.end();
    this.element.setAttribute("aria-busy", "false");
  }

  /** Another board. @param {Position} position */
  about(position) {
    this.#position = position;
    this.end();
    this.#content.replaceChildren(
      make("p", { class: "faint" }, say("Look at an unknown cell to see what is known about it, and why.")),
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
      this.#board.overlay(null);
      return;
    }
    this.#board.overlay({ marks: new Map([[`${row},${col}`, { selected: true }]]) });
    const answer = await this.#ask({ cell: [row, col] });
    if (!answer) return;
    if (answer.consistent === false) this.#conflict(answer);
    else if (answer.explanations?.length) this.#explanation(answer.explanations[0], [row, col]);
    else this.#open(answer, [row, col]);
    this.#show();
  }

  /** Explain why the board is inconsistent. */
  async conflict() {
    const answer = await this.#ask({});
    if (!answer) return;
    this.#conflict(answer);
    this.#show();
  }

  /** List all sets of clues that contradict each other, as they are found. */
  async conflicts() {
    let found = 0;
    const says = make("p", {}, say("Looking for sets of clues that contradict each other."));
    this.#content.replaceChildren(says);
    const add = this.#list([], { rows: this.#position.rows });
    this.#show();
    const tell = (ended) => {
      says.textContent = found ? ENDED[ended](several(found, "set")) : say("No set of clues was found in time.");
    };
    // One more than are listed, to know whether there are more.
    const ended = await this.#askService({ limit: MOST_CONFLICTS + 1 }, async (rows, request) => {
      try {
        for await (const conflict of this.#service.conflictsStream(rows, request)) {
          if (found === MOST_CONFLICTS) return "more";
          found += 1;
          add({ text: inClues(conflict), marks: marked(conflict.clues, { kind: "conflict" }) });
          tell("so far");
        }
        return "all";
      } catch (error) {
        if (error instanceof MinecheckIncomplete) return "perhaps more";
        throw error;
      }
    });
    if (ended === undefined) return;
    tell(ended);
    this.#show();
  }

  /** Bring it into sight: it may lie below a long list of repairs. */
  #show() {
    this.element.scrollIntoView({ block: "nearest" });
  }

  #ask(options) {
    return this.#askService(options, (rows, request) => this.#service.explain(rows, request));
  }

  /** What a question about the board finds; undefined where it does not matter any more, or fails, which is said. */
  async #askService(options, question) {
    const { rows, mines } = this.#position;
    this.element.setAttribute("aria-busy", "true");
    try {
      const answer = await this.#latest.ask((signal) => question(rows, { mines, ...setting(this.#position), signal, ...options }));
      if (answer !== undefined) this.element.setAttribute("aria-busy", "false");
      return answer;
    } catch (error) {
      this.element.setAttribute("aria-busy", "false");
      this.#say(...inWords(error));
      return undefined;
    }
  }

  #explanation({ cells, value, difficulty: name, steps, reasons }, [row, col]) {
    this.#say([forcedCells(cells.length, value, capital(cellName(row, col))), forcing(reasons), difficulty(name)].join(" "));
    const end = marked(cells, { kind: value, label: say("to be explained") });
    const all = [...marked(reasons?.clues ?? [], { kind: "reason" }), ...end];
    this.#steps(steps, all, { throughout: marked([[row, col]], { selected: true }) });
  }

  #open({ either }, [row, col]) {
    if (!either) {
      this.#say(say("It was not decided in time."));
      return;
    }
    this.#say(say("{cell} is not forced: there are layouts with a mine in it, and without.", { cell: capital(cellName(row, col)) }));
    const selection = marked([[row, col]], { selected: true });
    const shows = (text, layout) => {
      const { rows, marks } = layoutOverlay(this.#position.rows, layout);
      return button(text, () => this.#board.overlay({ rows, marks: merged(marks ?? [], selection) }));
    };
    const back = button(say("Back to the board"), () => this.#board.overlay(null));
    const bar = [shows(say("A layout with a mine"), either.mine), shows(say("A layout without"), either.safe), back];
    this.#content.append(make("div", { class: "bar" }, ...bar));
  }

  #conflict({ steps, conflict, solver }) {
    if (!steps && !solver.complete) {
      this.#say(say("It was not explained in time."));
      return;
    }
    this.#say(noLayoutFits(conflict));
    const clues = marked(conflict?.clues ?? [], { kind: "conflict" });
    // In place of the conflict of the analysis, which may be a larger one.
    this.#steps(steps, clues, { rows: this.#position.rows, throughout: clues });
  }

  #say(...parts) {
    this.#content.replaceChildren(make("p", {}, ...parts));
  }

  /**
   * The steps; before one is chosen the board shows `all`, and `throughout` with each of them.
   *
   * @param {any[] | null | undefined} steps of an answer
   * @param {[string, Mark][]} all
   * @param {{rows?: string[], throughout?: [string, Mark][]}} [how]
   */
  #steps(steps, all, { rows, throughout = [] } = {}) {
    this.#board.overlay({ rows, marks: merged(all, throughout) });
    if (!steps?.length) return;
    const shown = steps.map((step) => ({ text: stepInWords(step, this.#position.rows), marks: highlights(step) }));
    this.#list(shown, { rows, throughout });
  }

  /**
   * Texts to choose from, each with what it marks; what adds one more.
   *
   * @param {{text: string, marks: Iterable<[string, Mark]>}[]} shown
   * @param {{rows?: string[], throughout?: [string, Mark][]}} how
   */
  #list(shown, { rows, throughout = [] }) {
    const steps = [];
    const list = make("ol", { class: "steps" });
    const add = ({ text, marks }) => {
      const choose = () => {
        for (const other of steps) other.setAttribute("aria-pressed", String(other === step));
        this.#board.overlay({ rows, marks: merged(throughout, marks) });
      };
      const step = button(text, choose, { class: "step", "aria-pressed": "false" });
      steps.push(step);
      list.append(make("li", {}, step));
    };
    shown.forEach(add);
    this.#content.append(list);
    return add;
  }
}

/** Which cells are the same in every layout. @param {number} count @param {string} value @param {string} name of the first */
function forcedCells(count, value, name) {
  if (count === 1) return value === "mine" ? say("{cell} is a mine in every layout.", { cell: name }) : say("{cell} is safe in every layout.", { cell: name });
  return value === "mine"
    ? say("These {count} cells are mines in every layout.", { count })
    : say("These {count} cells are safe in every layout.", { count });
}

/** A conflict in words. */
function inClues({ clues, total }) {
  const named = [...clues.map((clue) => cellName(...clue)), ...(total ? [say("the total of mines")] : [])];
  return capital(named.join(say("; ")));
}

/** The clue of a step, and the cells that it is about. */
function highlights({ clue, cells, low, high }) {
  const kind = low === cells.length ? "mine" : high === 0 ? "safe" : "target";
  return new Map([
    ...marked(cells, { kind, label: say("in this step") }),
    ...marked(!clue ? [] : [clue], { kind: "reason" }),
  ]);
}
