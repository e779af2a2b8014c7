/**
 * What is known of a board: the verdict, the count, forced cells, chances; and repairs.
 *
 * @module verdict
 */

import { percentage, placeName } from "./board.js";
import { counted } from "./count.js";
import { button, panel } from "./elements.js";
import { Latest } from "./latest.js";
import { make } from "./make.js";
import { several } from "./numbers.js";
import { inWords } from "./service.js";
import { marked } from "./sheet.js";
import { unanswered } from "./unanswered.js";
import { cannotHold } from "./words.js";

/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./board.js").Mark} Mark */

/**
 * What an analysis marks on the board.
 *
 * @param {object | null} answer of /v1/analyze
 * @param {{heat: boolean}} how whether chances are shown
 * @returns {Map<string, Mark>}
 */
export function marksOf(answer, { heat }) {
  const marks = new Map();
  const add = (entries) => {
    for (const [place, mark] of entries) marks.set(place, { ...marks.get(place), ...mark });
  };
  if (answer === null) return marks;
  const { probabilities, forced, flags, conflict } = answer;
  if (heat) {
    probabilities?.forEach((chances, row) => {
      chances.forEach((chance, col) => {
        // What is certain has a mark of its own.
        if (chance !== null && chance !== 0 && chance !== 1) add(marked([[row, col]], { chance }));
      });
    });
  }
  add(marked(forced?.mines ?? [], { kind: "mine" }));
  add(marked(forced?.safe ?? [], { kind: "safe" }));
  const best = safestOf(answer);
  if (heat && best !== null) add(marked([best.cell], { kind: "target", label: "the safest cell" }));
  add(marked(flags?.unproved ?? [], { label: "not proved" }));
  add(marked(flags?.wrong ?? [], { kind: "conflict", label: "wrong: safe in every layout" }));
  add(marked(conflict ?? [], { kind: "conflict" }));
  return marks;
}

/** The safest cell, where none is proved safe. */
function safestOf({ safest, forced }) {
  const best = safest?.[0] ?? null;
  return best === null || best.probability === 1 || forced?.safe.length ? null : best;
}

/** Milliseconds that an answer to another board may stay. */
const STALE = 1000;

/** The panel with the answer. */
export class Verdict {
  /** @type {HTMLElement} */
  element;
  #how;
  #headline = make("p", { class: "headline", role: "status" });
  #facts = make("div", {});
  #repairs = make("div", { class: "repairs" });
  #latest = new Latest();
  #stale = 0;

  /**
   * @param {object} how
   * @param {import("./minecheck.js").Minecheck} how.service
   * @param {import("./sheet.js").Sheet} how.sheet
   * @param {Function} how.tell
   * @param {() => void} how.why the conflict is to be explained
   * @param {() => void} how.again to ask once more
   * @param {(repair: {clue: number[], number: number}[]) => void} how.fix
   */
  constructor(how) {
    this.#how = how;
    this.element = panel("Answer", this.#headline, this.#facts, this.#repairs);
    this.element.classList.add("verdict");
  }

  /** An answer is being waited for; the one before stays for a moment, so that nothing flickers. */
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
    this.#say("No answer.", "problem", ...unanswered(error, this.#how.again));
  }

  /**
   * @param {object} answer of /v1/analyze
   * @param {Position} position
   */
  show(answer, position) {
    if (answer.consistent === false) this.#inconsistent(answer, position);
    else if (answer.consistent) this.#say("Consistent.", "yes", ...this.#known(answer));
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
    if (count !== null) facts.push(counted(count, "layout", tell));
    else if (approximate) facts.push(counted(approximate.count, "layout", tell), errorOf(approximate));
    else if (consistent) facts.push(make("p", {}, "The layouts could not be counted in time."));
    if (forced !== null) facts.push(make("p", {}, forcedWords(forced)));
    const best = safestOf(answer);
    if (best !== null) {
      const chance = percentage(best.probability);
      facts.push(make("p", {}, `Safest: ${placeName(...best.cell)}, ${chance} % mine.`));
    }
    const flagged = (cells) => several(cells.length, "flag");
    if (flags?.wrong.length) facts.push(warning(`On safe cells: ${flagged(flags.wrong)}.`));
    if (flags?.unproved.length) facts.push(make("p", {}, `Not proved: ${flagged(flags.unproved)}.`));
    if (!solver.complete) facts.push(warning("This answer is incomplete."));
    return facts;
  }

  #inconsistent({ conflict, conflict_mines: total, feasible_mines: feasible, solver }, position) {
    const named = [];
    if (conflict?.length) named.push(several(conflict.length, "clue"));
    if (total) named.push("the total of mines");
    const how = cannotHold(conflict, total);
    const told = named.length ? `No layout fits: ${named.join(" and ")} ${how}.` : "No layout fits.";
    const facts = [make("p", {}, told)];
    if (feasible) facts.push(make("p", {}, `Layouts have from ${feasible.least} to ${feasible.most} mines.`));
    if (!solver.complete) facts.push(warning("There may be a smaller conflict."));
    const bar = make("div", { class: "bar" }, button("Why?", this.#how.why));
    this.#say("Inconsistent.", "no", ...facts, bar);
    this.#repair(position);
  }

  /** What to change, asked for as soon as it is of use. */
  async #repair({ rows, mines }) {
    this.#repairs.replaceChildren(make("p", { class: "faint" }, "Looking for repairs…"));
    try {
      const answer = await this.#latest.ask((signal) => this.#how.service.repair(rows, { mines, signal }));
      if (answer !== undefined) this.#repairs.replaceChildren(...this.#offers(answer));
    } catch (error) {
      this.#repairs.replaceChildren(make("p", {}, inWords(error)));
    }
  }

  #offers({ repairs, repairable, more, changes }) {
    if (repairable === false) {
      const why = "known cells and the total of mines contradict each other";
      return [make("p", {}, `No change of clues mends it: ${why}.`)];
    }
    if (!repairs?.length) return [warning("No repair was found in time.")];
    const offers = repairs.map((repair) => make("li", {}, this.#offer(repair)));
    const fewest = several(changes ?? repairs[0].length, "change");
    const least = `It takes ${fewest}${more ? "; there may be more ways" : ""}:`;
    return [make("h3", {}, "Repairs"), make("p", {}, least), make("ul", { class: "steps" }, ...offers)];
  }

  /** A button that points out what it would change, as long as one is at it. */
  #offer(repair) {
    const { sheet, fix } = this.#how;
    const clues = repair.map(({ clue }) => clue);
    let back = null;
    const show = () => {
      back ??= { cover: sheet.covered };
      sheet.cover({ marks: new Map(marked(clues, { kind: "target" })) });
    };
    const hide = () => {
      if (back !== null) sheet.cover(back.cover);
      back = null;
    };
    const applied = () => {
      back = null;
      sheet.cover(null);
      fix(repair);
    };
    const shown = { onfocus: show, onpointerenter: show, onblur: hide, onpointerleave: hide };
    return button(repairWords(repair), applied, { class: "step", ...shown });
  }
}

function errorOf({ epsilon, delta }) {
  const within = `Estimated: within a factor of ${1 + epsilon}, with a probability of ${100 * (1 - delta)} %.`;
  return warning(within);
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
