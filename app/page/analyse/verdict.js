/**
 * What is known of a board: the verdict, the count, forced cells, chances; and repairs.
 *
 * @module analyse/verdict
 */

import { placeName } from "../shared/board.js";
import { chanceMarks, isOpen, percent } from "../shared/chances.js";
import { countElement } from "../shared/count.js";
import { button, make, panel, whileAt } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { marked, merged } from "../shared/layered-board.js";
import { noAnswer } from "../shared/no-answer.js";
import { several } from "../shared/numbers.js";
import { noLayoutFits } from "../shared/phrases.js";
import { inWords } from "../shared/service.js";
import { setting } from "../shared/topology.js";

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
    ...marked(best === null ? [] : [best.cell], { kind: "target", label: "the safest cell" }),
    ...marked(flags?.unproved ?? [], { label: "not proved" }),
    ...marked(flags?.wrong ?? [], { kind: "wrong", label: "safe in every layout" }),
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

/** The panel with the answer. */
export class Verdict {
  /** @type {HTMLElement} */
  element;
  #how;
  #headline = make("p", { class: "headline", role: "status" });
  #facts = make("div", {});
  #repairs = make("div", { class: "repairs" });
  #latest = new LatestRequest();
  #stale = 0;

  /**
   * @param {object} how
   * @param {import("../shared/minecheck.js").Minecheck} how.service
   * @param {import("../shared/layered-board.js").LayeredBoard} how.board
   * @param {Function} how.tell
   * @param {() => void} how.why the conflict is to be explained
   * @param {() => void} how.reasons all conflicts are to be listed
   * @param {() => void} how.again to ask once more
   * @param {(repair: {clue: number[], number: number}[]) => void} how.fix
   */
  constructor(how) {
    this.#how = how;
    this.element = panel("Answer", this.#headline, this.#facts, this.#repairs);
    this.element.classList.add("verdict");
  }

  /** Wait for an answer; the one before stays for a moment, so that nothing flickers. */
  wait() {
    this.#latest.end();
    clearTimeout(this.#stale);
    this.#stale = setTimeout(() => {
      this.#put("Waiting for the answer …", "unknown");
    }, STALE);
    this.element.setAttribute("aria-busy", "true");
  }

  /** @param {Error} error */
  fail(error) {
    this.#say("No answer.", "problem", ...noAnswer(error, this.#how.again));
  }

  /**
   * @param {any} answer of /v1/analyze
   * @param {Position} position
   */
  show(answer, position) {
    if (answer.consistent === false) this.#inconsistent(answer, position);
    else if (answer.consistent) this.#say("Consistent.", "yes", ...this.#known(answer), ...weighing(position));
    else this.#say("Not decided in time.", "unknown", ...this.#known(answer));
  }

  #say(headline, kind, ...facts) {
    clearTimeout(this.#stale);
    this.element.setAttribute("aria-busy", "false");
    this.#put(headline, kind, ...facts);
  }

