/**
 * What helps in a game: proved cells, chances, reasons, the best move, and a player to watch.
 *
 * @module play/help
 */

import { cellName } from "../shared/board.js";
import { densityOf, percent } from "../shared/chances.js";
import { button, enable } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { several } from "../shared/numbers.js";
import { capital, difficulty } from "../shared/phrases.js";
import { PLANE } from "../shared/topology.js";
import { bestMoves, described, moveTable, whyFirst, winning } from "./best-moves.js";
import { stepByStep } from "./explanation.js";
import { factsOfAnalysis, factsOfMoves, headline } from "./facts.js";
import { Hints } from "./hints.js";
import { StagedHint, nextSteps, stepsInWords } from "./staged-hint.js";
import { isPressed, press } from "./toolbar.js";
import { Watching } from "./watching.js";

/** @typedef {[row: number, col: number]} Cell */

/**
 * The game that is helped with.
 *
 * @typedef {object} Table
 * @property {() => import("../shared/undoable-game.js").Game} game
 * @property {() => boolean} isDealing
 * @property {(move: () => boolean, cell: Cell) => void} change make a move, and show what it did
 * @property {() => void} draw
 * @property {import("./verdict.js").Verdict} verdict where things are said
 */

/** Moves that are shown at most. */
const MOVES = 8;
/** Milliseconds for the best moves where the first answer was cut short. */
const REFINED_MS = 10_000;
/** A dot for each stage of a hint. */
const [SHOWN, HIDDEN] = ["●", "○"];

export class Help {
  #service;
  #tell;
  #controls;
  #table;
  #walk;
  /** @type {Hints} */
  #hints;
  /** @type {StagedHint | null} */
  #staged = null;
  #watching;
  /** Whether the game was helped with. */
  used = false;
  /** Whether any of its moves was watched. */
  watched = false;

