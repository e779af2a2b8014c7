/**
 * Elements of the page and of pictures, each made in one call; controls of the tabs.
 *
 * @module shared/elements
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with properties, attributes (whatever is no property), listeners and children.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Object<string, unknown>} [given] `class`, `onclick` and the like; null is left out
 * @param {...(Node | string | null)} children strings become text
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    if (name === "class") element.className = String(value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

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
 * A button; see `enable`. One that can do nothing tells its reason, in a "reason" event, when it is pressed.
 *
 * @param {string | Node[]} content
 * @param {(event: MouseEvent) => void} onclick
 * @param {Object<string, unknown>} [given]
 */
export function button(content, onclick, given = {}) {
  const pressed = (event) => {
    const { currentTarget: control } = event;
    if (control.getAttribute("aria-disabled") !== "true") onclick(event);
    else control.dispatchEvent(new CustomEvent("reason", { bubbles: true, detail: control.title }));
  };
  return make("button", { type: "button", onclick: pressed, ...given }, ...[content].flat());
}

/**
 * An input for a file that a button stands for.
 *
 * @param {(file: File) => void} take called with each file that is chosen, the same one again too
 * @param {Object<string, any>} given its name, its label and the like
 * @returns {HTMLInputElement}
 */
export function fileInput(take, given) {
  const input = make("input", { type: "file", class: "unseen", tabIndex: -1, ...given });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) take(file);
    // Else choosing it again would change nothing.
    input.value = "";
  });
  return input;
}

/**
 * Let a button do something, or nothing: a button that is disabled would lose the keyboard.
 *
 * @param {HTMLButtonElement} control
 * @param {boolean} able
 * @param {string} reason why not
 */
export function enable(control, able, reason) {
  control.setAttribute("aria-disabled", String(!able));
  control.title = able ? "" : reason;
}

/**
 * Listeners for what is shown while an element has the pointer or the keyboard.
 *
 * @param {() => void} show
 * @param {() => void} hide
 */
export function whileAt(show, hide) {
  return { onfocus: show, onpointerenter: show, onblur: hide, onpointerleave: hide };
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
 * @param {Iterable<string[]>} choices each a value and its text
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
