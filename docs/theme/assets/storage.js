// What the theme's own script expects to find: values kept in the browser, for this guide alone.

window.__md_scope = new URL("..", document.currentScript.src);

window.__md_hash = (text) => {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)) | 0;
  return hash;
};

window.__md_get = (name, storage = localStorage, scope = window.__md_scope) =>
  JSON.parse(storage.getItem(`${scope.pathname}.${name}`));

window.__md_set = (name, value, storage = localStorage, scope = window.__md_scope) => {
  try {
    storage.setItem(`${scope.pathname}.${name}`, JSON.stringify(value));
  } catch {
    // Without storage, a choice lasts as long as the page.
  }
};
