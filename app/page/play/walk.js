/**
 * A panel with a list to go through: each item shows something on the board.
 *
 * @module play/walk
 */

import { button, make } from "../shared/elements.js";

/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {import("../shared/board.js").Marks} Marks */
/** @typedef {[row: number, col: number]} Place */

/**
 * An item of the list.
 *
 * @typedef {object} Item
 * @property {string} text
 * @property {() => Iterable<[place: string, mark: Mark]>} marks what it shows
 * @property {string[]} [rows] a board that is shown in place of the game's
 * @property {Place} [cell] that it is about, and that is brought into sight
 */

/**
 * What a panel shows.
 *
 * @typedef {object} Shown
 * @property {string} title
 * @property {string} [more] a line below the title
 * @property {string} noun what an item is: step, move
 * @property {Item[]} items at least one
 * @property {Place | null} [cell] where the keyboard goes on afterwards
 * @property {Node[]} [controls] more buttons
 */

export class Walk {
  #panel;
  #changed;
  #left;
  /** @type {Shown | null} */
  #shown = null;
  /** @type {HTMLButtonElement[]} */
  #buttons = [];
  #at = 0;

  /**
   * @param {HTMLElement} panel
   * @param {(text: string | null) => void} changed another item is shown, or none any more
   * @param {(cell: Place | null) => void} left the reader is through with it
   */
  constructor(panel, changed, left) {
    this.#panel = panel;
    this.#left = left;
    this.#changed = changed;
    panel.hidden = true;
  }

  /** The board in place of the game's, if there is one. @returns {string[] | undefined} */
  get rows() {
    return this.#item?.rows;
  }

  /** The cell that the item is about, if it is about one. @returns {Place | undefined} */
  get cell() {
    return this.#item?.cell;
  }

  get #item() {
    return this.#shown?.items[this.#at];
  }

  /**
   * Show items.
   *
   * @param {Shown} shown
   * @param {number} [at] the first one
   */
  open(shown, at = 0) {
    const { title, more = "", noun, items, controls = [] } = shown;
    this.#shown = shown;
    this.#buttons = items.map(({ text }, index) => button(text, () => this.go(index)));
    this.#panel.replaceChildren(
      make("h2", {}, title),
      make("p", { class: "faint", hidden: !more }, more),
      make(
        "div",
        { class: "bar" },
        ...controls,
        button("Back", () => this.back()),
        button(`Next ${noun}`, () => this.next(), { class: "primary" }),
        button("Close", () => this.leave()),
      ),
      make("ol", { class: "play-steps" }, ...this.#buttons.map((control) => make("li", {}, control))),
    );
    this.#panel.hidden = false;
    this.go(at);
  }

  /** Show an item, or the nearest there is. */
  go(at) {
    if (!this.#shown) return;
    const { items, noun } = this.#shown;
    this.#at = Math.max(0, Math.min(items.length - 1, at));
    for (const [index, control] of this.#buttons.entries()) {
      if (index === this.#at) control.setAttribute("aria-current", "step");
      else control.removeAttribute("aria-current");
    }
    // Only the list may scroll: the board is to stay in sight.
    const item = /** @type {HTMLElement} */ (this.#buttons[this.#at].parentElement);
    /** @type {HTMLElement} */ (item.parentElement).scrollTop = item.offsetTop;
    const name = noun[0].toUpperCase() + noun.slice(1);
    this.#changed(`${name} ${this.#at + 1} of ${items.length}: ${items[this.#at].text}`);
  }

  next() {
    this.go(this.#at + 1);
  }

  back() {
    this.go(this.#at - 1);
  }

  close() {
    if (!this.#shown) return;
    this.#shown = null;
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
    this.#changed(null);
  }

  /** Close it, and let the keyboard go on where it came from. */
  leave() {
    if (!this.#shown) return;
    const { cell = null } = this.#shown;
    this.close();
    this.#left(cell);
  }

  /** Add what the item is about to marks. @param {Marks} marks */
  mark(marks) {
    for (const [place, mark] of this.#item?.marks() ?? []) marks.set(place, { ...marks.get(place), ...mark });
  }
}
