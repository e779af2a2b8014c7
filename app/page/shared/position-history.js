/**
 * A position that is edited, with undo and redo.
 *
 * @module shared/position-history
 */

import { alike } from "./position.js";
import { withoutLostClues } from "./rules.js";

/** @typedef {import("./position.js").Position} Position */

const MOST_KEPT = 1000;

/**
 * A position that changes. A "change" event follows each change.
 */
export class PositionHistory extends EventTarget {
  /** @type {Position[]} */
  #before = [];
  /** @type {Position[]} */
  #after = [];
  #position;

  /** @param {Position} position */
  constructor(position) {
    super();
    this.#position = position;
  }

  /** @returns {Position} */
  get position() {
    return this.#position;
  }

  get undoable() {
    return this.#before.length > 0;
  }

  get redoable() {
    return this.#after.length > 0;
  }

  /**
   * Put something else in place; undone in one step with what came before if `joined`.
   *
   * @param {Partial<Position>} part
   * @param {{joined?: boolean}} [how]
   */
  change(part, { joined = false } = {}) {
    const next = withoutLostClues({ ...this.#position, ...part });
    if (alike(next, this.#position)) return;
    if (!joined) this.#before = [...this.#before.slice(-MOST_KEPT), this.#position];
    this.#after = [];
    this.#become(next);
  }

  /** Take the last change back. */
  undo() {
    const before = this.#before.pop();
    if (before === undefined) return;
    this.#after.push(this.#position);
    this.#become(before);
  }

  /** Take an undo back. */
  redo() {
    const after = this.#after.pop();
    if (after === undefined) return;
    this.#before.push(this.#position);
    this.#become(after);
  }

  #become(position) {
    this.#position = position;
    this.dispatchEvent(new Event("change"));
  }
}
