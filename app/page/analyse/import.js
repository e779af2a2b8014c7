/**
 * Boards from elsewhere: pasted, dropped or opened, as texts in any notation, links, and files of
 * other programs.
 *
 * @module analyse/import
 */

import { button, make, select } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { several } from "../shared/numbers.js";
import { BadLink } from "../shared/position-link.js";
import { NOTATIONS, tooLarge } from "../shared/position.js";
import { inWords } from "../shared/service.js";
import { NoBoard, boardOf } from "./parse.js";

/** @typedef {import("./parse.js").Found} Found */
/** @typedef {{name: string, title: string, suffix?: string}} Format */

const FORMATS = "formats";
/** In place of a notation or format: recognised from what is read. */
const ANY = "";
const AUTO = "auto";

/**
 * What is read into the board, and said of it; "read" events have what was found.
 */
export class Import extends EventTarget {
  /** @type {HTMLElement} */
  element;
  #service;
  #latest = new LatestRequest();
  /** @type {Format[] | null} What the service reads, once it has said so. */
  #formats = null;
  #text = make("textarea", { rows: 2, spellcheck: false, name: "text" });
  #kind = select([[ANY, "recognise it"], ...NOTATIONS.map((name) => [name, `${name} notation`])], { name: "kind", "aria-label": "Read as" });
  #file = make("input", { type: "file", name: "file", class: "unseen", tabIndex: -1, "aria-label": "A file to open" });
  #said = make("p", { role: "status" });
  #offers = make("div", { class: "bar" });

  /**
   * @param {HTMLElement} tab where boards can be dropped
   * @param {import("../shared/service.js").Service} service
   */
  constructor(tab, service) {
    super();
    this.#service = service;
    this.#text.placeholder = "Paste or drop a board here, a link or a file: Ctrl V works anywhere on this tab";
    this.#file.addEventListener("change", () => {
      const [chosen] = this.#file.files ?? [];
      if (chosen) this.#open(chosen);
      // So that the same file can be chosen again.
      this.#file.value = "";
    });
    this.#kind.addEventListener("focus", () => this.#ask());
    const controls = [
      button("Read", () => this.#read(this.#text.value), { class: "primary" }),
      button("Open a file", () => this.#file.click()),
      make("label", { class: "field" }, make("span", { "aria-hidden": "true" }, "as"), this.#kind),
      this.#file,
    ];
    const box = make("label", { class: "pasted" }, make("span", { class: "unseen" }, "A board as text"), this.#text);
    this.element = make(
      "section",
      { class: "import", "aria-label": "Read a board" },
      make("div", { class: "bar" }, box, ...controls),
      this.#said,
      this.#offers,
    );
    this.#catch(tab);
  }

  /** Say something below. @param {string} text */
  say(text) {
    this.#said.textContent = text;
    this.#offers.replaceChildren();
  }

  /** Say more, with things to do about it. @param {string} text @param {...Node} offers */
  add(text, ...offers) {
    this.#said.append(` ${text}`);
    this.#offers.append(...offers);
  }

  /** Read what is pasted anywhere, and dropped on the tab. */
  #catch(tab) {
    document.addEventListener("paste", (event) => {
      const target = /** @type {Element} */ (event.target);
      const isElsewhere = tab.hidden || (target !== this.#text && target.closest?.("input, textarea, dialog"));
      if (isElsewhere || event.clipboardData === null) return;
      event.preventDefault();
      this.#take(event.clipboardData);
    });
    tab.addEventListener("dragover", (event) => {
      event.preventDefault();
      tab.classList.add("dropping");
    });
    for (const name of ["dragleave", "drop"]) tab.addEventListener(name, () => tab.classList.remove("dropping"));
    tab.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#take(event.dataTransfer);
    });
  }

  /** @param {DataTransfer} given */
  #take(given) {
    const [file] = given.files;
    const text = given.getData("text/plain");
    if (!text && file) {
      this.#open(file);
      return;
    }
    this.#text.value = text;
    this.#read(text);
  }

  async #read(text) {
    const kind = this.#kind.value;
    try {
      const found = await this.#latest.ask(async (signal) => {
        if (kind !== ANY && !NOTATIONS.includes(kind)) return this.#converted(kind, text.trim(), signal);
        try {
          return await boardOf(text, kind === ANY ? NOTATIONS : [kind]);
        } catch (error) {
          if (!(error instanceof NoBoard) || kind !== ANY || !error.maybe) throw error;
          // No notation, but perhaps a format; if not, what was wrong with it as a board is told.
          return this.#converted(AUTO, text.trim(), signal).catch((other) => {
            throw other.code === "format-unknown" ? error : other;
          });
        }
      });
      if (found !== undefined) this.#found(found);
    } catch (error) {
      this.say(error instanceof NoBoard || error instanceof BadLink ? error.message : inWords(error));
    }
  }

  /** Read a file: in its format if its name tells it, else as text if it is one. @param {File} file */
  async #open(file) {
    const format = this.#kind.value || formatOf(file.name, (await this.#ask()) ?? []);
    const text = NOTATIONS.includes(format) || format === ANY ? await file.text() : "\0";
    if (!/[\0\uFFFD]/.test(text)) {
      this.#text.value = text;
      this.#read(text);
      return;
    }
    try {
      const found = await this.#latest.ask((signal) => this.#converted(format || AUTO, file, signal));
      if (found !== undefined) this.#found(found);
    } catch (error) {
      this.say(inWords(error));
    }
  }

  /**
   * What the service makes of a file or text in a format of other programs.
   *
   * @param {string} format
   * @param {Blob | string} body
   * @param {AbortSignal} signal
   * @returns {Promise<Found>}
   */
  async #converted(format, body, signal) {
    const found = await this.#service.ask(`${FORMATS}/${encodeURIComponent(format)}`, body, { signal });
    const rows = found.board ?? found.layout;
    const large = tooLarge(rows.length, rows[0].length);
    if (large !== null) throw new NoBoard(large);
    const kind = `${found.format}, ${found.board ? "a board" : "a layout with all its mines"}`;
    return { kind, rows, mines: found.mines ?? null, first: found.first ?? null, notes: [] };
  }

  /** @param {Found} found */
  #found(found) {
    const { kind, rows, mines, notes } = found;
    const counts = [several(rows.length, "row"), several(rows[0].length, "column")];
    if (mines != null) counts.push(several(mines, "mine"));
    this.say([`Read${kind && ` as ${kind}`}: ${counts.join(", ")}.`, ...notes].join(" "));
    this.dispatchEvent(new CustomEvent("read", { detail: found }));
  }

  /** The formats that the service reads, which are added to the choices; none without an answer. */
  async #ask() {
    if (this.#formats) return this.#formats;
    try {
      const formats = await this.#service.ask(FORMATS);
      if (!this.#formats) this.#kind.append(...formats.map(({ name, title }) => make("option", { value: name }, title)));
      this.#formats = formats;
    } catch {
      // A text can be read without them.
      return [];
    }
    return this.#formats;
  }
}

/** The format of a file by its name, where that leaves no choice. @param {string} fileName @param {Format[]} formats */
function formatOf(fileName, formats) {
  const fitting = formats.filter(({ suffix }) => suffix && fileName.toLowerCase().endsWith(suffix));
  return fitting.length === 1 ? fitting[0].name : ANY;
}
