/**
 * A player to watch: the best moves, made one after another, with a pause, single steps and a speed.
 *
 * @module play/watching
 */

import { button, make, select } from "../shared/elements.js";
import { iconAndWord } from "../shared/icons.js";
import { say } from "../shared/language.js";

/** @typedef {NonNullable<import("../shared/types.js").MovesAnswer["moves"]>[number]} Move */

/** Milliseconds between moves. @type {[value: string, text: string][]} */
const SPEEDS = [
  ["1600", say("slow")],
  ["700", say("normal")],
  ["200", say("fast")],
  ["0", say("as fast as possible")],
];
const NORMAL = "700";
/** How much longer a guess is looked at. */
const GUESS = 2;

/**
 * The game that is played.
 *
 * @typedef {object} Watched
 * @property {() => Promise<Move | undefined>} find the best move, undefined where there is none
 * @property {(move: Move) => void} announce
 * @property {(move: Move) => void} make
 * @property {() => boolean} isOver
 * @property {(isWatched: boolean) => void} changed it begins, or ends
 */

/** Watches a game until it is over, or stopped. */
export class Watching {
  #watched;
  #timer = 0;
  #isPaused = false;
  /** Counts beginnings and ends: an answer that comes later is of no use. */
  #round = 0;
  isOn = false;
  #speed = select(SPEEDS, { "aria-label": say("Speed"), value: NORMAL });
  #pause = button(iconAndWord("pause", say("Pause")), () => this.#switch());
  #step = button(iconAndWord("step", say("Step")), () => this.#single());
  /** @type {Node[]} */
  controls = [this.#pause, this.#step, make("label", { class: "field" }, make("span", {}, say("Speed")), this.#speed)];

  /** @param {Watched} watched */
  constructor(watched) {
    this.#watched = watched;
    this.#speed.value = NORMAL;
  }

  start() {
    this.isOn = true;
    this.#isPaused = false;
    this.#draw();
    this.#watched.changed(true);
    this.#play();
  }

  stop() {
    this.#round += 1;
    clearTimeout(this.#timer);
    if (!this.isOn) return;
    this.isOn = false;
    this.#watched.changed(false);
  }

  /** Go on, or wait. */
  #switch() {
    this.#isPaused = !this.#isPaused;
    this.#draw();
    this.#round += 1;
    clearTimeout(this.#timer);
    if (!this.#isPaused) this.#play();
  }

  /** Make one move, and wait. */
  #single() {
    this.#isPaused = true;
    this.#draw();
    this.#round += 1;
    clearTimeout(this.#timer);
    this.#play(true);
  }

  async #play(isSingle = false) {
    const round = this.#round;
    const move = await this.#watched.find();
    if (round !== this.#round || !this.isOn) return;
    if (!move) {
      this.stop();
      return;
    }
    this.#watched.announce(move);
    const pause = Number(this.#speed.value) * (move.safe ? 1 : GUESS);
    this.#timer = setTimeout(() => this.#makeMove(move, isSingle), isSingle ? 0 : pause);
  }

  #makeMove(move, isSingle) {
    this.#watched.make(move);
    if (this.#watched.isOver()) this.stop();
    else if (!isSingle && this.isOn) this.#play();
  }

  #draw() {
    this.#pause.replaceChildren(...(this.#isPaused ? iconAndWord("play", say("Go on")) : iconAndWord("pause", say("Pause"))));
  }
}
