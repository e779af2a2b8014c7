/**
 * A position for elsewhere: as a link, JSON, a curl command, a picture.
 *
 * @module analyse/export
 */

import { densityOf } from "../shared/chances.js";
import { copy } from "../shared/clipboard.js";
import { button, field, make, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { toParameters } from "../shared/position-link.js";
import { NOTATIONS, textOf } from "../shared/position.js";
import { setting } from "../shared/rules.js";
import { png, svg } from "./picture.js";
import { save } from "./save.js";

/** @typedef {import("../shared/position.js").Position} Position */

/** The question about a position, as JSON. @param {Position} position */
function question({ rows, mines, density, topology, rules }) {
  const shape = Object.entries(setting({ topology, rules })).map(([name, value]) => `, "${name}": ${JSON.stringify(value)}`).join("");
  const rest = mines !== null ? `, "mines": ${mines}` : density !== null ? `, "density": ${density}` : "";
  return `{"board": [${rows.map((row) => JSON.stringify(row)).join(", ")}]${rest}${shape}}`;
}

/** A shell command that asks it; where `keyed`, with the key that is in MINECHECK_KEY. */
function curlLine(position, keyed) {
  const key = keyed ? ' -H "Authorization: Bearer $MINECHECK_KEY"' : "";
  // Boards have no quotes in them: none have to be escaped.
  return `curl ${new URL("v1/analyze", document.baseURI)}${key} --json '${question(position)}'`;
}

/** A link that opens this page with a position. @param {Position} position */
async function linkTo(position) {
  return String(new URL(`#analyse?${await toParameters(position)}`, document.baseURI));
}

/**
 * The buttons that copy and save.
 *
 * @param {() => Position} position
 * @param {import("../shared/layered-board.js").LayeredBoard} board what pictures show
 * @param {import("../main.js").Context} context
 * @returns {HTMLElement}
 */
export function exports(position, board, { service, tell }) {
  const box = make("div", { class: "copying" });
  const notation = select(NOTATIONS.map((name) => [name, name]), { name: "notation" });
  const picture = () => svg(board.shown.rows, board.shown.marks, pictured(position()));
  const copies = (name, text) => button(name, async () => copy(await text(), tell, box));
  const saves = (name, file, blob) =>
    button(name, () => blob().then((made) => save(made, file), (error) => tell(error, "problem")));
  const copyText = () => {
    const text = textOf(position().rows, notation.value);
    if (text !== null) copy(text, tell, box);
    else tell(say("The notation {notation} has no symbol for one of the cells: use standard.", { notation: notation.value }), "problem");
  };
  const copyCurl = () => {
    const more = service.keyed ? say("It does not contain your key: set MINECHECK_KEY to it.") : "";
    copy(curlLine(position(), service.keyed), tell, box, more);
  };
  const bar = (...controls) => make("div", { class: "bar" }, ...controls);
  box.append(
    bar(
      copies(say("Copy link"), () => linkTo(position())),
      copies(say("Copy JSON"), () => question(position())),
      button(say("Copy curl command"), copyCurl),
    ),
    bar(button(say("Copy text"), copyText), field(say("in the notation"), notation)),
    bar(
      copies(say("Copy SVG"), picture),
      button(say("Copy PNG"), () => copyPicture(picture(), tell)),
      saves(say("Save SVG"), "board.svg", async () => new Blob([picture()], { type: "image/svg+xml" })),
      saves(say("Save PNG"), "board.png", () => png(picture())),
    ),
  );
  return box;
}

async function copyPicture(picture, tell) {
  try {
    // Of a promise: some browsers allow copying only during the click.
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png(picture) })]);
    tell(say("Copied."), "info");
  } catch {
    tell(say("This browser does not let pages copy pictures: save it instead."), "problem");
  }
}

/** How the picture of a position is drawn. @param {Position} position */
function pictured({ rows, mines, density, topology }) {
  return { title: titleOf({ rows, mines }), topology, density: density ?? densityOf(rows, mines) };
}

function titleOf({ rows, mines }) {
  const values = { height: rows.length, width: rows[0].length };
  if (mines === null) return say("Minesweeper board, {height}×{width}", values);
  return say("Minesweeper board, {height}×{width}, {mines} mines in all", { ...values, mines });
}
