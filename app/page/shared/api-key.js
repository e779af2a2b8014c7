/**
 * The API key of this tab: asked for where the service wants one, and gone with the tab.
 *
 * @module shared/api-key
 */

import { say } from "./language.js";
import { save, saved } from "./storage.js";

const NAME = "minecheck.key";

/** A key, and the dialog in which it is typed. */
export class ApiKey {
  #dialog;
  #opener;
  #input;
  #message;
  /** @type {string | null} */
  #key = saved(NAME, (key) => (typeof key === "string" ? key : null));
  /** Whoever waits for the dialog to end. @type {Promise<void> | null} */
  #pending = null;
  /** The reader has closed the dialog: it comes again only when opened. */
  #dismissed = false;

  /**
   * @param {HTMLDialogElement} dialog with a form, its field, and a button to close it
   * @param {HTMLButtonElement} opener shown as soon as a key is of use
   */
  constructor(dialog, opener) {
    [this.#dialog, this.#opener] = [dialog, opener];
    this.#input = dialog.querySelector("input");
    this.#message = dialog.querySelector("[role=alert]");
    /** @type {HTMLFormElement} */ (dialog.querySelector("form")).addEventListener("submit", (event) => this.#take(event));
    /** @type {HTMLButtonElement} */ (dialog.querySelector("button[type=button]")).addEventListener("click", () => dialog.close());
    opener.addEventListener("click", () => this.#open(say("With a key, this page can use the service.")));
    opener.hidden = this.#key === null;
  }

  /** The key, null without one. @returns {string | null} */
  get value() {
    return this.#key;
  }

  /**
   * Wait for a key other than the one that was rejected.
   *
   * @param {string | null} rejected null where none was sent
   * @returns {Promise<boolean>} whether there is one
   */
  async other(rejected) {
    if (this.#key === rejected && (this.#pending || !this.#dismissed)) {
      await this.#open(rejected === null ? say("This service asks for a key.") : say("The service rejected this key."));
    }
    return this.#key !== rejected;
  }

  #open(why) {
    this.#opener.hidden = false;
    this.#pending ??= new Promise((resolve) => {
      this.#message.textContent = why;
      this.#input.value = this.#key ?? "";
      this.#dismissed = true;
      this.#dialog.addEventListener("close", () => resolve(undefined), { once: true });
      this.#dialog.showModal();
      this.#input.select();
    }).finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  #take(event) {
    event.preventDefault();
    this.#key = this.#input.value.trim() || null;
    this.#dismissed = false;
    save(NAME, this.#key);
    this.#dialog.close();
  }
}
