/**
 * The review of a game as a curve: the chance to win before each click, and a slider along it.
 *
 * @module play/timeline
 */

import { heat, heatColour } from "../shared/chances.js";
import { draw, make } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { isProved } from "./review.js";

/** @typedef {import("./review.js").Reviewed} Reviewed */
/** @typedef {import("./walk.js").Item} Item */

const [WIDTH, HEIGHT, RIM] = [320, 96, 6];

/**
 * The curve of a game. Between its bounds the chance to win is shaded; where both are the same, it is exact.
 *
 * @param {Reviewed[]} clicks
 * @param {number} density mines per cell, for the colours of clicks that were no proof
 * @returns {(items: Item[], go: (at: number) => void) => import("./walk.js").List}
 */
export function timeline(clicks, density) {
  return (items, go) => {
    const cursor = draw("line", { class: "timeline-cursor", y1: 0, y2: HEIGHT });
    const picture = draw(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "timeline", role: "img", "aria-label": say("Chance to win before each click") },
      ...band(clicks),
      cursor,
      ...dots(clicks, density),
    );
    picture.addEventListener("pointerdown", (event) => {
      const { left, width } = picture.getBoundingClientRect();
      go(Math.round((((event.clientX - left) / width) * WIDTH - RIM) / stride(clicks)));
    });
    const slider = make("input", {
      type: "range",
      min: "0",
      max: String(items.length - 1),
      "aria-label": say("Click"),
      oninput: () => go(slider.valueAsNumber),
    });
    const said = make("p", { class: "timeline-said" });
    const axis = make("p", { class: "faint timeline-axis" }, make("span", {}, say("chance to win, 0 to 100 %")), make("span", {}, say("○ not proved safe")));
    const element = make("div", { class: "timeline-frame" }, picture, slider, axis, said);
    const show = (at) => {
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", items[at].text);
      said.textContent = items[at].text;
      for (const end of ["x1", "x2"]) cursor.setAttribute(end, String(across(clicks, at)));
    };
    return { element, show };
  };
}

/** The area between the bounds of the chance to win, and a line along the upper one. */
function band(clicks) {
  const known = clicks.map(({ answer, fatal, won }, at) => ({ at, ...(answer?.win ?? { low: 0, high: 1 }), fatal, won }));
  const last = known.at(-1);
  const after = last && (last.fatal || last.won) ? [{ at: clicks.length, low: Number(last.won), high: Number(last.won) }] : [];
  const ends = [...known, ...after];
  const upper = ends.map(({ at, high }) => `${across(clicks, at)},${down(high)}`);
  const lower = ends.map(({ at, low }) => `${across(clicks, at)},${down(low)}`).toReversed();
  return [
    draw("polygon", { class: "timeline-band", points: [...upper, ...lower].join(" ") }),
    draw("polyline", { class: "timeline-high", points: upper.join(" ") }),
  ];
}

/** A dot at each click that was not proved safe, in the colour of its risk. */
function dots(clicks, density) {
  return clicks.flatMap((click, at) => {
    if (isProved(click)) return [];
    const risk = click.answer?.moves?.find((move) => move.cell.join() === click.cell.join())?.mine ?? Number(click.fatal);
    const dot = { cx: across(clicks, at), cy: down(click.answer?.win?.high ?? 1), r: 4.5, class: "timeline-dot" };
    const drawn = draw("circle", dot);
    drawn.style.fill = heatColour(heat(risk, density));
    return [drawn];
  });
}

/** Between two clicks; the end of the game has a place of its own. */
function stride(clicks) {
  return (WIDTH - 2 * RIM) / Math.max(1, clicks.length);
}

function across(clicks, at) {
  return RIM + at * stride(clicks);
}

function down(chance) {
  return RIM + (1 - chance) * (HEIGHT - 2 * RIM);
}
