/**
 * A board for other programs: for solvers in their languages, for games and editors in their formats.
 *
 * @module analyse/programs
 */

import { copy } from "../shared/clipboard.js";
import { button, field, make, panel, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { MinecheckProblem } from "../shared/minecheck.js";
import { showProblem } from "../shared/problem-words.js";
import { setting } from "../shared/rules.js";
import { save } from "./save.js";

/** @typedef {import("../shared/position.js").Position} Position */
/** @typedef {{name: string, title: string, suffix: string, media_type: string}} Format */

/** Languages of solvers, each with its title and the suffix of its files. */
const LANGUAGES = new Map([
  ["dimacs", [say("DIMACS, for SAT solvers"), ".cnf"]],
  ["opb", [say("OPB, for pseudo-Boolean solvers"), ".opb"]],
  ["minizinc", [say("MiniZinc, for constraint solvers"), ".mzn"]],
  ["smtlib", [say("SMT-LIB, for SMT solvers"), ".smt2"]],
]);
/** Formats that are offered first. */
const USUAL = ["jsminesweeper", "mbf", "tatham", "puzzlink"];
/** What to do about formats that hold a map. */
const NEEDS_MAP = say("This format says where all the mines are: show a layout first, and that is written.");

/** The panel. Formats are asked for when it is first seen. */
export class Programs {
  /** @type {HTMLElement} */
  element;
  #context;
  #position;
  #board;
  /** @type {Map<string, Format>} */
  #formats = new Map();
  #language = select([...LANGUAGES].map(([name, [title]]) => [name, title]), { name: "language" });
  #format = select([], { name: "format" });
  #message = make("p", { role: "status" });
  #box = make("div", { class: "copying" });

  /**
   * @param {import("../main.js").Context} context
   * @param {() => Position} position
   * @param {import("../shared/layered-board.js").LayeredBoard} board what it shows may be a layout
   */
  constructor(context, position, board) {
    [this.#context, this.#position, this.#board] = [context, position, board];
    const copies = (text, from) => button(text, () => this.#made(from, (made) => this.#copy(made)), { class: "quiet" });
    const saves = (text, from) => button(text, () => this.#made(from, save), { class: "quiet" });
    const [exported, written] = [() => this.#export(), () => this.#write()];
    this.element = panel(
      say("For other programs"),
      make("p", { class: "faint" }, say("Solvers: the layouts of the board are the solutions of the file.")),
      make("div", { class: "bar" }, field(say("Language"), this.#language), saves(say("Save export"), exported), copies(say("Copy export"), exported)),
      make("p", { class: "faint" }, say("Games and editors: the board, or the layout that is shown.")),
      make("div", { class: "bar" }, field(say("Format"), this.#format), saves(say("Save file"), written), copies(say("Copy file"), written)),
      this.#message,
      this.#box,
    );
    this.element.classList.add("programs");
  }

  /** Another board. */
  forget() {
    this.#message.textContent = "";
  }

  /** The panel comes into sight. */
  async seen() {
    if (this.#formats.size) return;
    try {
      /** @type {Format[]} */
      const found = await this.#context.service.ask("formats");
      const usual = (name) => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);
      const sorted = found.toSorted((one, other) => usual(one.name) - usual(other.name));
      if (this.#formats.size) return;
      this.#formats = new Map(sorted.map((format) => [format.name, format]));
      this.#format.replaceChildren(...sorted.map(({ name, title }) => make("option", { value: name }, title)));
    } catch (error) {
      showProblem(this.#message, error);
    }
  }

  /** Make a file and do something with it. @param {() => Promise<[Blob, string]>} from @param {(blob: Blob, name: string) => void} done */
  async #made(from, done) {
    this.#message.textContent = "";
    try {
      done(...(await from()));
    } catch (error) {
      const needsMap = error instanceof MinecheckProblem && error.code === "layout-missing";
      if (needsMap) this.#message.textContent = NEEDS_MAP;
      else showProblem(this.#message, error);
    }
  }

  async #copy(blob) {
    const { tell } = this.#context;
    if (blob.type.startsWith("text/")) copy(await blob.text(), tell, this.#box);
    else this.#message.textContent = say("This format is not text: save it as a file.");
  }

  /** @returns {Promise<[Blob, string]>} */
  async #export() {
    const position = this.#position();
    const { rows, mines } = position;
    const into = /** @type {any} */ (this.#language.value);
    const text = await this.#context.service.export(rows, { mines, ...setting(position), into });
    return [new Blob([text], { type: "text/plain" }), `board${LANGUAGES.get(into)?.[1]}`];
  }

  /** @returns {Promise<[Blob, string]>} */
  async #write() {
    const { rows } = this.#board.shown;
    const isMap = /^[0-8B]+$/.test(rows.join(""));
    const fields = isMap ? { layout: rows } : { board: rows, mines: this.#position().mines ?? undefined };
    const { name, suffix, media_type: type } = this.#formats.get(this.#format.value) ?? { name: "auto", suffix: "", media_type: "" };
    const response = await this.#context.service.reach(`v1/formats/${name}/write`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fields),
    });
    return [new Blob([await response.blob()], { type }), `board${suffix}`];
  }
}
