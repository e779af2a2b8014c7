/**
 * The chances of a position in a list, the fewest first, and once that of all remote cells.
 *
 * @module shared/chance-list
 */

import { cellName } from "./board.js";
import { isOpen, percent } from "./chances.js";
import { button, make, panel, whileAt } from "./elements.js";
import { say } from "./language.js";
import { several } from "./numbers.js";
import { capital } from "./phrases.js";

/** @typedef {[row: number, col: number]} Cell */

/** Cells that are listed. */
const LISTED = 8;

export class ChanceList {
  /** @type {HTMLElement} */
  element;
  #point;
  #remote = make("p", {});
  #list = make("ol", { class: "steps" });
  #shown = "";

  /** @param {(cell: Cell | null) => void} point point a cell out on the board, or none any more */
  constructor(point) {
    this.#point = point;
    this.element = panel(say("Chances of a mine"), this.#remote, this.#list);
    this.element.classList.add("chances");
    this.show(null);
  }

  /**
   * Show chances that are not certainties; null hides the list.
   *
   * @param {ReturnType<typeof import("./chances.js").chancesOf> | null} chances
   * @param {boolean} [stale] the chances of the position are not known yet: the list keeps its place without them
   */
  show(chances, stale = false) {
    const open = (cells) => cells.filter(([, chance]) => isOpen(chance));
    const near = open(chances?.near ?? []).toSorted(([, one], [, other]) => one - other);
    const remote = open(chances?.remote ?? []);
    const listed = near.slice(0, LISTED);
    const values = { cells: several(remote.length, "cell"), chance: percent(remote[0]?.[1] ?? 0) };
    const text =
      remote.length > 1
        ? say("{cells} that no number touches: {chance} each.", values)
        : say("{cells} that no number touches: {chance}.", values);
    const shown = JSON.stringify([text, listed]);
    this.element.hidden = !chances || (!stale && near.length + remote.length === 0);
    this.element.classList.toggle("stale", stale);
    // An item that has the pointer or the keyboard keeps it.
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#remote.textContent = remote.length ? text : "";
    this.#list.replaceChildren(...listed.map((found) => make("li", {}, this.#item(found))));
  }

  #item([cell, chance]) {
    const show = () => this.#point(cell);
    const shown = whileAt(show, () => this.#point(null));
    return button(say("{cell}: {what}", { cell: capital(cellName(...cell)), what: percent(chance) }), show, { class: "step", ...shown });
  }
}
