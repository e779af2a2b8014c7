/**
 * Boards to try, each behind a button with its name.
 *
 * @module analyse/examples
 */

import { button, make, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { PLANE } from "../shared/topology.js";

/** @typedef {import("../shared/position.js").Position} Position */
/** @typedef {{rows: string[], mines: number | null, topology?: string, rules?: import("../shared/rules.js").Rules}} Example */

/** The board that the tab begins with. @type {Example} */
export const FIRST = {
  rows: [
    "??????100000",
    "??????211110",
    "??22?3?11?10",
    "??1112122321",
    "??100002?3?1",
    "??212112?421",
    "??3?2?333?10",
    "???322??2110",
    "???201221000",
  ],
  mines: 22,
};

/** What most people try first. @type {Object<string, Example>} */
const USUAL = {
  [say("A game")]: FIRST,
  [say("A contradiction")]: { rows: ["11?", "???", "3??"], mines: null },
  [say("One layout")]: { rows: ["1?2?", "??3?", "12??"], mines: 4 },
  [say("A strip")]: { rows: ["?1??3??2?1", "??2?3???2?"], mines: null },
  [say("End of a game")]: { rows: ["??2", "24?", "???"], mines: 4 },
};
/** What shows more of what there is. @type {Object<string, Example>} */
const OTHERS = {
  [say("The total decides")]: { rows: ["?1??"], mines: 1 },
  [say("A row for Kadlac")]: { rows: ["?1?2??1?"], mines: null },
  [say("Two rows, of Hu and Lin")]: { rows: ["?2", "B?"], mines: null },
  [say("Hexagons")]: {
    rows: ["?11????", "2???11?", "2??21??", "?4?????", "1???110", "?0?0?00"],
    mines: 9,
    topology: "hexagonal",
  },
  [say("A torus")]: { rows: ["?1?23?", "2??2??", "?322??", "2????2", "??1?2?", "??01??"], mines: 7, topology: "torus" },
  [say("A clue that lies")]: { rows: ["?2?1", "?31?", "1???"], mines: 4, rules: { lies: 1 } },
  [say("Clues that say less")]: { rows: ["?S??", "??S?", "S??1"], mines: null, rules: { clues: { "0,1": "2-3", "1,2": "0|4", "2,0": "1|2" } } },
  [say("Up to two mines in a cell")]: { rows: ["?3??", "??5?", "2???"], mines: null, rules: { mines_per_cell: 2 } },
  [say("Two layers")]: { rows: ["?3?", "?S?", "1??", "???", "2?4", "??1"], mines: null, rules: { layers: 2, clues: { "1,1": "5-9" } } },
  [say("A lattice")]: {
    rows: Array.from({ length: 11 }, (_, row) => (row % 2 ? `${"?3".repeat(5)}?` : "?".repeat(11))),
    mines: null,
  },
};

/**
 * The buttons, and a list of more.
 *
 * @param {(position: Position) => void} show an example in place of the board
 * @returns {HTMLElement}
 */
export function examples(show) {
  const put = (example) => show({ density: null, topology: PLANE, rules: {}, ...example });
  const buttons = Object.entries(USUAL).map(([name, example]) => button(name, () => put(example), { class: "example" }));
  const names = [["", say("More …")], ...Object.keys(OTHERS).map((name) => [name, name])];
  const more = select(names, { name: "example", class: "example", "aria-label": say("More examples") });
  more.addEventListener("change", () => {
    const example = OTHERS[more.value];
    more.value = "";
    if (example) put(example);
  });
  const label = make("span", { class: "faint", "aria-hidden": "true" }, say("Try"));
  return make("div", { class: "examples", role: "group", "aria-label": say("Examples") }, label, ...buttons, more);
}
