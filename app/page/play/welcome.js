/**
 * The welcome to newcomers: what this is, and three ways to begin.
 *
 * @module play/welcome
 */

import { button, make } from "../shared/elements.js";
import { say } from "../shared/language.js";

/** A position of an expert game in which several clues together prove a cell, which is explained. */
export const PROOF =
  "map=1B2B3B221100.1122B4B3B111.110113B3122B.B100012322B2.1100001BB222.00000023311B.0000112B2122.01112B32B12B.01B12B21112B" +
  "&first=4,5&played=o53o0o2o12o17o24o43o90o99o100o4o6o7o19&why=2,7";

/**
 * @param {{play: () => void, paste: () => void, prove: () => void}} actions
 * @returns {HTMLElement}
 */
export function welcome({ play, paste, prove }) {
  return make(
    "section",
    { class: "panel welcome", "aria-label": say("Welcome") },
    make("h2", {}, say("The Minesweeper that can prove why")),
    make("p", { class: "faint" }, say("Every hint is proved, every chance is exact, and no board has to need a guess.")),
    make(
      "div",
      { class: "bar" },
      button(say("Play without guessing"), play, { class: "primary" }),
      button(say("Paste a board"), paste),
      button(say("See a proof"), prove),
    ),
  );
}
