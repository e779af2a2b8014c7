/**
 * What the browser keeps until the tab is closed, or lastingly.
 *
 * @module shared/storage
 */

/**
 * Save a value in place of the one before.
 *
 * @param {string} name
 * @param {unknown} value that JSON can hold
 * @param {boolean} [lasting] beyond the tab
 */
export function save(name, value, lasting = false) {
  try {
    storage(lasting).setItem(name, JSON.stringify(value));
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
 * @param {boolean} [lasting] beyond the tab
 * @returns {Found | null} null where nothing was saved, or nothing that is valid
 */
export function saved(name, checked, lasting = false) {
  try {
    return checked(JSON.parse(storage(lasting).getItem(name) ?? "null"));
  } catch {
    return null;
  }
}

/** Where values are kept; to ask for it throws where that is blocked. */
function storage(lasting) {
  return lasting ? localStorage : sessionStorage;
}
