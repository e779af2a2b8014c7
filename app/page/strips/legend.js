/**
 * What the states of each automaton mean, where it is from, and what the lines of a run say.
 *
 * @module strips/legend
 */

import { make } from "../shared/elements.js";
import { say } from "../shared/language.js";

/** The guide, a folder of the service. */
const GUIDE = new URL("../../guide/", import.meta.url);

/** @typedef {{paper: string | null, link: string, states: [code: string, meaning: string][]}} Machine */

/** @type {Object<string, Machine>} */
const MACHINES = {
  kadlac: {
    paper: "M. Kadlac, Explorations of the Minesweeper Consistency Problem, 2003",
    link: "automata/#one-row-kadlac",
    states: [
      ["so", say("nothing is read yet")],
      ["0, B", say("the square that was read")],
      ["1o, 1b, 1?", say("a 1 without a mine before it, with one, or not known")],
      ["2", say("a 2: the next square has to be a mine")],
      ["?o, ?b, ??", say("an unknown square that is safe, a mine, or not known")],
      ["Er", say("no layout is left")],
    ],
  },
  "hu-lin": {
    paper: "S.-C. Hu, S.-S. Lin, 2×n Minesweeper Consistency Problem is in P",
    link: "automata/#two-rows-hu-and-lin",
    states: [
      ["s0", say("nothing is read yet")],
      ["22?B", say("two characters for each cell of the column: a 2 with 2 mines so far, and an unknown cell that is a mine")],
      ["?0", say("an unknown cell that is safe")],
      ["BB", say("a mine that is shown")],
      ["q0 … q8", say("groups of states that accept the same boards from there on: the nine states of the picture")],
    ],
  },
};
/** Automata for any number of rows have states of one kind. @type {Machine} */
const PROFILES = {
  paper: null,
  link: "automata/#any-width-profiles",
  states: [
    ["B", say("one character for each row: a mine")],
    ["-", say("a safe cell without a clue")],
    ["0 … 3", say("a clue that needs so many mines in the next column")],
  ],
};

/** @type {[kind: string, meaning: string][]} */
const LINES = [
  ["live", say("a state, or a move, from which the end can be reached")],
  ["dead", say("one from which it cannot")],
  ["lit", say("the path of the layout that is shown")],
  ["taken", say("the move that the last column makes")],
];

/** A link to the guide. @param {string} path @param {string} text */
export function guideLink(path, text) {
  return make("a", { href: String(new URL(path, GUIDE)) }, text);
}

/**
 * The legend of an automaton.
 *
 * @param {string} name
 * @returns {HTMLElement[]}
 */
export function legend(name) {
  const { paper, link, states } = MACHINES[name] ?? PROFILES;
  const source = paper === null ? [say("The automaton for any number of rows:")] : [`${paper}:`];
  const item = (term, meaning) => make("div", {}, make("dt", {}, term), make("dd", {}, meaning));
  const lines = LINES.map(([kind, meaning]) => item(make("span", { class: "key", "data-kind": kind, "aria-hidden": "true" }), meaning));
  return [
    make("p", {}, ...source, " ", guideLink(link, say("how it works")), ", ", guideLink("errata/", say("errata")), "."),
    make("dl", { class: "codes" }, ...states.map(([code, meaning]) => item(make("code", {}, code), meaning)), ...lines),
  ];
}
