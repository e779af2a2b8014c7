/**
 * A position as others want it: JSON, a curl line, a picture, a link.
 *
 * @module copying
 */

import { button } from "./elements.js";
import { make } from "./make.js";
import { png, svg } from "./picture.js";
import { written } from "./share.js";

/** @typedef {import("./position.js").Position} Position */

/**
 * What the service is asked about a position, as JSON.
 *
 * @param {Position} position
 * @returns {string}
 */
export function question({ rows, mines }) {
  const rest = mines === null ? "" : `, "mines": ${mines}`;
  return `{"board": [${rows.map((row) => JSON.stringify(row)).join(", ")}]${rest}}`;
}

/**
 * A line for a shell that asks this service for the analysis.
 *
 * @param {Position} position
 * @param {boolean} keyed with the key that the shell knows as MINECHECK_KEY
 * @returns {string}
 */
export function curlLine(position, keyed) {
  const key = keyed ? ' -H "Authorization: Bearer $MINECHECK_KEY"' : "";
  // Boards have no quotes in them, so none need be escaped.
  return `curl ${new URL("v1/analyze", document.baseURI)}${key} --json '${question(position)}'`;
}

/**
 * A link that opens this page with a position.
 *
 * @param {Position} position
 * @param {string} [tab]
 * @returns {Promise<string>}
 */
export async function linkTo(position, tab = "analyse") {
  return String(new URL(`#${tab}?${await written(position)}`, document.baseURI));
}

/**
 * Copy a text, or where the browser does not let pages do that, show it to be copied.
 *
 * @param {string} text
 * @param {(message: string, kind: string) => void} tell
 * @param {HTMLElement} place where it may be shown
 * @param {string} [more] what else is to be known of it
 */
export async function copy(text, tell, place, more = "") {
  try {
    await navigator.clipboard.writeText(text);
    tell(`Copied. ${more}`.trim(), "info");
  } catch {
    const named = { class: "to-copy", "aria-label": "To be copied" };
    const shown = make("textarea", { ...named, readOnly: true, value: text, rows: 3 });
    place.querySelector(".to-copy")?.remove();
    place.append(shown);
    shown.select();
    tell(`This browser lets pages copy nothing: the text is marked, copy it yourself. ${more}`.trim(), "info");
  }
}

/**
 * The buttons that copy and save.
 *
 * @param {() => Position} position
 * @param {import("./sheet.js").Sheet} sheet what pictures show
 * @param {import("./main.js").Context} context
 * @returns {HTMLElement}
 */
export function copying(position, sheet, { service, tell }) {
  const place = make("div", { class: "copying" });
  const picture = () => svg(sheet.shown.rows, sheet.shown.marks, { title: titleOf(position()) });
  const copies = (name, text) => button(name, async () => copy(await text(), tell, place));
  const saves = (name, file, blob) =>
    button(name, () => blob().then((made) => save(made, file), (error) => tell(error, "problem")));
  place.append(
    make(
      "div",
      { class: "bar" },
      copies("Copy link", () => linkTo(position())),
      copies("Copy JSON", () => question(position())),
      button("Copy curl line", () => {
        const more = service.keyed ? "It has no key in it: put yours into MINECHECK_KEY." : "";
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
    // Made of a promise: some browsers allow no copying later than the click.
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png(picture) })]);
    tell("Copied.", "info");
  } catch {
    tell("This browser lets pages copy no pictures: save it instead.", "problem");
  }
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function titleOf({ rows, mines }) {
  const total = mines === null ? "" : `, ${mines} mines in all`;
  return `Minesweeper board, ${rows.length}×${rows[0].length}${total}`;
}
