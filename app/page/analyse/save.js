/**
 * Saving what the page has made as a file.
 *
 * @module analyse/save
 */

import { make } from "../shared/elements.js";

/**
 * @param {Blob} blob
 * @param {string} name of the file
 */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  // By then the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
