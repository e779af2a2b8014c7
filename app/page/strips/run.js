/**
 * A run of an automaton over a strip, shown step by step.
 *
 * @module strips/run
 */

import { button, enable, field, make, panel, select } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { noAnswer } from "../shared/no-answer.js";
import { several } from "../shared/numbers.js";
import { capital } from "../shared/phrases.js";
import { cellsOf } from "../shared/windows.js";
import { MachinePicture } from "./machine-picture.js";
import { movesOf, pictureOf, turned } from "./automata.js";
import { PathTree } from "./path-tree.js";
import { runDiagram } from "./run-diagram.js";

/** @typedef {import("../shared/windows.js").Window} Window */

/** Milliseconds for which each step is shown in a run that plays. */
const PACE = 900;
const HOW =
  "It reads the window and the unknown cells around it that the clues in the window see. Known mines " +
  "around the window are subtracted from these clues.";
/** States that are named in words, at most. */
const NAMED = 40;

/** The panel with the run; a "step" event after each step has the cells of the board that it reads. */
export class RunPanel extends EventTarget {
  /** @type {HTMLElement} */
  element;
  #service;
  /** The board and the window of it that is read. @type {{board: string[], window: Window} | null} */
  #strip = null;
  /** What the machine did, as the service tells it; null before. @type {any} */
  #run = null;
  #leads = null;
  #step = 0;
  #timer = 0;
  #latest = new LatestRequest();
  #machine = select([], { name: "machine" });
  #slider = make("input", { type: "range", min: 0, max: 0, value: 0, name: "step" });
  #sliding = field("Columns read", this.#slider);
  #buttons;
  #picture = make("div", { class: "run", tabIndex: 0, role: "group", "aria-label": "States and moves" });
  #said = make("p", { class: "run-said", "aria-live": "polite" });
  #end = make("div", {});
  #stopped = make("div", { role: "status" });
  #whole = new MachinePicture();
  #paths;

