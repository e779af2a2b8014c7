/**
 * The tab Play: a game, with hints that are proved.
 *
 * @module play/tab
 */

import { BoardView, placeName } from "../shared/board.js";
import { enable } from "../shared/elements.js";
import { LatestRequest } from "../shared/latest-request.js";
import { several } from "../shared/numbers.js";
import * as positionLink from "../shared/position-link.js";
import { Clock, timeText } from "./clock.js";
import { choose, chosenSize, isPressed, layOut, LEVELS } from "./controls.js";
import { fromParameters, movesFrom, toParameters } from "./game-link.js";
import { Game } from "../shared/undoable-game.js";
import { Help } from "./help.js";
import { deal, newSeed } from "./new-board.js";
import * as records from "./records.js";
import { inWords, review } from "./review.js";
import { saveGame, savedGame } from "./saved-game.js";
import { Walk } from "./walk.js";

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
  #walk;
  #help;
  #dealing = new LatestRequest();
  #reviewing = new LatestRequest();
  /** @type {Game} */
  #game;
  /** What the board was made from, null before. @type {Spec | null} */
  #dealt = null;
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
    this.#board = new BoardView(frame, { label: "Minefield", game: true });
    this.#clock = new Clock(time);
    this.#walk = new Walk(
      explanation,
      (text) => this.#stepped(text),
      (cell) => this.#board.focus(...(cell ?? [0, 0])),
    );
    this.#help = new Help(context, this.#controls, this.#walk, {
      game: () => this.#game,
      isDealing: () => this.#isDealing,
      change: (move, cell) => this.#change(move, cell),
      draw: () => this.#draw(),
      say: (text, kind) => this.#say(text, kind),
      wait: (doing) => this.#wait(doing),
    });
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
    if (!["seed", "map"].some((name) => parameters.has(name))) return;
    const spec = fromParameters(parameters);
    if (!spec) {
      this.#context.tell("The board of this link cannot be read.", "problem");
      return;
    }
    const moves = movesFrom(parameters, spec);
    // Coming back to a link resumes its game.
    if (this.#followed === toParameters(spec, moves)) return;
    this.#followed = toParameters(spec, moves);
    choose(this.#controls, spec);
    this.#controls.guessFree.checked = spec.guessFree;
    this.#begin(new Game(spec));
    this.#follow(spec, moves);
  }

  /** Deal the board of a link; a game that was played is gone through. */
  async #follow(spec, moves) {
    const isDealt = await this.#deal(spec, true);
    if (!isDealt || !moves.length) return;
    let game;
    try {
      game = Game.from({ ...this.#game.toJSON(), moves, undone: 0 });
    } catch {
      this.#context.tell("The moves of this link do not fit its board.", "problem");
      return;
    }
    const dealt = this.#dealt;
    this.#begin(game);
    this.#dealt = dealt;
    this.#afterwards();
    this.#ended();
    if (isOver(game)) this.#review();
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
      hint: () => this.#help.hint(),
      best: () => this.#help.best(),
      heat: () => this.#help.heat(),
      why: () => this.#help.chooseWhy(),
      playSafe: () => this.#help.playSafe(),
      watch: () => this.#help.watch(),
      trust: () => this.#help.trust(),
      point: (cell) => this.#help.point(cell),
      review: () => this.#review(),
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
        this.#help.leave();
        this.#walk.leave();
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
      h: () => this.#help.hint(),
      b: () => this.#help.best(),
      m: () => this.#help.heat(),
      s: () => this.#help.playSafe(),
      w: () => this.#help.why(cell),
      n: () => this.#walk.next(),
      p: () => this.#walk.back(),
    };
    if (Object.hasOwn(keys, key)) keys[key]();
  }

  // A game

  /** @param {Game} game */
  #begin(game) {
    this.#dealing.end();
    this.#reviewing.end();
    this.#context.tell("");
    this.#game = game;
    this.#help.begin();
    this.#isDealing = false;
    this.#dealt = null;
    this.#controls.link.hidden = true;
    this.#clock.reset();
    this.#walk.close();
    this.#showRecord();
    this.#say("Open any cell: the first one is never a mine.");
    this.#draw();
  }

  /** Resume a saved game. @param {SavedGame} before */
  #resumeGame({ game, dealt, followed, guessFree, helped, seconds }) {
    choose(this.#controls, game);
    this.#controls.guessFree.checked = guessFree;
    this.#begin(game);
    [this.#dealt, this.#followed] = [dealt, followed];
    this.#help.used = helped;
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
      guessFree: this.#controls.guessFree.checked,
      helped: this.#help.used,
      seconds: this.#clock.seconds,
    });
  }

  #newGame() {
    const size = chosenSize(this.#controls);
    if (!size) return;
    this.#followed = "";
    if (this.#context.parameters().size) this.#context.go("#play");
    this.#begin(new Game(size));
  }

  /** Another size was chosen: take it at once where nothing is lost by that. */
  #chosen() {
    if (isOver(this.#game) || !this.#game.canUndo) this.#newGame();
    else this.#say("It will apply to the next new game.");
  }

  #primary(row, col) {
    const { tapFlags, why } = this.#controls;
    if (isPressed(why)) this.#help.why([row, col]);
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

  /** Get a board and open its first cell; whether it is the one that was asked for. */
  async #deal(spec, isShared = false) {
    if (this.#isDealing) return false;
    this.#isDealing = true;
    this.#wait("Looking for a board");
    const dealt = await this.#dealing.ask((signal) => deal(this.#context.service, spec, signal));
    if (!dealt) return false;
    const [row, col] = spec.first;
    this.#isDealing = false;
    this.#dealt = { ...spec, here: dealt.here };
    this.#game.deal(dealt.layout);
    this.#say("");
    // A flag that was put there meanwhile would keep it closed.
    if (this.#game.position[row][col] === "F") this.#game.flag(row, col);
    this.#change(() => this.#game.reveal(row, col), spec.first);
    if (!dealt.why) return true;
    if (isShared) this.#context.tell(`${dealt.why} This is not the board of the link.`, "problem");
    else if (spec.guessFree) this.#context.tell(`${dealt.why} This board was made by the page and may need guesses.`);
    return false;
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
    this.#ended(this.#count());
  }

  #undo() {
    if (this.#isDealing || !this.#game.undo()) return;
    this.#say("");
    this.#afterwards(true);
  }

  /** The board has changed. */
  #afterwards(back = false) {
    this.#reviewing.end();
    this.#context.tell("");
    this.#walk.close();
    this.#help.changed(back);
    this.#tick();
    this.#draw();
    this.#save();
  }

  /** Count the game when it ends for the first time; whether it is the best of its size. */
  #count() {
    const game = this.#game;
    if (!isOver(game) || game.undone) return false;
    const isBest = records.count(game, game.state === "won", this.#help.used ? null : this.#clock.seconds);
    this.#showRecord();
    return isBest;
  }

  #showRecord() {
    this.#controls.record.textContent = records.told(this.#game, timeText);
  }

  /** Say how the game ended, if it did. */
  #ended(isBest = false) {
    const { undone, state, last } = this.#game;
    const helped = [...(this.#help.used ? ["hints"] : []), ...(undone ? [several(undone, "undo")] : [])];
    const how = helped.length ? ` with ${helped.join(" and ")}` : "";
    const best = isBest ? " Your best time at this size!" : "";
    if (state === "won") this.#say(`Won in ${this.#clock.text}${how}.${best}`, "won");
    if (state === "lost") this.#say(`Lost after ${this.#clock.text}: ${last ? fatal(last) : ""} Undo takes it back.`, "lost");
  }

  // A game that is over

  /** Go through all clicks of the game, and what each of them risked. */
  async #review() {
    const game = this.#game;
    const turns = game.turns();
    if (!turns.length) {
      this.#say("The first click decided the game: there is nothing to review.");
      return;
    }
    const told = (done) => this.#say(`Reviewing: ${done} of ${several(turns.length, "click")}`);
    try {
      const { service } = this.#context;
      const clicks = await this.#reviewing.ask((signal) => review(service, turns, game.mines, told, signal));
      if (!clicks) return;
      this.#ended();
      const { items, more, worst } = inWords(clicks);
      if (items.length) this.#walk.open({ title: "Review of the game", more, noun: "click", items }, worst);
      else this.#say(more);
    } catch (error) {
      this.#say("");
      this.#context.tell(error);
    }
  }

  /** Another item of a list is shown, or none any more. */
  #stepped(text) {
    this.#controls.heard.textContent = text ?? "";
    this.#draw();
    if (this.#walk.cell) this.#board.bring(...this.#walk.cell);
  }

  // What is seen

  #draw() {
    const { frame, mines, undone, undo, review, share } = this.#controls;
    const game = this.#game;
    const marks = isOver(game) ? new Map() : this.#help.marks();
    this.#walk.mark(marks);
    this.#board.show(this.#walk.rows ?? game.shown(), marks, { stale: this.#help.isStale });
    this.#help.shown();
    frame.dataset.state = game.state;
    review.hidden = !isOver(game);
    mines.textContent = String(game.minesLeft);
    undone.textContent = String(game.undone);
    undone.parentElement.hidden = !game.undone;
    enable(undo, game.canUndo, "There is no move to take back.");
    enable(share, this.#dealt !== null, "Open a cell first: then there is a board to share.");
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
    this.#context.go(`#analyse?${await positionLink.toParameters({ rows: position, mines, density: null })}`);
  }

  async #share() {
    const { link } = this.#controls;
    // A game that is over is shared as it was played.
    const moves = isOver(this.#game) ? this.#game.toJSON().moves : [];
    const dealt = /** @type {Spec} */ (this.#dealt);
    link.value = new URL(`#play?${toParameters(dealt, moves)}`, location.href).href;
    link.hidden = false;
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
      this.#context.tell(`The link to this ${moves.length ? "game" : "board"} was copied.`);
    } catch {
      this.#context.tell("Copy the link from the field.");
    }
  }
}

/** Whether a game is won or lost. @param {Game} game */
function isOver({ state }) {
  return state === "won" || state === "lost";
}

/** What ended a game that is lost. @param {import("../shared/undoable-game.js").Move} move */
function fatal([name, row, col]) {
  if (name === "reveal") return `${placeName(row, col)} was a mine.`;
  return `a flag beside ${placeName(row, col)} is wrong, so that opening around it hit a mine.`;
}
