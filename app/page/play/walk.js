/**
 * A panel with a list to go through: each item shows something on the board.
 *
 * @module play/walk
 */

import { button, enable, make } from "../shared/elements.js";
import { icon } from "../shared/icons.js";
import { say } from "../shared/language.js";

/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {import("../shared/board.js").Marks} Marks */
/** @typedef {[row: number, col: number]} Cell */

/**
 * An item of the list.
 *
 * @typedef {object} Item
 * @property {string} text
 * @property {() => Iterable<[key: string, mark: Mark]>} marks what it shows
 * @property {string[]} [rows] a board that is shown in place of the game's
 * @property {Cell} [cell] that it is about, and that is brought into sight
 */

/**
 * How the items are seen: an element, and what shows in it which of them is the current one.
 *
 * @typedef {{element: HTMLElement, show: (at: number) => void}} List
 */

/**
 * What a panel shows.
 *
 * @typedef {object} Shown
 * @property {string} title
 * @property {string} [more] a line below the list
 * @property {keyof typeof WORDS} noun what an item is
 * @property {Item[]} items at least one
 * @property {Cell | null} [cell] where the keyboard goes on afterwards
 * @property {(at: () => number) => Node[]} [controls] more buttons, which may ask which item is shown
 * @property {(items: Item[], go: (at: number) => void) => List} [list] a list of the texts if left out
 */

/** What is said of items, by what they are. */
const WORDS = {
  step: {
    next: say("Next step"),
    first: say("This is the first step."),
    last: say("This is the last step."),
    title: (values) => say("Step {number} of {count}: {text}", values),
  },
  move: {
    next: say("Next move"),
    first: say("This is the first move."),
    last: say("This is the last move."),
    title: (values) => say("Move {number} of {count}: {text}", values),
  },
  click: {
    next: say("Next click"),
    first: say("This is the first click."),
    last: say("This is the last click."),
    title: (values) => say("Click {number} of {count}: {text}", values),
  },
};

export class Walk {
  #panel;
  #changed;
  #left;
  /** @type {Shown | null} */
  #shown = null;
  /** @type {List | null} */
  #list = null;
  #at = 0;
  #back = button(say("Back"), () => this.back());
  #next = button(say("Next"), () => this.next());

  /**
   * @param {HTMLElement} panel
   * @param {(text: string | null) => void} changed another item is shown, or none any more
   * @param {(cell: Cell | null) => void} left the reader is through with it
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

  /** The cell that the item is about, if it is about one. @returns {Cell | undefined} */
  get cell() {
    return this.#item?.cell ?? this.#shown?.cell ?? undefined;
  }

  /** Which item is shown, from 0. */
  get at() {
    return this.#at;
  }

  get isOpen() {
    return this.#shown !== null;
  }

  /** Whether items are shown. @param {Item[]} items */
  shows(items) {
    return this.#shown?.items === items;
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
    const { title, more = "", noun, items, controls, list = textList } = shown;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#shown = shown;
    this.#list = list(items, (to) => this.go(to));
    this.#next.textContent = WORDS[noun].next;
    const others = controls?.(() => this.#at) ?? [];
    // One button stands out: what can be done with an item, else the way to the next one.
    const isMain = !others.some((control) => control instanceof Element && control.classList.contains("primary"));
    this.#next.classList.toggle("primary", isMain);
    this.#panel.replaceChildren(
      make("h2", {}, title),
      make("div", { class: "bar" }, ...others, this.#back, this.#next),
      button([icon("close")], () => this.leave(), { class: "icon-button walk-close", "aria-label": say("Close") }),
      this.#list.element,
      make("p", { class: "faint walk-more", hidden: !more }, more),
    );
    this.#panel.hidden = false;
    // On a phone on its side the sheet scrolls, and has the panel at its top.
    this.#panel.closest(".play-sheet")?.scrollTo({ top: 0 });
    if (hadFocus) this.#next.focus({ preventScroll: true });
    this.go(at);
  }

  /** Show an item, or the nearest there is. */
  go(at) {
    if (!this.#shown) return;
    const { items, noun } = this.#shown;
    this.#at = Math.max(0, Math.min(items.length - 1, at));
    this.#list?.show(this.#at);
    enable(this.#back, this.#at > 0, WORDS[noun].first);
    enable(this.#next, this.#at < items.length - 1, WORDS[noun].last);
    this.#changed(WORDS[noun].title({ number: this.#at + 1, count: items.length, text: items[this.#at].text }));
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
    for (const [key, mark] of this.#item?.marks() ?? []) marks.set(key, { ...marks.get(key), ...mark });
  }
}

/** The texts of items, each a button. @param {Item[]} items @param {(at: number) => void} go @returns {List} */
function textList(items, go) {
  const buttons = items.map(({ text }, at) => button(text, () => go(at)));
  const element = make("ol", { class: "play-steps" }, ...buttons.map((control) => make("li", {}, control)));
  return { element, show: (at) => point(element, buttons, at) };
}

/**
 * Show which of some controls is the current one. Only their list may scroll: the board is to stay in sight.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement[]} controls
 * @param {number} at
 */
export function point(list, controls, at) {
  for (const [index, control] of controls.entries()) {
    if (index === at) control.setAttribute("aria-current", "step");
    else control.removeAttribute("aria-current");
  }
  const shown = controls[at]?.closest("li, tr");
  // Above the first one there may be a heading.
  if (shown instanceof HTMLElement) list.scrollTop = at ? shown.offsetTop - shown.offsetHeight : 0;
}
