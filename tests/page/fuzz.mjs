/**
 * A fuzzer of all on the page that reads what strangers send: pasted texts, links, saved games.
 *
 *     node tests/page/fuzz.mjs [inputs] [seed]     as many inputs, made from the corpus
 *     node tests/page/fuzz.mjs --corpus            the corpus alone
 *
 * An input is made from valid ones by changes of its characters; which, the seed decides. A reader
 * may reject it as documented; everything else is a finding, which is printed and ends the run.
 */

import { readFileSync } from "node:fs";
import { exit, argv } from "node:process";

import { fromParameters as gameOf, movesFrom, toParameters as linkOfGame } from "../../app/page/shared/game-link.js";
import { formatWhole } from "../../app/page/shared/language.js";
import { parseWhole } from "../../app/page/shared/numbers.js";
import { BadLink, fromParameters, toParameters } from "../../app/page/shared/position-link.js";
import { faultOf } from "../../app/page/shared/position.js";
import { Game } from "../../app/page/shared/undoable-game.js";
import { numbersOf, windowOf } from "../../app/page/shared/windows.js";

const CORPUS = JSON.parse(readFileSync(new URL("../corpus/page.json", import.meta.url), "utf8"));
const TOKENS = [
  ..."?#*_-+.0189BSFMxb|,;:[](){}\"'`~ \t\n\r", "\r\n", "\ufeff", "\u00a0", "\ud83d", "\u{1f4a3}", "1\ufe0f\u20e3", "\uff11", "٣",
  ":bomb:", ":one:", "||", "```", "| - |", "b=", "m=", "d=", "&", "%", "%00", "~", "played=o0", "map=", "first=0,0", "seed=1",
  "null", "-1", "1e999", "NaN", "9".repeat(30), "10^", "1e20000", "x10^3", '"__proto__"', '"board":', '"mines":1', "[[", "]]",
  "constructor", "toString", "#analyse?", "curl -d '{}'", "array(", "?".repeat(1001), "\n".repeat(30), "height=", "o1f2c3",
];

/** Each reads a text, says what became of it, and throws where it is not handled as documented. */
const READERS = {
  async link(text) {
    const position = await readOrNull([BadLink], () => fromParameters(new URLSearchParams(text)));
    if (position === null) return "rejected";
    same(faultOf(position), null);
    same(await fromParameters(new URLSearchParams(await toParameters(position))), position);
    return "read";
  },
  async game(text) {
    const parameters = new URLSearchParams(text);
    const spec = gameOf(parameters);
    if (spec === null) return "rejected";
    const moves = movesFrom(parameters, spec);
    const again = new URLSearchParams(linkOfGame(spec, moves));
    same(gameOf(again), spec);
    same(movesFrom(again, spec), moves);
    return "read";
  },
  async saved(text) {
    // The page asks for no more than that it throws: nothing is resumed then.
    const game = await readOrNull([Error], () => Game.from(JSON.parse(text)));
    if (game === null) return "rejected";
    same(JSON.stringify(Game.from(JSON.parse(JSON.stringify(game)))), JSON.stringify(game));
    return game.state;
  },
  async number(text) {
    const found = parseWhole(text);
    if (found === null) return "rejected";
    same(parseWhole(formatWhole(found)), found);
    return "read";
  },
  async window(text) {
    const rows = Array.from({ length: 7 }, () => "?".repeat(9));
    const found = windowOf(text, rows);
    if (found === null) return "rejected";
    const { row, col, height, width } = found;
    same([row + height <= 7, col + width <= 9, height > 0, width > 0], [true, true, true, true]);
    same(windowOf(numbersOf(found), rows), found);
    return "read";
  },
};

async function readOrNull(kinds, read) {
  try {
    return await read();
  } catch (error) {
    if (!kinds.some((kind) => error instanceof kind) || error instanceof RangeError) throw error;
    if (!error.message || error.message.length > 1000) throw new Error(`a message of ${error.message.length} letters`);
    return null;
  }
}

function same(one, other) {
  const written = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
  if (written(one) !== written(other)) throw new Error(`${written(one)} is not ${written(other)}`.slice(0, 2000));
}

/** Numbers below some bound, the same for the same seed (mulberry32). */
function chances(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The text with one to four changes. */
function changed(text, others, chance) {
  let found = text;
  for (let left = [1, 1, 2, 4][chance(4)]; left > 0; left -= 1) {
    const at = chance(found.length + 1);
    const end = Math.min(found.length, at + [0, 1, 1, 2, 8, 40][chance(6)]);
    const other = others[chance(others.length)];
    const put = [
      () => "",
      () => found.slice(at, end).repeat(1 + chance(3)),
      () => other.slice(chance(other.length + 1)).slice(0, 60),
      () => String.fromCharCode(chance(chance(2) ? 128 : 65536)),
      () => TOKENS[chance(TOKENS.length)],
      () => TOKENS[chance(TOKENS.length)],
    ][chance(6)]();
    found = found.slice(0, at) + put + found.slice(end);
  }
  return found.slice(0, 20_000);
}

async function tried(name, text) {
  try {
    return await READERS[name](text);
  } catch (error) {
    console.log(JSON.stringify({ reader: name, text, error: String(error) }));
    return exit(1);
  }
}

const outcomes = {};
const note = (name, outcome) => { (outcomes[name] ??= {})[outcome] = (outcomes[name][outcome] ?? 0) + 1; };
if (argv[2] === "--corpus") {
  for (const [name, texts] of Object.entries(CORPUS)) {
    for (const text of texts) note(name, await tried(name, text));
  }
} else {
  const chance = chances(Number(argv[3] ?? 1));
  const names = Object.keys(READERS);
  for (let left = Number(argv[2] ?? 100_000); left > 0; left -= 1) {
    const name = names[chance(names.length)];
    const texts = CORPUS[name];
    note(name, await tried(name, changed(texts[chance(texts.length)], texts, chance)));
  }
}
console.log(JSON.stringify(outcomes));
