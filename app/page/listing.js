/**
 * Layouts of a window as a list, some at a time.
 *
 * @module listing
 */

import { button } from "./elements.js";
import { Latest } from "./latest.js";
import { make } from "./make.js";
import { inWords } from "./service.js";

/** @typedef {import("./windows.js").Window} Window */

/** Layouts that come at once. */
const LISTED = 24;

/** The list; each layout is a button that has it shown. */
export class Listing {
  /** @type {HTMLElement} */
  element;
  #service;
  #chosen;
  #latest = new Latest();
  /** @type {{rows: string[], window: Window} | null} */
  #asked = null;
  #next = 0n;
  #list = make("ul", { "aria-label": "Layouts" });
  #more = button("List more", () => this.#page());
  #said = make("p", {});

  /**
   * @param {import("./minecheck.js").Minecheck} service
   * @param {(number: bigint) => void} chosen what to do with the number of a layout
   */
  constructor(service, chosen) {
    [this.#service, this.#chosen] = [service, chosen];
    this.element = make("div", { class: "listing" }, this.#list, this.#said, make("div", { class: "bar" }, this.#more));
    this.clear();
  }

  /** List nothing. */
  clear() {
    this.#latest.end();
    [this.#asked, this.#next] = [null, 0n];
    this.#list.replaceChildren();
    this.#said.textContent = "";
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
    this.#asked = { rows, window };
    this.#page();
  }

  async #page() {
    const { rows, window } = this.#asked;
    const first = this.#next;
    try {
      const question = (signal) =>
        this.#service.layouts(rows, { window, offset: first, limit: LISTED, signal });
      const answer = await this.#latest.ask(question);
      if (answer === undefined) return;
      const found = answer.layouts ?? [];
      this.#list.append(...found.map((layout, at) => this.#item(layout, first + BigInt(at))));
      this.#said.textContent = answer.solver.complete ? "" : "More were not found in time.";
      this.#next = answer.next_offset ?? first + BigInt(found.length);
      this.#more.hidden = answer.solver.complete && answer.next_offset === null;
    } catch (error) {
      this.#said.textContent = inWords(error);
      this.#more.hidden = false;
    }
  }

  #item(layout, number) {
    const named = { class: "layout", "aria-label": `Layout number ${number}: ${layout.join(", ")}` };
    return make("li", {}, button(layout.join("\n"), () => this.#chosen(number), named));
  }
}
