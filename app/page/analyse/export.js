/**
 * A position for elsewhere: as a link, JSON, a curl command, a picture.
 *
 * @module analyse/export
 */

import { copy } from "../shared/clipboard.js";
import { button, field, make, select } from "../shared/elements.js";
import { toParameters } from "../shared/position-link.js";
import { NOTATIONS, textOf } from "../shared/position.js";
import { PLANE } from "../shared/topology.js";
import { png, svg } from "./picture.js";

/** @typedef {import("../shared/position.js").Position} Position */

/** The question about a position, as JSON. @param {Position} position */
function question({ rows, mines, density, topology = PLANE }) {
  const shape = topology === PLANE ? "" : `, "topology": "${topology}"`;
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
  const place = make("div", { class: "copying" });
  const notation = select(NOTATIONS.map((name) => [name, name]), { name: "notation" });
  const picture = () => svg(board.shown.rows, board.shown.marks, { title: titleOf(position()), topology: position().topology });
  const copies = (name, text) => button(name, async () => copy(await text(), tell, place));
  const saves = (name, file, blob) =>
    button(name, () => blob().then((made) => save(made, file), (error) => tell(error, "problem")));
  place.append(
    make(
      "div",
      { class: "bar" },
      copies("Copy link", () => linkTo(position())),
      copies("Copy JSON", () => question(position())),
      button("Copy text", () => {
        const text = textOf(position().rows, notation.value);
        if (text !== null) copy(text, tell, place);
        else tell(`The notation ${notation.value} has no symbol for one of the cells: use standard.`, "problem");
      }),
      field("in the notation", notation),
      button("Copy curl command", () => {
        const more = service.keyed ? "It does not contain your key: set MINECHECK_KEY to it." : "";
        copy(curlLine(position(), service.keyed), tell, place, more);
      }),
      copies("Copy SVG", picture),
      button("Copy PNG", () => copyPicture(picture(), tell)),
      saves("Save SVG", "board.svg", async () => new Blob([picture()], { type: "image/svg+xml" })),
      saves("Save PNG", "board.png", () => png(picture())),
    ),
  );
  return place;
}

async function copyPicture(picture, tell) {
  try {
    // Of a promise: some browsers allow copying only during the click.
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png(picture) })]);
    tell("Copied.", "info");
  } catch {
    tell("This browser does not let pages copy pictures: save it instead.", "problem");
  }
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  // By then the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function titleOf({ rows, mines }) {
  const total = mines === null ? "" : `, ${mines} mines in all`;
  return `Minesweeper board, ${rows.length}×${rows[0].length}${total}`;
}
