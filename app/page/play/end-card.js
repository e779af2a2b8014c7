/**
 * The end of a game, as a card over its board.
 *
 * @module play/end-card
 */

import { button, make } from "../shared/elements.js";
import { icon } from "../shared/icons.js";
import { say } from "../shared/language.js";

/** @typedef {Pick<import("./controls.js").Actions, "review" | "again" | "newGame" | "undo">} Actions */

export class EndCard {
  #title = make("h2");
  #more = make("p", { class: "faint" });
  #figures = make("dl", { class: "end-figures" });
  #undo;
  element;

  /** @param {Actions} actions */
  constructor({ review, again, newGame, undo }) {
    this.#undo = button(say("Take it back"), undo);
    const close = button([icon("close")], () => this.hide(), { class: "end-close", "aria-label": say("Close the result") });
    this.element = make(
      "section",
      { class: "end-card", "aria-label": say("Result"), hidden: true },
      close,
      this.#title,
      this.#more,
      this.#figures,
      make(
        "div",
        { class: "bar" },
        button(say("Review the game"), review, { class: "primary" }),
        this.#undo,
        button(say("Play it again"), again),
        button(say("Another board"), newGame),
      ),
    );
  }

  /** Write down a result; its figures come later. @param {string} title @param {string} more */
  fill(title, more) {
    this.#title.textContent = title;
    this.#more.textContent = more;
    this.#figures.replaceChildren();
  }

  /** @param {"won" | "lost"} state */
  show(state) {
    this.element.dataset.state = state;
    this.#undo.hidden = state === "won";
    this.element.hidden = false;
  }

  /** Show figures with the result, in place of others. @param {[name: string, value: string][]} figures */
  showFigures(figures) {
    this.#figures.replaceChildren(...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  hide() {
    this.element.hidden = true;
  }
}
