/**
 * Panels of which one is shown, by tabs above them (the tabs pattern of the ARIA Authoring Practices).
 *
 * @module shared/tab-list
 */

import { button, make } from "./elements.js";

/** @typedef {{name: string, title: string, panel: HTMLElement}} TabPanel */

/** Where a key leads from a tab: its index, and how many tabs there are. @type {Object<string, (at: number, all: number) => number>} */
const MOVES = {
  ArrowLeft: (at, all) => (at + all - 1) % all,
  ArrowRight: (at, all) => (at + 1) % all,
  Home: () => 0,
  End: (_, all) => all - 1,
};

/** The tabs; of them one is chosen, and is the only one that the Tab key comes to. */
export class TabList {
  /** The row of tabs. @type {HTMLElement} */
  tabs;
  /** The panels below it, which scroll where they are given a height. @type {HTMLElement} */
  panels;
  /** @type {Map<string, {tab: HTMLButtonElement, panel: HTMLElement}>} */
  #parts = new Map();

  /**
   * @param {string} label what the tabs are about, for screen readers
   * @param {TabPanel[]} parts the first one is chosen
   */
  constructor(label, parts) {
    this.tabs = make("div", { class: "tab-list", role: "tablist", "aria-label": label });
    this.panels = make("div", { class: "tab-panels" });
    for (const { name, title, panel } of parts) {
      const [tabId, panelId] = [`${name}-tab`, `${name}-panel`];
      const attributes = { id: tabId, role: "tab", "aria-controls": panelId };
      const tab = button(title, () => this.choose(name), attributes);
      Object.assign(panel, { id: panelId, tabIndex: 0 });
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tabId);
      this.#parts.set(name, { tab, panel });
      this.tabs.append(tab);
      this.panels.append(panel);
    }
    this.tabs.addEventListener("keydown", (event) => this.#move(event));
    this.choose(parts[0].name);
  }

  /** The name of the tab that is chosen. @returns {string} */
  get chosen() {
    return [...this.#parts].find(([, { panel }]) => !panel.hidden)?.[0] ?? "";
  }

  /** Show a panel from its beginning; the keyboard stays where it is. @param {string} name */
  choose(name) {
    const changed = name !== this.chosen || this.#parts.size === 1;
    for (const [other, { tab, panel }] of this.#parts) {
      const isChosen = other === name;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
    }
    this.panels.scrollTop = 0;
    if (changed) this.panels.dispatchEvent(new CustomEvent("choose", { detail: name }));
  }

  #move(event) {
    const names = [...this.#parts.keys()];
    const lead = MOVES[event.key];
    if (!lead || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const name = names[lead(names.indexOf(this.chosen), names.length)];
    this.choose(name);
    this.#parts.get(name)?.tab.focus();
  }
}
