/**
 * What helps in a game: proved cells, chances, reasons, the best move, and a player to watch.
 *
 * @module play/help
 */

import { placeName } from "../shared/board.js";
import { percent } from "../shared/chances.js";
import { button, enable } from "../shared/elements.js";
import { several } from "../shared/numbers.js";
import { capital, difficulty } from "../shared/phrases.js";
import { bestMoves, described, winning } from "./best-moves.js";
import { isPressed, press } from "./controls.js";
import { stepByStep } from "./explanation.js";
import { Hints } from "./hints.js";

/** @typedef {[row: number, col: number]} Place */

/**
 * The game that is helped with.
 *
 * @typedef {object} Table
 * @property {() => import("../shared/undoable-game.js").Game} game
 * @property {() => boolean} isDealing
 * @property {(move: () => boolean, cell: Place) => void} change make a move, and show what it did
 * @property {() => void} draw
 * @property {(text: string, kind?: string) => void} say
 * @property {(doing: string) => void} wait say what is done, if it takes long
 */

/** Moves that are shown at most. */
const MOVES = 8;
/** Milliseconds between moves that are watched. */
const PAUSE = 700;

export class Help {
  #service;
  #tell;
  #controls;
  #table;
  #walk;
  /** @type {Hints} */
  #hints;
  /** Whether the game was helped with. */
  used = false;
  /** A pause between moves that are watched, 0 outside of any. */
  #pause = 0;

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
  }

  /** Another game has begun. */
  begin() {
    this.used = false;
    this.#hints?.forget();
    this.#hints = new Hints(this.#service, this.#table.game(), () => this.#controls.trust.checked);
    this.leave();
  }

  /** No cell is to be chosen any more, and nobody is watched. */
  leave() {
    press(this.#controls.why, false);
    this.#unwatch();
  }

  /** The board has changed. @param {boolean} back by an undo: what was proved may not be any more */
  changed(back = false) {
    if (back || this.#controls.trust.checked) this.#hints.forget();
    else this.#hints.changed();
    if (back) this.#unwatch();
    this.#warm();
  }

  /** What is to be seen on the board. @returns {import("../shared/board.js").Marks} */
  marks() {
    return this.#hints.marks(isPressed(this.#controls.heat));
  }

  /** Show beside the board what is known: the list of chances, and what can be asked. */
  shown() {
    const { hint, best, playSafe, watch, why, heat, chances } = this.#controls;
    const idle = this.#idle();
    for (const control of [hint, best, playSafe, watch, why]) enable(control, !idle, idle);
    chances.show(isPressed(heat) && !idle && !this.isStale ? this.#hints.chances : null);
  }

  /** Whether the heat map is that of an older position. */
  get isStale() {
    return isPressed(this.#controls.heat) && this.#hints.isStale;
  }

  /** Point a cell out, or none any more. @param {Place | null} cell */
  point(cell) {
    this.#hints.point(cell);
    this.#table.draw();
  }

  async hint() {
    const answer = await this.#asked("Looking for forced cells");
    if (!answer) return;
    const count = this.#hints.mark(answer);
    const { safe, mines } = answer.forced ?? { safe: [], mines: [] };
    const { position } = this.#table.game();
    const wrong = safe.filter(([row, col]) => position[row][col] === "F");
    if (wrong.length) this.#wrongFlag(wrong);
    else if (count) this.#table.say(`Proved: ${several(safe.length, "safe cell")}, ${several(mines.length, "mine")}.`);
    else this.#guess(answer);
    this.#table.draw();
  }

  async playSafe() {
    const answer = await this.#asked("Looking for a safe cell");
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
    const [{ cell }] = answer.moves;
    const open = () => this.#table.change(() => this.#table.game().reveal(...cell), cell);
    this.#walk.open({
      title: `Best move: ${placeName(...cell)}`,
      more: winning(answer.win),
      noun: "move",
      items: bestMoves(answer),
      cell,
      controls: [button("Open it", open, { class: "primary" })],
    });
  }

  /** Let the best moves be made one after another, or not any more. */
  watch() {
    if (isPressed(this.#controls.watch)) {
      this.#unwatch();
      this.#table.say("");
    } else if (this.#canAsk()) {
      press(this.#controls.watch, true);
      this.#play();
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
    this.#table.say("");
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
    const answer = await this.#asked("Looking for forced cells");
    if (!answer) press(why, false);
    if (!isPressed(why)) return;
    const count = this.#hints.mark(answer);
    this.#table.say(count ? "Why? Choose a marked cell." : "No cell is forced. Choose any cell to see why not.");
    this.#table.draw();
  }

  /** Why a cell is a mine, or safe. @param {Place} cell */
  async why(cell) {
    press(this.#controls.why, false);
    if (!this.#canAsk() || !this.#table.game().isClosed(...cell)) return;
    const name = capital(placeName(...cell));
    const answer = await this.#awaited(`Looking for reasons at ${placeName(...cell)}`, () => this.#hints.explanation(cell));
    if (!answer) return;
    const [found] = answer.explanations ?? [];
    if (answer.consistent === false) this.#contradicted(answer.steps);
    else if (found?.steps?.length) this.#explain(found, cell);
    else if (answer.either) this.#table.say(`${name} is not forced: there are layouts with a mine in it, and without.`);
    else if (found) this.#table.say(`${name} is ${valueOf(found)}, but the steps were not found in time.`);
    else this.#table.say("No reason was found in time.");
  }

  // Watching

  async #play() {
    const answer = await this.#moves(1);
    if (!isPressed(this.#controls.watch)) return;
    if (!answer) {
      this.#unwatch();
      return;
    }
    const [move] = answer.moves;
    this.#hints.point(move.cell);
    this.#table.say(move.safe ? `${described(move)}.` : `A guess. ${described(move)}. ${winning(answer.win)}`);
    this.#table.draw();
    // A guess is worth a look.
    this.#pause = setTimeout(() => this.#step(move.cell), move.safe ? PAUSE : 2 * PAUSE);
  }

  #step(cell) {
    const game = this.#table.game();
    if (game.position[cell[0]][cell[1]] === "F") game.flag(...cell);
    this.#table.change(() => game.reveal(...cell), cell);
    if (game.state === "playing") this.#play();
    else this.#unwatch();
  }

  #unwatch() {
    clearTimeout(this.#pause);
    press(this.#controls.watch, false);
  }

  // Asking

  /** The best moves, undefined (and said why) where there are none. */
  async #moves(limit) {
    if (!this.#canAsk()) return undefined;
    const answer = await this.#awaited("Looking for the best move", () => this.#hints.moves(limit));
    if (!answer) return undefined;
    if (answer.consistent === false) {
      this.#table.say("The flags cannot all be right: no layout has mines at all of them.");
      return undefined;
    }
    if (!answer.moves?.length) {
      this.#table.say("No move was found in time.");
      return undefined;
    }
    return answer;
  }

  /** No cell is safe: say which one is the safest. */
  #guess(answer) {
    const [best] = answer.safest ?? [];
    if (!best) {
      this.#table.say("No cell is proved safe.");
      return;
    }
    this.#hints.point(best.cell);
    const safest = `${placeName(...best.cell)}: ${percent(best.probability)} mine`;
    this.#table.say(`No cell is certainly safe. The safest is ${safest}.`);
  }

  /** @param {Place[]} cells with flags though they are safe */
  #wrongFlag(cells) {
    const [first] = cells;
    const said = `The flag at ${placeName(...first)} is wrong: that cell is safe.`;
    this.#table.say(cells.length > 1 ? `${said} So are ${cells.length - 1} more.` : said, "problem");
  }

  /** Bring the heat map, if it is wanted, up to date. */
  async #warm() {
    if (!isPressed(this.#controls.heat) || this.#table.game().state !== "playing") return;
    if (await this.#asked("Counting layouts")) this.#table.draw();
  }

  #explain(found, cell) {
    this.#walk.open({
      title: `Why ${placeName(...cell)} is ${valueOf(found)}`,
      more: difficulty(found.difficulty),
      noun: "step",
      items: stepByStep(found.steps, cell),
      cell,
    });
  }

  #contradicted(steps) {
    this.#table.say("The flags cannot all be right.");
    if (!steps?.length) return;
    this.#walk.open({ title: "Why the flags cannot all be right", noun: "step", items: stepByStep(steps, null) });
  }

  /** The analysis of the position, undefined (and said why) where there is none. */
  async #asked(doing) {
    if (!this.#canAsk()) return undefined;
    const answer = await this.#awaited(doing, () => this.#hints.analysis());
    if (!answer) return undefined;
    if (answer.consistent === false) {
      const clues = answer.conflict?.clues.length ? " The marked clues contradict them." : "";
      this.#table.say(`The flags cannot all be right: no layout has mines at all of them.${clues}`);
      this.#table.draw();
      return undefined;
    }
    if (!answer.solver.complete) this.#tell("The service ran out of time: this answer is incomplete.");
    return answer;
  }

  #canAsk() {
    const why = this.#idle();
    if (why) this.#table.say(why);
    return !why;
  }

  /** Why there is nothing to help with, "" if there is. */
  #idle() {
    const { state } = this.#table.game();
    if (state === "playing") return "";
    if (this.#table.isDealing()) return "Wait for the board.";
    return state === "ready" ? "Open a cell first: before that, all cells are equal." : "The game is over.";
  }

  /** What a question finds; if it is slow, say so meanwhile. */
  async #awaited(doing, question) {
    this.#table.wait(doing);
    try {
      const found = await question();
      if (found) this.#table.say("");
      if (found) this.used = true;
      return found;
    } catch (error) {
      this.#table.say("");
      this.#tell(error);
      return undefined;
    }
  }
}

function valueOf({ value }) {
  return value === "mine" ? "a mine" : "safe";
}
