/**
 * Counts of any size, as people read and write them.
 *
 * @module shared/numbers
 */

import { findGroupSeparator, formatDecimal, formatWhole, say, sayCount } from "./language.js";

/** Counts with more digits are rounded, until all are asked for. */
export const MOST_DIGITS = 15;
/** Digits of the one number that a sentence is about, before it is rounded. */
const MOST_TOLD = 60;
/** The API takes no longer numbers. */
const LONGEST = 20_000;
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * All digits up to fifteen, else about how many: 1.3 × 10³⁰.
 *
 * @param {bigint} count
 * @returns {string}
 */
export function short(count) {
  const digits = String(count);
  if (digits.length <= MOST_DIGITS) return formatWhole(count);
  const rounded = Math.round(Number(digits.slice(0, 3)) / 10);
  const power = digits.length - 1 + (rounded === 100 ? 1 : 0);
  const lead = rounded === 100 ? 10 : rounded;
  const raised = [...String(power)].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return say("about {number} × 10{power}", { number: formatDecimal(lead / 10, 1), power: raised });
}

/**
 * All digits up to sixty, else about how many: for a number that has to differ from its neighbours.
 *
 * @param {bigint} number
 * @returns {string}
 */
export function precise(number) {
  return String(number).length > MOST_TOLD ? short(number) : formatWhole(number);
}

/**
 * A whole number: digits, grouped or not, or a power such as 10^30 or 1e30.
 *
 * @param {string} text
 * @returns {bigint | null} null for anything else
 */
export function parseWhole(text) {
  const plain = text.replaceAll(findGroupSeparator(), "").replace(/[\s,_'’]/g, "");
  if (/^\d+$/.test(plain)) return plain.length <= LONGEST ? BigInt(plain) : null;
  const power = /^(?:(\d{1,15})[×x*])?10\^(\d{1,5})$|^(\d{1,15})e(\d{1,5})$/i.exec(plain);
  if (power === null) return null;
  const exponent = Number(power[2] ?? power[4]);
  return exponent < LONGEST - 15 ? BigInt(power[1] ?? power[3] ?? 1) * 10n ** BigInt(exponent) : null;
}

/**
 * A random whole number from 0 on; chances differ by less than 2^-64.
 *
 * @param {bigint} below more than all of them
 * @returns {bigint}
 */
export function randomBelow(below) {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil(below.toString(16).length / 2) + 8));
  return BigInt(`0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`) % below;
}

/**
 * A number with its noun: 1 layout, 12,012 layouts.
 *
 * @param {number | bigint} count
 * @param {string} noun in English, in the singular; it is written out in the call
 * @returns {string}
 */
export function several(count, noun) {
  return sayCount(count, noun, short(BigInt(count)));
}