  #put(headline, kind, ...facts) {
    this.#headline.textContent = headline;
    this.#headline.dataset.kind = kind;
    this.#facts.replaceChildren(...facts);
    this.#repairs.replaceChildren();
  }

  #known(answer) {
    const { count, approximate, consistent, forced, flags, solver } = answer;
    const facts = [];
    const { tell } = this.#how;
    if (count != null) facts.push(countElement(count, "layout", tell));
    else if (approximate) facts.push(countElement(approximate.count, "layout", tell), errorOf(approximate));
    else if (consistent) facts.push(make("p", {}, "The layouts could not be counted in time."));
    if (forced) facts.push(make("p", {}, forcedWords(forced)));
    const best = safestOf(answer);
    if (best !== null) {
      facts.push(make("p", {}, `Safest: ${placeName(...best.cell)}, ${percent(best.probability)} mine.`));
    }
    const flagged = (cells) => several(cells.length, "flag");
    if (flags?.wrong.length) facts.push(warning(`${flagged(flags.wrong)} on safe cells.`));
    if (flags?.unproved.length) facts.push(make("p", {}, `${flagged(flags.unproved)} not proved.`));
    if (!solver.complete) facts.push(warning("This answer is incomplete."));
    return facts;
  }

  #inconsistent({ conflict, feasible_mines: feasible, solver }, position) {
    const facts = [make("p", {}, noLayoutFits(conflict))];
    if (feasible) facts.push(make("p", {}, `The clues allow ${feasible.least} to ${feasible.most} mines.`));
    if (!solver.complete) facts.push(warning("There may be a smaller conflict."));
    const bar = make("div", { class: "bar" }, button("Why?", this.#how.why), button("All reasons", this.#how.reasons));
    this.#say("Inconsistent.", "no", ...facts, bar);
    this.#repair(position);
  }

  /** What to change, asked for as soon as it is of use. */
  async #repair(position) {
    const { rows, mines } = position;
    this.#repairs.replaceChildren(make("p", { class: "faint" }, "Looking for repairs …"));
    try {
      const answer = await this.#latest.ask((signal) => this.#how.service.repair(rows, { mines, ...setting(position), signal }));
      if (answer !== undefined) this.#repairs.replaceChildren(...this.#offers(answer));
    } catch (error) {
      this.#repairs.replaceChildren(make("p", {}, inWords(error)));
    }
  }

  #offers({ repairs, repairable, more, changes }) {
    if (repairable === false) {
      const why = "the known cells and the total of mines contradict each other";
      return [make("p", {}, `Changing clues cannot repair it: ${why}.`)];
    }
    if (!repairs?.length) return [warning("No repair was found in time.")];
    const offers = repairs.map((repair) => make("li", {}, this.#offer(repair)));
    const fewest = several(changes ?? repairs[0].length, "change");
    const least = `It takes ${fewest}${more ? "; there may be more ways" : ""}:`;
    return [make("h3", {}, "Repairs"), make("p", {}, least), make("ul", { class: "steps" }, ...offers)];
  }

  /** A button that points out what it would change while it has the pointer or the keyboard. */
  #offer(repair) {
    const { board, fix } = this.#how;
    const clues = repair.map(({ clue }) => clue);
    /** @type {{cover: any} | null} */
    let back = null;
    const show = () => {
      back ??= { cover: board.overlaid };
      board.overlay({ marks: new Map(marked(clues, { kind: "target" })) });
    };
    const hide = () => {
      if (back !== null) board.overlay(back.cover);
      back = null;
    };
    const applied = () => {
      back = null;
      board.overlay(null);
      fix(repair);
    };
    return button(repairWords(repair), applied, { class: "step", ...whileAt(show, hide) });
  }
}

/** How layouts weigh, where that is not by the total of mines. */
function weighing({ rows, mines, density }) {
  if (mines !== null || !rows.some((row) => row.includes("?"))) return [];
  const how =
    density === null
      ? "Without a total of mines all layouts weigh the same: cells that no clue touches are mines in half of them. " +
        'Enter the total, or a density, such as 20.6 % of an expert game, for chances as in a game.'
      : `Every cell is supposed to be a mine with a chance of ${percent(density)} on its own.`;
  return [make("p", { class: "faint" }, how)];
}

function errorOf({ epsilon, delta }) {
  return warning(`Estimated: within a factor of ${1 + epsilon}, with a probability of ${100 * (1 - delta)} %.`);
}

function warning(text) {
  return make("p", { class: "warning" }, text);
}

function forcedWords({ mines, safe }) {
  if (mines.length + safe.length === 0) return "No unknown cell is forced.";
  const parts = [];
  if (mines.length) parts.push(several(mines.length, "mine"));
  if (safe.length) parts.push(several(safe.length, "safe cell"));
  return `Forced: ${parts.join(" and ")}.`;
}

function repairWords(repair) {
  const words = repair.map(({ clue, was, number }) => `the ${was} at ${placeName(...clue)} to ${number}`);
  return `Change ${words.join(", and ")}`;
}
