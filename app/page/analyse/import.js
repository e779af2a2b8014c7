/**
 * Boards from elsewhere: texts in the dialects, and files of other programs.
 *
 * @module analyse/import
 */

import { button, field, make, panel, select } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { several } from "../shared/numbers.js";
import { BadLink } from "../shared/position-link.js";
import { NOTATIONS, textOf, tooLarge } from "../shared/position.js";
import { inWords } from "../shared/service.js";
import { NoBoard, boardOf } from "./parse.js";

/** @typedef {import("../shared/position-history.js").PositionHistory} PositionHistory */
/** @typedef {import("./parse.js").Found} Found */

/** @typedef {{name: string, title: string, suffix?: string}} Format */

const FORMATS = "formats";
/** In place of a format: detected from what is read. */
const DETECTED = "auto";

/** The panel to paste into. */
export class Import {
  /** @type {HTMLElement} */
  element;
  #history;
  #service;
  #latest = new LatestRequest();
  #offered = false;
  #text = make("textarea", { rows: 8, cols: 34, spellcheck: false, name: "text" });
  #notation;
  #said = make("p", { role: "status" });

  /**
   * @param {PositionHistory} history
   * @param {import("../shared/service.js").Service} service
   */
  constructor(history, service) {
    [this.#history, this.#service] = [history, service];
    const names = NOTATIONS.map((name) => [name, name]);
    this.#notation = select(names, { name: "notation" });
    this.#notation.value = history.position.notation;
    this.#notation.addEventListener("change", () => history.change({ notation: this.#notation.value }));
    const bar = make(
      "div",
      { class: "bar" },
      field("Notation", this.#notation),
      button("Read the text", () => this.#read(), { class: "primary" }),
      button("Write the board here", () => this.#write()),
    );
    const box = make("label", { class: "field pasted" }, make("span", {}, "A board as text"), this.#text);
    this.element = panel("Paste", box, bar, this.#said);
    this.element.addEventListener("focusin", () => this.#offer());
    service.answers.addEventListener("answer", () => this.#offer());
    this.#offer();
  }

  /** Choose a notation. @param {string} notation */
  choose(notation) {
    this.#notation.value = notation;
  }

  async #read() {
    try {
      const found = await this.#latest.ask(() => boardOf(this.#text.value, this.#notation.value));
      if (found !== undefined) this.#take(found);
    } catch (error) {
      this.#say(error instanceof NoBoard || error instanceof BadLink ? error.message : inWords(error));
    }
  }

  /** Put what was read in place of the board, and say what it was. @param {Found} found */
  #take({ kind, rows, mines, notation, notes }) {
    const { position } = this.#history;
    const alike = rows.length === position.rows.length && rows[0].length === position.rows[0].length;
    const total = mines === undefined && alike ? position.mines : (mines ?? null);
    const how = [kind && `as ${kind}`, notation !== position.notation && `in the notation ${notation}`];
    const counts = [several(rows.length, "row"), several(rows[0].length, "column")];
    if (mines != null) counts.push(several(mines, "mine"));
    const said = [`Read ${how.filter(Boolean).join(", ")}`.trim() + `: ${counts.join(", ")}.`, ...notes];
    if (position.mines !== null && total === null) said.push('"Mines in all" is empty now.');
    else if (mines === undefined && total !== null) said.push(`"Mines in all" is still ${total}.`);
    this.choose(notation);
    this.#history.change({ rows, mines: total, notation });
    this.#say(said.join(" "));
  }

  #write() {
    const text = textOf(this.#history.position.rows, this.#notation.value);
    if (text === null) {
      this.#say(`The notation ${this.#notation.value} has no symbol for one of the cells: use standard.`);
      return;
    }
    this.#text.value = text;
    this.#text.select();
  }

  #say(message) {
    this.#said.textContent = message;
  }

  /** Offer to read files of other programs, as soon as the service says that it can. */
  async #offer() {
    if (this.#offered) return;
    this.#offered = true;
    try {
      this.element.append(this.#files(await this.#service.ask(FORMATS)));
    } catch (error) {
      // Without the service there is nothing to offer, and with an older one never.
      this.#offered = error.status === 404;
    }
  }

  /** @param {Format[]} formats */
  #files(formats) {
    const choices = [[DETECTED, "detect"], ...formats.map(({ name, title }) => [name, title])];
    const format = select(choices, { name: "format" });
    const file = make("input", { type: "file", name: "file" });
    file.addEventListener("change", () => {
      const [chosen] = file.files;
      if (!chosen) return;
      this.#open(format.value === DETECTED ? formatOf(chosen.name, formats) : format.value, chosen);
      // So that the same file can be chosen again.
      file.value = "";
    });
    const pasted = button("Read the text in this format", () => this.#open(format.value, this.#text.value.trim()));
    return make(
      "details",
      { class: "files" },
      make("summary", {}, "Files and links of other programs"),
      make("div", { class: "bar" }, field("Format", format), field("File", file), pasted),
    );
  }

  /** @param {string} format @param {Blob | string} body */
  async #open(format, body) {
    try {
      const found = await this.#latest.ask((signal) =>
        this.#service.ask(`${FORMATS}/${encodeURIComponent(format)}`, body, { signal }),
      );
      if (found === undefined) return;
      const rows = found.board ?? found.layout;
      const large = tooLarge(rows.length, rows[0].length);
      const kind = `${found.format}, ${found.board ? "a board" : "a layout with all its mines"}`;
      const { notation } = this.#history.position;
      if (large === null) this.#take({ kind, rows, mines: found.mines ?? null, notation, notes: [] });
      else this.#say(large);
    } catch (error) {
      this.#say(inWords(error));
    }
  }
}

/** The format of a file by its name, where that leaves no choice. @param {Format[]} formats */
function formatOf(fileName, formats) {
  const fitting = formats.filter(({ suffix }) => suffix && fileName.toLowerCase().endsWith(suffix));
  return fitting.length === 1 ? fitting[0].name : DETECTED;
}
