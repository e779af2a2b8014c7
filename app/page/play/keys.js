/**
 * Keys of a tab that work wherever the keyboard is, but where something is typed.
 *
 * @module play/keys
 */

const TYPED = "input, select, textarea, [contenteditable]";

/**
 * Let keys do something.
 *
 * @param {() => boolean} isOn whether they do at the moment
 * @param {Object<string, () => void>} actions by lower-case letters and names of keys
 */
export function onKeys(isOn, actions) {
  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey, repeat } = event;
    const name = key.length === 1 ? key.toLowerCase() : key;
    if (ctrlKey || metaKey || altKey || !Object.hasOwn(actions, name) || !isOn()) return;
    const element = /** @type {Element} */ (target);
    // A slider takes no letters, and Escape leaves what is typed as it is.
    if (key !== "Escape" && element.matches(TYPED) && !element.matches("[type='range'], [type='checkbox']")) return;
    if (element.closest("dialog[open]")) return;
    event.preventDefault();
    if (!repeat) actions[name]();
  });
}
