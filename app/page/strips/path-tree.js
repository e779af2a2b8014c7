/**
 * The paths of an automaton over a window, page by page: their tree, and why those that are rejected end.
 *
 * @module strips/path-tree
 */

import { button, enable, make } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { noAnswer } from "../shared/no-answer.js";
import { precise, short } from "../shared/numbers.js";
import { fromOne } from "../shared/phrases.js";

/** @typedef {import("../shared/windows.js").Window} Window */

/** Paths of a page; the service gives so many of all strips that the page can have. */
const PAGE = 20n;
/** Columns of the largest tree that the service draws. */
const MOST_COLUMNS = 60;

/** The panel with the paths, which are asked for while it is open. */
export class PathTree {
  /** @type {HTMLDetailsElement} */
  element;
  #service;
  #latest = new LatestRequest();
  /** @type {{name: string, board: string[], window: Window} | null} */
  #read = null;
  #there = false;
  /** The number of the first path of the page, from 0, as in the API. */
  #first = 0n;
  #count = 0n;
  #counted = make("p", {});
  #said = make("p", { role: "status" });
  #buttons = {
    first: button("First", () => this.#turn(0n), { "aria-label": "First page" }),
    previous: button("Previous", () => this.#turn(this.#first - PAGE), { "aria-label": "Previous page" }),
    next: button("Next", () => this.#turn(this.#first + PAGE), { "aria-label": "Next page" }),
    last: button("Last", () => this.#turn(this.#count - 1n - ((this.#count - 1n) % PAGE)), { "aria-label": "Last page" }),
  };
  #pages = make("div", {}, this.#said, make("div", { class: "bar" }, ...Object.values(this.#buttons)));
  #body = make("div", {});

  /** @param {import("../shared/service.js").Service} service */
  constructor(service) {
    this.#service = service;
    const summary = make("summary", {}, "All paths, as a tree");
    this.element = make("details", { class: "paths" }, summary, this.#counted, this.#pages, this.#body);
    this.element.addEventListener("toggle", () => this.#ask());
    this.about(null);
  }

  /**
   * What is read, and by which machine; null for nothing.
   *
   * @param {{name: string, board: string[], window: Window} | null} read
   */
  about(read) {
    this.#latest.end();
    [this.#read, this.#there] = [read, false];
    [this.#first, this.#count] = [0n, 0n];
    this.element.hidden = read === null;
    this.element.setAttribute("aria-busy", "false");
    this.#counted.textContent = this.#said.textContent = "";
    this.#pages.hidden = true;
    this.#body.replaceChildren();
    this.#ask();
  }

  /** Show the page that begins with a path. @param {bigint} first */
  #turn(first) {
    [this.#first, this.#there] = [first, false];
    this.#place();
    this.#ask();
  }

  async #ask() {
    if (!this.element.open || this.#read === null || this.#there) return;
    this.#there = true;
    const { name, board, window } = this.#read;
    const asked = { board, window, offset: String(this.#first), limit: Number(PAGE) };
    this.element.setAttribute("aria-busy", "true");
    try {
      const found = await this.#latest.ask(async (signal) => {
        const listed = await this.#service.ask(`automata/${name}/paths`, asked, { signal });
        const columns = Math.max(0, ...(listed.tree ?? []).map(({ column }) => (column ?? -1) + 1));
        if (listed.tree === null || columns > MOST_COLUMNS) return [listed, null];
        // They can be listed without it.
        return [listed, await this.#picture(name, asked, signal).catch(() => null)];
      });
      if (found === undefined) return;
      this.#tell(...found);
    } catch (error) {
      this.#there = false;
      this.#body.replaceChildren(...noAnswer(error, () => this.#ask()));
    }
    this.element.setAttribute("aria-busy", "false");
  }

  /** What was found: numbers, the paths, and the picture or null where there is none. */
  #tell({ accepted, rejected, paths }, picture) {
    if (paths === null) {
      this.#body.replaceChildren(make("p", { class: "warning" }, "The paths need too much time or memory."));
      return;
    }
    this.#count = BigInt(accepted) + BigInt(rejected);
    this.#counted.textContent = `Accepted: ${precise(BigInt(accepted))}. Rejected: ${precise(BigInt(rejected))}.`;
    this.#pages.hidden = this.#count <= PAGE;
    this.#place();
    const tree = picture === null ? make("p", { class: "faint" }, "The tree is too large to be drawn.") : frame(picture);
    // The list scrolls, which takes the keyboard.
    const list = make("ul", { class: "path-list", tabIndex: 0, "aria-label": "Paths" }, ...paths.map(item));
    this.#body.replaceChildren(tree, list);
  }

  /** Say which page it is, and which others there are. */
  #place() {
    const { first, previous, next, last } = this.#buttons;
    const end = this.#first + PAGE;
    const more = end < this.#count;
    const [from, to] = [this.#first + 1n, more ? end : this.#count].map(precise);
    const shown = from === to ? `Path ${from}` : `Paths ${from} to ${to}`;
    this.#said.textContent = `${shown} of ${short(this.#count)}.`;
    for (const control of [first, previous]) enable(control, this.#first > 0n, "This is the first page.");
    for (const control of [next, last]) enable(control, more, "This is the last page.");
  }

  async #picture(name, asked, signal) {
    const response = await this.#service.reach(`v1/automata/${name}/paths`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...asked, picture: true }),
      signal,
    });
    return response.text();
  }
}

/** The picture, in the colours of the page, which says by itself how many paths there are. */
function frame(svg) {
  const plain = svg.replace(/<style>.*?<\/style>/s, "");
  const picture = document.adoptNode(new DOMParser().parseFromString(plain, "image/svg+xml").documentElement);
  picture.querySelector(".caption")?.remove();
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "The tree of paths, which are listed below");
  const scrolled = make("div", { class: "tree-frame", tabIndex: 0, role: "group", "aria-label": "Tree to scroll" });
  scrolled.append(picture);
  return scrolled;
}

function item({ outcome, states, layouts, why }) {
  const several = layouts == null || layouts === "1" ? "" : ` (${layouts} layouts)`;
  const reason = why === null ? "" : ` ${fromOne(why)}`;
  return make("li", { "data-kind": outcome }, make("code", {}, states.join(" → ")), ` ${outcome}${several}.${reason}`);
}
