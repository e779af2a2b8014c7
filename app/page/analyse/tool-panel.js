/**
 * The place of the tools. Their modules are loaded when they are first seen: no answer waits for them.
 *
 * @module analyse/tool-panel
 */

import { button, make } from "../shared/elements.js";
import { say } from "../shared/language.js";

/** @typedef {import("../shared/position.js").Position} Position */

/** Holds the tools once they are loaded. */
export class ToolPanel {
  /** @type {HTMLElement} */
  element = make("div", { class: "stack" });
  #workbench;
  /** @type {import("./tools.js").Tools | null} */
  #tools = null;
  #isLoading = false;
  /** How often they could not be loaded. */
  #failures = 0;

  /** @param {import("./tools.js").Workbench} workbench */
  constructor(workbench) {
    this.#workbench = workbench;
  }

  /** Another board. @param {Position} position */
  about(position) {
    this.#tools?.about(position);
  }

  /** The panel comes into sight. */
  async seen() {
    if (!this.#tools) await this.#load();
    this.#tools?.seen();
  }

  /** What the tools write on the board. @returns {[string, import("../shared/board.js").Mark][]} */
  get marks() {
    return this.#tools?.marks ?? [];
  }

  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.element.replaceChildren(make("p", { class: "faint" }, say("Loading the tools …")));
    try {
      // Browsers may remember that an address could not be loaded: each try has an address of its own.
      const again = this.#failures > 0 ? `?again=${this.#failures}` : "";
      /** @type {typeof import("./tools.js")} */
      const { Tools } = await import(`./tools.js${again}`);
      this.#tools = new Tools(this.#workbench);
      this.#tools.about(this.#workbench.position());
      this.element.replaceChildren(...this.#tools.elements);
    } catch (error) {
      console.error(error);
      this.#failures += 1;
      const retry = button(say("Retry"), () => this.seen(), { class: "primary" });
      this.element.replaceChildren(make("section", { class: "panel" }, make("p", {}, say("The tools could not be loaded.")), retry));
    }
    this.#isLoading = false;
  }
}
