/**
 * What pointers do to the cells of a board.
 *
 * @module shared/pointing
 */

/** Milliseconds until a touch that stays is a secondary click. */
const LONG_PRESS = 400;
/** Pixels that a finger may move meanwhile. */
const STEADY = 10;

/** What pointers do to the cells of a grid: mice with up to three buttons, fingers, pens. */
export class Pointing {
  #grid;
  #tell;
  /** The press that the next click belongs to was something else already. */
  #spent = false;
  #touching = false;
  #bothButtons = false;
  /** A touch that may become a long one. @type {{timer: number, x: number, y: number} | null} */
  #press = null;
  /** The cell that a drag was over last. @type {Element | null} */
  #dragged = null;

  /**
   * @param {HTMLElement} grid
   * @param {(name: string, cell: HTMLElement, more?: object) => void} tell
   * @param {boolean} drag
   */
  constructor(grid, tell, drag) {
    this.#grid = grid;
    this.#tell = tell;
    const on = (name, listener) => grid.addEventListener(name, (event) => listener(event, cellOf(event)));
    on("pointerdown", (event, cell) => this.#down(event, cell, drag));
    on("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) on(name, () => this.#release());
    on("pointerover", (event, cell) => {
      if (cell && event.pointerType === "mouse") tell("hover", cell);
    });
    on("mousedown", (event) => this.#mouseDown(event));
    on("mouseup", (event, cell) => this.#mouseUp(event, cell));
    on("click", (event, target) => {
      // A press that slid to another cell is a click on what holds both: the last one counts.
      const cell = target ?? (drag ? null : cellAt(grid, event));
      // Assistive technology clicks without a press.
      if (cell && (event.detail === 0 || !this.#spent)) tell("primary", cell);
    });
    on("dblclick", (_, cell) => {
      if (cell && !this.#spent) tell("chord", cell);
    });
    on("auxclick", (event, cell) => {
      if (cell && event.button === 1) tell("chord", cell);
    });
    on("contextmenu", (event, cell) => {
      event.preventDefault();
      // A finger that rests brings up the menu, too, but at a time of the browser's choice.
      if (cell && !this.#spent && !this.#touching && !this.#bothButtons) tell("secondary", cell);
    });
  }

  #down(event, cell, drag) {
    this.#spent = false;
    this.#touching = event.pointerType !== "mouse";
    this.#release();
    if (!cell) return;
    if (this.#touching) {
      const timer = setTimeout(() => {
        this.#spent = true;
        this.#touching = true;
        this.#press = null;
        this.#tell("hover", cell);
        this.#tell("secondary", cell);
      }, LONG_PRESS);
      this.#press = { timer, x: event.clientX, y: event.clientY };
    }
    if (drag && event.isPrimary && event.button === 0) this.#startDrag(cell);
  }

  #move(event) {
    if (!this.#press) return;
    const { x, y } = this.#press;
    if (Math.hypot(event.clientX - x, event.clientY - y) > STEADY) this.#release();
  }

  #release() {
    if (this.#press) clearTimeout(this.#press.timer);
    this.#press = null;
  }

  #mouseDown(event) {
    if ((event.buttons & 3) === 3) this.#bothButtons = true;
    // No scrolling by the middle button.
    if (event.button === 1) event.preventDefault();
  }

  #mouseUp(event, cell) {
    if (this.#bothButtons && !this.#spent && cell) this.#tell("chord", cell);
    if (this.#bothButtons) this.#spent = true;
    if ((event.buttons & 3) === 0) this.#bothButtons = false;
  }

  #startDrag(cell) {
    const ended = new AbortController();
    const { signal } = ended;
    this.#dragged = cell;
    this.#tell("drag", cell, { phase: "start" });
    const over = (event) => {
      // A finger's events all go to the cell where it came down.
      const under = cellAt(this.#grid, event);
      if (!under || under === this.#dragged) return;
      this.#dragged = under;
      this.#tell("drag", under, { phase: "over" });
    };
    const end = () => {
      ended.abort();
      this.#tell("drag", this.#dragged, { phase: "end" });
    };
    document.addEventListener("pointermove", over, { signal });
    document.addEventListener("pointerup", end, { signal });
    document.addEventListener("pointercancel", end, { signal });
  }
}

/** The cell of a grid at the point of an event. @returns {HTMLElement | null} */
function cellAt(grid, { clientX, clientY }) {
  const root = /** @type {Document | ShadowRoot} */ (grid.getRootNode());
  const cell = /** @type {HTMLElement | null} */ (root.elementFromPoint(clientX, clientY)?.closest(".cell") ?? null);
  return cell && grid.contains(cell) ? cell : null;
}

/** The cell that an event is about. @param {Event} event @returns {HTMLElement | null} */
export function cellOf(event) {
  return /** @type {Element} */ (event.target).closest(".cell");
}
