/**
 * The tab Play: a game, with hints that are proved.
 *
 * @module play/tab
 */

import { BoardView, percentage, placeName } from "../shared/board.js";
import { enable } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { several } from "../shared/numbers.js";
import { capital, difficulty } from "../shared/phrases.js";
import * as positionLink from "../shared/position-link.js";
import { Clock } from "./clock.js";
import { choose, chosenSize, isPressed, layOut, LEVELS, press } from "./controls.js";
import { Explanation } from "./explanation.js";
import { fromParameters, toParameters } from "./game-link.js";
import { Game } from "./game.js";
import { Hints } from "./hints.js";
import { deal, newSeed } from "./new-board.js";
import { saveGame, savedGame } from "./saved-game.js";

/** @typedef {import("./new-board.js").Spec} Spec */
/** @typedef {import("./saved-game.js").SavedGame} SavedGame */
/** @typedef {[row: number, col: number]} Place */

/** Milliseconds after which an answer is slow enough to say that it is awaited. */
const SLOW = 250;

/**
 * @param {HTMLElement} element
 * @param {import("../main.js").Context} context
 */
export function start(element, context) {
  const play = new Play(element, context);
  play.follow(context.parameters());
  context.onParameters((parameters) => play.follow(parameters));
  return { shown: () => play.resume(), hidden: () => play.pause() };
}

class Play {
  #context;
  #controls;
  #board;
  #clock;
  #explanation;
  #dealing = new LatestRequest();
  /** @type {Game} */
  #game;
  /** @type {Hints} */
  #hints;
  /** What the board was made from, null before. @type {Spec | null} */
  #dealt = null;
  #disclosed = false;
  /** The link that the board came from, "" without one. */
  #followed = "";
  /** Waiting for a board: nothing can be opened. */
  #isDealing = false;
  /** Another tab is shown: the clock rests. */
  #isAway = false;
  #slow = 0;

  constructor(element, context) {
    this.#context = context;
    this.#controls = layOut(element, this.#actions());
    const { frame, time, explanation } = this.#controls;
    this.#board = new BoardView(frame, { label: "Minefield" });
    this.#clock = new Clock(time);
    this.#explanation = new Explanation(
      explanation,
      (text) => this.#stepped(text),
      (cell) => this.#board.focus(...(cell ?? [0, 0])),
    );
    this.#listen(element);
    const before = savedGame();
    if (before) this.#resumeGame(before);
    else this.#begin(new Game(LEVELS.beginner));
    addEventListener("pagehide", () => {
      this.#clock.stop();
      this.#save();
    });
    addEventListener("pageshow", () => this.#tick());
  }

  /** Deal what a link says, if it says anything. @param {URLSearchParams} parameters */
  follow(parameters) {
    if (!parameters.has("seed")) return;
    const spec = fromParameters(parameters);
    if (!spec) {
      this.#context.tell("The board of this link cannot be read.", "problem");
      return;
    }
    // Coming back to a link resumes its game.
    if (this.#followed === toParameters(spec)) return;
    this.#followed = toParameters(spec);
    choose(this.#controls, spec);
    this.#controls.guessFree.checked = spec.guessFree;
    this.#begin(new Game(spec));
    this.#deal(spec, true);
  }

  /** Let the clock rest while another tab is shown. */
  pause() {
    this.#isAway = true;
    this.#tick();
  }

  resume() {
    this.#isAway = false;
    this.#tick();
  }

  #tick() {
    if (this.#game.state === "playing" && !this.#isAway) this.#clock.start();
    else this.#clock.stop();
  }

  #actions() {
    return {
      newGame: () => this.#newGame(),
      chosen: () => this.#chosen(),
      undo: () => this.#undo(),
      disclose: () => {
        this.#disclosed = true;
        this.#draw();
        // The button that had the focus is gone.
        this.#controls.undo.focus();
      },
      hint: () => this.#hint(),
      heat: () => this.#heat(),
      why: () => this.#chooseWhy(),
      playSafe: () => this.#playSafe(),
      trust: () => this.#trust(),
      share: () => this.#share(),
      analyse: () => this.#analyse(),
    };
  }

  #listen(element) {
    const on = (name, listener) => this.#board.addEventListener(name, ({ detail }) => listener(detail));
    on("primary", ({ row, col }) => this.#primary(row, col));
    on("secondary", ({ row, col }) => this.#change(() => this.#game.flag(row, col), [row, col]));
    on("chord", ({ row, col }) => this.#change(() => this.#game.chord(row, col), [row, col]));
    on("key", ({ key, row, col }) => this.#key(key.toLowerCase(), [row, col]));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        press(this.#controls.why, false);
        this.#explanation.leave();
      }
      if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.target.matches("input")) {
        event.preventDefault();
        this.#undo();
      }
    });
  }

