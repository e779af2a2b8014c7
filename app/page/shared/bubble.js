/**
 * A few words beside a cell, for as long as it has the pointer, the keyboard or a finger.
 *
 * @module shared/bubble
 */

import { make } from "./elements.js";

export class Bubble {
  #element = make("div", { class: "bubble", hidden: true, "aria-hidden": "true" });
  /** @type {HTMLElement | null} */
  #cell = null;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    parent.append(this.#element);
    for (const name of ["pointerleave", "focusout", "scroll"]) parent.addEventListener(name, () => this.show(null));
    addEventListener("scroll", () => this.show(null), { passive: true });
  }

  /** Show what a cell has to say in `data-bubble`, if it has. @param {HTMLElement | null} cell */
  show(cell) {
    this.#cell = cell;
    const { left, top, width } = cell?.getBoundingClientRect() ?? { left: 0, top: 0, width: 0 };
    this.say(cell?.dataset.bubble ?? "", left + width / 2, top);
  }

  /** Say something above a point of the screen; "" ends that. @param {string} text @param {number} x @param {number} y */
  say(text, x, y) {
    if (!text && this.#element.hidden) return;
    this.#element.hidden = !text;
    if (!text) return;
    this.#element.textContent = text;
    const most = document.documentElement.clientWidth - this.#element.offsetWidth - 4;
    this.#element.style.left = `${Math.max(4, Math.min(most, x - this.#element.offsetWidth / 2))}px`;
    this.#element.style.top = `${y - this.#element.offsetHeight - 6}px`;
  }

  /** What cells have to say has changed. */
  refresh() {
    this.show(this.#cell);
  }
}
