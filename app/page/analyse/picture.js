/**
 * A board as a picture: SVG that needs no other file, and PNG made from it.
 *
 * @module analyse/picture
 */

import { heat, heatColour, percentage, USUAL_DENSITY } from "../shared/chances.js";
import { draw } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { PLANE } from "../shared/topology.js";

/** @typedef {import("../shared/board.js").Mark} Mark */

/** @typedef {Object<string, string>} Colours by the names of `COLOURS` */

const CELL = 32;
const RIM = 1;

/** The custom properties of the page that a picture uses. */
const COLOURS = [
  ...["paper", "ink", "line", "accent", "safe", "mine", "warn", "cell-closed", "cell-open", "on-heat"],
  ...Array.from({ length: 8 }, (_, clue) => `n${clue + 1}`),
];

/** Which colour frames a cell of each kind. */
const FRAMES = {
  mine: "mine",
  safe: "safe",
  conflict: "warn",
  reason: "accent",
  kept: "safe",
  target: "accent",
  wrong: "mine",
  window: "accent",
};

/**
 * The colours that the page has at the moment.
 *
 * @returns {Colours}
 */
function coloursOfPage() {
  const probe = document.createElement("i");
  document.body.append(probe);
  const found = COLOURS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(found);
}

/**
 * A board as SVG.
 *
 * @param {string[]} rows standard notation
 * @param {Map<string, Mark>} [marks] as for `BoardView.show`
 * @param {{title?: string, colours?: Colours, topology?: string, density?: number}} [how] every other
 *   row of hexagons is shifted to the right; mines per cell, for the colours of chances
 * @returns {string}
 */
export function svg(rows, marks = new Map(), how = {}) {
  const { title = say("Minesweeper board"), colours = coloursOfPage(), topology = PLANE, density = USUAL_DENSITY } = how;
  const shift = topology === "hexagonal" ? CELL / 2 : 0;
  const [width, height] = [rows[0].length * CELL + shift + 2 * RIM, rows.length * CELL + 2 * RIM];
  const root = draw(
    "svg",
    {
      width,
      height,
      viewBox: `${-RIM} ${-RIM} ${width} ${height}`,
      role: "img",
      "font-family": "system-ui, Helvetica, Arial, sans-serif",
      "text-anchor": "middle",
    },
    draw("title", {}, title),
    draw("desc", {}, rows.join("\n")),
    draw("rect", { x: -RIM, y: -RIM, width, height, fill: colours.paper }),
  );
  rows.forEach((symbols, row) => {
    [...symbols].forEach((symbol, col) => {
      const drawn = cell(symbol, marks.get(`${row},${col}`) ?? {}, colours, density);
      drawn.setAttribute("transform", `translate(${col * CELL + (row % 2) * shift} ${row * CELL})`);
      root.append(drawn);
    });
  });
  return new XMLSerializer().serializeToString(root);
}

/**
 * A picture as PNG.
 *
 * @param {string} picture SVG
 * @param {number} [scale]
 * @returns {Promise<Blob>}
 */
export async function png(picture, scale = 2) {
  const url = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [scale * image.width, scale * image.height];
    /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      const done = (blob) => (blob ? resolve(blob) : reject(new Error(say("The board is too large for a PNG."))));
      canvas.toBlob(done, "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @param {string} symbol @param {Mark} mark @param {Colours} colours @param {number} density */
function cell(symbol, { kind = null, selected = false, chance = null, silent = false, text = null, clue = null }, colours, density) {
  const group = draw("g", {});
  const side = { width: CELL, height: CELL };
  group.append(draw("rect", { ...side, fill: ground(symbol, silent ? null : chance, colours, density), stroke: colours.line }));
  const framed = FRAMES[kind] ?? (selected ? "accent" : null);
  if (framed !== null) {
    const frame = { x: 2, y: 2, width: CELL - 4, height: CELL - 4, fill: "none", "stroke-width": 2.5 };
    const dashed = kind === "safe" ? "5 3" : null;
    group.append(draw("rect", { ...frame, stroke: colours[framed], "stroke-dasharray": dashed }));
  }
  const middle = { x: CELL / 2, y: CELL / 2 + 5 };
  const written = clue === null ? signs(symbol, colours) : [draw("text", { ...middle, "font-size": 13, "font-weight": 700, fill: colours.ink }, clue)];
  group.append(...written);
  const small = text ?? (chance === null || silent ? null : percentage(chance));
  if (small !== null) {
    const lower = symbol === "?" ? CELL / 2 + 4 : CELL - 5;
    group.append(draw("text", { x: CELL / 2, y: lower, "font-size": 11, fill: colours[text === null ? "on-heat" : "ink"] }, small));
  }
  return group;
}

/** What is behind the symbol. */
function ground(symbol, chance, colours, density) {
  if (chance !== null) return heatColour(heat(chance, density));
  return "?F".includes(symbol) ? colours["cell-closed"] : colours["cell-open"];
}

function signs(symbol, colours) {
  const middle = CELL / 2;
  if (symbol === "B") return [draw("circle", { cx: middle, cy: middle, r: 8, fill: colours.ink })];
  if (symbol === "F") {
    return [
      draw("path", { d: "M12 26V6", stroke: colours.ink, "stroke-width": 2 }),
      draw("path", { d: "M12 6l11 5-11 5z", fill: colours.mine }),
    ];
  }
  if (symbol === "?" || symbol === "0") return [];
  const fill = colours[symbol === "S" ? "safe" : `n${symbol}`];
  const written = { x: middle, y: middle + 7, "font-size": 19, "font-weight": 700, fill };
  return [draw("text", written, symbol)];
}
