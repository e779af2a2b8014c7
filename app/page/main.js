/**
 * The shell of the page: its tabs, its colours and language, and its messages.
 *
 * @module main
 */

import { ApiKey } from "./shared/api-key.js";
import { applySize } from "./shared/cell-size.js";
import { button, make } from "./shared/elements.js";
import { icon } from "./shared/icons.js";
import { say } from "./shared/language.js";
import { unescapedLink } from "./shared/link-text.js";
import { offerLanguages, translatePage } from "./shared/page-language.js";
import { inWords } from "./shared/problem-words.js";
import { Service, passing } from "./shared/service.js";
import { save, saved } from "./shared/storage.js";

/**
 * What a tab is started with.
 *
 * @typedef {object} Context
 * @property {import("./shared/service.js").Service} service
 * @property {(message: string | Error, kind?: "info" | "problem") => void} tell "" ends the last message
 * @property {(hash: string) => void} go to a tab, such as "#analyse?b=..."
 * @property {(parameters: URLSearchParams) => void} stay make the address a link to what the tab shows
 * @property {() => URLSearchParams} parameters what the tab's hash says after "?"
 * @property {(callback: (parameters: URLSearchParams) => void) => void} onParameters when it changes
 */
/** @typedef {{shown?: () => void, hidden?: () => void}} Tab */
/** @typedef {{start: (element: HTMLElement, context: Context) => Tab | void}} TabModule */

/** Titles of the tabs by their names, which their folders have. */
const TABS = { play: say("Play"), analyse: say("Analyse"), strips: say("Strips") };
const FIRST = "play";
/** Milliseconds for which a message stays that needs no action. */
const MESSAGE = 8000;
const THEME = "minecheck-colours";
/** What there is to choose from, the first until something is chosen; each has an icon. */
const THEMES = ["system", "light", "dark"];
/** What the button says of each. @type {Object<string, {shown: string, next: string}>} */
const COLOURS = {
  system: { shown: say("Colours: as in the system"), next: say("Change to system") },
  light: { shown: say("Colours: light"), next: say("Change to light") },
  dark: { shown: say("Colours: dark"), next: say("Change to dark") },
};

/** Tabs that were started, or are being. @type {Map<string, Promise<Tab | void>>} */
const started = new Map();
/** How often a tab could not be loaded. */
let failures = 0;
/** The parameters that each tab had last. @type {Map<string, string>} */
const parametersOf = new Map();
/** @type {Map<string, ((parameters: URLSearchParams) => void)[]>} */
const listeners = new Map();
const service = new Service(
  new ApiKey(/** @type {HTMLDialogElement} */ (byId("key")), /** @type {HTMLButtonElement} */ (byId("key-opener"))),
);
const tell = teller();
const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("nav a")]);
let current = "";

/** The tab that the hash names, the first if there is no such tab, and its parameters. */
function currentTab() {
  const [name, ...rest] = unescapedLink(location.hash).slice(1).split("?");
  if (Object.hasOwn(TABS, name)) return { name, query: rest.join("?") };
  if (name) history.replaceState(history.state, "", `#${FIRST}`);
  return { name: FIRST, query: "" };
}

/** @param {string} name @returns {Context} */
function contextOf(name) {
  const parameters = () => new URLSearchParams(parametersOf.get(name));
  return {
    service,
    tell,
    go: (hash) => {
      location.hash = hash;
    },
    stay: (shown) => {
      if (currentTab().name !== name) return;
      history.replaceState(history.state, "", `#${name}?${shown}`);
      // Any other link is followed, also the one that the tab began with.
      parametersOf.set(name, currentTab().query);
    },
    parameters,
    onParameters: (callback) => {
      listeners.set(name, [...(listeners.get(name) ?? []), callback]);
    },
  };
}

