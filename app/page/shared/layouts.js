/**
 * Paging through the layouts of a board, or of a window of it, however many there are.
 *
 * @module shared/layouts
 */

import { button, enable, field, make, panel } from "./elements.js";
import { say } from "./language.js";
import { LatestRequest } from "./latest-request.js";
import { layoutOverlay, rowsOf } from "./layered-board.js";
import { parseWhole, precise, randomBelow, short } from "./numbers.js";
import { setting } from "./rules.js";
import { showProblem } from "./problem-words.js";
import { replaced } from "./windows.js";

/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./windows.js").Window} Window */

/**
 * The panel that shows layouts, one at a time, on the board. Numbers are from 1; in the API, from 0.
 * A "shown" event has the rows of the board with the layout, or null when the board is shown again.
 */
export class Layouts extends EventTarget {
  /** @type {HTMLElement} */
  element;
  #service;
  #board;
  #onBegin;
  /** @type {Position} */
  #position;
  /** @type {Window | null} */
  #window = null;
  /** @type {bigint | null} How many there are, where that is known. */
  #count = null;
  /** @type {bigint | null} The offset of the one that is shown, where that is known. */
  #number = null;
  #isShown = false;
  #latest = new LatestRequest();
  #buttons;
  #input = make("input", { inputMode: "numeric", size: 14, value: "1", name: "layout" });
  #message = make("p", { role: "status" });

  /**
   * @param {import("./minecheck.js").Minecheck} service
   * @param {import("./layered-board.js").LayeredBoard} board
   * @param {() => void} onBegin what to do before a layout is shown
   */
  constructor(service, board, onBegin) {
    super();
    [this.#service, this.#board, this.#onBegin] = [service, board, onBegin];
    this.#buttons = {
      first: button(say("First"), () => this.go(0n)),
      previous: button(say("Previous"), () => this.go((this.#number ?? 1n) - 1n)),
      next: button(say("Next"), () => this.go(this.#number === null ? 0n : this.#number + 1n)),
      last: button(say("Last"), () => this.go((this.#count ?? 1n) - 1n)),
      random: button(say("Random"), () => this.#draw()),
      close: button(say("Back to the board"), () => this.close()),
    };
    const { first, previous, next, last, random, close } = this.#buttons;
    const jump = make(
      "form",
      { class: "bar", onsubmit: (event) => this.#jump(event) },
      field(say("Layout number"), this.#input),
      make("button", { type: "submit" }, say("Show")),
    );
    const turning = make("div", { class: "bar" }, first, previous, next, last, random, close);
    this.element = panel(say("Layouts"), turning, jump, this.#message);
    this.element.classList.add("layouts");
  }

  /**
   * Another board.
   *
   * @param {Position} position
   * @param {Window | null} [window] what alone is laid out; the total of mines is left aside then
   */
  about(position, window = null) {
    [this.#position, this.#window] = [position, window];
    this.#count = null;
    this.element.hidden = false;
    this.close();
    this.#message.textContent = "";
  }

  /**
   * More is known of the board; a layout that was asked for meanwhile stays.
   *
   * @param {{consistent: boolean | null, count: bigint | null}} answer
   */
  learn({ consistent, count }) {
    this.#count = count ?? this.#count;
    this.element.hidden = consistent === false;
    if (this.#isShown) this.#message.textContent = this.#title();
    this.#enableButtons();
  }

  /** Show the board again. */
  close() {
    this.#latest.end();
    this.element.setAttribute("aria-busy", "false");
    this.#number = null;
    this.#isShown = false;
    this.#board.overlay(null);
    this.#enableButtons();
    this.dispatchEvent(new CustomEvent("shown", { detail: null }));
  }

  #jump(event) {
    event.preventDefault();
    const number = parseWhole(this.#input.value);
    if (number === null) this.#message.textContent = say("Enter a whole number, such as 1000 or 10^30.");
    else if (number === 0n || (this.#count !== null && number > this.#count)) {
      this.#message.textContent =
        this.#count === null
          ? say("Layouts are numbered from 1 on.")
          : say("Layouts are numbered from 1 to {count}.", { count: precise(this.#count) });
    } else this.go(number - 1n);
  }

  /** Show the layout at an offset. @param {bigint} number from 0 */
  async go(number) {
    const { rows, mines } = this.#position;
    const part = this.#window === null ? { mines, ...setting(this.#position) } : { window: this.#window };
    const answer = await this.#ask((signal) =>
      this.#service.layouts(rows, { ...part, offset: number, limit: 1, signal }),
    );
    if (answer) this.#show(answer.layouts?.[0], number, answer);
  }

  /** One at random, and then its number. */
  async #draw() {
    if (this.#window !== null) {
      this.go(randomBelow(this.#count ?? 1n));
      return;
    }
    const { rows, mines } = this.#position;
    const options = { mines, ...setting(this.#position), limit: 1 };
    const found = await this.#ask(async (signal) => {
      const answer = await this.#service.sample(rows, { ...options, signal });
      const layout = answer.samples?.[0];
      const ranked = layout && (await this.#service.layouts(rows, { ...options, layout, signal }));
      return { answer, layout, rank: ranked?.rank ?? null };
    });
    if (found) this.#show(found.layout, found.rank, found.answer);
  }

  async #ask(question) {
    this.#onBegin();
    this.element.setAttribute("aria-busy", "true");
    try {
      const found = await this.#latest.ask(question);
      if (found !== undefined) this.element.setAttribute("aria-busy", "false");
      return found;
    } catch (error) {
      this.element.setAttribute("aria-busy", "false");
      showProblem(this.#message, error);
      return undefined;
    }
  }

  #show(layout, number, { count, solver }) {
    this.#count = count ?? this.#count;
    if (layout === undefined) {
      this.#message.textContent = solver.complete ? say("There are no layouts.") : say("The layout was not found in time.");
      return;
    }
    this.#number = number;
    const { rows } = this.#position;
    const shown = this.#window === null ? layout : replaced(rows, this.#window, layout);
    this.#board.overlay(layoutOverlay(rows, shown));
    this.dispatchEvent(new CustomEvent("shown", { detail: rowsOf(shown) }));
    if (number !== null) this.#input.value = String(number + 1n);
    this.#isShown = true;
    this.#message.textContent = this.#title();
    this.#enableButtons();
  }

  #title() {
    const isCounted = this.#count !== null;
    const values = { number: precise((this.#number ?? 0n) + 1n), count: short(this.#count ?? 0n) };
    if (this.#number === null) return isCounted ? say("A random layout of {count}.", values) : say("A random layout.");
    return isCounted ? say("Layout {number} of {count}.", values) : say("Layout {number}.", values);
  }

  #enableButtons() {
    const { first, previous, next, last, random, close } = this.#buttons;
    const [number, count] = [this.#number, this.#count];
    const [isFirst, isLast] = [say("This is the first layout."), say("This is the last layout.")];
    const uncounted = say("The layouts are not counted.");
    enable(first, number !== 0n, isFirst);
    enable(previous, number !== null && number !== 0n, number === null ? say("No layout is shown.") : isFirst);
    enable(next, number === null || count === null || number < count - 1n, isLast);
    enable(last, count !== null && count !== 0n && number !== count - 1n, count === null ? uncounted : isLast);
    // The number of a layout of a window is drawn, for which their count has to be known.
    enable(random, this.#window === null || (count !== null && count !== 0n), uncounted);
    enable(close, this.#isShown, say("The board is shown already."));
  }
}
