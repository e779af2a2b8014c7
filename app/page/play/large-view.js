/**
 * The board alone, as large as the screen, for streams and projectors.
 *
 * @module play/large-view
 */

const SHOWN = "large-view";

export class LargeView {
  #element;

  /** @param {HTMLElement} element what fills the screen */
  constructor(element) {
    this.#element = element;
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement) document.documentElement.classList.remove(SHOWN);
    });
  }

  toggle() {
    if (document.documentElement.classList.contains(SHOWN)) this.leave();
    else this.#enter();
  }

  async #enter() {
    document.documentElement.classList.add(SHOWN);
    // Where the browser does not allow it, the board still fills the window.
    await this.#element.requestFullscreen?.().catch(() => {});
  }

  leave() {
    document.documentElement.classList.remove(SHOWN);
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }
}
