/**
 * The API key of this tab: asked for where the service wants one, and gone with the tab.
 *
 * @module keyring
 */

const KEPT = "minecheck.key";

/** A key, and the dialog in which it is typed. */
export class Keyring {
  #dialog;
  #opener;
  #input;
  #said;
  /** @type {string | null} */
  #key = stored();
  /** Whoever waits for the dialog to end. @type {Promise<void> | null} */
  #asked = null;
  /** The reader has closed the dialog: it comes again only when opened. */
  #refused = false;

  /**
   * @param {HTMLDialogElement} dialog with a form, its field, and a button to close it
   * @param {HTMLButtonElement} opener shown as soon as a key is of use
   */
  constructor(dialog, opener) {
    [this.#dialog, this.#opener] = [dialog, opener];
    this.#input = dialog.querySelector("input");
    this.#said = dialog.querySelector("[role=alert]");
    dialog.querySelector("form").addEventListener("submit", (event) => this.#take(event));
    dialog.querySelector("button[type=button]").addEventListener("click", () => dialog.close());
    opener.addEventListener("click", () => this.#open("A key lets this page ask the service."));
    opener.hidden = this.#key === null;
  }

  /** @returns {string | null} */
  get key() {
    return this.#key;
  }

  /**
   * Wait for a key that is not the one that was refused.
   *
   * @param {string | null} refused
   * @returns {Promise<boolean>} whether there is one
   */
  async other(refused) {
    if (this.#key === refused && (this.#asked || !this.#refused)) {
      await this.#open(refused === null ? "This service asks for a key." : "The service knows no such key.");
    }
    return this.#key !== refused;
  }

  #open(why) {
    this.#opener.hidden = false;
    this.#asked ??= new Promise((resolve) => {
      this.#said.textContent = why;
      this.#input.value = this.#key ?? "";
      this.#refused = true;
      this.#dialog.addEventListener("close", () => resolve(), { once: true });
      this.#dialog.showModal();
      this.#input.select();
    }).finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  #take(event) {
    event.preventDefault();
    this.#key = this.#input.value.trim() || null;
    this.#refused = false;
    store(this.#key);
    this.#dialog.close();
  }
}

function stored() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** @param {string | null} key */
function store(key) {
  try {
    if (key === null) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, key);
  } catch {
    // Where nothing may be stored, the key lasts as long as the page.
  }
}