  /**
   * @param {import("../main.js").Context} context
   * @param {ReturnType<typeof import("./controls.js").layOut>} controls
   * @param {import("./walk.js").Walk} walk where explanations and moves are shown
   * @param {Table} table
   */
  constructor({ service, tell }, controls, walk, table) {
    this.#service = service;
    this.#tell = tell;
    this.#controls = controls;
    this.#walk = walk;
    this.#table = table;
    this.#watching = new Watching({
      find: async () => (await this.#moves(1))?.moves?.[0],
      announce: (move) => this.#announce(move),
      make: (move) => this.#make(move),
      isOver: () => this.#table.game().state !== "playing",
      changed: (isWatched) => this.#showWatching(isWatched),
    });
  }

  /** Another game has begun. */
  begin() {
    this.used = false;
    this.watched = false;
    this.#hints?.forget();
    this.#hints = new Hints(this.#service, this.#table.game(), () => this.#controls.trust.checked);
    this.leave();
  }

  /** No cell is to be chosen any more, and nobody is watched. */
  leave() {
    press(this.#controls.why, false);
    this.#watching.stop();
  }

  /** The board has changed. @param {boolean} back by an undo: what was proved may not be any more */
  changed(back = false) {
    if (back || this.#controls.trust.checked) this.#hints.forget();
    else this.#hints.changed();
    if (back) this.#watching.stop();
    this.#stage(null);
    this.#table.verdict.forget();
    if (!this.#watching.isOn) this.#table.verdict.offer();
    this.#warm();
  }

  /** What is to be seen on the board. @returns {import("../shared/board.js").Marks} */
  marks() {
    return this.#hints.marks(isPressed(this.#controls.heat), !this.#walk.isOpen);
  }

  /** Show beside the board what is known: the list of chances, and what can be asked. */
  shown() {
    const { hint, best, playSafe, watch, why, heat, chances, legend } = this.#controls;
    const idle = this.#idle();
    for (const control of [hint, playSafe, why]) enable(control, !idle, idle);
    const noMoves = idle || this.#noMoves();
    for (const control of [best, watch]) enable(control, !noMoves, noMoves);
    const shown = isPressed(heat) && !idle ? this.#hints.chances : null;
    chances.show(shown, this.isStale);
    const { position, mines } = this.#table.game();
    legend.show(shown, densityOf(position, mines));
  }

  /** Whether the heat map is that of an older position. */
  get isStale() {
    return isPressed(this.#controls.heat) && this.#hints.isStale;
  }

  /** Point a cell out, or none any more. @param {Cell | null} cell */
  point(cell) {
    this.#hints.point(cell);
    this.#table.draw();
  }

  /** Give the next stage of a hint away; see `StagedHint`. */
  async hint() {
    const before = this.#staged;
    if (before && before.given < before.length) this.#giveAway(before);
    else if (before && this.#canAsk()) this.#showSteps(before);
    else await this.#newHint();
  }

  async #newHint() {
    const answer = await this.#findAnalysis(say("Looking for forced cells"));
    if (!answer) return;
    const game = this.#table.game();
    const { safe, mines } = answer.forced ?? { safe: [], mines: [] };
    const symbol = ([row, col]) => game.position[row][col];
    const wrong = safe.filter((cell) => symbol(cell) === "F");
    const isNews = (cell, value) => symbol(cell) === "?" && (value === "safe" || !this.#hints.isProved(cell));
    if (wrong.length) {
      this.#hints.mark(answer);
      this.#wrongFlag(wrong);
      this.#table.draw();
    } else if (!safe.some((cell) => isNews(cell, "safe")) && !mines.some((cell) => isNews(cell, "mine"))) {
      this.#guess(answer);
      this.#table.draw();
    } else {
      const reasons = await this.#awaited(say("Looking for reasons"), () => this.#hints.walk());
      const steps = nextSteps(reasons?.walk ?? [], isNews);
      if (steps.length) this.#giveAway(new StagedHint(steps, game));
      else if (reasons) this.#proved(answer);
    }
  }

  /** Show the next stage of a hint. @param {StagedHint} staged */
  #giveAway(staged) {
    const stage = staged.next();
    this.#stage(staged);
    if (!stage) return;
    this.#walk.close();
    this.#hints.highlight(stage.marks);
    const isLast = staged.given === staged.length;
    const [{ safe, mines }] = staged.steps;
    if (isLast) this.#hints.prove(safe, "safe");
    if (isLast) this.#hints.prove(mines, "mine");
    this.#table.verdict.say(stage.text, "", isLast ? say("Press Hint again to see all steps.") : say("Press Hint again to see more."));
    this.#table.draw();
  }

  /** Remember how much of a hint was given away, and show it. @param {StagedHint | null} staged */
  #stage(staged) {
    this.#staged = staged;
    const { stages } = this.#controls;
    stages.textContent = staged ? SHOWN.repeat(staged.given) + HIDDEN.repeat(staged.length + 1 - staged.given) : "";
  }

  /** Mark all that is proved, where no reason was found in time. */
  #proved(answer) {
    this.#hints.mark(answer);
    const { safe, mines } = answer.forced;
    this.#table.verdict.say(say("Proved: {safe}, {mines}.", { safe: several(safe.length, "safe cell"), mines: several(mines.length, "mine") }));
    this.#table.draw();
  }

  async playSafe() {
    const answer = await this.#findAnalysis(say("Looking for a safe cell"));
    if (!answer) return;
    const game = this.#table.game();
    const safe = answer.forced?.safe ?? [];
    const cell = safe.find(([row, col]) => game.position[row][col] === "?");
    if (cell) {
      this.#table.change(() => game.reveal(...cell), cell);
    } else if (safe.length) {
      this.#hints.mark(answer);
      this.#wrongFlag(safe);
      this.#table.draw();
    } else {
      this.#guess(answer);
      this.#table.draw();
    }
  }

  /** Where to go on, and why there. */
  async best() {
    const answer = await this.#moves(MOVES);
    if (!answer) return;
    const items = this.#showMoves(answer);
    if (answer.solver.complete) return;
    // What took too long is searched further while the first answer is read.
    const refined = await this.#hints.moves(MOVES, REFINED_MS).catch(() => undefined);
    if (!refined?.moves?.length || !this.#walk.shows(items)) return;
    this.#table.verdict.show(factsOfMoves(refined));
    this.#showMoves(refined, this.#walk.at);
  }

  /** Show moves, best first, and why the first one is. @param {any} answer @param {number} [at] @returns {import("./walk.js").Item[]} */
  #showMoves(answer, at = 0) {
    const [{ cell }] = answer.moves;
    const items = bestMoves(answer);
    const open = (index) => {
      const chosen = answer.moves[index]?.cell ?? cell;
      this.#table.change(() => this.#table.game().reveal(...chosen), chosen);
    };
    this.#hints.point(null);
    this.#hints.highlight([]);
    this.#table.verdict.say(whyFirst(answer.moves));
    const shown = {
      title: say("Best move: {cell}", { cell: cellName(...cell) }),
      more: winning(answer.win),
      noun: /** @type {const} */ ("move"),
      items,
      cell,
      controls: (index) => [button(say("Open it"), () => open(index()), { class: "primary" })],
      list: moveTable(answer.moves),
    };
    this.#walk.open(shown, at);
    return items;
  }

  /** Let the best moves be made one after another, or not any more. */
  watch() {
    if (this.#watching.isOn) {
      this.#watching.stop();
      this.#table.verdict.say("");
    } else if (this.#canAsk(this.#noMoves())) {
      this.#walk.close();
      this.#watching.start();
    }
  }

  /** Bring the heat map on the board, or off it. */
  heat() {
    press(this.#controls.heat, !isPressed(this.#controls.heat));
    this.#table.draw();
    this.#warm();
  }

  /** Flags are to be taken for mines, or not any more. */
  trust() {
    this.#table.verdict.say("");
    this.#hints.forget();
    this.#walk.close();
    this.#table.draw();
    this.#warm();
  }

  /** Let a cell be chosen, or not any more, and mark those that have reasons. */
  async chooseWhy() {
    const { why } = this.#controls;
    press(why, !isPressed(why) && this.#canAsk());
    if (!isPressed(why)) return;
    const answer = await this.#findAnalysis(say("Looking for forced cells"));
    if (!answer) press(why, false);
    if (!isPressed(why)) return;
    const count = this.#hints.mark(answer);
    this.#table.verdict.say(count ? say("Why? Choose a marked cell.") : say("No cell is forced. Choose any cell to see why not."));
    this.#table.draw();
  }

  /** Why a cell is a mine, or safe. @param {Cell} cell */
  async why(cell) {
    press(this.#controls.why, false);
    if (!this.#canAsk() || !this.#table.game().isClosed(...cell)) return;
    const doing = say("Looking for reasons at {cell}", { cell: cellName(...cell) });
    const answer = await this.#awaited(doing, () => this.#hints.explanation(cell));
    if (!answer) return;
    const [found] = answer.explanations ?? [];
    if (answer.consistent === false) this.#contradicted(answer.steps);
    else if (found?.steps?.length) this.#explain(found, cell);
    else this.#table.verdict.say(withoutSteps(answer, capital(cellName(...cell))));
  }

  // Watching

  #announce(move) {
    this.#hints.point(move.cell);
    const words = say("{move}.", { move: described(move) });
    this.#table.verdict.say(move.safe ? words : [say("A guess."), words].join(" "));
    this.#table.draw();
  }

  #make({ cell }) {
    const game = this.#table.game();
    this.watched = true;
    if (game.position[cell[0]][cell[1]] === "F") game.flag(...cell);
    this.#table.change(() => game.reveal(...cell), cell);
  }

  #showWatching(isWatched) {
    press(this.#controls.watch, isWatched);
    this.#table.verdict.offer(...(isWatched ? this.#watching.controls : []));
  }

  // Asking

  /** The best moves, undefined (and said why) where there are none. */
  async #moves(limit) {
    if (!this.#canAsk(this.#noMoves())) return undefined;
    const answer = await this.#awaited(say("Looking for the best move"), () => this.#hints.moves(limit));
    if (!answer) return undefined;
    if (answer.consistent === false) {
      this.#table.verdict.say(say("The flags cannot all be right: no layout has mines at all of them."), "problem");
      return undefined;
    }
    if (!answer.moves?.length) {
      this.#table.verdict.say(say("No move was found in time."));
      return undefined;
    }
    this.#table.verdict.show(factsOfMoves(answer));
    return answer;
  }

  /** No cell is safe: say which one is the safest. */
  #guess(answer) {
    const [best] = answer.safest ?? [];
    if (!best) {
      this.#table.verdict.say(say("No cell is proved safe."));
      return;
    }
    this.#hints.point(best.cell);
    const values = { cell: cellName(...best.cell), chance: percent(best.probability) };
    this.#table.verdict.say(say("No cell is certainly safe. The safest is {cell}: {chance} mine.", values));
  }

  /** @param {Cell[]} cells with flags though they are safe */
  #wrongFlag(cells) {
    const [first] = cells;
    const said = [say("The flag at {cell} is wrong: that cell is safe.", { cell: cellName(...first) })];
    if (cells.length > 1) said.push(say("So are {count} more.", { count: cells.length - 1 }));
    this.#table.verdict.say(said.join(" "), "problem");
  }

  /** Bring the heat map, if it is switched on, up to date. */
  async #warm() {
    if (!isPressed(this.#controls.heat) || this.#table.game().state !== "playing") return;
    if (await this.#findAnalysis(say("Counting layouts"))) this.#table.draw();
  }

  /** Show the steps of a hint, one after another. @param {StagedHint} staged */
  #showSteps(staged) {
    staged.next();
    this.#stage(staged);
    const items = stepsInWords(staged.steps);
    const why = (at) => this.why(/** @type {Cell} */ (items[at].cell));
    this.#walk.open({
      title: say("The next steps"),
      noun: "step",
      items,
      cell: items[0].cell,
      controls: (at) => [button(say("Details"), () => why(at()))],
    });
  }

  #explain(found, cell) {
    this.#walk.open({
      title: whyTitle(found, cellName(...cell)),
      more: difficulty(found.difficulty),
      noun: "step",
      items: stepByStep(found.steps, this.#table.game().position, cell),
      cell,
    });
  }

  #contradicted(steps) {
    this.#table.verdict.say(say("The flags cannot all be right."), "problem");
    if (!steps?.length) return;
    const items = stepByStep(steps, this.#table.game().position, null);
    this.#walk.open({ title: say("Why the flags cannot all be right"), noun: "step", items });
  }

  /** The analysis of the position, undefined (and said why) where there is none. */
  async #findAnalysis(doing) {
    if (!this.#canAsk()) return undefined;
    const answer = await this.#awaited(doing, () => this.#hints.analysis());
    if (!answer) return undefined;
    if (answer.consistent === false) {
      const said = [say("The flags cannot all be right: no layout has mines at all of them.")];
      if (answer.conflict?.clues.length) said.push(say("The marked clues contradict them."));
      this.#table.verdict.say(said.join(" "), "problem");
      this.#table.draw();
      return undefined;
    }
    this.#table.verdict.show(factsOfAnalysis(answer));
    this.#table.verdict.say(headline(answer));
    if (!answer.solver.complete) this.#tell(say("The service ran out of time: this answer is incomplete."));
    return answer;
  }

  /** @param {string} [other] another reason why not */
  #canAsk(other = "") {
    const why = this.#idle() || other;
    if (why) this.#table.verdict.say(why);
    return !why;
  }

  /** Why no best moves are known, "" where they are. */
  #noMoves() {
    return this.#table.game().topology === PLANE ? "" : say("Best moves are known on plane boards only.");
  }

  /** Why there is nothing to help with, "" if there is. */
  #idle() {
    const { state } = this.#table.game();
    if (state === "playing") return "";
    if (this.#table.isDealing()) return say("Wait for the board.");
    return state === "ready" ? say("Open a cell first: before that, all cells are equal.") : say("The game is over.");
  }

  /** What a question finds; if it is slow, say so meanwhile. */
  async #awaited(doing, question) {
    this.#table.verdict.wait(doing);
    try {
      const found = await question();
      if (found) this.#table.verdict.say("");
      if (found) this.used = true;
      return found;
    } catch (error) {
      this.#table.verdict.say("");
      this.#tell(error);
      return undefined;
    }
  }
}

/** The title of an explanation. @param {{value: string}} found @param {string} name */
function whyTitle({ value }, name) {
  return value === "mine" ? say("Why {cell} is a mine", { cell: name }) : say("Why {cell} is safe", { cell: name });
}

/** What an answer says of a cell, where it has no steps. @param {any} answer @param {string} name */
function withoutSteps({ either, explanations }, name) {
  const [found] = explanations ?? [];
  if (either) return say("{cell} is not forced: there are layouts with a mine in it, and without.", { cell: name });
  if (!found) return say("No reason was found in time.");
  return found.value === "mine"
    ? say("{cell} is a mine, but the steps were not found in time.", { cell: name })
    : say("{cell} is safe, but the steps were not found in time.", { cell: name });
}
