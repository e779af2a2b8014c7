/**
 * Controls of the tabs, and elements of pictures.
 *
 * @module elements
 */

import { make } from "./make.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element of a picture.
 *
 * @param {string} tag
 * @param {Object<string, string | number | null>} [attributes] null is left out
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * A button; see `enable`.
 *
 * @param {string} text
 * @param {(event: MouseEvent) => void} onclick
 * @param {Object<string, unknown>} [given]
 */
export function button(text, onclick, given = {}) {
  const pressed = (event) => {
    if (event.currentTarget.getAttribute("aria-disabled") !== "true") onclick(event);
  };
  return make("button", { type: "button", onclick: pressed, ...given }, text);
}

/**
 * Let a button do something, or nothing: a button that is disabled would lose the keyboard.
 *
 * @param {HTMLButtonElement} control
 * @param {boolean} able
 */
export function enable(control, able) {
  control.setAttribute("aria-disabled", String(!able));
}

/**
 * A control with its label.
 *
 * @param {string} text
 * @param {HTMLElement} control
 */
export function field(text, control) {
  return make("label", { class: "field" }, make("span", {}, text), control);
}

/**
 * A list to choose from.
 *
 * @param {Iterable<[value: string, text: string]>} choices
 * @param {Object<string, unknown>} [given]
 */
export function select(choices, given = {}) {
  return make("select", given, ...[...choices].map(([value, text]) => make("option", { value }, text)));
}

/**
 * A box with a heading.
 *
 * @param {string} heading
 * @param {...(Node | null)} children
 */
export function panel(heading, ...children) {
  return make("section", { class: "panel" }, make("h2", {}, heading), ...children);
}
