/**
 * The automata of the service: how they read a strip, and which of their states follow which.
 *
 * @module strips/automata
 */

/** Machines that the service can draw. */
const DRAWN = ["kadlac", "hu-lin", "strip-1", "strip-2"];

/** @typedef {{height: number, width: number}} Size */

/**
 * Whether a machine reads a strip row by row, from the top to the bottom.
 *
 * @param {string} name
 * @param {Size} size
 * @returns {boolean}
 */
export function turned(name, { height }) {
  const width = { kadlac: 1, "hu-lin": 2 }[name] ?? Number(name.replace("strip-", ""));
  return height !== width;
}

/**
 * The picture of a whole machine.
 *
 * @param {import("../shared/service.js").Service} service
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<string | null>} SVG; null for large machines, or without an answer
 */
export async function pictureOf(service, name, signal) {
  if (!DRAWN.includes(name)) return null;
  try {
    const response = await service.reach(`v1/automata/${name}?format=svg`, { signal });
    return await response.text();
  } catch {
    // The run is shown without it.
    return null;
  }
}

/**
 * The moves of a machine: whether it goes from a state to another by a symbol.
 *
 * @param {import("../shared/service.js").Service} service
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<(from: string, symbol: string, to: string) => boolean>}
 */
export async function movesOf(service, name, signal) {
  if (name.startsWith("strip-")) return profileLeads;
  const { moves } = await service.ask(`automata/${name}?format=json`, undefined, { signal });
  return (from, symbol, to) => (moves[from]?.[symbol] ?? []).includes(to);
}

/**
 * The moves of all strip automata: a state has in each row a mine (B), a safe cell (-), or how many
 * mines a clue still needs in the next column. Tables of three rows are too large to be fetched.
 *
 * @param {string} from
 * @param {string} symbol
 * @param {string} to
 * @returns {boolean}
 */
export function profileLeads(from, symbol, to) {
  return [...symbol].every((cell, row) => {
    const found = minesBeside(to, row);
    if (/\d/.test(from[row]) && Number(from[row]) !== found) return false;
    if (/\d/.test(cell)) return to[row] === String(Number(cell) - minesBeside(from, row) - found);
    return cell === "?" ? "-B".includes(to[row]) : to[row] === (cell === "B" ? "B" : "-");
  });
}

/** Mines of a column in three rows. */
function minesBeside(state, row) {
  return [row - 1, row, row + 1].filter((near) => state[near] === "B").length;
}
