/**
 * Practising: positions whose next step needs one technique, one after another.
 *
 * @module play/practice
 */

import { button } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { PLANE } from "../shared/topology.js";
import { findDrill } from "./drill.js";
import { newSeed } from "./new-board.js";

/** @typedef {import("../shared/undoable-game.js").Game} Game */
/** @typedef {import("../shared/undoable-game.js").Size} Size */

/**
 * Where positions are shown.
 *
 * @typedef {object} Table
 * @property {(game: Game, spec: import("../shared/game-link.js").Spec) => void} start show a position
 * @property {(move: () => boolean, cell: [row: number, col: number]) => void} change make a move
 * @property {() => void} another begin again
 * @property {() => void} draw
 * @property {(error: Error) => void} tell why there is none
 */

export class Practice {
  #service;
  #controls;
  #walk;
  #table;
  #finding = new LatestRequest();
  /** The position, null in ordinary games. @type {import("./drill.js").Drill | null} */
  #drill = null;
  /** Whether a position is looked for. */
  isFinding = false;

  /**
   * @param {import("../shared/service.js").Service} service
   * @param {ReturnType<typeof import("./controls.js").layOut>} controls
   * @param {import("./walk.js").Walk} walk where proofs are shown
   * @param {Table} table
   */
  constructor(service, controls, walk, table) {
    this.#service = service;
    this.#controls = controls;
    this.#walk = walk;
    this.#table = table;
  }

  /** Another game begins. */
  end() {
    this.#finding.end();
    this.isFinding = false;
    this.#drill = null;
  }

  /** Show a position of a size, if one technique is chosen. @param {Size} size */
  async begin(size) {
    const { technique, guessFree, verdict } = this.#controls;
    if (!technique.value) return;
    if (size.topology && size.topology !== PLANE) {
      verdict.say(say("Positions to practise on are those of plane boards."));
      return;
    }
    this.isFinding = true;
    verdict.wait(say("Looking for a position"));
    const wish = { ...size, technique: technique.value, guessFree: guessFree.checked, seed: newSeed() };
    try {
      const drill = await this.#finding.ask((signal) => findDrill(this.#service, wish, signal));
      if (drill === undefined) return;
      this.isFinding = false;
      if (drill) this.#show(drill);
      else verdict.say(say("No such position was found in time. Try again, or another size."));
    } catch (error) {
      this.isFinding = false;
      verdict.say("");
      this.#table.tell(error);
    }
  }

  #show(drill) {
    this.#table.start(drill.start(), drill.spec);
    this.#drill = drill;
    this.#controls.verdict.idle = drill.task;
    this.#controls.verdict.say("");
    this.#table.draw();
  }

  /** Make a move, in a position to practise on only if its technique proves it. */
  attempt(cell, value, move) {
    const drill = this.#drill;
    if (!drill || drill.isSolved) {
      this.#table.change(move, cell);
      return;
    }
    const wrong = drill.judge(cell, value);
    if (wrong) {
      this.#controls.verdict.say(wrong, "problem");
      return;
    }
    this.#table.change(move, cell);
    const another = button(say("Another position"), () => this.#table.another(), { class: "primary" });
    this.#walk.open({ title: drill.praise, noun: "step", items: drill.proofs(), controls: () => [another] });
  }

  /** Whether a game is a position as it was given: no move can be taken back. @param {Game} game */
  isStart(game) {
    return this.#drill?.isStart(game) ?? false;
  }
}
