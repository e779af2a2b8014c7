/**
 * The verdict on a board: a card with what matters most, which stays in sight.
 *
 * @module analyse/verdict
 */

import { cellName } from "../shared/board.js";
import { chanceMarks, isOpen, percent } from "../shared/chances.js";
import { countElement } from "../shared/count.js";
import { button, make, panel } from "../shared/elements.js";
import { formatNumber, say } from "../shared/language.js";
import { marked, merged } from "../shared/layered-board.js";
import { noAnswer } from "../shared/no-answer.js";
import { several } from "../shared/numbers.js";
import { countForced, noLayoutFits } from "../shared/phrases.js";
import { solverInWords } from "../shared/solver-in-words.js";

/** @typedef {import("../shared/position.js").Position} Position */
/** @typedef {import("../shared/board.js").Mark} Mark */

/**
 * What an analysis marks on the board.
 *
 * @param {any} answer of /v1/analyze, or null
 * @param {ReturnType<typeof import("../shared/chances.js").chancesOf> | null} chances null where they are not shown
 * @returns {Map<string, Mark>}
 */
export function marksOf(answer, chances) {
  if (answer === null) return new Map();
  const { forced, flags, conflict } = answer;
  const best = chances ? safestOf(answer) : null;
  // What is certain has marks of its own.
  const open = chances ? chanceMarks(chances).filter(([, { chance }]) => isOpen(chance)) : [];
  return merged(open, [
    ...marked(forced?.mines ?? [], { kind: "mine" }),
    ...marked(forced?.safe ?? [], { kind: "safe" }),
    ...marked(best === null ? [] : [best.cell], { kind: "target", label: say("the safest cell") }),
    ...marked(flags?.unproved ?? [], { label: say("not proved") }),
    ...marked(flags?.wrong ?? [], { kind: "wrong", label: say("safe in every layout") }),
    ...marked(conflict?.clues ?? [], { kind: "conflict" }),
  ]);
}

/** The safest cell, where none is proved safe. */
function safestOf({ safest, forced }) {
  const best = safest?.[0] ?? null;
  return best === null || best.probability === 1 || forced?.safe.length ? null : best;
}

/** Milliseconds for which the answer to the board before may stay. */
const STALE = 1000;

/** The card. */
export class Verdict {
  /** @type {HTMLElement} */
  element;
  #how;
  #headline = make("p", { class: "headline", role: "status" });
  #count = make("div", { class: "verdict-count" });
  #content = make("div", { class: "verdict-said" });
  #facts = make("dl", { class: "facts" });
  #solver = make("p", { class: "faint verdict-solver" });
  #actions = make("div", { class: "bar" });
  #stale = 0;

