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
 * What the picture of a machine calls a state.
 *
 * @param {import("../shared/service.js").Service} service
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<(state: string) => string>}
 */
export async function picturedNames(service, name, signal) {
  if (name !== "hu-lin") return (state) => state;
  const forms = ["given", "merged"].map((form) => service.ask(`automata/${name}?format=json&form=${form}`, undefined, { signal }));
  const names = alikeNames(.../** @type {[any, any]} */ (await Promise.all(forms)));
  return (state) => names.get(state) ?? state;
}

/** Of each state of an automaton, the state of another one that reads on in the same way; of several, the last. */
function alikeNames(given, merged) {
  const all = [given, merged].flatMap(({ states, accepting, moves }, at) =>
    states.map((state) => ({ key: `${at} ${state}`, accepts: accepting.includes(state), moves: moves[state] ?? {}, at })),
  );
  // Classes are divided until no move tells two states of one class apart (Moore).
  let classes = new Map(all.map(({ key, accepts }) => [key, String(accepts)]));
  for (let count = 0; count < new Set(classes.values()).size; ) {
    count = new Set(classes.values()).size;
    const numbers = new Map();
    const sign = ({ key, moves, at }) => {
      const led = Object.entries(moves).map(([symbol, to]) => [symbol, ...new Set(to.map((next) => classes.get(`${at} ${next}`)))].toSorted().join());
      return [classes.get(key), ...led.toSorted()].join("|");
    };
    const number = (signature) => numbers.get(signature) ?? numbers.set(signature, String(numbers.size)).get(signature);
    classes = new Map(all.map((state) => [state.key, number(sign(state))]));
  }
  const names = new Map(merged.states.map((state) => [classes.get(`1 ${state}`), state]));
  const found = new Map(given.states.map((state) => [state, names.get(classes.get(`0 ${state}`))]));
  return found.set(given.start, merged.start);
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
