/**
 * Questions of which only the newest matters.
 *
 * @module latest
 */

/** Asks one question at a time: a newer one ends the older. */
export class Latest {
  /** @type {AbortController | null} */
  #asked = null;

  /**
   * What the question finds; undefined where a newer one, or `end`, came in between.
   *
   * @template Found
   * @param {(signal: AbortSignal) => Promise<Found>} question
   * @param {number} [pause] milliseconds before it is asked
   * @returns {Promise<Found | undefined>}
   */
  async ask(question, pause = 0) {
    this.end();
    const asked = new AbortController();
    this.#asked = asked;
    try {
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (asked.signal.aborted) return undefined;
      const found = await question(asked.signal);
      return asked.signal.aborted ? undefined : found;
    } catch (error) {
      if (asked.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Nothing that was asked matters any more. */
  end() {
    this.#asked?.abort();
    this.#asked = null;
  }
}
