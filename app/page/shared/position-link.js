/**
 * Links to positions.
 *
 * A link has `b`, the rows with a dot between them and `_` for `?`, which anyone can write; longer
 * boards are deflated, in base64url after a `~`. `m` is the total of mines, `d` the density,
 * `t` the topology if it is not the plane board; other rules have the names of the service.
 *
 * @module shared/position-link
 */

import { say } from "./language.js";
import { LONGEST_SIDE, MOST_CELLS, faultOf } from "./position.js";
import { RULES, rulesFromParameters, rulesToParameters } from "./rules.js";
import { PLANE } from "./topology.js";

/** @typedef {import("./position.js").Position} Position */

/** What a link may say: a position, and on the tab of strips a window of it. */
const NAMES = ["b", "m", "d", "t", "w", ...RULES];
const MOST_CHARS = MOST_CELLS + LONGEST_SIDE;

/** A link whose board cannot be read; the message says why. */
export class BadLink extends Error {
  /** @param {string} why */
  constructor(why) {
    super(say("The board of this link cannot be read: {why}", { why }));
    this.name = "BadLink";
  }
}

/**
 * What stands for a position after the `?` of a hash.
 *
 * @param {Position} position
 * @returns {Promise<string>}
 */
export async function toParameters({ rows, mines, density, topology = PLANE, rules = {} }) {
  const plain = rows.join(".").replaceAll("?", "_");
  const packed = await deflated(plain);
  const board = packed !== null && packed.length + 1 < plain.length ? `~${packed}` : plain;
  const parameters = [`b=${board}`];
  if (mines !== null) parameters.push(`m=${mines}`);
  if (density !== null) parameters.push(`d=${density}`);
  if (topology !== PLANE) parameters.push(`t=${topology}`);
  parameters.push(...rulesToParameters(rules).map(([name, text]) => `${name}=${encodeURIComponent(text)}`));
  return parameters.join("&");
}

/**
 * The position of a link.
 *
 * @param {URLSearchParams} parameters
 * @returns {Promise<Position | null>} null if the link has none
 * @throws {BadLink}
 */
export async function fromParameters(parameters) {
  const board = parameters.get("b");
  if (board === null) return null;
  checkNames([...parameters.keys()]);
  const plain = board.startsWith("~") ? await inflated(board.slice(1)) : board;
  const rows = plain.replaceAll("_", "?").split(".");
  const density = parameters.has("d") ? Number(parameters.get("d")) : null;
  const topology = parameters.get("t") ?? PLANE;
  const position = { rows, mines: minesOf(parameters.get("m")), density, topology, rules: rulesFromParameters(parameters) };
  const fault = faultOf(position);
  if (fault !== null) throw new BadLink(fault);
  return position;
}

/** A part that is not understood may be the total of mines: without it the answer is another one. */
function checkNames(names) {
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new BadLink(say("its part {part} is unknown. Leave it out.", { part: JSON.stringify(unknown.slice(0, 20)) }));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new BadLink(say("it has the part {part} twice. Keep one.", { part: JSON.stringify(twice) }));
}

function minesOf(text) {
  if (text === null || text === "") return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : NaN;
}

/** Deflated, in base64url; null in browsers that cannot. */
async function deflated(text) {
  if (typeof CompressionStream === "undefined") return null;
  try {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const base64 = btoa(String.fromCharCode(...bytes));
    return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  } catch {
    return null;
  }
}

/** The text again, of which no more is unpacked than a board may have. */
async function inflated(base64url) {
  if (typeof DecompressionStream === "undefined") {
    throw new BadLink(say("this browser cannot unpack it."));
  }
  try {
    const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return await upTo(MOST_CHARS, stream);
  } catch (error) {
    if (error instanceof BadLink) throw error;
    throw new BadLink(say("it is damaged."));
  }
}

async function upTo(most, stream) {
  const decoder = new TextDecoder();
  let text = "";
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length > most) {
      reader.cancel().catch(() => {});
      throw new BadLink(say("it is too large for this page."));
    }
  }
}
