/**
 * What the browser keeps until the tab is closed.
 *
 * @module shared/storage
 */

/**
 * Save a value in place of the one before.
 *
 * @param {string} name
 * @param {unknown} value that JSON can hold
 */
export function save(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Where storage is blocked or full, nothing is saved.
  }
}

/**
 * The value that was saved last, as `checked` returns it.
 *
 * @template Found
 * @param {string} name
 * @param {(value: any) => Found} checked throws where the value is damaged, or of another version
 * @returns {Found | null} null where nothing was saved, or nothing that is valid
 */
export function saved(name, checked) {
  try {
    return checked(JSON.parse(sessionStorage.getItem(name)));
  } catch {
    return null;
  }
}