  /**
   * @param {object} how
   * @param {Function} how.tell
   * @param {() => void} how.why the conflict is to be explained
   * @param {() => void} how.reasons all conflicts are to be listed
   * @param {() => void} how.again to ask once more
   * @param {HTMLElement} how.play the button that plays on from the board
   */
  constructor(how) {
    this.#how = how;
    this.element = panel(
      say("Answer"),
      make("div", { class: "verdict-head" }, this.#headline, this.#count),
      make("div", { class: "verdict-rest" }, this.#content, this.#facts, this.#solver, this.#actions),
    );
    this.element.classList.add("verdict");
    this.element.querySelector("h2")?.classList.add("unseen");
  }

  /** Wait for an answer; the one before stays for a moment, so that nothing flickers. */
  wait() {
    clearTimeout(this.#stale);
    this.#stale = setTimeout(() => this.#put(say("Waiting for the answer …"), "unknown", {}), STALE);
    this.element.setAttribute("aria-busy", "true");
  }

  /** @param {Error} error */
  fail(error) {
    this.#say(say("No answer."), "problem", { content: noAnswer(error, this.#how.again) });
  }

  /** @param {any} answer of /v1/analyze @param {boolean} isExplained there are reasons to ask for */
  show(answer, isExplained) {
    const found = solverInWords(answer.solver);
    const solver = found && say("Solver: {solver}", { solver: found });
    if (answer.consistent === false) this.#inconsistent(answer, solver, isExplained);
    else {
      const [headline, kind] = answer.consistent ? [say("Consistent."), "yes"] : [say("Not decided in time."), "unknown"];
      this.#say(headline, kind, { count: this.#counted(answer), content: known(answer), solver, actions: [this.#how.play] });
    }
  }

  /** More is known. @param {[term: string, content: Node | string][]} facts */
  add(facts) {
    this.#facts.replaceChildren(...facts.map(([term, content]) => make("div", {}, make("dt", {}, term), make("dd", {}, content))));
    // The best move says better what the safest cell says.
    const safest = /** @type {HTMLElement | null} */ (this.#content.querySelector(".safest"));
    if (safest) safest.hidden = facts.length > 0;
  }

  #say(headline, kind, parts) {
    clearTimeout(this.#stale);
    this.element.setAttribute("aria-busy", "false");
    this.#put(headline, kind, parts);
  }

  #put(headline, kind, { count = null, content = [], solver = "", actions = [] }) {
    this.#headline.textContent = headline;
    this.#headline.dataset.kind = kind;
    this.#count.replaceChildren(...[count ?? []].flat());
    this.#content.replaceChildren(...content);
    this.#facts.replaceChildren();
    this.#solver.textContent = solver;
    this.#actions.replaceChildren(...actions);
  }

  #counted({ count, approximate }) {
    const total = count ?? approximate?.count;
    return total == null ? null : countElement(total, this.#how.tell);
  }

  #inconsistent({ conflict, feasible_mines: feasible, solver: { complete } }, solver, isExplained) {
    const content = [make("p", {}, noLayoutFits(conflict))];
    if (feasible) content.push(make("p", {}, say("The clues allow {least} to {most} mines.", feasible)));
    if (!complete) content.push(warning(say("There may be a smaller conflict.")));
    const actions = isExplained ? [button(say("Why?"), this.#how.why, { class: "primary" }), button(say("All reasons"), this.#how.reasons)] : [];
    this.#say(say("Inconsistent."), "no", { content, solver, actions });
  }
}

/** What an answer about a board that is not inconsistent says beside the count. */
function known(answer) {
  const { count, approximate, consistent, forced, flags, solver } = answer;
  const facts = [];
  if (count == null && approximate) facts.push(errorOf(approximate));
  else if (count == null && consistent) facts.push(make("p", {}, say("The layouts could not be counted in time.")));
  if (forced) facts.push(make("p", {}, forcedWords(forced)));
  const best = safestOf(answer);
  if (best !== null) {
    const values = { cell: cellName(...best.cell), chance: percent(best.probability) };
    facts.push(make("p", { class: "safest" }, say("Safest: {cell}, {chance} mine.", values)));
  }
  const flagged = (cells) => ({ flags: several(cells.length, "flag") });
  if (flags?.wrong.length) facts.push(warning(say("{flags} on safe cells.", flagged(flags.wrong))));
  if (flags?.unproved.length) facts.push(make("p", {}, say("{flags} not proved.", flagged(flags.unproved))));
  if (!solver.complete) facts.push(warning(say("This answer is incomplete.")));
  return facts;
}

/** How layouts weigh, where that is not by the total of mines. @param {Position} position */
export function weighing({ rows, mines, density }) {
  if (mines !== null || !rows.some((row) => row.includes("?"))) return "";
  if (density !== null) {
    return say("Each cell is assumed to be a mine with a chance of {chance}, whatever the others are.", { chance: percent(density) });
  }
  return say(
    "Without a total of mines all layouts weigh the same: cells that no clue touches are mines in half of them. " +
      "Enter the total, or a density, such as 20.6 % of an expert game, for chances as in a game.",
  );
}

function errorOf({ epsilon, delta }) {
  const values = { factor: formatNumber(1 + epsilon), probability: formatNumber(100 * (1 - delta)) };
  return warning(say("Estimated: within a factor of {factor}, with a probability of {probability} %.", values));
}

function warning(text) {
  return make("p", { class: "warning" }, text);
}

function forcedWords(forced) {
  const cells = countForced(forced);
  return cells ? say("Forced: {cells}.", { cells }) : say("No unknown cell is forced.");
}
