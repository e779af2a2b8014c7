/**
 * The position that the tabs of this page share, saved until the window is closed.
 *
 * @module shared/saved-position
 */

import { faultOf } from "./position.js";
import { save, saved } from "./storage.js";
import { PLANE } from "./topology.js";

/** @typedef {import("./position.js").Position} Position */

const NAME = "minecheck.position";

/** @param {Position} position */
export function savePosition(position) {
  save(NAME, position);
}

/** @returns {Position | null} null where none was saved */
export function savedPosition() {
  return saved(NAME, ({ rows, mines, density = null, topology = PLANE, rules = {} }) => {
    const position = { rows, mines, density, topology, rules };
    return faultOf(position) === null ? position : null;
  });
}
