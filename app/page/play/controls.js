/**
 * The controls of a game beside its board.
 *
 * @module play/controls
 */

import { CELL_SIZES, chooseSize, chosenCellSize } from "../shared/cell-size.js";
import { ChanceList } from "../shared/chance-list.js";
import { button, field, make, panel, select } from "../shared/elements.js";
import { LONGEST } from "../shared/undoable-game.js";

/** @typedef {import("../shared/undoable-game.js").Size} Size */

/** @type {Object<string, Size>} */
export const LEVELS = {
  beginner: { height: 9, width: 9, mines: 10 },
  intermediate: { height: 16, width: 16, mines: 40 },
  expert: { height: 16, width: 30, mines: 99 },
};

const HELP = [
  ["Enter, Space, click, tap", "open a cell; on a number, open its neighbours"],
  ["F, right click, long press", "set or remove a flag"],
  ["C, double click, both buttons", "open the neighbours of a number that has its flags"],
  ["Arrows, Home, End, Page Up, Page Down", "move from cell to cell"],
  ["U, Ctrl Z or ⌘ Z", "undo"],
  ["H, B, M, S, W", "hint, best move, heat map, play a safe cell, why?"],
  ["N, P", "next and previous step or move"],
];

/**
 * @typedef {object} Actions what the buttons do
 * @property {() => void} newGame
 * @property {() => void} chosen another level or size
 * @property {() => void} undo
 * @property {() => void} hint
 * @property {() => void} best
 * @property {() => void} heat
 * @property {() => void} why
 * @property {() => void} playSafe
 * @property {() => void} watch
 * @property {() => void} trust
 * @property {(cell: [row: number, col: number] | null) => void} point at a cell of the list of chances
 * @property {() => void} review
 * @property {() => void} share
 * @property {() => void} analyse
 */

/**
 * Make all controls and lay them out.
 *
 * @param {HTMLElement} element
 * @param {Actions} actions
 */
export function layOut(element, actions) {
  const size = sizes(actions.chosen);
  const toggle = (text, action) => button(text, action, { "aria-pressed": "false" });
  const controls = {
    ...size.controls,
    guessFree: make("input", { type: "checkbox", checked: true }),
    mines: make("dd"),
    time: make("span", { role: "timer" }),
    undone: make("dd"),
    frame: make("div"),
    said: make("p", { role: "status" }),
    heard: make("p", { class: "unseen", role: "status" }),
    undo: button("Undo", actions.undo),
    tapFlags: toggle("Flag", () => press(controls.tapFlags, !isPressed(controls.tapFlags))),
    hint: button("Hint", actions.hint),
    best: button("Best move", actions.best),
    playSafe: button("Play a safe cell", actions.playSafe),
    review: button("Review the game", actions.review, { hidden: true, class: "primary" }),
    heat: toggle("Heat map", actions.heat),
    why: toggle("Why?", actions.why),
    watch: toggle("Watch it play", actions.watch),
    more: button("More", () => expand(controls.more, controls.more.ariaExpanded !== "true"), { class: "play-more" }),
    trust: make("input", { type: "checkbox", onchange: actions.trust }),
    cellSize: select(CELL_SIZES, { onchange: () => chooseSize(controls.cellSize.value) }),
    chances: new ChanceList(actions.point),
    record: make("p", { class: "faint play-record" }),
    share: button("Share this board", actions.share),
    link: make("input", { class: "play-link", readOnly: true, hidden: true, "aria-label": "Link to this board" }),
    explanation: make("section", { class: "panel play-explanation", "aria-label": "Explanation" }),
  };
  element.replaceChildren(
    make("h1", { class: "unseen" }, "Play Minesweeper"),
    make("div", { class: "play-sheet beside" }, table(controls, actions), side(controls, size.fields, actions)),
  );
  document.addEventListener("cellsize", () => {
    controls.cellSize.value = chosenCellSize();
  });
  chooseSize(chosenCellSize());
  expand(controls.more, false);
  return controls;
}

/** Show the help that small screens hide, or hide it. */
function expand(more, open) {
  more.ariaExpanded = String(open);
}

/** Whether a button that stays down is down. */
export function isPressed(control) {
  return control.getAttribute("aria-pressed") === "true";
}

