/**
 * A run of an automaton over a strip, shown step by step.
 *
 * @module strips/run
 */

import { button, enable, field, make, panel, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { noAnswer } from "../shared/no-answer.js";
import { several } from "../shared/numbers.js";
import { capital } from "../shared/phrases.js";
import { cellsOf } from "../shared/windows.js";
import { MachinePicture } from "./machine-picture.js";
import { movesOf, pictureOf, picturedNames, turned } from "./automata.js";
import { guideLink, legend } from "./legend.js";
import { PathTree } from "./path-tree.js";
import { pathOf } from "./path.js";
import { runDiagram } from "./run-diagram.js";

/** @typedef {import("../shared/windows.js").Window} Window */

/** Milliseconds for which each step is shown in a run that plays. */
const PACE = 900;
const HOW = say(
  "It reads the window and the unknown cells around it that the clues in the window see. Known mines " +
    "around the window are subtracted from these clues.",
);
/** What is said of the rows or columns that a machine reads. */
const WORDS = {
  row: {
    name: (number) => say("row {number}", { number }),
    before: (states) => say("Before the first row: {states}.", { states }),
    tooMany: (number) => say("After row {number} there are more states than can be shown.", { number }),
    ended: (number) => say("Rejected: after row {number} no run is left.", { number }),
    stepwise: say('The run is too large to be shown whole: "Step" reads one row more.'),
    impossible: (values) => say("Row {number} as a column: {why}.", values),
    read: say("Rows read"),
  },
  column: {
    name: (number) => say("column {number}", { number }),
    before: (states) => say("Before the first column: {states}.", { states }),
    tooMany: (number) => say("After column {number} there are more states than can be shown.", { number }),
    ended: (number) => say("Rejected: after column {number} no run is left.", { number }),
    stepwise: say('The run is too large to be shown whole: "Step" reads one column more.'),
    impossible: (values) => say("Column {number}: {why}.", values),
    read: say("Columns read"),
  },
};
/** States that are named in words, at most. */
const NAMED = 40;

/**
 * The panel with the run. A "step" event after each step has the cells of the board that it reads, a
 * "path" event what a path that was chosen places in cells, null where it places nothing.
 */
export class RunPanel extends EventTarget {
  /** @type {HTMLElement} */
  element;
  #service;
  /** The board and the window of it that is read. @type {{board: string[], window: Window} | null} */
  #strip = null;
  /** What the machine did, as the service tells it; null before. @type {any} */
  #run = null;
  #leads = null;
  /** What the picture of the machine calls a state. @type {(state: string) => string} */
  #named = (state) => state;
  /** The board with the layout whose path is lit. @type {string[] | null} */
  #layout = null;
  /** The path that is lit. @type {string[] | null} */
  #path = null;
  #step = 0;
  #timer = 0;
  #latest = new LatestRequest();
  #machine = select([], { name: "machine" });
  #slider = make("input", { type: "range", min: 0, max: 0, value: 0, name: "step" });
  #sliding = field(say("Columns read"), this.#slider);
  #buttons;
  #picture = make("div", { class: "run", tabIndex: 0, role: "group", "aria-label": say("States and moves") });
  #message = make("p", { class: "run-said", "aria-live": "polite" });
  #end = make("div", {});
  #stopped = make("div", { role: "status" });
  #whole = new MachinePicture();
  #paths;
  #legend = make("div", { class: "machine-legend" });

  /** @param {import("../shared/service.js").Service} service */
  constructor(service) {
    super();
    this.#service = service;
    this.#paths = new PathTree(service);
    this.#paths.addEventListener("path", ({ detail }) => this.#follow(detail));
    const to = (target) => () => {
      this.#rest();
      this.#show(target());
    };
    const on = () => {
      this.#pause();
      this.#next();
    };
    this.#buttons = {
      start: button(say("To the start"), to(() => 0)),
      back: button(say("Back"), to(() => this.#step - 1)),
      play: button(say("Play [a run]"), () => this.#toggle(), { class: "primary" }),
      next: button(say("Step"), on),
      end: button(say("To the end"), to(() => this.#last)),
    };
    this.#slider.addEventListener("input", to(() => Number(this.#slider.value)));
    this.#machine.addEventListener("change", () => this.#ask());
    this.element = panel(
      say("The automaton"),
      make("div", { class: "bar" }, field(say("Machine"), this.#machine), ...Object.values(this.#buttons), this.#sliding),
      this.#picture,
      this.#message,
      this.#stopped,
      this.#end,
      this.#whole.element,
      make("details", { class: "legend-of-codes", open: true }, make("summary", {}, say("What the codes and lines mean")), this.#legend, make("p", { class: "faint" }, HOW)),
      this.#paths.element,
    );
    this.element.classList.add("automaton");
    new ResizeObserver(() => this.#run?.steps && this.#draw()).observe(this.#picture);
  }

  /** Light the path of a layout; null lights none. @param {string[] | null} rows the board with the layout */
  light(rows) {
    this.#layout = rows;
    this.#paths.unchoose();
    this.#relight();
    if (this.#path && this.#step === 0) this.#show(this.#last);
    else if (this.#run?.steps) this.#draw();
  }

  /**
   * What to read; a run over the same goes on.
   *
   * @param {string[]} board
   * @param {Window} window
   */
  about(board, window) {
    const strip = { board, window };
    if (this.#run?.steps && JSON.stringify(strip) === JSON.stringify(this.#strip)) return;
    this.#strip = strip;
    this.#clear();
  }

  /** Read it. @param {string[]} machines those that can */
  read(machines) {
    if (this.#run?.steps) {
      this.#show(this.#step);
      return;
    }
    const chosen = machines.includes(this.#machine.value) ? this.#machine.value : machines[0];
    this.#machine.replaceChildren(...machines.map((name) => make("option", { value: name }, name)));
    this.#machine.value = chosen;
    this.#ask();
  }

  /** Stop playing. */
  stop() {
    this.#pause();
  }

  get #last() {
    return (this.#run?.columns ?? this.#run?.steps)?.length ?? 0;
  }

  #clear() {
    this.#rest();
    [this.#run, this.#step, this.#path] = [null, 0, null];
    this.#legend.replaceChildren();
    this.#picture.replaceChildren();
    this.#whole.show("", null);
    this.#paths.about(null);
    this.#message.textContent = "";
    this.#end.replaceChildren();
    this.#stopped.replaceChildren();
    this.#enable();
  }

  async #ask() {
    const name = this.#machine.value;
    this.#clear();
    this.element.setAttribute("aria-busy", "true");
    try {
      const found = await this.#latest.ask((signal) =>
        Promise.all([
          this.#service.ask(`automata/${name}/run`, this.#strip, { signal }),
          // A run can be shown without them.
          movesOf(this.#service, name, signal).catch((error) => error),
          pictureOf(this.#service, name, signal),
          picturedNames(this.#service, name, signal).catch(() => (state) => state),
        ]),
      );
      if (found === undefined) return;
      const [run, moves, picture, named] = found;
      this.#run = run;
      this.#leads = moves instanceof Error ? null : moves;
      this.#named = named;
      this.#end.replaceChildren(make("p", {}, outcome(run, this.#noun, (step) => this.#indexOf(step) + 1)), ...written(run));
      if (moves instanceof Error) this.#end.append(...this.#without(moves));
      this.#whole.show(name, picture);
      this.#paths.about({ name, ...this.#strip });
      this.#legend.replaceChildren(...legend(name));
      // Of a run that is too large there are columns only: its steps are asked for one by one.
      run.steps ??= [];
      this.#relight();
      this.#show(this.#path ? this.#last : 0);
    } catch (error) {
      this.#end.replaceChildren(...noAnswer(error, () => this.#ask()));
    }
    this.element.setAttribute("aria-busy", "false");
  }

  #without(error) {
    const missing = make("p", { class: "warning" }, say("The moves between the states could not be loaded."));
    return [missing, ...noAnswer(error, () => this.#ask())];
  }

  /** Whether the machine reads from the top to the bottom. */
  get #turned() {
    return turned(this.#run.machine, this.#run.read);
  }

  /** What the machine reads in a step. @returns {"row" | "column"} */
  get #noun() {
    return this.#turned ? "row" : "column";
  }

  /** The row or column of the board that is read in a step; steps are from 1. */
  #indexOf(step) {
    const { row, col } = this.#run.read;
    return (this.#turned ? row : col) + step - 1;
  }

  /** The cells that are read in a step; none before the first. */
  #cells(step) {
    if (step === 0) return [];
    const { read } = this.#run;
    const at = this.#indexOf(step);
    return cellsOf(this.#turned ? { ...read, row: at, height: 1 } : { ...read, col: at, width: 1 });
  }

  /** One step on, which is asked for if it is not known yet. */
  async #next() {
    const { machine, steps } = this.#run;
    if (this.#step < steps.length) {
      this.#show(this.#step + 1);
      return;
    }
    const column = this.#run.columns[this.#step];
    // No machine reads a clue with too many mines around it.
    if (column.includes("!")) {
      this.#add({ reached: [], accepting: [] });
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    try {
      const request = { column, states: steps.at(-1)?.reached };
      const found = await this.#latest.ask((signal) => this.#service.ask(`automata/${machine}/step`, request, { signal }));
      if (found === undefined) return;
      this.#add(found);
    } catch (error) {
      this.#pause();
      this.#stopped.replaceChildren(...noAnswer(error, () => this.#next()));
    }
    this.element.setAttribute("aria-busy", "false");
  }

  /** The states after the next step, null where they are too many; after the last one it is known which are live. */
  #add({ reached, accepting }) {
    const { steps, columns } = this.#run;
    const number = steps.length + 1;
    if (reached === null) {
      this.#pause();
      const many = WORDS[this.#noun].tooMany(this.#indexOf(number) + 1);
      this.#stopped.replaceChildren(make("p", { class: "warning" }, many));
      return;
    }
    const last = number === this.#last || reached.length === 0;
    steps.push({ symbol: columns[number - 1], reached, live: last ? accepting : null });
    this.#show(number);
  }

  #show(step) {
    this.#stopped.replaceChildren();
    this.#step = Math.max(0, Math.min(this.#last, step));
    this.#slider.max = String(this.#run.steps.length);
    this.#slider.value = String(this.#step);
    this.#slider.setAttribute("aria-valuetext", say("{number} of {count}", { number: this.#step, count: this.#last }));
    /** @type {Element} */ (this.#sliding.firstElementChild).textContent = WORDS[this.#noun].read;
    this.#draw();
    this.#message.textContent = inText(this.#run, this.#step, this.#noun, this.#indexOf(this.#step) + 1);
    this.#whole.at(reachedBy(this.#run, this.#step));
    this.#enable();
    this.dispatchEvent(new CustomEvent("step", { detail: this.#cells(this.#step) }));
  }

  /** Draw the run as far as it is shown, and light the path in it and in the machine. */
  #draw() {
    const named = (number) => WORDS[this.#noun].name(this.#indexOf(number) + 1);
    const how = { path: this.#path, room: this.#picture.clientWidth };
    this.#picture.replaceChildren(runDiagram(this.#run, this.#step, this.#leads, named, how));
    this.#picture.scrollLeft = this.#picture.scrollWidth;
    this.#whole.light((this.#path ?? []).map(this.#named), this.#step);
  }

  /** Find the path of the layout anew. */
  #relight() {
    const [rows, run] = [this.#layout, this.#run];
    this.#path = null;
    const isWhole = run?.steps?.length && run.steps.length === this.#last && run.steps.every(({ live }) => live !== null);
    if (rows === null || !isWhole || this.#leads === null || !this.#strip) return;
    const inside = new Set(cellsOf(this.#strip.window).map(String));
    const mine = (cell) => (inside.has(String(cell)) ? rows[cell[0]][cell[1]] === "B" : null);
    this.#path = pathOf(run, this.#leads, (step) => this.#cells(step).map(mine));
  }

  /** Light a path that was chosen, and tell what it places where. */
  #follow({ states, columns }) {
    const placed = columns?.flatMap((column, at) => this.#cells(at + 1).map((cell, index) => [...cell, column[index]])) ?? null;
    // Whoever shows that on the board takes a layout away first.
    this.dispatchEvent(new CustomEvent("path", { detail: placed }));
    this.#path = states;
    this.#show(states.length - 1);
  }

  #enable() {
    const { start, back, play, next, end } = this.#buttons;
    const [any, last] = [this.#last > 0, this.#step === this.#last];
    const none = say("There is no run to show.");
    for (const control of [start, back]) enable(control, this.#step > 0, say("Nothing is read yet."));
    const read = any ? say("All of it is read.") : none;
    const parts = Boolean(this.#run?.columns) && !last;
    enable(next, any && !last, read);
    enable(end, any && !last && !parts, parts ? say("The run is too large to be shown whole.") : read);
    enable(play, any, none);
    this.#slider.disabled = !any;
    play.textContent = this.#timer ? say("Pause") : say("Play [a run]");
  }

  #toggle() {
    if (this.#timer) {
      this.#pause();
      return;
    }
    this.#timer = setInterval(() => this.#tick(), PACE);
    this.#enable();
    if (this.#step === this.#last) this.#show(0);
    else this.#next();
  }

  #tick() {
    // A step that is asked for may take longer than it is shown.
    if (this.element.getAttribute("aria-busy") === "true") return;
    if (this.#step + 1 >= this.#last) this.#pause();
    this.#next();
  }

  /** Neither play on nor wait for an answer. */
  #rest() {
    this.#pause();
    this.#latest.end();
    this.element.setAttribute("aria-busy", "false");
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#enable();
  }
}

/** The states after a step, by the names that the picture of the machine has. */
function reachedBy({ start, steps }, step) {
  // The machine of Hu and Lin starts in s0, which is q0 where its states are merged.
  if (step === 0) return [start.replace(/^s0$/, "q0"), start];
  const { merged, reached } = steps[step - 1];
  return merged ?? reached;
}

/** A step in words: what was read, the states that are reached, and which of those states are live. */
function inText({ start, steps }, step, noun, number) {
  if (step === 0) return WORDS[noun].before(start);
  const { symbol, reached, live, merged } = steps[step - 1];
  const read = [capital(WORDS[noun].name(number)), symbol].join(say(", "));
  if (symbol.includes("!")) return say("{read}: ! is a clue with too many mines around it.", { read });
  if (reached.length === 0) return say("{read}: no state is reached.", { read });
  const names = merged?.length ? ` (${merged.join(", ")})` : "";
  const states = list(reached);
  if (live === null) return say("{read}: reached {count}: {states}.", { read, count: several(reached.length, "state"), states });
  const values = { read, states: states + names, live: list(live) };
  return live.length ? say("{read}: reached {states}; live: {live}.", values) : say("{read}: reached {states}; none of them live.", values);
}

function list(states) {
  const names = states.slice(0, NAMED).join(", ");
  const left = states.length - NAMED;
  return left > 0 ? say("{names} and {count} more", { names, count: left }) : names;
}

/** What Kadlac's machine writes, and that it is not a layout where it is none. */
function written({ output, consistent, steps }) {
  if (!output) return [];
  const isRight = !consistent || fitsRow(steps.map(({ symbol }) => symbol), output);
  if (isRight) return [make("p", { class: "written" }, say("Kadlac's machine writes {output}.", { output }))];
  const said = say(
    "Kadlac's machine writes {output}, which is not a layout of this row: a machine that writes as it reads cannot always know.",
    { output },
  );
  const erratum = guideLink("errata/#k1-the-output-map-theorem-79-table-2-p-97", say("Erratum K1"));
  return [make("p", { class: "written" }, said, " ", erratum)];
}

/** Whether letters, B for mines, fit the squares of a row. @param {string[]} squares @param {string} letters */
function fitsRow(squares, letters) {
  const mine = (at) => Number(letters[at] === "B");
  return squares.every((square, at) => {
    if (/\d/.test(square)) return !mine(at) && mine(at - 1) + mine(at + 1) === Number(square);
    return square === "?" || (square === "B") === (letters[at] === "B");
  });
}

/** How the run ends; `numberOf` is the number on the board of what a step reads. */
function outcome({ consistent, steps, stops_at: stopsAt, impossible }, noun, numberOf) {
  const parts = [];
  if (!steps) parts.push(WORDS[noun].stepwise);
  if (consistent) parts.push(say("Accepted: the window is consistent."));
  else if (consistent === false && steps && stopsAt === steps.length) parts.push(say("Rejected: no run may end there."));
  else if (consistent === false && stopsAt != null) {
    parts.push(WORDS[noun].ended(numberOf(stopsAt + 1)));
  } else if (consistent === false) parts.push(say("Rejected."));
  for (const { column, why } of impossible ?? []) {
    parts.push(WORDS[noun].impossible({ number: numberOf(column + 1), why }));
  }
  return parts.join(" ");
}