  #key(key, cell) {
    const keys = {
      u: () => this.#undo(),
      h: () => this.#hint(),
      m: () => this.#heat(),
      s: () => this.#playSafe(),
      w: () => this.#why(cell),
      n: () => this.#explanation.next(),
      p: () => this.#explanation.back(),
    };
    if (Object.hasOwn(keys, key)) keys[key]();
  }

  // A game

  /** @param {Game} game */
  #begin(game) {
    this.#dealing.end();
    this.#hints?.forget();
    this.#game = game;
    this.#hints = new Hints(this.#context.service, this.#game, () => this.#controls.trust.checked);
    this.#isDealing = false;
    this.#dealt = null;
    this.#disclosed = false;
    this.#controls.link.hidden = true;
    this.#clock.reset();
    this.#explanation.close();
    press(this.#controls.why, false);
    this.#say("Open any cell: the first one is never a mine.");
    this.#draw();
  }

  /** Resume a saved game. @param {SavedGame} before */
  #resumeGame({ game, dealt, followed, disclosed, guessFree, seconds }) {
    choose(this.#controls, game);
    this.#controls.guessFree.checked = guessFree;
    this.#begin(game);
    [this.#dealt, this.#followed, this.#disclosed] = [dealt, followed, disclosed];
    this.#clock.reset(seconds);
    if (dealt) this.#say("");
    this.#tick();
    this.#draw();
    this.#ended();
  }

  #save() {
    saveGame({
      game: this.#game,
      dealt: this.#dealt,
      // A link is followed again until its board is there.
      followed: this.#dealt ? this.#followed : "",
      disclosed: this.#disclosed,
      guessFree: this.#controls.guessFree.checked,
      seconds: this.#clock.seconds,
    });
  }

  #newGame() {
    const size = chosenSize(this.#controls);
    if (!size) return;
    this.#followed = "";
    if (this.#context.parameters().has("seed")) this.#context.go("#play");
    this.#begin(new Game(size));
  }

  /** Another size was chosen: take it at once where nothing is lost by that. */
  #chosen() {
    const { state, canUndo } = this.#game;
    if (state === "won" || state === "lost" || !canUndo) this.#newGame();
    else this.#say("It will apply to the next new game.");
  }

  #primary(row, col) {
    const { tapFlags, why } = this.#controls;
    if (isPressed(why)) this.#why([row, col]);
    else if (!this.#game.isClosed(row, col)) this.#change(() => this.#game.chord(row, col), [row, col]);
    else if (isPressed(tapFlags)) this.#change(() => this.#game.flag(row, col), [row, col]);
    else this.#open(row, col);
  }

  #open(row, col) {
    if (this.#game.state === "ready") {
      const { height, width, mines } = this.#game;
      const flagged = this.#game.shown()[row][col] === "F";
      const guessFree = this.#controls.guessFree.checked;
      if (!flagged) this.#deal({ height, width, mines, guessFree, first: [row, col], seed: newSeed() });
    } else {
      this.#change(() => this.#game.reveal(row, col), [row, col]);
    }
  }

  /** Get a board and open its first cell. */
  async #deal(spec, isShared = false) {
    if (this.#isDealing) return;
    this.#isDealing = true;
    this.#wait("Looking for a board");
    const dealt = await this.#dealing.ask((signal) => deal(this.#context.service, spec, signal));
    if (!dealt) return;
    const [row, col] = spec.first;
    this.#isDealing = false;
    this.#dealt = { ...spec, here: dealt.here };
    this.#game.deal(dealt.layout);
    this.#say("");
    // A flag that was put there meanwhile would keep it closed.
    if (this.#game.position[row][col] === "F") this.#game.flag(row, col);
    this.#change(() => this.#game.reveal(row, col), spec.first);
    if (!dealt.why) return;
    if (isShared) this.#context.tell(`${dealt.why} This is not the board of the link.`, "problem");
    else if (spec.guessFree) this.#context.tell(`${dealt.why} This board was made by the page and may need guesses.`);
  }

  /** Make a move, and show what it did. */
  #change(move, [row, col]) {
    const before = this.#game.opened;
    if (!move()) return;
    if (!this.#isDealing) this.#say("");
    this.#afterwards();
    const opened = this.#game.opened - before;
    const more = opened > 1 ? `; ${opened} cells opened` : "";
    this.#controls.heard.textContent = this.#board.describe(row, col) + more;
    this.#ended();
  }

  #undo() {
    if (this.#isDealing || !this.#game.undo()) return;
    this.#disclosed = false;
    this.#hints.forget();
    this.#say("");
    this.#afterwards();
  }

  /** The board has changed. */
  #afterwards() {
    this.#hints.changed();
    this.#explanation.close();
    if (this.#controls.trust.checked) this.#hints.forget();
    this.#tick();
    this.#draw();
    this.#save();
    this.#warm();
  }

  /** Say how the game ended, if it did. */
  #ended() {
    const { undone, state } = this.#game;
    const undos = undone ? ` with ${several(undone, "undo")}` : "";
    if (state === "won") this.#say(`Won in ${this.#clock.text}${undos}.`, "won");
    if (state === "lost") this.#say("That was a mine. Undo takes it back.", "lost");
  }

  // Hints

  async #hint() {
    const answer = await this.#asked("Looking for forced cells");
    if (!answer) return;
    const count = this.#hints.mark(answer);
    const { safe, mines } = answer.forced ?? { safe: [], mines: [] };
    if (count) this.#say(`Proved: ${several(safe.length, "safe cell")}, ${several(mines.length, "mine")}.`);
    else this.#guess(answer);
    this.#draw();
  }

  async #playSafe() {
    const answer = await this.#asked("Looking for a safe cell");
    if (!answer) return;
    const safe = answer.forced?.safe ?? [];
    const position = this.#game.position;
    const cell = safe.find(([row, col]) => position[row][col] === "?");
    if (cell) {
      this.#change(() => this.#game.reveal(...cell), cell);
    } else if (safe.length) {
      this.#hints.point(safe[0]);
      this.#say(`The flag at ${placeName(...safe[0])} is wrong: that cell is safe.`);
      this.#draw();
    } else {
      this.#guess(answer);
      this.#draw();
    }
  }

  /** No cell is safe: say which one is the safest. */
  #guess(answer) {
    const [best] = answer.safest ?? [];
    if (!best) {
      this.#say("No cell is proved safe.");
      return;
    }
    this.#hints.point(best.cell);
    const safest = `${placeName(...best.cell)}: ${percentage(best.probability)} % mine`;
    this.#say(`No cell is certainly safe. The safest is ${safest}.`);
  }

  #heat() {
    press(this.#controls.heat, !isPressed(this.#controls.heat));
    this.#draw();
    this.#warm();
  }

  /** Bring the heat map, if it is wanted, up to date. */
  async #warm() {
    if (!isPressed(this.#controls.heat) || this.#game.state !== "playing") return;
    if (await this.#asked("Counting layouts")) this.#draw();
  }

  #trust() {
    this.#say("");
    this.#hints.forget();
    this.#explanation.close();
    this.#draw();
    this.#warm();
  }

  /** Let a cell be chosen, or not any more, and mark those that have reasons. */
  async #chooseWhy() {
    const { why } = this.#controls;
    press(why, !isPressed(why) && this.#canAsk());
    if (!isPressed(why)) return;
    const answer = await this.#asked("Looking for forced cells");
    if (!answer) press(why, false);
    if (!isPressed(why)) return;
    const count = this.#hints.mark(answer);
    this.#say(count ? "Why? Choose a marked cell." : "No cell is forced. Choose any cell to see why not.");
    this.#draw();
  }

  async #why(cell) {
    press(this.#controls.why, false);
    if (!this.#canAsk() || !this.#game.isClosed(...cell)) return;
    const name = capital(placeName(...cell));
    const answer = await this.#awaited(`Looking for reasons at ${placeName(...cell)}`, () => this.#hints.explanation(cell));
    if (!answer) return;
    const [found] = answer.explanations ?? [];
    if (answer.consistent === false) this.#contradicted(answer.steps);
    else if (found?.steps?.length) this.#explain(found, cell);
    else if (answer.either) this.#say(`${name} is not forced: there are layouts with a mine in it, and without.`);
    else if (found) this.#say(`${name} is ${valueOf(found)}, but the steps were not found in time.`);
    else this.#say("No reason was found in time.");
  }

  #explain(found, cell) {
    this.#explanation.open(`Why ${placeName(...cell)} is ${valueOf(found)}`, found.steps, cell, difficulty(found.difficulty));
  }

  #contradicted(steps) {
    this.#say("The flags cannot all be right.");
    if (steps?.length) this.#explanation.open("Why the flags cannot all be right", steps, null);
  }

  /** Another step of an explanation is shown. */
  #stepped(text) {
    this.#controls.heard.textContent = text ?? "";
    this.#draw();
  }

  /** The analysis of the position, undefined (and said why) where there is none. */
  async #asked(doing) {
    if (!this.#canAsk()) return undefined;
    const answer = await this.#awaited(doing, () => this.#hints.analysis());
    if (!answer) return undefined;
    if (answer.consistent === false) {
      const clues = answer.conflict?.clues.length ? " The marked clues contradict them." : "";
      this.#say(`The flags cannot all be right: no layout has mines at all of them.${clues}`);
      this.#draw();
      return undefined;
    }
    if (!answer.solver.complete) this.#context.tell("The service ran out of time: this answer is incomplete.");
    return answer;
  }

  #canAsk() {
    const { state } = this.#game;
    if (state === "ready" && !this.#isDealing) this.#say("Open a cell first: before that, all cells are equal.");
    return state === "playing";
  }

  /** What a question finds; if it is slow, say so meanwhile. */
  async #awaited(doing, question) {
    this.#wait(doing);
    try {
      const found = await question();
      if (found) this.#say("");
      return found;
    } catch (error) {
      this.#say("");
      this.#context.tell(error);
      return undefined;
    }
  }

  // What is seen

  #draw() {
    const { mines, undone, undo, disclose, heat } = this.#controls;
    const game = this.#game;
    const isOver = game.state === "won" || game.state === "lost";
    const marks = isOver ? new Map() : this.#hints.marks(isPressed(heat));
    if (!isOver) this.#explanation.mark(marks);
    this.#board.show(game.shown(this.#disclosed), marks);
    mines.textContent = String(game.minesLeft);
    undone.textContent = String(game.undone);
    enable(undo, game.canUndo);
    disclose.hidden = game.state !== "lost" || this.#disclosed;
  }

  /** Say something below the board; nothing is waited for any more. */
  #say(text, kind = "") {
    const { said } = this.#controls;
    clearTimeout(this.#slow);
    said.classList.remove("busy");
    said.dataset.kind = kind;
    said.textContent = text;
  }

  /** Say what is done, if it takes long. */
  #wait(doing) {
    clearTimeout(this.#slow);
    this.#slow = setTimeout(() => {
      this.#say(`${doing} …`);
      this.#controls.said.classList.add("busy");
    }, SLOW);
  }

  /** Take what is seen to the tab that analyses boards. */
  async #analyse() {
    const { position, mines } = this.#game;
    this.#context.go(`#analyse?${await positionLink.toParameters({ rows: position, mines, notation: "standard" })}`);
  }

  async #share() {
    const { link } = this.#controls;
    if (!this.#dealt) {
      if (!this.#isDealing) this.#say("Open a cell first: then there is a board to share.");
      return;
    }
    link.value = new URL(`#play?${toParameters(this.#dealt)}`, location.href).href;
    link.hidden = false;
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
      this.#context.tell("The link to this board was copied.");
    } catch {
      this.#context.tell("Copy the link from the field.");
    }
  }
}

function valueOf({ value }) {
  return value === "mine" ? "a mine" : "safe";
}
