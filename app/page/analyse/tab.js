/**
 * The tab Analyse: draw or paste a board, and see all that is known of it.
 *
 * @module analyse/tab
 */

import { button, field, make, panel, select } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { LayeredBoard } from "../shared/layered-board.js";
import { Layouts } from "../shared/layouts.js";
import { PositionHistory } from "../shared/position-history.js";
import { fromParameters, toParameters } from "../shared/position-link.js";
import { changed } from "../shared/position.js";
import { savePosition, savedPosition } from "../shared/saved-position.js";
import { Editor } from "./editor.js";
import { Explanation } from "./explanation.js";
import { exports } from "./export.js";
import { Import } from "./import.js";
import { Verdict, marksOf } from "./verdict.js";

/** @typedef {import("../main.js").Context} Context */
/** @typedef {import("../shared/position.js").Position} Position */

/** Milliseconds without another change before the service is asked. */
const PAUSE = 200;

/** @type {Object<string, {rows: string[], mines: number | null}>} */
const EXAMPLES = {
  "A game with 22 mines": {
    rows: [
      "??????100000",
      "??????211110",
      "??22?3?11?10",
      "??1112122321",
      "??100002?3?1",
      "??212112?421",
      "??3?2?333?10",
      "???322??2110",
      "???201221000",
    ],
    mines: 22,
  },
  "A contradiction": { rows: ["11?", "???", "3??"], mines: null },
  "The total decides": { rows: ["?1??"], mines: 1 },
  "Two rows, of Hu and Lin": { rows: ["?2", "B?"], mines: null },
  "A row for Kadlac": { rows: ["?1?2??1?"], mines: null },
  "A lattice": {
    rows: Array.from({ length: 11 }, (_, row) => (row % 2 ? `${"?3".repeat(5)}?` : "?".repeat(11))),
    mines: null,
  },
};

/**
 * @param {HTMLElement} element
 * @param {Context} context
 */
export function start(element, context) {
  const [example] = Object.values(EXAMPLES);
  const tab = new Analyse(element, context, savedPosition() ?? { ...example, notation: "standard" });
  tab.open(context.parameters()).then(() => tab.ask());
  context.onParameters((parameters) => tab.open(parameters));
  return { shown: () => tab.shown(), hidden: () => tab.hidden() };
}

/** The tab: it asks whenever the board changes, and hands the answer to its parts. */
class Analyse {
  #context;
  #history;
  #board;
  #editor;
  #verdict;
  #layouts;
  #explanation;
  #import;
  #latest = new LatestRequest();
  #opening = new LatestRequest();
  #answer = null;
  #visible = true;
  #heat = make("input", { type: "checkbox", checked: true, name: "heat" });

  /**
   * @param {HTMLElement} element
   * @param {Context} context
   * @param {Position} position
   */
  constructor(element, context, position) {
    const { service, tell } = context;
    this.#context = context;
    const frame = make("div", {});
    const host = make("div", { class: "board-host" }, frame);
    this.#history = new PositionHistory(position);
    this.#board = new LayeredBoard(frame, { label: "Board to analyse", drag: true });
    this.#layouts = new Layouts(service, this.#board, () => this.#explanation.end());
    this.#explanation = new Explanation(service, this.#board);
    this.#verdict = new Verdict({
      service,
      board: this.#board,
      tell,
      why: () => this.#explanation.conflict(),
      again: () => this.ask(),
      fix: (repair) => this.#fix(repair),
    });
    this.#import = new Import(this.#history, service);
    const look = (row, col) => this.#look(row, col);
    this.#editor = new Editor(this.#history, this.#board, { host, look, tell });
    this.#heat.addEventListener("change", () => this.#mark());
    this.#history.addEventListener("change", () => this.#analysed(PAUSE));
    this.#history.addEventListener("notation", () => this.#remember(this.#history.position));
    this.#lay(element, host);
    this.#mark();
  }

  /** Ask about the board as it is. */
  ask() {
    this.#analysed();
  }

  /** The position of a link, if it has one. @param {URLSearchParams} parameters */
  async open(parameters) {
    try {
      const position = await this.#opening.ask(() => fromParameters(parameters));
      if (!position) return;
      this.#import.choose(position.notation);
      this.#history.change(position);
    } catch (error) {
      this.#context.tell(error.message, "problem");
    }
  }

  /** Another tab may have changed the board. */
  shown() {
    this.#visible = true;
    const position = savedPosition();
    if (position !== null) this.#history.change(position);
  }

  hidden() {
    this.#visible = false;
  }

  #lay(element, host) {
    const choices = [["", "Choose …"], ...Object.keys(EXAMPLES).map((name) => [name, name])];
    const examples = select(choices, { name: "example" });
    examples.addEventListener("change", () => {
      if (examples.value) this.#history.change(EXAMPLES[examples.value]);
      examples.value = "";
    });
    const strips = button("Strips of this board", () => this.#context.go("#strips"));
    const options = [field("Examples", examples), field("Heat map", this.#heat), strips];
    const copies = exports(() => this.#history.position, this.#board, this.#context);
    element.classList.add("analyse");
    element.append(
      make("h1", {}, "Analyse a board"),
      make("div", { class: "bar" }, ...options),
      this.#editor.element,
      make(
        "div",
        { class: "beside" },
        make("div", { class: "drawn" }, host, keys()),
        make("div", { class: "answers" }, this.#verdict.element, this.#explanation.element, this.#layouts.element),
      ),
      panel("Copy and save", copies),
      this.#import.element,
    );
  }

  /** Ask about the board as it is now. */
  async #analysed(pause = 0) {
    const { position } = this.#history;
    this.#begin(position);
    try {
      const { rows, mines } = position;
      const question = (signal) => this.#context.service.analyze(rows, { mines, signal });
      const answer = await this.#latest.ask(question, pause);
      if (answer === undefined) return;
      this.#answer = answer;
      this.#verdict.show(answer, position);
      this.#layouts.about(position, answer);
      this.#mark();
    } catch (error) {
      this.#verdict.fail(error);
    }
  }

  #begin(position) {
    this.#answer = null;
    this.#layouts.about(position, null);
    this.#explanation.about(position);
    this.#verdict.wait();
    this.#mark();
    this.#remember(position);
  }

  /** Save the position, and make the address of the page a link to it. */
  async #remember(position) {
    savePosition(position);
    const parameters = await toParameters(position);
    if (this.#visible && position === this.#history.position) this.#context.stay(parameters);
  }

  #mark() {
    this.#board.show(this.#history.position.rows, marksOf(this.#answer, { heat: this.#heat.checked }));
  }

  #look(row, col) {
    this.#layouts.close();
    this.#explanation.cell(row, col);
  }

  #fix(repair) {
    const { rows } = this.#history.position;
    const changes = repair.map(({ clue: [row, col], number }) => [row, col, String(number)]);
    this.#history.change({ rows: changed(rows, changes) });
    // The button that was pressed is gone.
    this.#board.view.focus(...repair[0].clue);
  }
}

function keys() {
  return make(
    "p",
    { class: "faint hint" },
    "Keys: arrows move; 0–8 ? B S F write and move on; Backspace goes back; Enter uses the brush.",
  );
}
