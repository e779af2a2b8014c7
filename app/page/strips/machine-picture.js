/**
 * The picture of a whole machine, to zoom; the states that a run has reached stand out, and are in sight.
 *
 * @module strips/machine-picture
 */

import { field, make } from "../shared/elements.js";
import { say } from "../shared/language.js";

/** Percent of the size that the picture was drawn in. */
const [LEAST, MOST, STEP] = [20, 300, 10];

export class MachinePicture {
  /** @type {HTMLDetailsElement} */
  element;
  #zoom = make("input", { type: "range", min: LEAST, max: MOST, step: STEP, name: "zoom" });
  #frame = make("div", { class: "machine-frame", tabIndex: 0, role: "group", "aria-label": say("Picture to zoom") });
  /** @type {SVGSVGElement | null} */
  #picture = null;
  #width = 0;
  /** States by their names. @type {Map<string, Element>} */
  #states = new Map();
  /** @type {string[]} */
  #reached = [];
  /** The arrows, each with the states that it joins. @type {{arrow: Element, move: string}[]} */
  #arrows = [];

  constructor() {
    const zoom = field(say("Zoom"), this.#zoom);
    this.element = make("details", { class: "machine", open: true }, make("summary", {}, say("The whole machine")), zoom, this.#frame);
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
    [this.#picture, this.#reached, this.#arrows, this.#states] = [null, [], [], new Map()];
    this.element.hidden = svg === null;
    if (svg === null) return;
    // Measured before the picture is there, so that it is laid out once less.
    const room = this.#frame.clientWidth;
    // The page has rules of its own for it, with colours that follow those of the page.
    const plain = svg.replace(/<style>.*?<\/style>/s, "");
    const picture = document.adoptNode(new DOMParser().parseFromString(plain, "image/svg+xml").documentElement);
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", say("All states and moves of {name}", { name }));
    this.#picture = /** @type {any} */ (picture);
    this.#width = Number(picture.getAttribute("width"));
    picture.removeAttribute("height");
    this.#states = new Map([...picture.querySelectorAll(".state")].map((state) => [state.querySelector("text")?.textContent ?? "", state]));
    this.#frame.append(picture);
    this.#arrows = arrowsOf(picture, this.#states);
    this.light([], null);
    // Small machines are seen whole; of large ones, that can be read, the part where the run is.
    const fits = (100 * room) / this.#width || 100;
    this.#zoom.value = String(fits > 60 ? Math.min(100, fits) : 80);
    this.#size();
  }

  /**
   * Light a path, and on it the move that is taken.
   *
   * @param {string[]} path states, the start first
   * @param {number | null} step the number of the move, from 1
   */
  light(path, step) {
    const moves = path.slice(1).map((to, at) => `${path[at]} ${to}`);
    for (const [name, state] of this.#states) state.classList.toggle("lit", path.includes(name));
    for (const { arrow, move } of this.#arrows) {
      arrow.classList.toggle("lit", moves.includes(move));
      arrow.classList.toggle("taken", step !== null && step > 0 && moves[step - 1] === move);
    }
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

/**
 * The arrows of a picture, which says only where they begin and end.
 *
 * @param {Element} picture
 * @param {Map<string, Element>} states by their names
 */
function arrowsOf(picture, states) {
  const ellipses = [...states].map(([name, state]) => {
    const [x, y, a, b] = ["cx", "cy", "rx", "ry"].map((name) => Number(state.querySelector("ellipse")?.getAttribute(name)));
    return { name, x, y, a, b };
  });
  const nearest = (/** @type {number[]} */ [x, y]) => {
    const far = (one) => Math.abs(Math.hypot((x - one.x) / one.a, (y - one.y) / one.b) - 1);
    return ellipses.reduce((best, one) => (far(one) < far(best) ? one : best)).name;
  };
  return [...picture.querySelectorAll(".arrow")].map((arrow) => {
    const start = arrow.querySelector("path")?.getAttribute("d")?.match(/-?[\d.]+/g)?.slice(0, 2).map(Number) ?? [0, 0];
    const points = arrow.querySelector("polygon")?.getAttribute("points")?.trim().split(/\s+/).map((point) => point.split(",").map(Number)) ?? [[0, 0]];
    // The tip of the head is in the middle of its points.
    return { arrow, move: `${nearest(start)} ${nearest(points[Math.floor(points.length / 2)])}` };
  });
}