/** The element of index.html with an id. @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** Show the tab that the hash names; start it if it is new. */
async function show() {
  const { name, query } = currentTab();
  const changed = started.has(name) && parametersOf.get(name) !== query;
  const before = current;
  parametersOf.set(name, query);
  current = name;
  document.documentElement.dataset.tab = name;
  for (const tab of Object.keys(TABS)) byId(tab).hidden = tab !== name;
  for (const link of links) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (before) rescue(name);
  // A message that is still there is about the other tab.
  if (before && before !== name) tell("");
  document.title = `${TABS[name]} – minecheck`;
  if (before && before !== name) (await started.get(before))?.hidden?.();
  const tab = await startOnce(name);
  if (changed) for (const callback of listeners.get(name) ?? []) callback(contextOf(name).parameters());
  if (before !== name && current === name) tab?.shown?.();
}

/** Bring the keyboard to a tab's link, where it was in another tab or got lost on the way. */
function rescue(name) {
  const { activeElement } = document;
  const isLost = activeElement === document.body || activeElement?.closest("main[hidden]");
  if (isLost) links.find((link) => link.hash === `#${name}`)?.focus({ preventScroll: true });
}

/** A tab, started once. */
function startOnce(name) {
  if (!started.has(name)) started.set(name, begin(name));
  return started.get(name);
}

async function begin(name) {
  const element = byId(name);
  try {
    // Browsers may remember that an address could not be loaded: each try has an address of its own.
    const again = failures > 0 ? `?again=${failures}` : "";
    /** @type {TabModule} */
    const { start } = await import(`./${name}/tab.js${again}`);
    element.replaceChildren();
    return start(element, contextOf(name));
  } catch (error) {
    console.error(error);
    // It may load the next time.
    started.delete(name);
    failures += 1;
    const message = say("The tab {name} could not be loaded.", { name: TABS[name] });
    tell(message, "problem");
    const retry = button(say("Retry"), () => startOnce(name), { class: "primary" });
    element.replaceChildren(make("section", { class: "panel" }, make("p", {}, message), retry));
  }
}

/** The function that shows messages, which screen readers say, too. */
function teller() {
  const box = byId("message");
  const elements = { info: byId("message-info"), problem: byId("message-problem") };
  let timer = 0;
  /** The next answer outdates the message. */
  let passes = false;
  const close = () => {
    clearTimeout(timer);
    box.hidden = true;
    for (const element of Object.values(elements)) element.textContent = "";
  };
  box.querySelector("button")?.addEventListener("click", close);
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && !box.hidden) close();
  });
  service.answers.addEventListener("answer", () => {
    if (passes) close();
  });
  return (message, kind = message instanceof Error ? "problem" : "info") => {
    close();
    if (message === "") return;
    passes = message instanceof Error && passing(message);
    box.hidden = false;
    elements[kind].replaceChildren(...(message instanceof Error ? inWords(message) : [message]));
    if (kind === "info") timer = setTimeout(close, MESSAGE);
  };
}

/** Let the reader choose light or dark, and remember it where that is allowed. */
function colours() {
  const chooser = byId("theme");
  const apply = (chosen) => {
    const [, ...others] = THEMES;
    const next = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length];
    document.documentElement.dataset.theme = others.includes(chosen) ? chosen : "";
    chooser.replaceChildren(icon(chosen));
    chooser.title = COLOURS[chosen].shown;
    chooser.setAttribute("aria-label", `${COLOURS[chosen].shown}. ${COLOURS[next].next}`);
    chooser.onclick = () => {
      save(THEME, next, true);
      apply(next);
    };
  };
  apply(saved(THEME, (chosen) => (THEMES.includes(chosen) ? chosen : null), true) ?? THEMES[0]);
}

translatePage(document);
offerLanguages(/** @type {HTMLSelectElement} */ (byId("language")));
colours();
applySize();
document.addEventListener("reason", (event) => tell(/** @type {CustomEvent} */ (event).detail));
addEventListener("hashchange", show);
for (const link of links) {
  link.addEventListener("click", (event) => {
    if (location.hash !== link.hash) return;
    // The hash does not change: a tab that could not be loaded is tried again.
    event.preventDefault();
    show();
  });
}
show();
// Without a network the page opens as it was kept; where that is not allowed, it needs one.
addEventListener("load", () => navigator.serviceWorker?.register("service-worker.js").catch(() => {}));
