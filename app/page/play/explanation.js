/**
 * Why something holds, step by step.
 *
 * @module play/explanation
 */

import { button, make } from "../shared/elements.js";

/** @typedef {import("../shared/board.js").Marks} Marks */
/** @typedef {{cells: [number, number][], sources: number[], clue: [number, number] | null, text: string}} Step */

/** The clues that a step rests on. @returns {[number, number][]} */
function cluesOf(steps, at) {
  const [found, waiting, met] = [[], [at], new Set()];
  while (waiting.length) {
    const next = waiting.pop();
    if (met.has(next)) continue;
    met.add(next);
    const { clue, sources } = steps[next];
    if (clue) found.push(clue);
    waiting.push(...sources);
  }
  return found;
}

/** A panel with steps to go through. */
export class Explanation {
  #panel;
  #changed;
  #left;
  /** @type {Step[]} */
  #steps = [];
  /** @type {HTMLButtonElement[]} */
  #buttons = [];
  #at = 0;
  /** The cell that is explained. @type {[number, number] | null} */
  #cell = null;

  /**
   * @param {HTMLElement} panel
   * @param {(text: string | null) => void} changed another step is shown, or none any more
   * @param {(cell: [number, number] | null) => void} left the reader is through with it
   */
  constructor(panel, changed, left) {
    this.#panel = panel;
    this.#left = left;
    this.#changed = changed;
    panel.hidden = true;
  }

  get isOpen() {
    return !this.#panel.hidden;
  }

  /**
   * Show steps, the first of them first.
   *
   * @param {string} title
   * @param {Step[]} steps at least one
   * @param {[number, number] | null} cell that is explained
   * @param {string} [more] a line below the title
   */
  open(title, steps, cell, more = "") {
    this.#steps = steps;
    this.#cell = cell;
    this.#buttons = steps.map(({ text }, at) => button(text, () => this.go(at)));
    const items = this.#buttons.map((control) => make("li", {}, control));
    const list = make("ol", { class: "play-steps" }, ...items);
    this.#panel.replaceChildren(
      make("h2", {}, title),
      make("p", { class: "faint", hidden: !more }, more),
      make(
        "div",
        { class: "bar" },
        button("Back", () => this.go(this.#at - 1)),
        button("Next step", () => this.go(this.#at + 1), { class: "primary" }),
        button("Close", () => this.leave()),
      ),
      list,
    );
    this.#panel.hidden = false;
    this.go(0);
  }

  /** Show a step, or the nearest there is. */
  go(at) {
    if (!this.isOpen) return;
    this.#at = Math.max(0, Math.min(this.#steps.length - 1, at));
    for (const [index, control] of this.#buttons.entries()) {
      if (index === this.#at) control.setAttribute("aria-current", "step");
      else control.removeAttribute("aria-current");
    }
    // Only the list may scroll: the board is to stay in sight.
    const item = this.#buttons[this.#at].parentElement;
    item.parentElement.scrollTop = item.offsetTop;
    this.#changed(`Step ${this.#at + 1} of ${this.#steps.length}: ${this.#steps[this.#at].text}`);
  }

  next() {
    this.go(this.#at + 1);
  }

  back() {
    this.go(this.#at - 1);
  }

  close() {
    if (!this.isOpen) return;
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
    this.#changed(null);
  }

  /** Close it, and let the keyboard go on where it came from. */
  leave() {
    if (!this.isOpen) return;
    this.close();
    this.#left(this.#cell);
  }

  /** Add what the step is about to marks. @param {Marks} marks */
  mark(marks) {
    if (!this.isOpen) return;
    const put = (kind, [row, col]) => {
      const place = `${row},${col}`;
      marks.set(place, { ...marks.get(place), kind });
    };
    for (const cell of this.#steps[this.#at].cells) put("target", cell);
    for (const clue of cluesOf(this.#steps, this.#at)) put("reason", clue);
    if (this.#cell) put("selected", this.#cell);
  }
}
