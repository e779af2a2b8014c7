/**
 * What is kept until the window is closed.
 *
 * @module session
 */

/**
 * Keep a value in place of the one before.
 *
 * @param {string} name
 * @param {object} value that JSON can hold
 */
export function store(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Where nothing may be stored, nothing is kept.
  }
}

/**
 * What `checked` makes of the value that was kept last.
 *
 * @template Found
 * @param {string} name
 * @param {(value: any) => Found} checked throws where it is none
 * @returns {Found | null} null if there is none that it takes: it may be damaged, or of another version
 */
export function stored(name, checked) {
  try {
    return checked(JSON.parse(sessionStorage.getItem(name)));
  } catch {
    return null;
  }
}
