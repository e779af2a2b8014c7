/**
 * The picture of a whole machine, to zoom; the states that a run has reached stand out, and are in sight.
 *
 * @module strips/machine-picture
 */

import { field, make } from "../shared/elements.js";

/** Percent of the size that the picture was drawn in. */
const [LEAST, MOST, STEP] = [20, 300, 10];

export class MachinePicture {
  /** @type {HTMLDetailsElement} */
  element;
  #zoom = make("input", { type: "range", min: LEAST, max: MOST, step: STEP, name: "zoom" });
  #frame = make("div", { class: "machine-frame", tabIndex: 0, role: "group", "aria-label": "Picture to zoom" });
  /** @type {SVGSVGElement | null} */
  #picture = null;
  #width = 0;
  /** States by their names. @type {Map<string, Element>} */
  #states = new Map();
  /** @type {string[]} */
  #reached = [];

  constructor() {
    const zoom = field("Zoom", this.#zoom);
    this.element = make("details", { class: "machine", open: true }, make("summary", {}, "The whole machine"), zoom, this.#frame);
    this.#zoom.addEventListener("input", () => this.#size());
    this.element.addEventListener("toggle", () => this.#bring());
    this.#frame.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.#zoom.valueAsNumber -= STEP * Math.sign(event.deltaY);
        this.#size();
      },
      { passive: false },
    );
  }

  /**
   * Show a machine; null shows none.
   *
   * @param {string} name
   * @param {string | null} svg
   */
  show(name, svg) {
    this.#frame.replaceChildren();
    [this.#picture, this.#reached] = [null, []];
    this.element.hidden = svg === null;
    if (svg === null) return;
    // The page has rules of its own for it, with colours that follow those of the page.
    const plain = svg.replace(/<style>.*?<\/style>/s, "");
    const picture = document.adoptNode(new DOMParser().parseFromString(plain, "image/svg+xml").documentElement);
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", `All states and moves of ${name}`);
    this.#picture = /** @type {any} */ (picture);
    this.#width = Number(picture.getAttribute("width"));
    picture.removeAttribute("height");
    this.#states = new Map([...picture.querySelectorAll(".state")].map((state) => [state.querySelector("text")?.textContent ?? "", state]));
    this.#frame.append(picture);
    // Small machines are seen whole; of large ones, that can be read, the part where the run is.
    const fits = (100 * this.#frame.clientWidth) / this.#width || 100;
    this.#zoom.value = String(fits > 60 ? Math.min(100, fits) : 80);
    this.#size();
  }

  /** Where a run is. @param {string[]} states */
  at(states) {
    for (const [name, state] of this.#states) state.classList.toggle("now", states.includes(name));
    this.#reached = states;
    this.#bring();
  }

  #size() {
    this.#picture?.setAttribute("width", String((this.#width * this.#zoom.valueAsNumber) / 100));
    this.#bring();
  }

  /** Scroll to the first state of the run, without moving the page. */
  #bring() {
    const [state] = this.#reached.flatMap((name) => this.#states.get(name) ?? []);
    if (!state || !this.element.open) return;
    const [at, seen] = [state.getBoundingClientRect(), this.#frame.getBoundingClientRect()];
    this.#frame.scrollLeft += at.x + at.width / 2 - seen.x - seen.width / 2;
    this.#frame.scrollTop += at.y + at.height / 2 - seen.y - seen.height / 2;
  }
}
