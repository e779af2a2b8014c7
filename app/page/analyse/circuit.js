/**
 * A formula as a board: its wires carry the variables, which can be set and seen to flow.
 *
 * @module analyse/circuit
 */

import { button, field, make, panel, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { several } from "../shared/numbers.js";
import { changed } from "../shared/position.js";
import { showProblem } from "../shared/problem-words.js";

/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {import("../shared/position.js").Position} Position */

/** The symbols that a variable gives the first cell of its wire, and what they say. */
const VALUES = [
  ["?", say("open")],
  ["B", say("true")],
  ["S", say("false")],
];

/** The panel that lays a formula, and sets its variables while its board is there. */
export class Circuit {
  /** @type {HTMLElement} */
  element;
  #service;
  #show;
  #latest = new LatestRequest();
  /** What was laid last, as the service answers; null before. @type {any} */
  #laid = null;
  /** @type {string[]} */
  #rows = [];
  #formula = make("input", { type: "text", name: "formula", value: "(a & b) | !c", spellcheck: false, autocomplete: "off" });
  #message = make("p", { role: "status", class: "faint" });
  #inputs = make("div", { class: "bar" });

  /**
   * @param {import("../shared/service.js").Service} service
   * @param {(position: Partial<Position>) => void} show a position in place of the one that is there
   */
  constructor(service, show) {
    [this.#service, this.#show] = [service, show];
    const submit = (event) => {
      event.preventDefault();
      this.#lay();
    };
    const form = make("form", { class: "bar", onsubmit: submit }, field(say("Formula"), this.#formula), button(say("Build it"), () => this.#lay()));
    this.element = panel(
      say("A formula as a circuit"),
      make("p", { class: "faint" }, say("Its board has a layout for each satisfying assignment. Operators: ! & ^ | -> <->")),
      form,
      this.#inputs,
      this.#message,
    );
    this.element.classList.add("circuit");
  }

  /** Another board: variables can be set while it is the circuit. @param {string[]} rows */
  about(rows) {
    this.#rows = rows;
    const mine = this.#isLaid();
    this.#inputs.hidden = !mine;
    if (!mine) return;
    for (const control of this.#inputs.querySelectorAll("select")) {
      const [row, col] = this.#laid.variables[control.name][0];
      control.value = rows[row][col];
    }
  }

  /** Names at the wires, and where the output is. @returns {[string, Mark][]} */
  get marks() {
    if (!this.#isLaid()) return [];
    const { board, variables, output } = this.#laid;
    const names = Object.entries(variables).map(([name, [cell]]) => [cell, name, say("the variable {name}", { name })]);
    return [...names, [output, say("out"), say("the output")]].flatMap(([cell, text, label]) => [
      [String(beside(board, cell)), { text: text.length > 3 ? `${text.slice(0, 2)}…` : text }],
      [String(cell), { label }],
    ]);
  }

  async #lay() {
    try {
      const formula = this.#formula.value;
      const laid = await this.#latest.ask((signal) => this.#service.circuits({ formula, signal }));
      if (!laid) return;
      this.#laid = laid;
      const names = Object.keys(laid.variables);
      this.#inputs.replaceChildren(...names.map((name) => field(name, this.#input(name))));
      this.#message.replaceChildren(
        say("{cells}, {gates}.", { cells: several(laid.cells, "cell"), gates: several(laid.gates.length, "gate") }),
      );
      this.#show({ rows: laid.board, mines: null, density: null });
    } catch (error) {
      showProblem(this.#message, error);
    }
  }

  #input(name) {
    const control = select(VALUES, { name });
    control.addEventListener("change", () => {
      const [row, col] = this.#laid.variables[name][0];
      this.#show({ rows: changed(this.#rows, [[row, col, control.value]]) });
    });
    return control;
  }

  /** Whether the board is what was laid, but for variables that are set. */
  #isLaid() {
    if (this.#laid === null) return false;
    const { board, variables } = this.#laid;
    if (board.length !== this.#rows.length || board[0].length !== this.#rows[0].length) return false;
    const cells = Object.values(variables).map(([cell]) => cell);
    const set = cells.every(([row, col]) => VALUES.some(([symbol]) => symbol === this.#rows[row][col]));
    const open = changed(this.#rows, cells.map(([row, col]) => [row, col, "?"]));
    return set && open.every((row, number) => row === board[number]);
  }
}

/**
 * The nearest empty cell beside a cell of a wire, or above it; the cell itself where all are taken.
 *
 * @param {string[]} board
 * @param {number[]} cell
 */
function beside(board, [row, col]) {
  for (let far = 1; far < board.length + board[0].length; far += 1) {
    if (board[row][col - far] === "0") return [row, col - far];
    if (board[row][col + far] === "0") return [row, col + far];
    if (board[row - far]?.[col] === "0") return [row - far, col];
  }
  return [row, col];
}
