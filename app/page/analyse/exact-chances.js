/**
 * The chances of a position as exact fractions, asked for on demand.
 *
 * @module analyse/exact-chances
 */

import { say } from "../shared/language.js";
import { cellNames } from "../shared/phrases.js";
import { button, make, panel } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { noAnswer } from "../shared/no-answer.js";
import { several } from "../shared/numbers.js";
import { setting } from "../shared/rules.js";

/** @typedef {import("../shared/position.js").Position} Position */

/** Fractions that are listed, and cells that are named for each. */
const [LISTED, NAMED] = [40, 12];

/** A button, and below it the fractions with their cells. */
export class ExactChances {
  /** @type {HTMLElement} */
  element;
  #service;
  #latest = new LatestRequest();
  /** @type {Position | null} */
  #position = null;
  #message = make("div", { class: "fractions", "aria-live": "polite" });

  /** @param {import("../shared/minecheck.js").Minecheck} service */
  constructor(service) {
    this.#service = service;
    const ask = button(say("Show exact fractions"), () => this.#ask());
    this.element = panel(say("Exact chances"), make("div", { class: "bar" }, ask), this.#message);
    this.element.classList.add("exact-chances");
    this.about(null);
  }

  /** Another board; null where chances are not known. @param {Position | null} position */
  about(position) {
    this.#latest.end();
    this.#position = position;
    this.element.hidden = position === null;
    this.#message.replaceChildren();
  }

  async #ask() {
    if (this.#position === null) return;
    const { rows, mines, density } = this.#position;
    this.#message.replaceChildren(make("p", { class: "faint" }, say("Computing the fractions …")));
    try {
      const options = { mines, density, ...setting(this.#position), fractions: true };
      const answer = await this.#latest.ask((signal) => this.#service.analyze(rows, { ...options, signal }));
      if (answer !== undefined) this.#message.replaceChildren(...fractions(answer.probabilities));
    } catch (error) {
      this.#message.replaceChildren(...noAnswer(error, () => this.#ask()));
    }
  }
}

/** Each fraction once, the smallest first, with its cells. */
function fractions(probabilities) {
  if (!probabilities) return [make("p", {}, say("The chances were not found in time."))];
  /** @type {Map<string, number[][]>} */
  const cells = new Map();
  probabilities.forEach((chances, row) => {
    chances.forEach((chance, col) => {
      if (chance !== null) cells.set(chance, [...(cells.get(chance) ?? []), [row, col]]);
    });
  });
  const sorted = [...cells].toSorted(([one], [other]) => compare(one, other));
  const items = sorted.slice(0, LISTED).map(([fraction, cells]) => {
    const named = cellNames(cells.slice(0, NAMED));
    const left = cells.length - NAMED;
    const text = left > 0 ? say("{names} and {count} more", { names: named, count: left }) : named;
    return make("div", {}, make("dt", {}, fraction.replace("/1", "")), make("dd", {}, text));
  });
  const left = sorted.length - items.length;
  const omitted = left > 0 ? [make("p", { class: "faint" }, say("{fractions} not listed.", { fractions: several(left, "other fraction") }))] : [];
  return [make("dl", { class: "facts" }, ...items), ...omitted];
}

/** Fractions by their size, exactly. */
function compare(one, other) {
  const [[a, b], [c, d]] = [one, other].map((fraction) => fraction.split("/").map(BigInt));
  const difference = a * (d ?? 1n) - c * (b ?? 1n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
