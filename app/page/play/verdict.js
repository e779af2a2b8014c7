/**
 * The card that says what is known of the position: it is always in sight, and keeps its size.
 *
 * @module play/verdict
 */

import { make } from "../shared/elements.js";
import { say } from "../shared/language.js";

/**
 * What is known of a position; what is left out is not known.
 *
 * @typedef {object} Facts
 * @property {string} [layouts] how many fit
 * @property {string} [best] the best move, or how many cells are proved safe
 * @property {string} [shortBest] the best move where there is little room
 * @property {string} [win] the chance to win
 * @property {string} [solver] which one answered, and how long it took
 */

/** @type {[name: keyof Facts, title: string][]} */
const ROWS = [
  ["layouts", say("Layouts")],
  ["best", say("Best move")],
  ["win", say("To win")],
  ["solver", say("Solver")],
];
const UNKNOWN = "–";
/** Milliseconds after which an answer is slow enough to say that it is awaited. */
const SLOW = 250;

export class Verdict {
  #message = make("p", { role: "status" });
  #more = make("p", { class: "verdict-more" });
  #values = new Map(ROWS.map(([name]) => [name, make("dd", {}, UNKNOWN)]));
  /** Terms and values of what is known of a position. */
  #rows = ROWS.flatMap(([name, title]) => [make("dt", {}, title), /** @type {HTMLElement} */ (this.#values.get(name))]);
  #facts = make("dl", { class: "verdict-facts verdict-empty" }, ...this.#rows);
  #bar = make("div", { class: "bar verdict-bar" });
  #slow = 0;
  /** What is said where there is nothing else to say. */
  idle = "";
  element = make(
    "section",
    { class: "panel verdict-card", "aria-label": say("Verdict") },
    make("div", { class: "play-said" }, this.#message, this.#more),
    this.#facts,
    this.#bar,
  );

  /**
   * Say something; nothing is waited for any more.
   *
   * @param {string} text "" for what is said where there is nothing else
   * @param {string} [kind] won, lost, problem
   * @param {string} [more] in smaller letters
   */
  say(text, kind = "", more = "") {
    clearTimeout(this.#slow);
    this.#message.classList.remove("busy");
    this.#message.dataset.kind = kind;
    this.#message.textContent = text || this.idle;
    this.#more.textContent = more;
  }

  /** Say what is being done, if it takes long. @param {string} doing */
  wait(doing) {
    clearTimeout(this.#slow);
    this.#slow = setTimeout(() => {
      this.say(say("{doing} …", { doing }));
      this.#message.classList.add("busy");
    }, SLOW);
  }

  /** Show facts beside those that are shown. @param {Facts} facts */
  show(facts) {
    for (const [name, value] of this.#values) {
      if (facts[name]) value.textContent = facts[name];
    }
    if (facts.best) setShort(this.#values.get("best"), facts.shortBest);
    this.#facts.classList.remove("verdict-empty");
  }

  /** The facts were about another position. */
  forget() {
    for (const value of this.#values.values()) value.textContent = UNKNOWN;
    setShort(this.#values.get("best"));
    this.#facts.replaceChildren(...this.#rows);
    this.#facts.classList.add("verdict-empty");
  }

  /** The game is over: show its figures in place of facts about the position. @param {[name: string, value: string][]} figures */
  conclude(figures) {
    this.#facts.replaceChildren(...figures.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
    this.#facts.classList.remove("verdict-empty");
  }

  /** Offer what can be done next, in place of what was offered. @param {...Node} controls */
  offer(...controls) {
    this.#bar.replaceChildren(...controls);
  }
}

/** Give a value the text that is shown in its place where there is little room. @param {HTMLElement | undefined} value @param {string} [text] none if left out */
function setShort(value, text) {
  if (!value) return;
  if (text) value.dataset.short = text;
  else delete value.dataset.short;
}
