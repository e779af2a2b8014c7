/**
 * Links to tabs of this page as they come back from elsewhere: escaped for HTML, or percent-encoded.
 *
 * @module shared/link-text
 */

/** The question mark of a link to a tab, encoded with all that follows it. */
const ENCODED = /#[a-z]+%3f/i;

/**
 * The link that an escaped one was made from. No link to a tab of this page has such characters itself.
 *
 * @param {string} link
 * @returns {string}
 */
export function unescapedLink(link) {
  let found = link;
  if (ENCODED.test(found)) {
    try {
      found = decodeURIComponent(found);
    } catch {
      // It was cut within a character: what is left is read, or rejected, as it is.
    }
  }
  return found.replace(/&(?:amp;|#38;|#x26;)+/gi, "&");
}
