/**
 * The layouts of a window as a list, a page at a time.
 *
 * @module strips/layout-list
 */

import { button, make } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { showProblem } from "../shared/problem-words.js";

/** @typedef {import("../shared/windows.js").Window} Window */

/** Layouts of a page. */
const PAGE = 24;

/** The list; each layout is a button that shows it on the board. */
export class LayoutList {
  /** @type {HTMLElement} */
  element;
  #service;
  #chosen;
  #latest = new LatestRequest();
  /** @type {{rows: string[], window: Window} | null} */
  #question = null;
  #next = 0n;
  #list = make("ul", { "aria-label": say("Layouts") });
  #more = button(say("Show more"), () => this.#page());
  #message = make("p", {});

  /**
   * @param {import("../shared/minecheck.js").Minecheck} service
   * @param {(number: bigint) => void} chosen what to do with the number of a layout
   */
  constructor(service, chosen) {
    [this.#service, this.#chosen] = [service, chosen];
    this.element = make("div", { class: "listing" }, this.#list, this.#message, make("div", { class: "bar" }, this.#more));
    this.clear();
  }

  /** List nothing. */
  clear() {
    this.#latest.end();
    [this.#question, this.#next] = [null, 0n];
    this.#list.replaceChildren();
    this.#message.textContent = "";
    this.#more.hidden = true;
  }

  /**
   * List the first layouts of a window.
   *
   * @param {string[]} rows
   * @param {Window} window
   */
  about(rows, window) {
    this.clear();
    this.#question = { rows, window };
    this.#page();
  }

  /** Let the layout that is shown stand out. @param {string[] | null} layout of the window, null for none */
  choose(layout) {
    const text = layout?.join("\n");
    for (const item of this.#list.querySelectorAll("button")) item.setAttribute("aria-pressed", String(item.textContent === text));
  }

  async #page() {
    if (this.#question === null) return;
    const { rows, window } = this.#question;
    const first = this.#next;
    try {
      const question = (signal) =>
        this.#service.layouts(rows, { window, offset: first, limit: PAGE, signal });
      const answer = await this.#latest.ask(question);
      if (answer === undefined) return;
      const found = answer.layouts ?? [];
      this.#list.append(...found.map((layout, at) => this.#item(layout, first + BigInt(at))));
      this.#message.textContent = answer.solver.complete ? "" : say("No more were found in time.");
      this.#next = answer.next_offset ?? first + BigInt(found.length);
      this.#more.hidden = answer.solver.complete && answer.next_offset == null;
    } catch (error) {
      showProblem(this.#message, error);
      this.#more.hidden = false;
    }
  }

  #item(layout, number) {
    const named = { class: "layout", "aria-pressed": "false", "aria-label": say("Layout {number}: {rows}", { number: number + 1n, rows: layout.join(", ") }) };
    return make("li", {}, button(layout.join("\n"), () => this.#chosen(number), named));
  }
}
