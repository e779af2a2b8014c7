/**
 * What can be done with a board beside analysing it: copies and files, other programs, certificates,
 * fewest clues, circuits.
 *
 * @module analyse/tools
 */

import { panel } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { isUsual } from "../shared/rules.js";
import { Certificates } from "./certificates.js";
import { Circuit } from "./circuit.js";
import { Composition } from "./composition.js";
import { exports } from "./export.js";
import { Programs } from "./programs.js";

/** @typedef {import("../shared/position.js").Position} Position */

/**
 * The board that the tools are for.
 *
 * @typedef {object} Workbench
 * @property {import("../main.js").Context} context
 * @property {() => Position} position
 * @property {import("../shared/layered-board.js").LayeredBoard} board
 * @property {(part: Partial<Position>) => void} put change the position
 */

/** The panels of all tools, one below the other. */
export class Tools {
  /** @type {HTMLElement[]} */
  elements;
  #certificates;
  #circuit;
  #composition;
  #programs;

  /** @param {Workbench} workbench */
  constructor({ context, position, board, put }) {
    const { service } = context;
    const copies = panel(say("Copy and save"), exports(position, board, context));
    copies.classList.add("copies");
    this.#programs = new Programs(context, position, board);
    this.#certificates = new Certificates(service);
    this.#composition = new Composition(service, board, (rows) => put({ rows }));
    this.#circuit = new Circuit(service, put);
    const panels = [this.#programs, this.#certificates, this.#composition, this.#circuit];
    this.elements = [copies, ...panels.map(({ element }) => element)];
  }

  /** Another board. @param {Position} position */
  about(position) {
    const isPlane = isUsual(position);
    this.#programs.forget();
    this.#certificates.about(position);
    this.#composition.about(position);
    // Clues are chosen, and circuits laid, on plane boards.
    this.#composition.element.hidden = !isPlane;
    this.#circuit.about(isPlane ? position.rows : []);
  }

  /** The tools come into sight. */
  seen() {
    this.#programs.seen();
  }

  /** What is written on the board of a circuit. @returns {[string, import("../shared/board.js").Mark][]} */
  get marks() {
    return this.#circuit.marks;
  }
}
