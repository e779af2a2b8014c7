/**
 * The tab Play as a whole: all controls, and where they are.
 *
 * @module play/controls
 */

import { ChanceList } from "../shared/chance-list.js";
import { make } from "../shared/elements.js";
import { HeatLegend } from "../shared/heat-legend.js";
import { say } from "../shared/language.js";
import { EndCard } from "./end-card.js";
import { makeSettings, settings } from "./settings.js";
import { bar, head, makeTools } from "./toolbar.js";
import { Verdict } from "./verdict.js";
import { welcome } from "./welcome.js";

/**
 * @typedef {object} Actions what the buttons do
 * @property {() => void} newGame
 * @property {() => void} again the same board from its beginning
 * @property {() => void} chosen another level or size
 * @property {() => void} undo
 * @property {() => void} hint
 * @property {() => void} best
 * @property {() => void} heat
 * @property {() => void} why
 * @property {() => void} playSafe
 * @property {() => void} watch
 * @property {() => void} trust
 * @property {() => void} large
 * @property {(cell: [row: number, col: number] | null) => void} point at a cell of the list of chances
 * @property {() => void} review
 * @property {() => void} share
 * @property {() => void} grade say how hard the map is
 * @property {(file: File) => void} openReplay
 * @property {() => void} analyse
 * @property {() => void} start play the board that is there
 * @property {() => void} paste
 * @property {() => void} prove
 */

/**
 * Make all controls and lay them out.
 *
 * @param {HTMLElement} element
 * @param {Actions} actions
 */
export function layOut(element, actions) {
  const controls = {
    ...makeSettings(actions),
    ...makeTools(actions),
    mines: make("dd"),
    time: make("span", { role: "timer" }),
    undone: make("dd"),
    frame: make("div"),
    heard: make("p", { class: "unseen", role: "status" }),
    verdict: new Verdict(),
    end: new EndCard(actions),
    legend: new HeatLegend(),
    chances: new ChanceList(actions.point),
    explanation: make("section", { class: "panel play-explanation", "aria-label": say("Explanation") }),
    welcome: welcome({ play: actions.start, paste: actions.paste, prove: actions.prove }),
  };
  const { frame, end, legend, heard, verdict, explanation, chances } = controls;
  element.replaceChildren(
    make("h1", { class: "unseen" }, say("Play Minesweeper")),
    make(
      "div",
      { class: "play-sheet" },
      make(
        "div",
        { class: "play-table" },
        head(controls),
        bar(controls),
        make("div", { class: "play-board" }, frame, end.element),
        legend.element,
        heard,
      ),
      make(
        "div",
        { class: "play-side" },
        controls.welcome,
        verdict.element,
        explanation,
        chances.element,
        settings(controls, actions),
      ),
    ),
  );
  return controls;
}
