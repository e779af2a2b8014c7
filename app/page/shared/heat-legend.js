/**
 * The scale of chances as a strip of colours, with what cells without a colour have.
 *
 * @module shared/heat-legend
 */

import { heat, heatColour, isOpen, percent } from "./chances.js";
import { make } from "./elements.js";
import { say } from "./language.js";
import { several } from "./numbers.js";

/** Values of the scale that the strip names exactly; the browser blends between them. */
const DRAWN = [1, 17, 33, 45, 59, 72, 86, 99];

/** The legend of a board; hidden parts keep their room, so that nothing moves. */
export class HeatLegend {
  #strip = make("span", { class: "legend-strip" });
  #usual = make("span", { class: "legend-usual" });
  #remote = make("span", { class: "legend-remote" });
  element = make(
    "p",
    { class: "legend" },
    make("span", {}, say("safe")),
    make("span", { class: "legend-scale" }, this.#strip, this.#usual),
    make("span", {}, say("mine")),
    this.#remote,
  );

  constructor() {
    this.#strip.style.background = `linear-gradient(90deg, ${DRAWN.map((value) => `${heatColour(value)} ${value}%`).join(", ")})`;
    this.show(null, 1);
  }

  /**
   * @param {ReturnType<typeof import("./chances.js").chancesOf> | null} chances null where none are shown
   * @param {number} density mines per cell of the board
   */
  show(chances, density) {
    this.element.classList.toggle("legend-empty", chances === null);
    this.element.setAttribute("aria-hidden", String(chances === null));
    this.#usual.style.left = `${heat(density, density)}%`;
    this.#usual.textContent = say("average {chance}", { chance: percent(density) });
    const remote = (chances?.remote ?? []).filter(([, chance]) => isOpen(chance));
    this.#remote.textContent = remote.length
      ? say("{cells} that no number touches: {chance}", { cells: several(remote.length, "cell"), chance: percent(remote[0][1]) })
      : "";
  }
}
