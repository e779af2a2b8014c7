/**
 * A clock that can be stopped and go on.
 *
 * @module play/clock
 */

/** A time as it is shown: 0:07, 12:34, 1:02:03. @param {number} seconds */
export function timeText(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A time to the millisecond: 0:07.042. @param {number} seconds */
export function exactTimeText(seconds) {
  const thousandths = Math.round(1000 * seconds);
  return `${timeText(Math.floor(thousandths / 1000))}.${String(thousandths % 1000).padStart(3, "0")}`;
}

/** Shows the seconds for which it ran. */
export class Clock {
  #element;
  /** Milliseconds before the last start. */
  #before = 0;
  #since = 0;
  #timer = 0;

  /** @param {HTMLElement} element where the time is shown */
  constructor(element) {
    this.#element = element;
    this.reset();
  }

  /** Seconds, to the millisecond. */
  get seconds() {
    const now = this.#timer ? performance.now() - this.#since : 0;
    return Math.round(this.#before + now) / 1000;
  }

  start() {
    if (this.#timer) return;
    this.#since = performance.now();
    this.#timer = setInterval(() => this.#show(), 250);
  }

  stop() {
    if (!this.#timer) return;
    this.#before += performance.now() - this.#since;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#show();
  }

  /** Begin anew. @param {number} [seconds] that have passed already */
  reset(seconds = 0) {
    this.stop();
    this.#before = 1000 * seconds;
    this.#show();
  }

  #show() {
    const text = timeText(this.seconds);
    if (this.#element.textContent !== text) this.#element.textContent = text;
  }
}
