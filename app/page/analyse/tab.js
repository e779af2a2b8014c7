/**
 * The tab Analyse: draw or paste a board, and see all that is known of it.
 *
 * @module analyse/tab
 */

import { ChanceList } from "../shared/chance-list.js";
import { chancesOf, densityOf } from "../shared/chances.js";
import { button, enable, field, make } from "../shared/elements.js";
import { HeatLegend } from "../shared/heat-legend.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { LayeredBoard, marked, merged } from "../shared/layered-board.js";
import { Layouts } from "../shared/layouts.js";
import { PositionHistory } from "../shared/position-history.js";
import { fromParameters, toParameters } from "../shared/position-link.js";
import { changed } from "../shared/position.js";
import { savePosition, savedPosition } from "../shared/saved-position.js";
import { TabList } from "../shared/tab-list.js";
import { formatClue, hasRules, isExplained, isUsual, setting, withClue, withNumbers } from "../shared/rules.js";
import { Editor } from "./editor.js";
import { ExactChances } from "./exact-chances.js";
import { FIRST, examples } from "./examples.js";
import { Explanation } from "./explanation.js";
import { FullMap } from "./full-map.js";
import { Import } from "./import.js";
import { MineChart } from "./mine-chart.js";
import { Moves } from "./moves.js";
import { PlayOn } from "./play-on.js";
import { Repairs } from "./repairs.js";
import { ToolPanel } from "./tool-panel.js";
import { Verdict, marksOf, weighing } from "./verdict.js";

/** @typedef {import("../main.js").Context} Context */
/** @typedef {import("../shared/position.js").Position} Position */

/** Milliseconds without another change before the service is asked. */
const PAUSE = 200;

/**
 * @param {HTMLElement} element
 * @param {Context} context
 */
export function start(element, context) {
  const tab = new Analyse(element, context, savedPosition() ?? { ...FIRST, density: null });
  tab.open(context.parameters()).then(() => tab.ask());
  context.onParameters(async (parameters) => {
    if (await tab.open(parameters)) tab.begin();
  });
  return { shown: () => tab.shown(), hidden: () => tab.hidden() };
}

/** The tab: it asks whenever the board changes, and hands the answer to its parts. */
class Analyse {
  #context;
  #history;
  #element;
  #board;
  #editor;
  #verdict;
  #moves;
  #repairs;
  #layouts;
  #chart;
  #explanation;
  #import;
  #map;
  #tools;
  #play;
  #chances;
  #exact;
  /** @type {TabList} */
  #tabs;
  #weighing = make("p", { class: "faint weighing" });
  #latest = new LatestRequest();
  #opening = new LatestRequest();
  /** @type {any} */
  #answer = null;
  #visible = true;
  #legend = new HeatLegend();
  #heat = make("input", { type: "checkbox", checked: true, name: "heat" });
  #strips = button(say("Strips of this board"), () => this.#context.go("#strips"));

  /**
   * @param {HTMLElement} element
   * @param {Context} context
   * @param {Position} position
   */
  constructor(element, context, position) {
    const { service, tell } = context;
    [this.#context, this.#element] = [context, element];
    const frame = make("div", {});
    const host = make("div", { class: "board-host" }, frame);
    const point = (cell) => this.#point(cell);
    const put = (part) => this.#history.change(part);
    this.#history = new PositionHistory(position);
    this.#board = new LayeredBoard(frame, { label: say("Board to analyse"), drag: true });
    this.#layouts = new Layouts(service, this.#board, () => this.#explanation.end());
    this.#explanation = new Explanation(service, this.#board);
    this.#play = new PlayOn(context);
    this.#verdict = new Verdict({
      tell,
      why: () => this.#explain(() => this.#explanation.conflict()),
      reasons: () => this.#explain(() => this.#explanation.conflicts()),
      again: () => this.ask(),
      play: this.#play.element,
    });
    this.#moves = new Moves(service, point);
    this.#moves.addEventListener("found", () => this.#verdict.add(this.#moves.facts));
    this.#repairs = new Repairs(service, this.#board, (repair) => this.#fix(repair));
    this.#chart = new MineChart(service, (mines) => put({ mines, density: null }));
    this.#import = new Import(element, service);
    this.#import.addEventListener("read", ({ detail }) => this.#read(detail));
    this.#map = new FullMap(service, context.go, put);
    this.#tools = new ToolPanel({ context, position: () => this.#history.position, board: this.#board, put });
    this.#chances = new ChanceList(point);
    this.#exact = new ExactChances(service);
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

