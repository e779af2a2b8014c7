/**
 * Boards as chats have them: emoji and their names, spoilers, wide digits.
 *
 * @module analyse/chat-symbols
 */

const NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/** Names of emoji between colons, and what they are on a board. @type {[RegExp, string][]} */
const NAMED = [
  ...NAMES.map((name, digit) => /** @type {[RegExp, string]} */ ([new RegExp(`:${name}:`, "g"), String(digit)])),
  [/:(?:bomb|boom):/g, "B"],
  [/:triangular_flag(?:_on_post)?:/g, "F"],
  [/:(?:[a-z]+_)?(?:large_|medium_|small_)?(?:square|square_button):/g, "?"],
];

/** Emoji, and what they are on a board; a square is a cell that is not open. @type {[RegExp, string][]} */
const EMOJI = [
  // A digit on a key is followed by a mark or two that belong to it.
  [/([0-8])\ufe0f?\u20e3/gu, "$1"],
  [/[\u{1f4a3}\u{1f4a5}]\ufe0f?/gu, "B"],
  [/[\u{1f6a9}\u2690\u2691]\ufe0f?/gu, "F"],
  [/[\u00b7\u2022\u2219\u22c5]/gu, "."],
  [/[\u2588\u2591-\u2593\u25a2\u25a3\u2b1b\u2b1c\u25a0\u25a1\u25fb\u25fc\u25fd\u25fe\u2753\u2754\u{1f7e5}-\u{1f7eb}\u{1f532}\u{1f533}]\ufe0f?/gu, "?"],
];

/**
 * A text with symbols of the standard notation in place of those.
 *
 * @param {string} text
 * @returns {{text: string, chat: boolean, left: string[]}} whether there were any, and what was left out
 */
export function plain(text) {
  let found = text;
  for (const [chat, symbol] of [...NAMED, ...EMOJI]) found = found.replace(chat, symbol);
  // Wide forms of digits, letters and signs lie as far from the others.
  found = found.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
  const hidden = isHidden(found);
  return {
    text: hidden ? found.replaceAll("||", "") : found,
    chat: found !== text,
    left: hidden ? ["the spoilers"] : [],
  };
}

/** Whether a text has spoilers: pairs of bars in each line, or around it all; else a field is empty between two. */
function isHidden(text) {
  const bars = (line) => line.split("||").length - 1;
  const around = /^\s*\|\|[^]*\|\|\s*$/.test(text) && bars(text) === 2;
  return text.includes("||") && (around || text.split("\n").every((line) => bars(line) % 2 === 0));
}
