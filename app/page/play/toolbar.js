/**
 * What stands above the board: mines left, time, the level, and all that helps.
 *
 * @module play/toolbar
 */

import { button, field, make } from "../shared/elements.js";
import { icon, iconAndWord } from "../shared/icons.js";
import { say } from "../shared/language.js";

/** Whether a button that stays down is down. */
export function isPressed(control) {
  return control.getAttribute("aria-pressed") === "true";
}

export function press(control, down) {
  control.setAttribute("aria-pressed", String(down));
}

/** Show what small screens keep out of sight, or hide it. */
export function expand(more, open) {
  more.ariaExpanded = String(open);
}

/** @param {import("./controls.js").Actions} actions */
export function makeTools(actions) {
  const tool = (name, word, key, action, given = {}) => {
    const control = button(iconAndWord(name, word, key), action, { class: "tool", ...given });
    if (key) control.setAttribute("aria-keyshortcuts", key);
    return control;
  };
  const toggle = { "aria-pressed": "false" };
  const controls = {
    hint: tool("hint", say("Hint"), "H", actions.hint),
    /** How much of a hint was given away. */
    stages: make("span", { class: "stages", "aria-hidden": "true" }),
    why: tool("why", say("Why?"), "W", actions.why, toggle),
    best: tool("best", say("Best move"), "B", actions.best),
    heat: tool("heat", say("Heat map"), "M", actions.heat, { ...toggle, class: "tool wide" }),
    playSafe: tool("step", say("Safe cell"), "S", actions.playSafe, { class: "tool wide", "aria-label": say("Play a safe cell") }),
    watch: tool("watch", say("Watch"), "A", actions.watch, { ...toggle, class: "tool wide", "aria-label": say("Watch it play") }),
    undo: tool("undo", say("Undo [a move]"), "U", actions.undo),
    tapFlags: tool("flag", say("Flag"), "", () => press(controls.tapFlags, !isPressed(controls.tapFlags)), {
      ...toggle,
      class: "tool tool-flag",
      title: say("Clicks and taps set flags"),
    }),
    more: tool("more", say("More"), "", () => expand(controls.more, controls.more.ariaExpanded !== "true"), { class: "tool play-more" }),
    again: tool("again", say("Same board"), "R", actions.again),
    newGame: tool("new", say("New game"), "N", actions.newGame, { class: "tool primary" }),
    large: button([icon("large")], actions.large, { class: "icon-button", title: say("Large board (L)"), "aria-label": say("Large board") }),
  };
  controls.hint.append(controls.stages);
  expand(controls.more, false);
  return controls;
}

/** Mines left, time and undos, then the level and new games. */
export function head({ mines, time, undone, large, level, again, newGame }) {
  const figure = (name, value) => make("div", {}, value, make("dt", {}, name));
  const clock = make("dd", {}, time);
  return make(
    "div",
    { class: "play-head" },
    make("dl", { class: "play-state" }, figure(say("Mines left"), mines), figure(say("Time"), clock), figure(say("Undos"), undone)),
    make("div", { class: "play-begin" }, large, field(say("Level"), level), again, newGame),
  );
}

/** All that helps, in one place. */
export function bar({ tapFlags, undo, hint, why, best, heat, playSafe, watch, more }) {
  const element = make(
    "div",
    { class: "play-bar", role: "toolbar", "aria-label": say("Help") },
    tapFlags, undo, hint, why, best, heat, playSafe, watch, more,
  );
  // What is asked for is shown on the board.
  element.addEventListener("click", ({ target }) => {
    const control = /** @type {Element} */ (target).closest("button");
    if (control && control !== more && control !== tapFlags) expand(more, false);
  });
  return element;
}
