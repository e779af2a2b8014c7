/**
 * The best moves of a position in words, as a table, and on the board.
 *
 * @module play/best-moves
 */

import { cellName } from "../shared/board.js";
import { percent } from "../shared/chances.js";
import { button, make } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { marked } from "../shared/layered-board.js";
import { COLUMNS, chanceToWin } from "../shared/moves-in-words.js";
import { several } from "../shared/numbers.js";
import { capital, shortCellName } from "../shared/phrases.js";
import { point } from "./walk.js";

/** @typedef {import("../shared/types.js").MovesAnswer} MovesAnswer */
/** @typedef {NonNullable<MovesAnswer["moves"]>[number]} Move */
/** @typedef {import("../shared/board.js").Mark} Mark */
/** @typedef {import("./walk.js").Item} Item */

/** The chance to win a position, as a sentence. @param {MovesAnswer["win"]} win */
export function winning(win) {
  const chance = chanceToWin(win);
  return chance && say("Chance to win with best play: {chance}.", { chance });
}

/** What is known of a move, in words. @param {Move} move */
export function described({ cell, safe, mine, progress, survival, win, dead }) {
  const said = [safe ? say("proved safe") : say("{chance} safe", { chance: percent(1 - mine) })];
  if (win !== null && !safe) said.push(say("{chance} to win", { chance: percent(win) }));
  else if (!safe && survival !== null) said.push(say("{chance} to survive the next click, too", { chance: percent(survival) }));
  if (!safe && win === null && progress) said.push(say("{chance} that a safe cell follows", { chance: percent(progress) }));
  if (dead) said.push(say("tells nothing"));
  return say("{cell}: {what}", { cell: capital(cellName(...cell)), what: said.join(say(", ")) });
}

/** Why the first move is the first, in a sentence. @param {Move[]} moves at least one */
export function whyFirst([best, ...others]) {
  if (best.safe) {
    const proved = 1 + others.filter(({ safe }) => safe).length;
    return proved > 1 ? say("All of these are proved safe: open them in any order.") : say("It is proved safe.");
  }
  if (!others.length) return say("There is no other move.");
  if (best.win !== null) {
    // Cells that were not valued in time win no more often, but may win as often.
    const next = Math.max(...others.map(({ win }) => win ?? Infinity));
    return best.win > next
      ? say("With best play afterwards it wins most often: {best}, the next best {next}.", { best: percent(best.win), next: percent(next) })
      : say("With best play afterwards it wins in {chance} of cases, and no other cell wins more often.", { chance: percent(best.win) });
  }
  const safer = others.find(({ mine }) => mine < best.mine);
  if (!safer) return say("No other cell is safer.");
  const name = capital(cellName(...safer.cell));
  if (safer.dead) return say("{cell} is safer, but tells nothing.", { cell: name });
  return say("{cell} is safer, but less often followed by a safe cell: this one counts both clicks.", { cell: name });
}

/**
 * Moves, and guesses that cannot be avoided, as a list to go through.
 *
 * @param {MovesAnswer} answer with at least one move
 * @returns {Item[]}
 */
export function bestMoves({ moves, guesses }) {
  if (!moves) return [];
  /** @type {[string, Mark][]} */
  const chances = moves.map(({ cell, mine, dead }) => [
    cell.join(),
    { chance: mine, silent: false, ...(dead && { kind: "dead" }), label: dead ? say("opening it tells nothing") : say("a move") },
  ]);
  const unavoidable = (guesses ?? []).flatMap(({ cells }) => marked(cells, { kind: "guess" }));
  const all = [...chances, ...unavoidable];
  /** @type {[string, Mark]} */
  const best = [moves[0].cell.join(), { kind: "target", label: say("the best move") }];
  return [
    ...moves.map((move) => ({
      text: described(move),
      cell: move.cell,
      marks: () => [...all, best, ...marked([move.cell], { selected: true })],
    })),
    ...(guesses ?? []).map(({ cells, chance }) => ({
      text: say("{cells} that nothing else can tell apart: a guess of {chance} that cannot be avoided", {
        cells: several(cells.length, "cell"),
        chance: percent(chance),
      }),
      cell: cells[0],
      marks: () => [...all, ...marked(cells, { selected: true })],
    })),
  ];
}

/**
 * Moves as a table, and below it the guesses that cannot be avoided.
 *
 * @param {Move[]} moves
 * @returns {(items: Item[], go: (at: number) => void) => import("./walk.js").List}
 */
export function moveTable(moves) {
  return (items, go) => {
    const controls = items.map(({ cell, text }, at) => {
      const location = /** @type {[number, number]} */ (cell);
      return at < moves.length
        ? button(capital(cellName(...location)), () => go(at), { "aria-label": text, "data-short": shortCellName(...location) })
        : button(text, () => go(at));
    });
    const heads = COLUMNS.map(({ name, title }) => make("th", { scope: "col", title }, name));
    const rows = moves.map((move, at) => {
      const cells = COLUMNS.map(({ of }) => make("td", {}, inTable(of(move))));
      return make("tr", {}, make("th", { scope: "row" }, controls[at]), ...cells);
    });
    const table = make(
      "table",
      { class: "moves-table" },
      make("caption", { class: "faint" }, say("Chances in percent")),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, say("cell")), ...heads)),
      make("tbody", {}, ...rows),
    );
    const guesses = controls.slice(moves.length).map((control) => make("li", {}, control));
    const element = make("div", { class: "moves-list" }, table, make("ul", { class: "play-steps", hidden: !guesses.length }, ...guesses));
    return { element, show: (at) => point(element, controls, at) };
  };
}

/** A chance in a cell of the table. @param {number | null | undefined} chance */
function inTable(chance) {
  return chance === null || chance === undefined ? "–" : percent(chance).replace(/\u00a0?%/, "");
}
