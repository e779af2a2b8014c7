/**
 * An automaton that reads a strip, to be watched step by step.
 *
 * @module player
 */

import { button, enable, field, panel, select } from "./elements.js";
import { Latest } from "./latest.js";
import { machinesFor, movesOf, pictureOf } from "./machines.js";
import { make } from "./make.js";
import { inWords } from "./service.js";
import { trellis } from "./trellis.js";

/** Milliseconds a step is shown while it plays. */
const PACE = 900;
/** States that are named in words, at most. */
const NAMED = 40;

/** The panel with the run; a "step" event ({name, column}, null before the first) follows each step. */
export class Player extends EventTarget {
  /** @type {HTMLElement} */
  element;
  #service;
  /** @type {string[]} */
  #rows = [];
  #run = null;
  #leads = null;
  #step = 0;
  #timer = 0;
  #latest = new Latest();
  #machine = select([], { name: "machine" });
  #slider = make("input", { type: "range", min: 0, max: 0, value: 0, name: "step" });
  #buttons;
  #picture = make("div", { class: "run", tabIndex: 0, role: "group", "aria-label": "States and moves" });
  #said = make("p", { class: "run-said", "aria-live": "polite" });
  #end = make("p", {});
  #whole = make("details", { class: "machine" });

  /** @param {import("./service.js").Service} service */
  constructor(service) {
    super();
    this.#service = service;
    const to = (place) => () => {
      this.#pause();
      this.#show(place());
    };
    this.#buttons = {
      start: button("To the start", to(() => 0)),
      back: button("Back", to(() => this.#step - 1)),
      play: button("Play", () => this.#toggle(), { class: "primary" }),
      next: button("Step", to(() => this.#step + 1)),
      end: button("To the end", to(() => this.#last)),
    };
    this.#slider.addEventListener("input", to(() => Number(this.#slider.value)));
    this.#machine.addEventListener("change", () => this.#ask());
    this.element = panel(
      "The automaton",
      make("p", { class: "faint" }, "It reads the strip as a board of its own, with nothing around it."),
      make("div", { class: "bar" }, field("Machine", this.#machine)),
      make("div", { class: "bar" }, ...Object.values(this.#buttons)),
      field("Columns read", this.#slider),
      this.#picture,
      this.#said,
      this.#end,
      this.#whole,
    );
    this.element.classList.add("player");
  }

  /** Read a strip; one that is being read goes on. @param {string[]} rows */
  read(rows) {
    if (this.#run?.steps && rows.join("\n") === this.#rows.join("\n")) {
      this.#show(this.#step);
      return;
    }
    this.#rows = rows;
    const names = machinesFor(rows);
    const chosen = names.includes(this.#machine.value) ? this.#machine.value : names[0];
    this.#machine.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    this.#clear();
    if (chosen === undefined) {
      this.#end.textContent = "Automata read strips up to 12 cells across: choose a narrower window.";
      return;
    }
    this.#machine.value = chosen;
    this.#ask();
  }

  /** Stop playing. */
  stop() {
    this.#pause();
  }

  get #last() {
    return this.#run?.steps?.length ?? 0;
  }

  #clear() {
    this.#pause();
    this.#latest.end();
    this.element.setAttribute("aria-busy", "false");
    [this.#run, this.#step] = [null, 0];
    this.#picture.replaceChildren();
    this.#whole.replaceChildren();
    this.#whole.hidden = true;
    [this.#said.textContent, this.#end.textContent] = ["", ""];
    this.#enable();
  }

  async #ask() {
    const name = this.#machine.value;
    const board = this.#rows;
    this.#clear();
    this.element.setAttribute("aria-busy", "true");
    try {
      const found = await this.#latest.ask((signal) =>
        Promise.all([
          this.#service.ask(`automata/${name}/run`, { board }, { signal }),
          movesOf(this.#service, name, signal),
          pictureOf(this.#service, name, signal),
        ]),
      );
      if (found === undefined) return;
      const [run, leads, picture] = found;
      [this.#run, this.#leads] = [run, leads];
      this.#end.textContent = outcome(this.#run);
      this.#showWhole(name, picture);
      if (this.#run.steps !== null) this.#show(0);
    } catch (error) {
      this.#end.textContent = inWords(error);
    }
    this.element.setAttribute("aria-busy", "false");
  }

  #show(step) {
    this.#step = Math.max(0, Math.min(this.#last, step));
    this.#slider.max = String(this.#last);
    this.#slider.value = String(this.#step);
    this.#slider.setAttribute("aria-valuetext", `${this.#step} of ${this.#last}`);
    this.#picture.replaceChildren(trellis(this.#run, this.#step, this.#leads));
    this.#picture.scrollLeft = this.#picture.scrollWidth;
    this.#said.textContent = inText(this.#run, this.#step);
    this.#enable();
    const detail = { name: this.#machine.value, column: this.#step === 0 ? null : this.#step - 1 };
    this.dispatchEvent(new CustomEvent("step", { detail }));
  }

  #enable() {
    const { start, back, play, next, end } = this.#buttons;
    const [any, last] = [this.#last > 0, this.#step === this.#last];
    for (const control of [start, back]) enable(control, this.#step > 0);
    for (const control of [next, end]) enable(control, any && !last);
    enable(play, any);
    this.#slider.disabled = !any;
    play.textContent = this.#timer ? "Pause" : "Play";
  }

  #toggle() {
    if (this.#timer) {
      this.#pause();
      return;
    }
    this.#timer = setInterval(() => this.#tick(), PACE);
    this.#show(this.#step === this.#last ? 0 : this.#step + 1);
  }

  #tick() {
    if (this.#step + 1 >= this.#last) this.#pause();
    this.#show(this.#step + 1);
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#enable();
  }

  /** @param {string} name @param {Blob | null} picture */
  #showWhole(name, picture) {
    this.#whole.hidden = picture === null;
    if (picture === null) return;
    const src = URL.createObjectURL(picture);
    const image = make("img", { src, alt: `The machine ${name}: its states and moves` });
    image.addEventListener("load", () => URL.revokeObjectURL(src));
    this.#whole.replaceChildren(make("summary", {}, "The whole machine"), image);
    this.#whole.open = true;
  }
}

/** A step in words: what was read, where the runs are, and which of them can still be accepted. */
function inText({ start, steps }, step) {
  if (step === 0) return `Before the first column: ${start}.`;
  const { symbol, reached, live, merged } = steps[step - 1];
  if (reached.length === 0) return `Column ${step - 1}, ${symbol}: no state is reached.`;
  const names = merged?.length ? ` (${merged.join(", ")})` : "";
  const alive = live.length ? `live: ${list(live)}` : "none of them live";
  return `Column ${step - 1}, ${symbol}: reached ${list(reached)}${names}; ${alive}.`;
}

function list(states) {
  const more = states.length > NAMED ? ` and ${states.length - NAMED} more` : "";
  return states.slice(0, NAMED).join(", ") + more;
}

/** How the run ends. */
function outcome({ consistent, steps, stops_at: stopsAt, impossible, output }) {
  const parts = [];
  if (steps === null) parts.push("The run takes too much time or memory to be told.");
  if (consistent) parts.push("Accepted: as a board of its own the strip is consistent.");
  else if (consistent === false && stopsAt === steps?.length) parts.push("Rejected: no run may end there.");
  else if (consistent === false) parts.push(`Rejected: after column ${stopsAt} no run is left.`);
  if (output) parts.push(`Kadlac's machine writes ${output}.`);
  for (const { column, why } of impossible ?? []) parts.push(`Column ${column}: ${why}.`);
  return parts.join(" ");
}
