/**
 * The last columns of a run as a diagram: the states after each, and the moves between them.
 *
 * @module strips/run-diagram
 */

import { draw } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { several } from "../shared/numbers.js";

/** Columns that are drawn at least, and states of each at most. */
const LEAST_COLUMNS = 3;
const MOST_STATES = 24;
const LETTER = 8;
/** Room for the heading of a column. */
const LEAST_LETTERS = 7;
const STATE = { height: 28, gap: 10, between: 64 };
const HEAD = 44;

/** @typedef {{symbol: string, reached: string[], live: string[] | null, merged?: string[]}} RunStep `live` is null where it is not known */
/** @typedef {{start: string, consistent: boolean | null, steps: RunStep[]}} Run */
/** @typedef {(from: string, symbol: string, to: string) => boolean} Leads */

/**
 * The diagram of a run up to a step; step 0 is before the first column.
 *
 * @param {Run} run
 * @param {number} step
 * @param {Leads | null} leads null where no moves can be drawn
 * @param {(step: number) => string} named what a step reads: "column 4"
 * @param {{path?: string[] | null, room?: number}} [how] a path to be lit, the start first; pixels for the columns
 * @returns {SVGElement}
 */
export function runDiagram(run, step, leads, named, { path = null, room = 0 } = {}) {
  const most = Math.max(LEAST_COLUMNS, columnsIn(run, room));
  const first = Math.max(0, step - most + 1);
  const columns = Array.from({ length: step - first + 1 }, (_, index) => column(run, first + index));
  const lengths = columns.flatMap(({ states }) => states.map((state) => state.length));
  const longest = Math.max(...lengths, LEAST_LETTERS);
  const box = { width: longest * LETTER + 16, height: STATE.height };
  const tallest = Math.max(...columns.map(({ states, more }) => states.length + (more ? 1 : 0)), 1);
  const height = HEAD + tallest * (STATE.height + STATE.gap);
  const width = columns.length * (box.width + STATE.between) - STATE.between + 4;
  const placed = columns.map((shown, index) => ({ ...shown, x: 2 + index * (box.width + STATE.between) }));
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const name = say("The run after {steps}, described in the text below", { steps: several(step, "step") });
  const root = draw("svg", { class: "diagram", ...size, role: "img", "aria-label": name });
  if (leads !== null) {
    placed.slice(1).forEach((right, index) => root.append(...moves(placed[index], right, box, { leads, path, step })));
  }
  for (const shown of placed) {
    const head = shown.number === 0 ? say("start") : named(shown.number);
    root.append(drawn(shown, box, head, { now: shown.number === step, lit: path?.[shown.number] }));
  }
  return root;
}

/** How many columns have room side by side. @param {Run} run @param {number} room in pixels */
function columnsIn({ start, steps }, room) {
  const lengths = [start, ...steps.flatMap(({ reached }) => reached)].map((state) => state.length);
  const width = Math.max(...lengths, LEAST_LETTERS) * LETTER + 16 + STATE.between;
  return Math.floor((room + STATE.between) / width);
}

/** What is known after so many columns; the live states come first where not all can be shown. */
function column({ start, consistent, steps }, number) {
  if (number === 0) {
    return { number, symbol: null, states: [start], live: new Set(consistent ? [start] : []), known: true, more: 0 };
  }
  const { symbol, reached, live: known } = steps[number - 1];
  const live = known ?? [];
  const alive = new Set(live);
  const crowded = reached.length > MOST_STATES;
  const ordered = crowded ? [...live, ...reached.filter((state) => !alive.has(state))] : reached;
  const states = ordered.slice(0, MOST_STATES);
  return { number, symbol, states, live: alive, known: known !== null, more: reached.length - states.length };
}

function top(index) {
  return HEAD + index * (STATE.height + STATE.gap);
}

function* moves(left, right, { width }, { leads, path, step }) {
  for (const [from, state] of left.states.entries()) {
    for (const [to, next] of right.states.entries()) {
      if (!leads(state, right.symbol, next)) continue;
      const [x, y] = [left.x + width, top(from) + STATE.height / 2];
      const [endX, endY] = [right.x - 2, top(to) + STATE.height / 2];
      const middle = (x + endX) / 2;
      const live = left.live.has(state) && right.live.has(next);
      const kind = left.known && right.known ? "" : " unknown";
      const d = `M${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`;
      const isLit = path?.[left.number] === state && path?.[right.number] === next;
      const lit = isLit ? ` lit${right.number === step ? " taken" : ""}` : "";
      yield draw("path", { class: (live ? "move live" : `move${kind}`) + lit, d });
    }
  }
}

function drawn({ symbol, states, live, known, more, x }, box, head, { now, lit }) {
  const centre = x + box.width / 2;
  const group = draw("g", { class: now ? "column now" : "column" });
  group.append(draw("text", { class: "head", x: centre, y: 14 }, head));
  if (symbol !== null) group.append(draw("text", { class: "symbol", x: centre, y: 32 }, symbol));
  states.forEach((state, index) => {
    const frame = { x, y: top(index), rx: 8, ...box };
    const alive = live.has(state);
    const name = draw("text", { x: centre, y: top(index) + 19 }, state);
    const kind = (alive ? "state live" : `state${known ? "" : " unknown"}`) + (state === lit ? " lit" : "");
    group.append(draw("g", { class: kind }, draw("rect", frame), name));
  });
  const below = top(states.length) + 18;
  if (more) group.append(draw("text", { class: "head", x: centre, y: below }, say("and {count} more", { count: more })));
  if (states.length === 0) group.append(draw("text", { class: "head", x: centre, y: below }, say("no state")));
  return group;
}
