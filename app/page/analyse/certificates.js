/**
 * Certificates: answers with all that is needed to check them, to save, and to verify in the page.
 *
 * @module analyse/certificates
 */

import { button, field, make, panel, select } from "../shared/elements.js";
import { say } from "../shared/language.js";
import { LatestRequest } from "../shared/latest-request.js";
import { several } from "../shared/numbers.js";
import { countForced, cellNames } from "../shared/phrases.js";
import { inWords } from "../shared/problem-words.js";
import { isUsual, setting } from "../shared/rules.js";
import { CertificateFault, checkLayout, checkRefutation } from "./checker.js";
import { save } from "./save.js";

/** @typedef {import("../shared/position.js").Position} Position */

/** What can be proved, by the question whose answer it proves. */
const PROVED = [
  ["forced", say("the verdict and all forced cells")],
  ["analyze", say("the count and all chances")],
];
const COUNTS =
  say("The page itself verifies verdicts and forced cells. To verify a count, save its certificate and run: minecheck verify certificate.json");

/** The panel. */
export class Certificates {
  /** @type {HTMLElement} */
  element;
  #service;
  #latest = new LatestRequest();
  /** @type {Position} */
  #position;
  #what = select(PROVED, { name: "proved" });
  #message = make("div", { role: "status", class: "verified" });

  /** @param {import("../shared/service.js").Service} service */
  constructor(service) {
    this.#service = service;
    this.element = panel(
      say("Certificate"),
      make("p", { class: "faint" }, say("Do not take the service's word for it: a certificate can be checked by anyone, without the solvers.")),
      make("div", { class: "bar" }, field(say("Prove"), this.#what)),
      make(
        "div",
        { class: "bar" },
        button(say("Verify"), () => this.#ask((answer) => this.#verify(answer)), { class: "primary" }),
        button(say("Save certificate"), () => this.#ask((answer, text) => this.#save(text))),
      ),
      this.#message,
    );
    this.element.classList.add("certificates");
  }

  /** Another board. @param {Position} position */
  about(position) {
    this.#latest.end();
    this.#position = position;
    this.#message.replaceChildren();
    // Chances of a density have no certificates, nor is the page's checker for other rules.
    this.element.hidden = position.density !== null || !isUsual(position);
  }

  /** Ask for a certificate, and do something with it. @param {(answer: any, text: string) => void} done */
  async #ask(done) {
    const { rows, mines } = this.#position;
    this.#say(say("Asking for the certificate …"));
    try {
      const found = await this.#latest.ask(async (signal) => {
        const response = await this.#service.reach(`v1/${this.#what.value}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ board: rows, ...(mines !== null && { mines }), ...setting(this.#position), certificate: true }),
          signal,
        });
        return response.text();
      });
      if (found === undefined) return;
      const answer = JSON.parse(found);
      if (answer.certificate) done(answer, found);
      else this.#say(answer.solver.note ?? say("There is no certificate."));
    } catch (error) {
      this.#say(...inWords(error));
    }
  }

  #save(text) {
    save(new Blob([text], { type: "application/json" }), "certificate.json");
    this.#say(say("Saved, {bytes}. Anyone can check it: minecheck verify certificate.json", { bytes: several(text.length, "byte") }));
  }

  #verify(answer) {
    if (this.#what.value !== "forced") {
      this.#say(COUNTS);
      return;
    }
    try {
      const facts = verified(answer, this.#position);
      const items = facts.map((fact) => make("li", {}, fact));
      this.#message.replaceChildren(
        make("p", { class: "headline", "data-kind": "yes" }, say("Verified.")),
        make("ul", {}, ...items),
        make("p", { class: "faint" }, say("Checked in this browser, by a program that has nothing in common with the solvers.")),
      );
    } catch (error) {
      if (!(error instanceof CertificateFault)) throw error;
      this.#message.replaceChildren(make("p", { class: "headline", "data-kind": "no" }, say("Rejected.")), make("p", {}, error.message));
    }
  }

  #say(...parts) {
    this.#message.replaceChildren(make("p", {}, ...parts));
  }
}

/**
 * What an answer about forced cells proves of a position, in sentences.
 *
 * @param {any} answer of /v1/forced with a certificate
 * @param {Position} position
 * @returns {string[]}
 * @throws {CertificateFault}
 */
export function verified({ consistent, forced, certificate }, { rows, mines }) {
  const parts = certificate.proofs ?? [certificate];
  if (String(certificate.board) !== String(rows) || (certificate.mines ?? null) !== mines) {
    throw new CertificateFault(say("The certificate is about another board or total."));
  }
  if (!consistent) return [noLayout(parts, rows, mines)];
  const [layout, ...proofs] = parts;
  if (layout?.claim !== "consistent") throw new CertificateFault(say("There is no layout in the certificate."));
  checkLayout(rows, mines, layout.witness);
  const clues = rows.join("").replaceAll(/\D/g, "").length;
  return [[say("A layout fits: the certificate has one."), meeting(clues, mines)].join(" "), ...cells(proofs, forced, rows, mines)];
}

/** What the layout of a certificate meets. @param {number} clues @param {number | null} mines */
function meeting(clues, mines) {
  if (mines === null) return clues === 1 ? say("It meets the one clue.") : say("It meets all {clues} clues.", { clues });
  const values = { clues, mines: several(mines, "mine") };
  return clues === 1 ? say("It meets the one clue and has {mines}.", values) : say("It meets all {clues} clues and has {mines}.", values);
}

/** That a board has no layout, as one refutation shows. */
function noLayout([proof], rows, mines) {
  if (proof?.claim !== "inconsistent") throw new CertificateFault(say("There is no refutation in the certificate."));
  const { clauses, steps } = checkRefutation(rows, mines, proof);
  const used = [...new Set([...proof.cnf.matchAll(/^c clue (\d+ \d+)$/gm)].map(([, cell]) => cell))];
  const cells = cellNames(used.map((cell) => cell.split(" ").map(Number)));
  return say("No layout fits: {clauses}, each of which follows from one clue ({cells}) or the total, contradict each other in {steps}.", {
    clauses: several(clauses, "clause"),
    cells,
    steps: several(steps, "step"),
  });
}

/** That each cell that is called forced has a refutation of its contrary. */
function cells(proofs, forced, rows, mines) {
  const shown = { mine: new Set(), safe: new Set() };
  let steps = 0;
  for (const proof of proofs) {
    steps += checkRefutation(rows, mines, proof).steps;
    shown[proof.claim]?.add(String(proof.cell));
  }
  for (const [claim, cells] of [["mine", forced.mines], ["safe", forced.safe]]) {
    const open = cells.find((cell) => !shown[claim].has(String(cell)));
    if (open) throw new CertificateFault(say("There is no proof for {cell}.", { cell: cellNames([open]) }));
  }
  if (!proofs.length) return [];
  const values = { cells: countForced(forced), steps: several(steps, "step") };
  return [say("{cells} in every layout: for each, its contrary leads to a contradiction, in {steps} altogether.", values)];
}
