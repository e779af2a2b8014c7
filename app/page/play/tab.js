/**
 * The tab Play: a game, with hints that are proved.
 *
 * @module play/tab
 */

import { BoardView } from "../shared/board.js";
import { densityOf } from "../shared/chances.js";
import { enable } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import * as positionLink from "../shared/position-link.js";
import { isReplay, readReplay } from "../shared/replay-file.js";
import { PLANE } from "../shared/topology.js";
import { Game } from "../shared/undoable-game.js";
import { Clock } from "./clock.js";
import { layOut } from "./controls.js";
import { Ending, isOver } from "./ending.js";
import { fromParameters, movesFrom, toParameters } from "../shared/game-link.js";
import { Help } from "./help.js";
import { onKeys } from "./keys.js";
import { LargeView } from "./large-view.js";
import { deal, newSeed } from "./new-board.js";
import { Practice } from "./practice.js";
import { saveGame, savedGame } from "./saved-game.js";
import { LEVELS, choose, chosenSize } from "./settings.js";
import { isPressed } from "./toolbar.js";
import { Walk } from "./walk.js";
import { PROOF } from "./welcome.js";

/** @typedef {import("../shared/game-link.js").Spec} Spec */
/** @typedef {import("./saved-game.js").SavedGame} SavedGame */
/** @typedef {[row: number, col: number]} Place */

