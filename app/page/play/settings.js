/**
 * What can be chosen for games: sizes, boards without guesses, how flags count, and how large cells are.
 *
 * @module play/settings
 */

import { CELL_SIZES, chooseSize, chosenCellSize } from "../shared/cell-size.js";
import { button, field, fileInput, make, panel, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { DIFFICULTY_NAMES, capital, techniqueName } from "../shared/phrases.js";
import { SUFFIXES } from "../shared/replay-file.js";
import { PLANE, TOPOLOGIES } from "../shared/topology.js";
import { LONGEST } from "../shared/undoable-game.js";
import { TECHNIQUES } from "./drill.js";

/** @typedef {import("../shared/undoable-game.js").Size} Size */

/** @type {Object<string, Size>} */
export const LEVELS = {
  beginner: { height: 9, width: 9, mines: 10 },
  intermediate: { height: 16, width: 16, mines: 40 },
  expert: { height: 16, width: 30, mines: 99 },
};

/** What the levels are called. @type {Object<string, string>} */
const NAMES = { beginner: say("beginner"), intermediate: say("intermediate"), expert: say("expert") };

/** What the levels are. */
const SIZES = Object.entries(LEVELS)
  .map(([level, { height, width, mines }]) => say("{name}: {height} × {width}, {mines} mines", { name: NAMES[level], height, width, mines }))
  .join("\n");

/** The hardest step that boards without guesses may need. @type {[value: string, text: string][]} */
const HARDEST = Object.entries(DIFFICULTY_NAMES);

/** Whole games, or positions that need one technique. @type {[value: string, text: string][]} */
const PRACTICE = [["", say("whole games")], ...TECHNIQUES.map((name) => /** @type {[string, string]} */ ([name, techniqueName(name)]))];

const HELP = [
  [say("Enter, Space, click, tap"), say("open a cell; on a number, open its neighbours")],
  [say("F, right click, long press"), say("set or remove a flag")],
  [say("C, double click, both buttons"), say("open the neighbours of a number that has its flags")],
  [say("Arrows, Home, End, Page Up, Page Down"), say("move from cell to cell")],
  [say("N or F2, R"), say("a new game, the same board again")],
  [say("U, Ctrl Z or ⌘ Z"), say("undo, a new game too")],
  ["H, W, B", say("hint, why?, best move")],
  ["M, S, A", say("heat map, play a safe cell, watch it play")],
  [say(". and ,"), say("next and previous step or move")],
  [say("L, Escape"), say("large board, close")],
];

/**
 * The size that is chosen, null (and reported at its field) where there is no such board.
 *
 * @returns {Size | null}
 */
export function chosenSize({ level, height, width, mineCount, topology: { value: topology } }) {
  if (level.value !== "custom") return { ...LEVELS[level.value], topology };
  mineCount.max = String(height.valueAsNumber * width.valueAsNumber - 1);
  if (![height, width, mineCount].every((input) => input.reportValidity())) return null;
  return { height: height.valueAsNumber, width: width.valueAsNumber, mines: mineCount.valueAsNumber, topology };
}

/** Show a size among the choices. @param {any} controls @param {Size} size */
export function choose({ level, custom, height, width, mineCount, topology }, size) {
  const same = ([, known]) => ["height", "width", "mines"].every((side) => known[side] === size[side]);
  level.value = Object.entries(LEVELS).find(same)?.[0] ?? "custom";
  custom.hidden = level.value !== "custom";
  height.value = String(size.height);
  width.value = String(size.width);
  mineCount.value = String(size.mines);
  topology.value = size.topology ?? PLANE;
}

/** @param {import("./controls.js").Actions} actions */
export function makeSettings({ chosen, trust, share, openReplay, grade }) {
  const number = (value, max, min = 1) =>
    make("input", { type: "number", min: String(min), max: String(max), value, required: true, onchange: chosen });
  const levels = Object.keys(LEVELS).map((name) => [name, capital(NAMES[name])]);
  const controls = {
    level: select([...levels, ["custom", say("Custom")]], { title: SIZES }),
    height: number("12", LONGEST),
    width: number("20", LONGEST),
    mineCount: number("40", LONGEST ** 2 - 1, 0),
    custom: make("div", { class: "bar", hidden: true }),
    topology: select(TOPOLOGIES, { onchange: chosen }),
    guessFree: make("input", { type: "checkbox", checked: true }),
    difficulty: select([["", say("any")], ...HARDEST], { onchange: chosen }),
    technique: select(PRACTICE, { onchange: chosen, title: say("Positions whose next step needs exactly this") }),
    trust: make("input", { type: "checkbox", onchange: trust }),
    cellSize: select(CELL_SIZES, { onchange: () => chooseSize(controls.cellSize.value) }),
    record: make("p", { class: "faint play-record" }),
    share: button(say("Share this board"), share),
    grade: button(say("How hard is it?"), grade),
    replay: fileInput(openReplay, { accept: SUFFIXES.join(), name: "replay", "aria-label": say("A replay to open") }),
    link: make("input", { class: "play-link", readOnly: true, hidden: true, "aria-label": say("Link to this board") }),
  };
  const { level, height, width, mineCount, custom } = controls;
  custom.append(field(say("Rows"), height), field(say("Columns"), width), field(say("Mines"), mineCount));
  level.addEventListener("change", () => {
    custom.hidden = level.value !== "custom";
    chosen();
  });
  document.addEventListener("cellsize", () => {
    controls.cellSize.value = chosenCellSize();
  });
  controls.cellSize.value = chosenCellSize();
  return controls;
}

/** The panel of settings, and the keys. */
export function settings({ custom, topology, guessFree, difficulty, technique, trust, cellSize, share, grade, replay, link, record }, { analyse }) {
  const tick = (text, control) => make("label", { class: "field" }, control, make("span", {}, text));
  const keys = HELP.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]);
  const game = panel(
    say("Game"),
    custom,
    make("div", { class: "bar" }, tick(say("No guessing"), guessFree), tick(say("Trust my flags"), trust)),
    make("div", { class: "bar" }, field(say("Hardest step"), difficulty), field(say("Board"), topology)),
    make("div", { class: "bar" }, field(say("Practise"), technique), field(say("Cells"), cellSize)),
    make("div", { class: "bar" }, share, grade, button(say("Analyse this position"), analyse), button(say("Open a replay"), () => replay.click()), replay),
    link,
    record,
    make("details", {}, make("summary", {}, say("Keys and touch")), make("dl", { class: "play-keys" }, ...keys)),
  );
  game.classList.add("play-settings");
  return game;
}
