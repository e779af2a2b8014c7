/**
 * The tab Analyse: draw or paste a board, and see all that is known of it.
 *
 * @module analyse/tab
 */

import { ChanceList } from "../shared/chance-list.js";
import { chancesOf } from "../shared/chances.js";
import { button, enable, field, make, panel, select } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { LayeredBoard, marked, merged } from "../shared/layered-board.js";
import { Layouts } from "../shared/layouts.js";
import { PositionHistory } from "../shared/position-history.js";
import { fromParameters, toParameters } from "../shared/position-link.js";
import { changed } from "../shared/position.js";
import { savePosition, savedPosition } from "../shared/saved-position.js";
import { PLANE, setting } from "../shared/topology.js";
import { Circuit } from "./circuit.js";
import { Composition } from "./composition.js";
import { Editor } from "./editor.js";
import { Explanation } from "./explanation.js";
import { exports } from "./export.js";
import { FullMap } from "./full-map.js";
import { Import } from "./import.js";
import { Verdict, marksOf } from "./verdict.js";

/** @typedef {import("../main.js").Context} Context */
/** @typedef {import("../shared/position.js").Position} Position */

/** Milliseconds without another change before the service is asked. */
const PAUSE = 200;
const NARROW = "(max-width: 63.99rem)";

/** @type {Object<string, {rows: string[], mines: number | null, topology?: string}>} */
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
  "Hexagons": {
    rows: ["?11????", "2???11?", "2??21??", "?4?????", "1???110", "?0?0?00"],
    mines: 9,
    topology: "hexagonal",
  },
  "A torus": { rows: ["?1?23?", "2??2??", "?322??", "2????2", "??1?2?", "??01??"], mines: 7, topology: "torus" },
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
  const tab = new Analyse(element, context, savedPosition() ?? { ...example, density: null });
  tab.open(context.parameters()).then(() => tab.ask());
  context.onParameters((parameters) => tab.open(parameters));
  return { shown: () => tab.shown(), hidden: () => tab.hidden() };
}

/** The tab: it asks whenever the board changes, and hands the answer to its parts. */
class Analyse {
  #context;
  #history;
  #host;
  #board;
  #editor;
  #verdict;
  #layouts;
  #explanation;
  #import;
  #map;
  #composition;
  #circuit;
  #chances;
  #latest = new LatestRequest();
  #opening = new LatestRequest();
  /** @type {any} */
  #answer = null;
  #visible = true;
  #heat = make("input", { type: "checkbox", checked: true, name: "heat" });
  #strips = button("Strips of this board", () => this.#context.go("#strips"));

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
    this.#host = host;
    this.#history = new PositionHistory(position);
    this.#board = new LayeredBoard(frame, { label: "Board to analyse", drag: true });
    this.#layouts = new Layouts(service, this.#board, () => this.#explanation.end());
    this.#explanation = new Explanation(service, this.#board);
    this.#verdict = new Verdict({
      service,
      board: this.#board,
      tell,
      why: () => this.#explanation.conflict(),
      reasons: () => this.#explanation.conflicts(),
      again: () => this.ask(),
      fix: (repair) => this.#fix(repair),
    });
    this.#import = new Import(element, service);
    this.#import.addEventListener("read", ({ detail }) => this.#read(detail));
    this.#map = new FullMap(service, context.go, (position) => this.#history.change(position));
    this.#composition = new Composition(service, this.#board, (rows) => this.#history.change({ rows }));
    this.#circuit = new Circuit(service, (position) => this.#history.change(position));
    this.#chances = new ChanceList((cell) => this.#point(cell));
    const look = (row, col) => this.#look(row, col);
    this.#editor = new Editor(this.#history, this.#board, { host, look, tell });
    this.#heat.addEventListener("change", () => this.#mark());
    this.#history.addEventListener("change", () => {
      tell("");
      this.#analysed(PAUSE);
    });
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
      if (examples.value) this.#history.change({ density: null, topology: PLANE, ...EXAMPLES[examples.value] });
      this.#import.say("");
      examples.value = "";
    });
    const strips = this.#strips;
    const shown = make("div", { class: "bar shown" }, field("Heat map", this.#heat), field("Examples", examples), strips);
    const copies = panel("Copy and save", exports(() => this.#history.position, this.#board, this.#context));
    copies.classList.add("copies");
    element.classList.add("analyse");
    element.append(
      make("h1", { class: "unseen" }, "Analyse a board"),
      this.#import.element,
      make(
        "div",
        { class: "beside" },
        make("div", { class: "drawn" }, this.#editor.element, host, shown, keys()),
        make(
          "div",
          { class: "answers" },
          this.#verdict.element,
          this.#map.element,
          this.#explanation.element,
          this.#chances.element,
          this.#layouts.element,
          this.#composition.element,
          this.#circuit.element,
          copies,
        ),
      ),
    );
  }

  /** Put what was read in place of the board. @param {import("./import.js").Found} found */
  async #read({ rows, mines, density = null, first = null }) {
    const { position } = this.#history;
    const alike = rows.length === position.rows.length && rows[0].length === position.rows[0].length;
    const total = mines === undefined && alike ? position.mines : (mines ?? null);
    if (position.mines !== null && total === null) this.#import.add('"Mines in all" is empty now.');
    else if (mines === undefined && total !== null) this.#import.add(`"Mines in all" is still ${total}.`);
    this.#history.change({ rows, mines: total, density });
    if ((position.topology ?? PLANE) === PLANE) this.#map.about(rows, first);
    // On small screens the answer follows the board.
    this.#host.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
  }

  #point(cell) {
    this.#board.overlay(cell && { marks: new Map(marked([cell], { selected: true })) });
  }

  /** Ask about the board as it is now. */
  async #analysed(pause = 0) {
    const { position } = this.#history;
    this.#begin(position);
    try {
      const { rows, mines, density } = position;
      const question = (signal) => this.#context.service.analyze(rows, { mines, density, ...setting(position), signal });
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
    const plane = (position.topology ?? PLANE) === PLANE;
    enable(this.#strips, plane, "Strips are cut out of plane boards.");
    this.#map.about(plane ? position.rows : []);
    this.#composition.about(position);
    // Clues are chosen, and circuits laid, on plane boards.
    this.#composition.element.hidden = !plane;
    this.#circuit.about(plane ? position.rows : []);
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
    const { rows, topology } = this.#history.position;
    const chances = this.#heat.checked ? chancesOf(rows, this.#answer?.probabilities ?? [], topology) : null;
    this.#board.show(rows, merged(marksOf(this.#answer, chances), this.#circuit.marks), topology);
    this.#chances.show(chances);
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
    this.#board.focus(...repair[0].clue);
  }
}

function keys() {
  return make(
    "p",
    { class: "faint hint" },
    "Keys: arrows move; 0–8 ? B S F write and move on; Backspace goes back; Enter uses the brush. Draw: left for numbers, right for mines, wheel to change.",
  );
}
