/**
 * Kadlac's Appendix B as a table: all windows of four squares in a row, and what is wrong in each.
 *
 * @module strips/window-table
 */

import { button, make } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { noAnswer } from "../shared/no-answer.js";

/** Squares on either side of the table. */
const HALF = 2;

/** The table, which is asked for when it is first opened. */
export class WindowTable {
  /** @type {HTMLDetailsElement} */
  element;
  #service;
  #chosen;
  #body = make("div", {});
  #there = false;

  /**
   * @param {import("../shared/service.js").Service} service
   * @param {(window: string) => void} chosen what to do with the four squares of a window
   */
  constructor(service, chosen) {
    [this.#service, this.#chosen] = [service, chosen];
    const summary = make("summary", {}, say("All windows of four squares in one row"));
    this.element = make("details", {}, summary, this.#body);
    this.element.addEventListener("toggle", () => this.element.open && this.#ask());
  }

  async #ask() {
    if (this.#there) return;
    this.#there = true;
    try {
      const windows = await this.#service.ask("automata/kadlac/windows");
      this.#body.replaceChildren(...this.#table(windows));
    } catch (error) {
      this.#there = false;
      this.#body.replaceChildren(...noAnswer(error, () => this.#ask()));
    }
  }

  /** @param {any[]} windows as the service tells them */
  #table(windows) {
    const halves = [...new Set(windows.map(({ window }) => window.slice(0, HALF)))];
    const found = new Map(windows.map((one) => [one.window, one]));
    const consistent = windows.filter((one) => one.consistent).length;
    const head = (half, scope) => make("th", { scope }, half);
    const row = (first) => halves.map((last) => this.#cell(found.get(first + last)));
    const table = make(
      "table",
      {},
      make("thead", {}, make("tr", {}, make("td", {}), ...halves.map((half) => head(half, "col")))),
      make("tbody", {}, ...halves.map((first) => make("tr", {}, head(first, "row"), ...row(first)))),
    );
    const frame = make("div", { class: "window-table", tabIndex: 0, role: "group", "aria-label": say("Table to scroll") });
    frame.append(table);
    const said = say(
      "Rows are the first two squares, columns the last two; on either side is one more, unknown square. " +
        "{consistent} of {windows} windows are consistent (✓), the others have the error that is named, as Kadlac's Table 3 names it. " +
        "Choose one to see it on the board.",
      { consistent, windows: windows.length },
    );
    return [make("p", { class: "faint" }, said), frame];
  }

  #cell({ window, consistent, type, subtype }) {
    const said = consistent ? say("consistent") : `${type}, ${subtype}`;
    const named = { "aria-label": `${window}: ${said}`, title: `${window}: ${said}` };
    const chosen = button(consistent ? "✓" : subtype, () => this.#chosen(window), named);
    return make("td", { "data-kind": consistent ? "yes" : "no" }, chosen);
  }
}