export function press(control, down) {
  control.setAttribute("aria-pressed", String(down));
}

/**
 * The size that is chosen, null (and reported at its field) where there is no such board.
 *
 * @returns {Size | null}
 */
export function chosenSize({ level, height, width, mineCount }) {
  if (level.value !== "custom") return LEVELS[level.value];
  mineCount.max = String(height.valueAsNumber * width.valueAsNumber - 1);
  if (![height, width, mineCount].every((input) => input.reportValidity())) return null;
  return { height: height.valueAsNumber, width: width.valueAsNumber, mines: mineCount.valueAsNumber };
}

/** Show a size among the choices. @param {any} controls @param {Size} size */
export function choose({ level, custom, height, width, mineCount }, size) {
  const same = ([, known]) => ["height", "width", "mines"].every((side) => known[side] === size[side]);
  level.value = Object.entries(LEVELS).find(same)?.[0] ?? "custom";
  custom.hidden = level.value !== "custom";
  height.value = String(size.height);
  width.value = String(size.width);
  mineCount.value = String(size.mines);
}

/** The choice of a level or a size. */
function sizes(chosen) {
  const number = (value, max, min = 1) =>
    make("input", { type: "number", min: String(min), max: String(max), value, required: true, onchange: chosen });
  const levels = Object.entries(LEVELS).map(([name, { height, width, mines }]) => [
    name,
    `${name[0].toUpperCase()}${name.slice(1)}, ${height} × ${width}, ${mines} mines`,
  ]);
  const controls = {
    level: select([...levels, ["custom", "Custom"]]),
    height: number("12", LONGEST),
    width: number("20", LONGEST),
    mineCount: number("40", LONGEST ** 2 - 1, 0),
    custom: make("div", { class: "bar", hidden: true }),
  };
  const { level, height, width, mineCount, custom } = controls;
  custom.append(field("Rows", height), field("Columns", width), field("Mines", mineCount));
  level.addEventListener("change", () => {
    custom.hidden = level.value !== "custom";
    chosen();
  });
  return { controls, fields: [make("div", { class: "bar" }, field("Level", level)), custom] };
}

function table(controls, { newGame }) {
  const { mines, time, undone, frame, said, heard, undo, tapFlags, hint, why, more, review } = controls;
  const count = (name, value) => make("div", {}, make("dt", {}, name), value);
  const clock = make("dd", {}, time);
  const restart = button("Restart", newGame);
  tapFlags.title = "Clicks and taps set flags";
  return make(
    "div",
    { class: "play-table" },
    make(
      "div",
      { class: "play-head" },
      make("dl", { class: "play-state" }, count("Mines left", mines), count("Time", clock), count("Undos", undone)),
      restart,
    ),
    frame,
    make("div", { class: "play-bar" }, tapFlags, undo, hint, why, button("New", newGame, { class: "play-new" }), more),
    make("div", { class: "play-said" }, said, review),
    heard,
  );
}

function side(controls, sizeFields, actions) {
  const { best, guessFree, heat, playSafe, watch, more, trust, cellSize, chances, record, link, explanation, share } = controls;
  const tick = (text, control) => make("label", { class: "field" }, control, make("span", {}, text));
  const keys = HELP.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]);
  const help = panel(
    "Help",
    make("div", { class: "bar" }, best, heat, playSafe, watch),
    tick("Trust my flags", trust),
  );
  help.classList.add("play-help");
  // What is asked for is shown on the board.
  help.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest("button")) expand(more, false);
  });
  return make(
    "div",
    { class: "play-side" },
    help,
    explanation,
    chances.element,
    panel(
      "Game",
      ...sizeFields,
      make("p", {}, tick("No guessing", guessFree)),
      make("div", { class: "bar" }, field("Cells", cellSize)),
      make(
        "div",
        { class: "bar" },
        button("New game", actions.newGame, { class: "primary" }),
        share,
        button("Analyse this position", actions.analyse),
      ),
      link,
      record,
    ),
    make("details", { class: "panel" }, make("summary", {}, "Keys and touch"), make("dl", { class: "play-keys" }, ...keys)),
  );
}