const FIRST_MOVE = say("Open any cell: the first one is never a mine.");

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
  #ending;
  #practice;
  #large;
  #dealing = new LatestRequest();
  #reading = new LatestRequest();
  /** @type {Game} */
  #game;
  /** What the board was made from, null before. @type {Spec | null} */
  #dealt = null;
  /** The link that the board came from, "" without one. */
  #followed = "";
  /** Why the game does not count among those that were played, "" if it does. */
  #uncounted = "";
  /** The game before a new one, to which undo leads back. @type {SavedGame | null} */
  #before = null;
  /** Waiting for a board: nothing can be opened. */
  #isDealing = false;
  /** Another tab is shown: the clock rests. */
  #isAway = false;

  constructor(element, context) {
    this.#context = context;
    this.#controls = layOut(element, this.#actions());
    const { frame, time, explanation, verdict } = this.#controls;
    this.#board = new BoardView(frame, { label: say("Minefield"), game: true });
    this.#clock = new Clock(time);
    this.#large = new LargeView(element);
    this.#walk = new Walk(
      explanation,
      (text) => this.#stepped(text),
      (cell) => this.#board.focus(...(cell ?? [0, 0])),
    );
    this.#help = new Help(context, this.#controls, this.#walk, {
      game: () => this.#game,
      isDealing: () => this.#isWaiting,
      change: (move, cell) => this.#change(move, cell),
      draw: () => this.#draw(),
      verdict,
    });
    this.#ending = new Ending(context.service, context.tell, this.#controls, this.#walk, {
      playOn: (moves) => this.#playOn(moves),
    });
    this.#practice = new Practice(context.service, this.#controls, this.#walk, {
      start: (game, spec) => this.#continue(game, say("a position to practise on"), spec),
      change: (move, cell) => this.#change(move, cell),
      another: () => this.#newGame(),
      draw: () => this.#draw(),
      tell: context.tell,
    });
    this.#listen(element);
    const saved = savedGame();
    if (saved) this.#resumeGame(saved);
    else this.#begin(new Game(LEVELS.beginner));
    addEventListener("pagehide", () => {
      this.#clock.stop();
      saveGame(this.#state());
    });
    addEventListener("pageshow", () => this.#tick());
  }

  /** Deal what a link says, if it says anything. @param {URLSearchParams} parameters */
  follow(parameters) {
    if (!["seed", "map"].some((name) => parameters.has(name))) return;
    const spec = fromParameters(parameters);
    if (!spec) {
      this.#context.tell(say("The board of this link cannot be read."), "problem");
      return;
    }
    const moves = movesFrom(parameters, spec);
    // Coming back to a link resumes its game.
    if (this.#followed === toParameters(spec, moves)) return;
    this.#followed = toParameters(spec, moves);
    choose(this.#controls, spec);
    this.#controls.guessFree.checked = spec.guessFree;
    this.#controls.difficulty.value = spec.difficulty ?? "";
    this.#begin(new Game(spec));
    this.#follow(spec, moves, parameters.get("why"));
  }

  /** Deal the board of a link; a game that was played is replayed, and a cell explained. */
  async #follow(spec, moves, why) {
    const isDealt = await this.#deal(spec, true);
    this.#board.bring(...spec.first);
    if (!isDealt) return;
    if (moves.length) {
      let game;
      try {
        game = Game.from({ ...this.#game.toJSON(), moves, undone: 0 });
      } catch {
        this.#context.tell(say("The moves of this link do not fit its board."), "problem");
        return;
      }
      this.#continue(game, "a game from a link");
      if (isOver(game)) this.#ending.review(game);
    }
    const cell = /^([0-9]{1,4}),([0-9]{1,4})$/.exec(why ?? "");
    if (cell) this.#help.why([Number(cell[1]), Number(cell[2])]);
  }

  /** Let the clock rest while another tab is shown. */
  pause() {
    this.#isAway = true;
    this.#large.leave();
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
      again: () => this.#again(),
      chosen: () => this.#chosen(),
      undo: () => this.#undo(),
      hint: () => this.#help.hint(),
      best: () => this.#help.best(),
      heat: () => this.#help.heat(),
      why: () => this.#help.chooseWhy(),
      playSafe: () => this.#help.playSafe(),
      watch: () => this.#help.watch(),
      trust: () => this.#help.trust(),
      large: () => this.#large.toggle(),
      point: (cell) => this.#help.point(cell),
      review: () => this.#ending.review(this.#game),
      share: () => this.#share(),
      openReplay: (file) => this.#openReplay(file),
      grade: () => this.#ending.grade(this.#game, /** @type {Spec} */ (this.#dealt).first),
      analyse: () => this.#analyse(),
      start: () => this.#start(),
      paste: () => this.#context.go("#analyse"),
      prove: () => this.#context.go(`#play?${PROOF}`),
    };
  }

  #listen(element) {
    const on = (name, listener) => this.#board.addEventListener(name, ({ detail }) => listener(detail));
    on("primary", ({ row, col }) => this.#primary(row, col));
    on("secondary", ({ row, col }) => this.#flag(row, col));
    on("chord", ({ row, col }) => this.#change(() => this.#game.chord(row, col), [row, col]));
    const actions = this.#actions();
    onKeys(() => !this.#isAway && !element.hidden, {
      ...{ n: actions.newGame, F2: actions.newGame, r: actions.again, u: actions.undo },
      ...{ h: actions.hint, b: actions.best, m: actions.heat, s: actions.playSafe, a: actions.watch, l: actions.large },
      ...{ ".": () => this.#walk.next(), ",": () => this.#walk.back() },
      w: () => (this.#board.focused ? this.#help.why(this.#board.focused) : actions.why()),
      Escape: () => this.#escape(),
    });
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file && isReplay(file)) this.#openReplay(file);
      else this.#context.tell(say("Drop a replay here, or a board on the tab Analyse."));
    });
    element.addEventListener("keydown", (event) => {
      if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.target.matches("input")) {
        event.preventDefault();
        this.#undo();
      }
    });
  }

  #escape() {
    this.#help.leave();
    this.#controls.end.hide();
    this.#large.leave();
    this.#walk.leave();
  }

  // A game

  /** @param {Game} game */
  #begin(game) {
    this.#dealing.end();
    this.#reading.end();
    this.#practice.end();
    this.#ending.begin();
    this.#context.tell("");
    this.#game = game;
    this.#help.begin();
    this.#isDealing = false;
    this.#dealt = null;
    this.#uncounted = "";
    this.#controls.link.hidden = true;
    this.#controls.verdict.forget();
    this.#controls.verdict.offer();
    this.#controls.frame.scrollTo(0, 0);
    this.#clock.reset();
    this.#walk.close();
    this.#ending.showRecord(game);
    this.#say(FIRST_MOVE);
    this.#draw();
  }

  /** What there is to save. @returns {SavedGame} */
  #state() {
    return {
      game: this.#game,
      dealt: this.#dealt,
      // A link is followed again until its board is there.
      followed: this.#dealt ? this.#followed : "",
      guessFree: this.#controls.guessFree.checked,
      helped: this.#help.used,
      uncounted: this.#uncounted || (this.#help.watched ? "a watched game" : ""),
      seconds: this.#clock.seconds,
    };
  }

  /** Resume a saved game. @param {SavedGame} saved */
  #resumeGame({ game, dealt, followed, guessFree, helped, uncounted, seconds }) {
    choose(this.#controls, game);
    this.#controls.guessFree.checked = guessFree;
    this.#begin(game);
    [this.#dealt, this.#followed, this.#uncounted] = [dealt, followed, uncounted];
    this.#help.used = helped;
    this.#clock.reset(seconds);
    if (dealt) this.#say("");
    this.#tick();
    this.#draw();
    this.#ended(false);
  }

  /** Remember the game, if anything was done in it, so that a new one can be undone. */
  #leaveGame() {
    if (this.#game.canUndo) this.#before = this.#state();
  }

  #newGame() {
    const size = chosenSize(this.#controls);
    if (!size) return;
    this.#leaveGame();
    this.#followed = "";
    if (this.#context.parameters().size) this.#context.go("#play");
    this.#begin(new Game(size));
    this.#practice.begin(size);
  }

  /** Show a game that was played in another program, and review it. @param {File} file */
  async #openReplay(file) {
    this.#controls.verdict.wait(say("Reading the replay"));
    try {
      const replay = await this.#reading.ask((signal) => readReplay(this.#context.service, file, signal));
      if (!replay) return;
      const { game, spec, seconds, player, program } = replay;
      this.#leaveGame();
      choose(this.#controls, game);
      const whose = player ? say("a replay of {player}, {program}", { player, program }) : say("a replay of {program}", { program });
      this.#continue(game, whose, spec, seconds);
      if (isOver(game)) this.#ending.review(game);
    } catch (error) {
      this.#say("");
      this.#context.tell(error);
    }
  }

  /** The same board once more, after its first click. */
  #again() {
    const dealt = this.#dealt;
    const { layout } = this.#game.toJSON();
    if (!dealt || !layout) {
      this.#say(say("There is no board yet: open a cell first."));
      return;
    }
    const { height, width, mines, topology } = this.#game;
    this.#leaveGame();
    const game = new Game({ height, width, mines, topology });
    game.deal(layout);
    game.reveal(...dealt.first);
    this.#continue(game, "a board that was played before", dealt);
  }

  /** Go on with a game that began elsewhere, on the board that is there. */
  #continue(game, uncounted, dealt = this.#dealt, seconds = 0) {
    this.#begin(game);
    this.#clock.reset(seconds);
    [this.#dealt, this.#uncounted] = [dealt, uncounted];
    this.#say("");
    this.#afterwards();
    this.#ended(false);
  }

  /** Play on from a moment of a game that is over. @param {number} moves how many of them stay */
  #playOn(moves) {
    this.#leaveGame();
    const record = this.#game.toJSON();
    const game = Game.from({ ...record, moves: record.moves.slice(0, moves), undone: 0 });
    this.#continue(game, "a game with moves taken back");
    this.#help.used = true;
  }

  /** Another size was chosen: take it at once where nothing is lost by that. */
  #chosen() {
    if (isOver(this.#game) || !this.#canUndo) this.#newGame();
    else this.#say(say("It will apply to the next new game."));
  }

  /** Bring the keyboard to the board, which is there already. */
  #start() {
    this.#controls.guessFree.checked = true;
    this.#board.focus(Math.floor(this.#game.height / 2), Math.floor(this.#game.width / 2));
  }

  #primary(row, col) {
    const { tapFlags, why } = this.#controls;
    if (isPressed(why)) this.#help.why([row, col]);
    else if (!this.#game.isClosed(row, col)) this.#change(() => this.#game.chord(row, col), [row, col]);
    else if (isPressed(tapFlags)) this.#flag(row, col);
    else this.#open(row, col);
  }

  #open(row, col) {
    if (this.#game.state === "ready") {
      const { height, width, mines, topology } = this.#game;
      const flagged = this.#game.shown()[row][col] === "F";
      const { guessFree, difficulty } = this.#controls;
      const kind = { guessFree: guessFree.checked, difficulty: difficulty.value };
      if (!flagged) this.#deal({ height, width, mines, topology, ...kind, first: [row, col], seed: newSeed() });
    } else {
      this.#practice.attempt([row, col], "safe", () => this.#game.reveal(row, col));
    }
  }

  #flag(row, col) {
    if (this.#game.position[row][col] === "?") this.#practice.attempt([row, col], "mine", () => this.#game.flag(row, col));
    else this.#change(() => this.#game.flag(row, col), [row, col]);
  }

  /** Get a board and open its first cell; whether it is the one that was asked for. */
  async #deal(spec, isShared = false) {
    if (this.#isWaiting) return false;
    this.#isDealing = true;
    this.#controls.verdict.wait(say("Looking for a board"));
    this.#draw();
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
    if (isShared) this.#context.tell([dealt.why, say("This is not the board of the link.")].join(" "), "problem");
    else if (spec.guessFree) this.#context.tell([dealt.why, say("This board was made by the page and may need guesses.")].join(" "));
    return false;
  }

  /** Make a move, and show what it did. */
  #change(move, [row, col]) {
    const before = this.#game.opened;
    if (!move()) return;
    if (!this.#isWaiting) this.#say("");
    this.#afterwards();
    const opened = this.#game.opened - before;
    const said = [this.#board.describe(row, col)];
    if (opened > 1) said.push(say("{count} cells opened", { count: opened }));
    this.#controls.heard.textContent = said.join(say("; "));
    this.#ended(true);
  }

  #undo() {
    if (this.#isWaiting) return;
    if (this.#canUndo && this.#game.undo()) {
      this.#say("");
      this.#afterwards(true);
    } else if (this.#before) {
      const before = this.#before;
      this.#before = null;
      this.#resumeGame(before);
    }
  }

  /** Waiting for a board or a position. */
  get #isWaiting() {
    return this.#isDealing || this.#practice.isFinding;
  }

  /** Whether a move can be taken back; those that lead to a position to practise on cannot. */
  get #canUndo() {
    return this.#game.canUndo && !this.#practice.isStart(this.#game);
  }

  /** The board has changed. */
  #afterwards(back = false) {
    this.#ending.begin();
    this.#context.tell("");
    this.#walk.close();
    this.#help.changed(back);
    this.#tick();
    this.#draw();
    saveGame(this.#state());
  }

  /** Show how the game ended, if it did. @param {boolean} isNew it ended just now, and may count */
  #ended(isNew) {
    if (!isOver(this.#game)) return;
    const { helped, uncounted, seconds, dealt } = this.#state();
    this.#ending.show(this.#game, { helped, uncounted, seconds, first: dealt?.first ?? null, isNew });
  }

  /** Another item of a list is shown, or none any more. */
  #stepped(text) {
    this.#controls.heard.textContent = text ?? "";
    this.#draw();
    if (this.#walk.cell) this.#board.bring(...this.#walk.cell);
  }

  // What is seen

  #draw() {
    const { frame, mines, undone, undo, again, share, grade, welcome } = this.#controls;
    const game = this.#game;
    const marks = isOver(game) ? new Map() : this.#help.marks();
    this.#walk.mark(marks);
    const density = densityOf(game.position, game.mines);
    this.#board.show(this.#walk.rows ?? game.shown(), marks, { stale: this.#help.isStale, density, topology: game.topology });
    this.#help.shown();
    frame.dataset.state = game.state;
    welcome.hidden = game.state !== "ready" || this.#isDealing || !this.#ending.isFirst;
    mines.textContent = String(game.minesLeft);
    undone.textContent = String(game.undone);
    undone.parentElement.hidden = !game.undone;
    enable(undo, this.#canUndo || this.#before !== null, say("There is no move to take back."));
    enable(again, this.#dealt !== null, say("There is no board yet: open a cell first."));
    enable(share, this.#dealt !== null, say("Open a cell first: then there is a board to share."));
    enable(grade, this.#dealt !== null && game.topology === PLANE, say("Open a cell of a plane board first: then there is a map to grade."));
  }

  #say(text, kind = "") {
    this.#controls.verdict.idle = this.#game.state === "playing" ? say("Your move.") : "";
    this.#controls.verdict.say(text, kind);
  }

  /** Take what is seen to the tab that analyses boards. */
  async #analyse() {
    const { position, mines, topology } = this.#game;
    this.#context.go(`#analyse?${await positionLink.toParameters({ rows: position, mines, density: null, topology })}`);
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
      this.#context.tell(moves.length ? say("The link to this game was copied.") : say("The link to this board was copied."));
    } catch {
      this.#context.tell(say("Copy the link from the field."));
    }
  }
}
