/**
 * Fields for the rules that a board has beside the usual ones.
 *
 * @module analyse/rules-fields
 */

import { field, make, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { hasRules, withNumbers } from "../shared/rules.js";

/** @typedef {import("../shared/position-history.js").PositionHistory} PositionHistory */

/** The most that each field takes. */
const [MOST_LAYERS, MOST_MINES, MOST_LIES] = [100, 9, 99];

/**
 * The fields, which open by themselves where a board has such rules.
 *
 * @param {PositionHistory} history
 * @returns {HTMLElement}
 */
export function rulesFields(history) {
  const number = (name, min, max) => make("input", { type: "number", name, min, max });
  const layers = number("layers", 1, MOST_LAYERS);
  const mines = number("mines-per-cell", 1, MOST_MINES);
  const lies = number("lies", 0, MOST_LIES);
  const bound = select([["lies", say("exactly")], ["most_lies", say("at most")]], { name: "lies-bound", "aria-label": say("Wrong clues: exactly or at most so many") });
  const element = make(
    "details",
    { class: "rules" },
    make("summary", {}, say("Other rules")),
    make("div", { class: "bar fields" }, field(say("Layers"), layers), field(say("Mines in a cell, at most"), mines), field(say("Wrong clues"), lies), bound),
  );
  const shown = () => {
    const { rules = {} } = history.position;
    if (hasRules(rules)) element.open = true;
    [layers.value, mines.value] = [String(rules.layers ?? 1), String(rules.mines_per_cell ?? 1)];
    lies.value = String(rules.lies ?? rules.most_lies ?? 0);
    if (rules.lies) bound.value = "lies";
    else if (rules.most_lies) bound.value = "most_lies";
  };
  const changed = () => {
    const fields = [layers, mines, lies];
    if (!fields.every((input) => input.reportValidity() && Number.isInteger(input.valueAsNumber))) {
      shown();
      return;
    }
    const above = (input, least) => (input.valueAsNumber >= least ? input.valueAsNumber : null);
    const numbers = { layers: above(layers, 2), mines_per_cell: above(mines, 2), lies: null, most_lies: null };
    const rules = withNumbers(history.position.rules ?? {}, { ...numbers, [bound.value]: above(lies, 1) });
    history.change({ rules });
  };
  for (const input of [layers, mines, lies, bound]) input.addEventListener("change", changed);
  history.addEventListener("change", shown);
  shown();
  return element;
}
