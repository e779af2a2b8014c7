/**
 * Boards from elsewhere: pasted, dropped or opened. The service reads them and says how; here are
 * what was read, its notes, and a choice where a text may mean several boards.
 *
 * @module analyse/import
 */

import { ENGLISH } from "../shared/chosen-language.js";
import { button, fileInput, make, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { unescapedLink } from "../shared/link-text.js";
import { MinecheckProblem } from "../shared/minecheck.js";
import { several } from "../shared/numbers.js";
import { BadLink, fromParameters } from "../shared/position-link.js";
import { NOTATIONS, tooLarge } from "../shared/position.js";
import { isReplay } from "../shared/replay-file.js";
import { inBrief, inWords } from "../shared/problem-words.js";

/**
 * @typedef {object} Found
 * @property {string} kind what the text is, "" for rows
 * @property {string[]} rows standard notation
 * @property {number | null} [mines] undefined where such a text does not say
 * @property {[row: number, col: number] | null} [first] the first click, where such a file has one
 * @property {string | number | null} [density] of mines, where a link says it
 * @property {string[]} notes sentences: how symbols were read, and what was left out
 */
/** @typedef {{name: string, title: string, suffix?: string}} Format */

const FORMATS = "formats";
/** In place of a notation or format: recognised from what is read. */
const ANY = "";
const AUTO = "auto";
/** A link to a tab of this page. */
const LINK = /^\S*#(?:analyse|strips)(?:\?(\S*))?$/;
/** How the service calls ways to write a board, in words; rows need none. */
const KINDS = new Map([
  ["rows", ""],
  ["csv", say("a table")],
  ["tsv", say("a table")],
  ["json", "JSON"],
  ["curl", say("a curl command")],
  ["literal", say("a list of a program")],
  ["probst", say("rows in the notation probst")],
  ["minesweepr", say("rows in the notation minesweepr")],
]);
/** What a symbol may mean, as the service calls it; clues are numbers. */
const MEANINGS = new Map([
  ["unknown", say("unknown")],
  ["mine", say("mine")],
  ["safe", say("safe")],
  ["flag", say("flag")],
]);
/** Rows of a reading that its button shows. */
const MOST_ROWS = 8;

/** A text without a board that can be read; the message says why. */
class NoBoard extends Error {}

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
  #kind = select([[ANY, say("recognise it")], ...NOTATIONS.map((name) => [name, say("{name} notation", { name })])], { name: "kind", "aria-label": say("Read as") });
  #file = fileInput((file) => this.#open(file), { name: "file", "aria-label": say("A file to open") });
  #symbols = make("input", { size: 12, spellcheck: false, placeholder: "X=mine", name: "symbols" });
  #message = make("p", { role: "status" });
  #offers = make("div", { class: "bar" });

  /**
   * @param {HTMLElement} tab where boards can be dropped
   * @param {import("../shared/service.js").Service} service
   */
  constructor(tab, service) {
    super();
    this.#service = service;
    this.#text.placeholder = say("Paste or drop a board, a link or a file");
    this.#kind.addEventListener("focus", () => this.#ask());
    const how = make(
      "details",
      { class: "reading-how" },
      make("summary", {}, say("How to read it")),
      make(
        "div",
        { class: "bar" },
        make("label", { class: "field" }, make("span", { "aria-hidden": "true" }, say("as")), this.#kind),
        make("label", { class: "field" }, make("span", {}, say("symbols")), this.#symbols),
      ),
    );
    const controls = [
      button(say("Read"), () => this.#read(this.#text.value), { class: "primary" }),
      button(say("Open a file"), () => this.#file.click()),
      this.#file,
      how,
    ];
    const box = make("label", { class: "pasted" }, make("span", { class: "unseen" }, say("A board as text")), this.#text);
    this.element = make(
      "section",
      { class: "import", "aria-label": say("Read a board") },
      make("div", { class: "bar" }, box, ...controls),
      this.#message,
      this.#offers,
    );
    this.#catch(tab);
  }

  /** Say something below. @param {...(string | Node)} parts */
  say(...parts) {
    this.#message.replaceChildren(...parts);
    this.#offers.replaceChildren();
  }

  /** Say more, with things to do about it. @param {string} text @param {...Node} offers */
  add(text, ...offers) {
    this.#message.append(` ${text}`);
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
    if (text.trim() === "") this.say(say("There is no text yet."));
    else await this.#show((signal) => this.#boardOf(text, signal));
  }

  /** Read a file: in its format if its name tells it, else as what it holds. @param {File} file */
  async #open(file) {
    if (isReplay(file)) {
      this.say(say("This file is a replay of a game. Open it on the tab Play, which reviews it."));
      return;
    }
    const format = this.#kind.value || formatOf(file.name, (await this.#ask()) ?? []);
    const text = await file.text();
    if (!/[\0\uFFFD]/.test(text)) this.#text.value = text;
    await this.#show((signal) => this.#converted(format, file, signal));
  }

  /** Show what is found, or why nothing is. @param {(signal: AbortSignal) => Promise<Found>} find */
  async #show(find) {
    try {
      const found = await this.#latest.ask(find);
      if (found !== undefined) this.#found(found);
    } catch (error) {
      if (error instanceof MinecheckProblem && error.document.readings?.every(({ board }) => board)) this.#offerReadings(error);
      else this.say(...(error instanceof NoBoard || error instanceof BadLink ? [error.message] : inWords(error)));
    }
  }

  /** The board of a text. @param {string} text @param {AbortSignal} signal @returns {Promise<Found>} */
  async #boardOf(text, signal) {
    const link = LINK.exec(unescapedLink(text.trim()));
    if (!link) return this.#converted(this.#kind.value, text, signal);
    // The page reads its own links: they tell more than a board.
    const position = await fromParameters(new URLSearchParams(link[1] ?? ""));
    if (position === null) throw new NoBoard(say("This link does not contain a board."));
    return { kind: say("a link of this page"), ...position, notes: [] };
  }

  /**
   * What the service makes of a file or a text.
   *
   * @param {string} kind a notation, a format, or `ANY`
   * @param {Blob | string} body
   * @param {AbortSignal} signal
   * @returns {Promise<Found>}
   */
  async #converted(kind, body, signal) {
    const isNotation = NOTATIONS.includes(kind);
    const format = isNotation ? AUTO : kind || AUTO;
    const options = new URLSearchParams();
    if (isNotation) options.set("notation", kind);
    if (this.#symbols.value.trim() && format === AUTO) options.set("symbols", this.#symbols.value);
    const query = options.size ? `?${options}` : "";
    const found = await this.#service.ask(`${FORMATS}/${encodeURIComponent(format)}${query}`, body, { signal });
    const rows = found.board ?? found.layout;
    const named = KINDS.get(found.format) ?? (found.board ? say("{format}, a board", { format: found.format }) : say("{format}, a layout with all its mines", { format: found.format }));
    return { kind: named, rows, mines: found.mines ?? undefined, first: found.first, notes: found.notes };
  }

  /** Offer each board that a text may mean. @param {MinecheckProblem} problem */
  #offerReadings(problem) {
    this.say([inBrief(problem), say("Choose the one that you mean:")].join(" "));
    const offers = problem.document.readings.map(({ board, mines, symbols, notes }) => {
      const meanings = Object.entries(symbols).map(([symbol, meaning]) => `${JSON.stringify(symbol)} ${MEANINGS.get(meaning) ?? meaning}`);
      const label = (meanings.length ? meanings : [several(board.length, "row"), several(board[0].length, "column")]).join(say(", "));
      const offer = button(label, () => this.#found({ kind: "", rows: board, mines: mines ?? undefined, notes }), { class: "reading" });
      const more = board.length > MOST_ROWS ? ["…"] : [];
      offer.append(make("span", { class: "cells" }, [...board.slice(0, MOST_ROWS), ...more].join("\n")));
      return offer;
    });
    this.#offers.append(...offers);
  }

  /** @param {Found} found */
  #found(found) {
    const { kind, rows, mines, notes } = found;
    const large = tooLarge(rows.length, rows[0].length);
    if (large !== null) {
      this.say(large);
      return;
    }
    const counts = [several(rows.length, "row"), several(rows[0].length, "column")];
    if (mines != null) counts.push(several(mines, "mine"));
    const values = { kind, counts: counts.join(say(", ")) };
    const said = kind ? say("Read as {kind}: {counts}.", values) : say("Read: {counts}.", values);
    this.say(said, ...(notes.length ? [" ", make("span", { lang: ENGLISH }, notes.join(" "))] : []));
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
