/**
 * The paths of an automaton over a window, page by page: their tree, and why those that are rejected end.
 *
 * @module strips/path-tree
 */

import { button, enable, make } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { noAnswer } from "../shared/no-answer.js";
import { precise, several, short } from "../shared/numbers.js";
import { fromOne } from "../shared/phrases.js";
import { columnsOf } from "./path.js";

/** @typedef {import("../shared/windows.js").Window} Window */

/** Paths of a page; the service gives so many of all strips that the page can have. */
const PAGE = 20n;
/** Columns of the largest tree that the service draws. */
const MOST_COLUMNS = 60;

/** How paths end, as the service calls it. @type {Object<string, string>} */
const OUTCOMES = { accepted: say("accepted"), rejected: say("rejected") };

/**
 * The panel with the paths, which are asked for while it is open. A "path" event has the states of a
 * path that was chosen, and what it places in each column, null where it places nothing.
 */
export class PathTree extends EventTarget {
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
  #message = make("p", { role: "status" });
  #buttons = {
    first: button(say("First"), () => this.#turn(0n), { "aria-label": say("First page") }),
    previous: button(say("Previous"), () => this.#turn(this.#first - PAGE), { "aria-label": say("Previous page") }),
    next: button(say("Next"), () => this.#turn(this.#first + PAGE), { "aria-label": say("Next page") }),
    last: button(say("Last"), () => this.#turn(this.#count - 1n - ((this.#count - 1n) % PAGE)), { "aria-label": say("Last page") }),
  };
  #pages = make("div", {}, this.#message, make("div", { class: "bar" }, ...Object.values(this.#buttons)));
  #body = make("div", {});

  /** @param {import("../shared/service.js").Service} service */
  constructor(service) {
    super();
    this.#service = service;
    const summary = make("summary", {}, say("All paths, as a tree"));
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
    this.#counted.textContent = this.#message.textContent = "";
    this.#pages.hidden = true;
    this.#body.replaceChildren();
    this.#ask();
  }

  /** Show the page that begins with a path. @param {bigint} first */
  #turn(first) {
    [this.#first, this.#there] = [first, false];
    this.#showPage();
    this.#ask();
  }

  async #ask() {
    if (!this.element.open || this.#read === null || this.#there) return;
    this.#there = true;
    const { name, board, window } = this.#read;
    const request = { board, window, offset: String(this.#first), limit: Number(PAGE) };
    this.element.setAttribute("aria-busy", "true");
    try {
      const found = await this.#latest.ask(async (signal) => {
        const listed = await this.#service.ask(`automata/${name}/paths`, request, { signal });
        const columns = Math.max(0, ...(listed.tree ?? []).map(({ column }) => (column ?? -1) + 1));
        if (listed.tree === null || columns > MOST_COLUMNS) return [listed, null];
        // They can be listed without it.
        return [listed, await this.#picture(name, request, signal).catch(() => null)];
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
  #tell({ accepted, rejected, paths, tree }, picture) {
    if (paths === null) {
      this.#body.replaceChildren(make("p", { class: "warning" }, say("The paths need too much time or memory.")));
      return;
    }
    this.#count = BigInt(accepted) + BigInt(rejected);
    this.#counted.textContent = say("Accepted: {accepted}. Rejected: {rejected}.", {
      accepted: precise(BigInt(accepted)),
      rejected: precise(BigInt(rejected)),
    });
    this.#pages.hidden = this.#count <= PAGE;
    this.#showPage();
    const drawn = picture === null ? make("p", { class: "faint" }, say("The tree is too large to be drawn.")) : frame(picture);
    // The list scrolls, which takes the keyboard.
    const list = make("ul", { class: "path-list", tabIndex: 0, "aria-label": say("Paths") }, ...paths.map((path) => this.#item(path, tree ?? [])));
    this.#body.replaceChildren(drawn, list);
  }

  #item({ outcome, states, layouts, why, leaf }, tree) {
    const many = layouts == null || BigInt(layouts) === 1n ? "" : ` (${several(layouts, "layout")})`;
    const reason = why === null ? "" : ` ${fromOne(why)}`;
    const chosen = (event) => {
      this.unchoose();
      this.dispatchEvent(new CustomEvent("path", { detail: { states, columns: columnsOf(tree, leaf) } }));
      event.currentTarget.setAttribute("aria-pressed", "true");
    };
    const path = button("", chosen, { class: "step", "aria-pressed": "false" });
    path.append(make("code", {}, states.join(" → ")), ` ${OUTCOMES[outcome] ?? outcome}${many}.${reason}`);
    return make("li", { "data-kind": outcome }, path);
  }

  /** No path is shown any more. */
  unchoose() {
    for (const path of this.#body.querySelectorAll("[aria-pressed]")) path.setAttribute("aria-pressed", "false");
  }

  /** Say which page it is, and which others there are. */
  #showPage() {
    const { first, previous, next, last } = this.#buttons;
    const end = this.#first + PAGE;
    const more = end < this.#count;
    const [from, to] = [this.#first + 1n, more ? end : this.#count].map(precise);
    const values = { from, to, count: short(this.#count) };
    this.#message.textContent = from === to ? say("Path {from} of {count}.", values) : say("Paths {from} to {to} of {count}.", values);
    for (const control of [first, previous]) enable(control, this.#first > 0n, say("This is the first page."));
    for (const control of [next, last]) enable(control, more, say("This is the last page."));
  }

  async #picture(name, request, signal) {
    const response = await this.#service.reach(`v1/automata/${name}/paths`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...request, picture: true }),
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
  picture.setAttribute("aria-label", say("The tree of paths, which are listed below"));
  const scrolled = make("div", { class: "tree-frame", tabIndex: 0, role: "group", "aria-label": say("Tree to scroll") });
  scrolled.append(picture);
  return scrolled;
}

