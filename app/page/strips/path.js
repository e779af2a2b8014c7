/**
 * The path of an automaton that a layout is read on: one state after each column.
 *
 * @module strips/path
 */

/** @typedef {import("./run-diagram.js").Run} Run */
/** @typedef {import("./run-diagram.js").Leads} Leads */

/** Where a state of Hu and Lin's automaton says whether a cell was a mine. */
const HU_LIN_MINES = [1, 3];

/**
 * Whether a state can follow a column with some mines.
 *
 * @param {string} machine
 * @param {string} state
 * @param {(boolean | null)[]} mines of each cell of the column; null where the layout does not say
 */
function fits(machine, state, mines) {
  // Its states leave open what the next squares decide.
  if (machine === "kadlac") return true;
  if (machine === "hu-lin") {
    // Both cells of a column see the same cells, so only their number matters.
    const count = HU_LIN_MINES.filter((at) => state[at] === "B").length;
    const least = mines.filter((mine) => mine === true).length;
    return least <= count && count <= least + mines.filter((mine) => mine === null).length;
  }
  return mines.every((mine, row) => mine === null || (state[row] === "B") === mine);
}

/**
 * The path of a run that a layout takes.
 *
 * @param {Run & {machine: string}} run whole
 * @param {Leads} leads
 * @param {(step: number) => (boolean | null)[]} mines that the layout has where a step reads; steps are from 1
 * @returns {string[] | null} the start and the state after each step; null where there is none
 */
export function pathOf(run, leads, mines) {
  /** @type {Map<string, string | null>[]} Each state that is reached, and one before it. */
  const layers = [new Map([[run.start, null]])];
  for (const [at, { symbol, reached, live }] of run.steps.entries()) {
    const column = mines(at + 1);
    const layer = new Map();
    for (const state of live ?? reached) {
      if (!fits(run.machine, state, column)) continue;
      const before = [...layers[at].keys()].find((from) => leads(from, symbol, state));
      if (before !== undefined) layer.set(state, before);
    }
    layers.push(layer);
  }
  let [state] = layers[layers.length - 1].keys();
  if (state === undefined) return null;
  const path = [state];
  for (let at = layers.length - 1; at > 0; at -= 1) {
    state = /** @type {string} */ (layers[at].get(state));
    path.unshift(state);
  }
  return path;
}

/**
 * What the columns hold on a path of the tree.
 *
 * @param {{id: number, parent: number | null, placed: string[] | null}[]} tree
 * @param {number} leaf
 * @returns {string[] | null} the first way for each column; null where paths do not place mines
 */
export function columnsOf(tree, leaf) {
  const nodes = new Map(tree.map((node) => [node.id, node]));
  const columns = [];
  for (let node = nodes.get(leaf); node && node.parent !== null; node = nodes.get(node.parent)) {
    if (!node.placed?.length) return null;
    columns.unshift(node.placed[0]);
  }
  return columns;
}