  /** The position of a link. @param {URLSearchParams} parameters @returns {Promise<boolean>} whether it has one */
  async open(parameters) {
    try {
      const position = await this.#opening.ask(() => fromParameters(parameters));
      if (position) this.#history.change(position);
      return Boolean(position);
    } catch (error) {
      this.#context.tell(error.message, "problem");
      return false;
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
    const shown = make("div", { class: "bar shown" }, field(say("Heat map"), this.#heat), this.#legend.element, this.#strips);
    const stack = (...parts) => make("div", { class: "stack" }, ...parts);
    const [repairs, map, moves, chances] = [this.#repairs, this.#map, this.#moves, this.#chances];
    const answer = stack(repairs.element, map.element, moves.element, chances.element, this.#exact.element, this.#weighing);
    const layouts = stack(this.#layouts.element, this.#chart.element);
    this.#tabs = new TabList(say("What is known of the board"), [
      { name: "answer", title: say("Answer"), panel: answer },
      { name: "why", title: say("Why"), panel: stack(this.#explanation.element) },
      { name: "layouts", title: say("Layouts"), panel: layouts },
      { name: "tools", title: say("Tools"), panel: this.#tools.element },
    ]);
    this.#tabs.panels.addEventListener("choose", () => {
      this.#chart.seen(this.#tabs.chosen === "layouts");
      if (this.#tabs.chosen === "tools") this.#tools.seen();
    });
    const tried = examples((example) => {
      this.#history.change(example);
      this.#import.say("");
      this.begin();
    });
    this.#import.element.append(tried);
    element.classList.add("analyse");
    element.append(
      make("h1", { class: "unseen" }, say("Analyse a board")),
      make(
        "div",
        { class: "workbench" },
        make("div", { class: "drawn" }, this.#import.element, this.#editor.element, host, shown, keys()),
        make("div", { class: "answers" }, this.#verdict.element, make("div", { class: "findings" }, this.#tabs.tabs, this.#tabs.panels)),
      ),
    );
  }

  /** Another board than before: it and its answer are to be seen from their beginnings. */
  begin() {
    this.#tabs.choose("answer");
    const { top } = this.#element.getBoundingClientRect();
    if (top < 0) scrollTo({ top: scrollY + top });
  }

  /** Show an explanation where explanations are. @param {() => void} explain */
  #explain(explain) {
    this.#tabs.choose("why");
    explain();
  }

  /** Put what was read in place of the board. @param {import("./import.js").Found} found */
  async #read({ rows, mines, density = null, first = null }) {
    const { position } = this.#history;
    const alike = rows.length === position.rows.length && rows[0].length === position.rows[0].length;
    const total = mines === undefined && alike ? position.mines : (mines ?? null);
    if (position.mines !== null && total === null) this.#import.add(say('"Mines in all" is empty now.'));
    else if (mines === undefined && total !== null) this.#import.add(say('"Mines in all" is still {total}.', { total }));
    // Clues belong to the cells of the board before.
    this.#history.change({ rows, mines: total, density, rules: withNumbers(position.rules ?? {}, { clues: null }) });
    if (isUsual(this.#history.position)) this.#map.about(rows, first);
    this.begin();
  }

  #point(cell) {
    this.#board.overlay(cell && { marks: new Map(marked([cell], { selected: true })) });
  }

  /** Ask about the board as it is now. */
  async #analysed(pause = 0) {
    const { position } = this.#history;
    this.#forget(position);
    try {
      const { rows, mines, density } = position;
      const question = (signal) => this.#context.service.analyze(rows, { mines, density, ...setting(position), signal });
      const answer = await this.#latest.ask(question, pause);
      if (answer === undefined) return;
      this.#answer = answer;
      this.#verdict.show(answer, isExplained(position.rules));
      this.#layouts.learn(answer);
      this.#chart.about(position, answer);
      this.#exact.about(answer.probabilities ? position : null);
      this.#play.about(position, answer.consistent);
      this.#mark();
      if (answer.consistent === false && isExplained(position.rules)) this.#repairs.about(position);
      else if (answer.consistent) this.#moves.about(position);
    } catch (error) {
      this.#verdict.fail(error);
    }
  }

  /** What was known of the board before is known no more. @param {Position} position */
  #forget(position) {
    this.#answer = null;
    this.#layouts.about(position);
    this.#chart.about(position, null);
    this.#moves.forget();
    this.#repairs.forget();
    this.#exact.about(null);
    this.#play.about(position, null);
    this.#tools.about(position);
    this.#explanation.about(position);
    this.#weighing.textContent = weighing(position);
    const plane = isUsual(position);
    enable(this.#strips, plane, say("Strips are cut out of plane boards."));
    this.#map.about(plane ? position.rows : []);
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
    const { rows, mines, density: supposed, topology, rules } = this.#history.position;
    const density = supposed ?? densityOf(rows, mines);
    const chances = this.#heat.checked ? chancesOf(rows, this.#answer?.probabilities ?? [], topology, hasRules(rules)) : null;
    const marks = merged(merged(marksOf(this.#answer, chances), this.#tools.marks), clueMarks(rules));
    this.#board.show(rows, marks, topology, density, rules?.layers);
    this.#legend.show(chances, density);
    this.#chances.show(chances);
  }

  #look(row, col) {
    this.#layouts.close();
    this.#explain(() => this.#explanation.cell(row, col));
  }

  #fix(repair) {
    const { rows, rules = {} } = this.#history.position;
    const changes = repair.map(({ clue: [row, col], number }) => [row, col, number <= 8 ? String(number) : "S"]);
    const left = repair.reduce((kept, { clue, number }) => withClue(kept, clue.join(), number <= 8 ? null : String(number)), rules);
    this.#history.change({ rows: changed(rows, changes), rules: left });
    // The button that was pressed is there no longer.
    this.#board.focus(...repair[0].clue);
  }
}

/** The clues that are not digits. @param {import("../shared/rules.js").Rules} [rules] @returns {[string, import("../shared/board.js").Mark][]} */
function clueMarks({ clues = {} } = {}) {
  return Object.entries(clues).map(([key, clue]) => [key, { clue: formatClue(clue) }]);
}

function keys() {
  return make(
    "p",
    { class: "faint hint" },
    say("Keys: arrows move; 0–8 ? B S F write and move on; Backspace goes back; Enter uses the brush. Draw: left for numbers, right for mines, wheel to change."),
  );
}
