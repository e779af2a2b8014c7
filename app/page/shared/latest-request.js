/**
 * Requests of which only the latest matters.
 *
 * @module shared/latest-request
 */

/** Makes one request at a time: a newer one ends the older. */
export class LatestRequest {
  /** @type {AbortController | null} */
  #controller = null;

  /**
   * What a request finds; undefined where a newer one, or `end`, came in between.
   *
   * @template Found
   * @param {(signal: AbortSignal) => Promise<Found>} request
   * @param {number} [pause] milliseconds before it is made
   * @returns {Promise<Found | undefined>}
   */
  async ask(request, pause = 0) {
    this.end();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (controller.signal.aborted) return undefined;
      const found = await request(controller.signal);
      return controller.signal.aborted ? undefined : found;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }

  /** What is under way does not matter any more. */
  end() {
    this.#controller?.abort();
    this.#controller = null;
  }
}
