/**
 * The paths of an automaton over a window: how many, their tree, and why those that are rejected end.
 *
 * @module strips/path-tree
 */

import { make } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { noAnswer } from "../shared/no-answer.js";

/** @typedef {import("../shared/windows.js").Window} Window */

/** Paths that are listed, and drawn. */
const MOST = 60;
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
  #body = make("div", {});

  /** @param {import("../shared/service.js").Service} service */
  constructor(service) {
    this.#service = service;
    this.element = make("details", { class: "paths" }, make("summary", {}, "All paths, as a tree"), this.#body);
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
    this.element.hidden = read === null;
    this.#body.replaceChildren();
    this.#ask();
  }

  async #ask() {
    if (!this.element.open || this.#read === null || this.#there) return;
    this.#there = true;
    const { name, board, window } = this.#read;
    const asked = { board, window, limit: MOST };
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
      this.#body.replaceChildren(...shown(...found));
    } catch (error) {
      this.#there = false;
      this.#body.replaceChildren(...noAnswer(error, () => this.#ask()));
    }
    this.element.setAttribute("aria-busy", "false");
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

/** What was found: numbers, the picture or null where there is none, and the paths. */
function* shown({ accepted, rejected, paths, more }, picture) {
  if (paths === null) {
    yield make("p", { class: "warning" }, "The paths need too much time or memory.");
    return;
  }
  const first = more ? ` These are the first ${paths.length}.` : "";
  yield make("p", {}, `Accepted: ${accepted}. Rejected: ${rejected}.${first}`);
  if (picture === null) yield make("p", { class: "faint" }, "The tree is too large to be drawn.");
  else yield frame(picture);
  yield make("ul", { class: "path-list" }, ...paths.map(item));
}

/** The picture, in the colours of the page. */
function frame(svg) {
  const plain = svg.replace(/<style>.*?<\/style>/s, "");
  const picture = document.adoptNode(new DOMParser().parseFromString(plain, "image/svg+xml").documentElement);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "The tree of paths, which are listed below");
  const scrolled = make("div", { class: "tree-frame", tabIndex: 0, role: "group", "aria-label": "Tree to scroll" });
  scrolled.append(picture);
  return scrolled;
}

function item({ outcome, states, layouts, why }) {
  const several = layouts == null || layouts === "1" ? "" : ` (${layouts} layouts)`;
  const reason = why === null ? "" : ` ${why}`;
  return make("li", { "data-kind": outcome }, make("code", {}, states.join(" → ")), ` ${outcome}${several}.${reason}`);
}