  /** @param {import("../shared/service.js").Service} service */
  constructor(service) {
    super();
    this.#service = service;
    this.#paths = new PathTree(service);
    const to = (place) => () => {
      this.#rest();
      this.#show(place());
    };
    const on = () => {
      this.#pause();
      this.#next();
    };
    this.#buttons = {
      start: button("To the start", to(() => 0)),
      back: button("Back", to(() => this.#step - 1)),
      play: button("Play", () => this.#toggle(), { class: "primary" }),
      next: button("Step", on),
      end: button("To the end", to(() => this.#last)),
    };
    this.#slider.addEventListener("input", to(() => Number(this.#slider.value)));
    this.#machine.addEventListener("change", () => this.#ask());
    this.element = panel(
      "The automaton",
      make("p", { class: "faint" }, HOW),
      make("div", { class: "bar" }, field("Machine", this.#machine)),
      make("div", { class: "bar" }, ...Object.values(this.#buttons)),
      this.#sliding,
      this.#picture,
      this.#said,
      this.#stopped,
      this.#end,
      this.#paths.element,
      this.#whole.element,
    );
    this.element.classList.add("automaton");
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
    [this.#run, this.#step] = [null, 0];
    this.#picture.replaceChildren();
    this.#whole.show("", null);
    this.#paths.about(null);
    this.#said.textContent = "";
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
        ]),
      );
      if (found === undefined) return;
      const [run, moves, picture] = found;
      this.#run = run;
      this.#leads = moves instanceof Error ? null : moves;
      this.#end.replaceChildren(make("p", {}, outcome(run, this.#noun, (step) => this.#place(step) + 1)));
      if (moves instanceof Error) this.#end.append(...this.#without(moves));
      this.#whole.show(name, picture);
      this.#paths.about({ name, ...this.#strip });
      // Of a run that is too large there are columns only: its steps are asked for one by one.
      run.steps ??= [];
      this.#show(0);
    } catch (error) {
      this.#end.replaceChildren(...noAnswer(error, () => this.#ask()));
    }
    this.element.setAttribute("aria-busy", "false");
  }

  #without(error) {
    const missing = make("p", { class: "warning" }, "The moves between the states could not be loaded.");
    return [missing, ...noAnswer(error, () => this.#ask())];
  }

  /** Whether the machine reads from the top to the bottom. */
  get #turned() {
    return turned(this.#run.machine, this.#run.read);
  }

  /** What the machine reads in a step. */
  get #noun() {
    return this.#turned ? "row" : "column";
  }

  /** The row or column of the board that is read in a step; steps are from 1. */
  #place(step) {
    const { row, col } = this.#run.read;
    return (this.#turned ? row : col) + step - 1;
  }

  /** The cells that are read in a step; none before the first. */
  #cells(step) {
    if (step === 0) return [];
    const { read } = this.#run;
    const at = this.#place(step);
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
      const asked = { column, states: steps.at(-1)?.reached };
      const found = await this.#latest.ask((signal) => this.#service.ask(`automata/${machine}/step`, asked, { signal }));
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
      const many = `After ${this.#noun} ${this.#place(number) + 1} there are more states than can be shown.`;
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
    this.#slider.setAttribute("aria-valuetext", `${this.#step} of ${this.#last}`);
    /** @type {Element} */ (this.#sliding.firstElementChild).textContent = this.#turned ? "Rows read" : "Columns read";
    const named = (number) => `${this.#noun} ${this.#place(number) + 1}`;
    this.#picture.replaceChildren(runDiagram(this.#run, this.#step, this.#leads, named));
    this.#picture.scrollLeft = this.#picture.scrollWidth;
    this.#said.textContent = inText(this.#run, this.#step, this.#noun, this.#place(this.#step) + 1);
    this.#whole.at(reachedBy(this.#run, this.#step));
    this.#enable();
    this.dispatchEvent(new CustomEvent("step", { detail: this.#cells(this.#step) }));
  }

  #enable() {
    const { start, back, play, next, end } = this.#buttons;
    const [any, last] = [this.#last > 0, this.#step === this.#last];
    const none = "There is no run to show.";
    for (const control of [start, back]) enable(control, this.#step > 0, "Nothing is read yet.");
    const read = any ? "All of it is read." : none;
    const parts = Boolean(this.#run?.columns) && !last;
    enable(next, any && !last, read);
    enable(end, any && !last && !parts, parts ? "The run is too large to be shown whole." : read);
    enable(play, any, none);
    this.#slider.disabled = !any;
    play.textContent = this.#timer ? "Pause" : "Play";
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
function inText({ start, steps }, step, noun, place) {
  if (step === 0) return `Before the first ${noun}: ${start}.`;
  const { symbol, reached, live, merged } = steps[step - 1];
  const read = `${capital(noun)} ${place}, ${symbol}`;
  if (symbol.includes("!")) return `${read}: ! is a clue with too many mines around it.`;
  if (reached.length === 0) return `${read}: no state is reached.`;
  const names = merged?.length ? ` (${merged.join(", ")})` : "";
  if (live === null) return `${read}: reached ${several(reached.length, "state")}: ${list(reached)}.`;
  const alive = live.length ? `live: ${list(live)}` : "none of them live";
  return `${read}: reached ${list(reached)}${names}; ${alive}.`;
}

function list(states) {
  const more = states.length > NAMED ? ` and ${states.length - NAMED} more` : "";
  return states.slice(0, NAMED).join(", ") + more;
}

/** How the run ends; `place` is the number on the board of what a step reads. */
function outcome({ consistent, steps, stops_at: stopsAt, impossible, output }, noun, place) {
  const parts = [];
  if (!steps) parts.push(`The run is too large to be shown whole: "Step" reads one ${noun} more.`);
  if (consistent) parts.push("Accepted: the window is consistent.");
  else if (consistent === false && steps && stopsAt === steps.length) parts.push("Rejected: no run may end there.");
  else if (consistent === false && stopsAt != null) {
    parts.push(`Rejected: after ${noun} ${place(stopsAt + 1)} no run is left.`);
  } else if (consistent === false) parts.push("Rejected.");
  if (output) parts.push(`Kadlac's machine writes ${output}.`);
  for (const { column, why } of impossible ?? []) {
    const read = noun === "row" ? " as a column" : "";
    parts.push(`${capital(noun)} ${place(column + 1)}${read}: ${why}.`);
  }
  return parts.join(" ");
}
