/**
 * A client for minecheck, the Minesweeper consistency service, for browsers and Node from 18 on.
 *
 * Options and answers have the names of the API. Counts, offsets and seeds are BigInt, exact at any
 * size, or as the option `counts` says.
 *
 * @module minecheck
 */

/**
 * @import {
 *   AnalyzeAnswer, AskAnalyze, AskBatch, AskCertified, AskCircuit, AskCompose, AskConflicts, AskCount, AskExplain, AskExport, AskGame, AskGrade, AskLanguage, AskLayouts, AskMoves,
 *   AskPaths, AskRepair, AskReplays, AskRun, AskSample, AskSolution, AskStep, AskStrips, BatchAnswers, Board, CheckAnswer, CircuitAnswer, Clues, ComposeAnswer, ConflictsAnswer, CountAnswer, Counts,
 *   ExplainAnswer, ForcedAnswer, GameAnswer, GradeAnswer, LanguageAnswer, Layout, LayoutsAnswer, MovesAnswer, PathsAnswer, RepairAnswer, ReplaysAnswer, RunAnswer,
 *   SampleAnswer, SolutionAnswer, StepAnswer, StripsAnswer
 * } from "./types.d.ts"
 */
/** @typedef {{signal?: AbortSignal}} Signal ends the request, as in fetch; such as AbortSignal.timeout(ms) */
/** @typedef {{lines: number, problems: number, incomplete: number}} Summary */

export { Game } from "./game.js";

const JSON_TYPE = "application/json";
const LINES_TYPE = "application/x-ndjson";

/** Too many requests, or no answer for now. */
const LATER = [429, 503];
/** Milliseconds before what failed is sent again, where the service does not tell how many. */
const PAUSE = 1000;
/** Callers that would wait for longer, in milliseconds, get the problem. */
const LONGEST_PAUSE = 10_000;
/** Milliseconds before a connection is tried again, doubled each time. */
const RECONNECT = 100;

/** Characters of a part of a batch; all buffers on the way hold as many. */
const PART_CHARS = 1 << 16;
// Parts grow, so that the first answers come soon and the last ones cheaply.
const FIRST_PART = 64;
const LAST_PART = 4096;

/** Fields of answers that are integers, written as digits. */
const COUNTS = ["count", "offset", "next_offset", "rank", "seed", "accepted", "rejected"];
/** What is made of digits, by the option `counts`: never a number that is rounded. */
const READERS = {
  bigint: BigInt,
  number: (digits) => (Number.isSafeInteger(Number(digits)) ? Number(digits) : digits),
  string: String,
};

/** The service has no answer and says why (application/problem+json). */
export class MinecheckProblem extends Error {
  /**
   * @param {Record<string, any>} document what the service said
   * @param {number | null} [retryAfter] seconds
   * @param {string | null} [requestId]
   */
  constructor(document, retryAfter = null, requestId = null) {
    super([document.detail, document.fix].filter(Boolean).join(" "));
    this.name = "MinecheckProblem";
    /** @type {Record<string, any>} */
    this.document = document;
    /** @type {number} The HTTP status. */
    this.status = document.status;
    /** @type {string} */
    this.type = document.type ?? "about:blank";
    const blank = this.type === "about:blank";
    const name = blank ? document.title ?? "" : this.type.split(":").at(-1);
    /** @type {string} The end of the type, such as unknown-symbol; of a proxy, such as bad-gateway. */
    this.code = name.toLowerCase().replaceAll(" ", "-");
    /** @type {string} What is wrong. */
    this.detail = document.detail ?? "";
    /** @type {string} How to fix it. */
    this.fix = document.fix ?? "";
    /** @type {string | null} The JSON pointer to the value at fault. */
    this.pointer = document.pointer ?? null;
    /** @type {number | null} */
    this.row = document.row ?? null;
    /** @type {number | null} */
    this.col = document.col ?? null;
    /** @type {number | null} The number of the board in a batch. */
    this.line = document.line ?? null;
    /** @type {number | null} Seconds after which it may be asked again. */
    this.retryAfter = retryAfter;
    /** @type {string | null} By which the logs of the service know the request. */
    this.requestId = requestId;
  }
}

/** A stream ended before all was said; what came before holds. */
export class MinecheckIncomplete extends Error {
  /**
   * @param {Counts[keyof Counts]} nextOffset the offset of the next layout, how many conflicts there
   *   were, or how many boards have an answer; read as all counts are
   * @param {boolean | null} [consistent] whether any layout fits, if that is known
   */
  constructor(nextOffset, consistent = null) {
    super("The stream ended early: nextOffset says how far it came.");
    this.name = "MinecheckIncomplete";
    /** @type {Counts[keyof Counts]} */
    this.nextOffset = nextOffset;
    /** @type {boolean | null} */
    this.consistent = consistent;
  }
}

/** There was no response; `fetch` does not say why. */
export class MinecheckUnreachable extends TypeError {
  /**
   * @param {string} url
   * @param {unknown} cause what `fetch` rejected with
   */
  constructor(url, cause) {
    super([`The service cannot be reached: no response from ${url}.`, ...explainCors(url)].join(" "), { cause });
    this.name = "MinecheckUnreachable";
  }
}

/**
 * Questions to a service.
 *
 * @template {keyof Counts} [Kind="bigint"]
 */
export class Minecheck {
  #url;
  #key;
  #fetch;
  #retries;
  #read;

  /**
   * What the service is too busy for (503, 429), and connections that fail, are tried `retries`
   * times more; a part of a batch only as long as none of its answers has come.
   *
   * All methods reject with a MinecheckProblem where the service has no answer, with a
   * MinecheckUnreachable without a connection (or without CORS), and with the signal's reason.
   *
   * @param {string | URL} url where the service is
   * @param {{key?: string, fetch?: typeof globalThis.fetch, retries?: number, counts?: Kind}} [how] an API
   *   key; who fetches; what counts, offsets and seeds are read as: "bigint", the default,
   *   "number", which leaves digits above 2^53 - 1 as they are, or "string"
   */
  constructor(url, { key, fetch = globalThis.fetch.bind(globalThis), retries = 2, counts = /** @type {Kind} */ ("bigint") } = {}) {
    if (!Object.hasOwn(READERS, counts)) {
      throw new TypeError(`counts is "${counts}"; it should be one of ${Object.keys(READERS).join(", ")}.`);
    }
    this.#url = String(url).replace(/\/+$/, "");
    this.#key = key;
    this.#fetch = fetch;
    this.#retries = retries;
    this.#read = READERS[counts];
  }

  /**
   * Is any layout consistent with the board?
   *
   * @param {Board | null} board null with rules
   * @param {AskCertified & Signal} [options]
   * @returns {Promise<CheckAnswer>}
   */
  check(board, options) {
    return this.#ask("check", board, options);
  }

  /**
   * How many layouts are there?
   *
   * @param {Board | null} board
   * @param {AskCount & Signal} [options]
   * @returns {Promise<CountAnswer<Counts[Kind]>>}
   */
  count(board, options) {
    return this.#ask("count", board, options);
  }

  /**
   * Which cells are the same in every layout?
   *
   * @param {Board | null} board
   * @param {AskCertified & Signal} [options]
   * @returns {Promise<ForcedAnswer>}
   */
  forced(board, options) {
    return this.#ask("forced", board, options);
  }

  /**
   * All of these, and the chance of a mine in each unknown cell.
   *
   * @param {Board | null} board
   * @param {AskAnalyze & Signal} [options]
   * @returns {Promise<AnalyzeAnswer<Counts[Kind]>>}
   */
  analyze(board, options) {
    return this.#ask("analyze", board, options);
  }

  /**
   * The layouts, a page of them.
   *
   * @param {Board | null} board
   * @param {AskLayouts & Signal} [options]
   * @returns {Promise<LayoutsAnswer<Counts[Kind]>>}
   */
  layouts(board, options) {
    return this.#ask("layouts", board, options);
  }

  /**
   * Layouts drawn at random.
   *
   * @param {Board | null} board
   * @param {AskSample & Signal} [options]
   * @returns {Promise<SampleAnswer<Counts[Kind]>>}
   */
  sample(board, options) {
    return this.#ask("sample", board, options);
  }

  /**
   * Why are cells forced, or why is the board inconsistent?
   *
   * @param {Board | null} board
   * @param {AskExplain & Signal} [options]
   * @returns {Promise<ExplainAnswer>}
   */
  explain(board, options) {
    return this.#ask("explain", board, options);
  }

  /**
   * All minimal sets of clues that contradict each other, the smallest first.
   *
   * @param {Board | null} board
   * @param {AskConflicts & Signal} [options]
   * @returns {Promise<ConflictsAnswer>}
   */
  conflicts(board, options) {
    return this.#ask("conflicts", board, options);
  }

  /**
   * The fewest clues to change to make the board consistent.
   *
   * @param {Board | null} board
   * @param {AskRepair & Signal} [options]
   * @returns {Promise<RepairAnswer>}
   */
  repair(board, options) {
    return this.#ask("repair", board, options);
  }

  /**
   * Which cell is best to open next, and the chances to win; `mines` is required.
   *
   * @param {Board} board
   * @param {AskMoves & Signal} options
   * @returns {Promise<MovesAnswer>}
   */
  moves(board, options) {
    return this.#ask("moves", board, options);
  }

  /**
   * The fewest clues that keep what a board tells, and what best to reveal.
   *
   * @param {Board} board
   * @param {AskCompose & Signal} [options]
   * @returns {Promise<ComposeAnswer>}
   */
  compose(board, options) {
    return this.#ask("compose", board, options);
  }

  /**
   * What the clues in a window say about the cells in it.
   *
   * @param {Board} board
   * @param {AskStrips & Signal} options with a window
   * @returns {Promise<StripsAnswer<Counts[Kind]>>}
   */
  strips(board, options) {
    return this.#ask("strips", board, options);
  }

  /**
   * A board to play; `rows`, `cols` and `mines` are required.
   *
   * @param {AskGame & Signal} options
   * @returns {Promise<GameAnswer<Counts[Kind]>>}
   */
  boards(options) {
    return this.#ask("boards", null, options);
  }

  /**
   * How hard a map is: its `layout` with the `first` click, or a `file`.
   *
   * @param {AskGrade & Signal} options
   * @returns {Promise<GradeAnswer>}
   */
  grade(options) {
    return this.#ask("grade", null, options);
  }

  /**
   * A replay of another program, reviewed: its `file` is the bytes in Base64.
   *
   * @param {AskReplays & Signal} options
   * @returns {Promise<ReplaysAnswer>}
   */
  replays(options) {
    return this.#ask("replays", null, options);
  }

  /**
   * What an automaton such as "hu-lin" does with a board, column by column.
   *
   * @param {string} machine
   * @param {Board} board
   * @param {AskRun & Signal} [options]
   * @returns {Promise<RunAnswer>}
   */
  run(machine, board, options) {
    return this.#ask(`automata/${machine}/run`, board, options);
  }

  /**
   * The accepted and rejected paths of an automaton over a board.
   *
   * @param {string} machine
   * @param {Board} board
   * @param {AskPaths & Signal} [options]
   * @returns {Promise<PathsAnswer<Counts[Kind]>>}
   */
  paths(machine, board, options) {
    return this.#ask(`automata/${machine}/paths`, board, options);
  }

  /**
   * The states of an automaton after one more `column`, which is required.
   *
   * @param {string} machine
   * @param {AskStep & Signal} options
   * @returns {Promise<StepAnswer>}
   */
  step(machine, options) {
    return this.#ask(`automata/${machine}/step`, null, options);
  }

  /**
   * Consistent boards of a size, counted, in order or at random; `rows` and `cols` are required.
   *
   * @param {AskLanguage & Signal} options
   * @returns {Promise<LanguageAnswer<Counts[Kind]>>}
   */
  languages(options) {
    return this.#ask("languages", null, options);
  }

  /**
   * A Boolean formula as a board, whose layouts are its satisfying assignments; `formula` is required.
   *
   * @param {AskCircuit & Signal} options
   * @returns {Promise<CircuitAnswer>}
   */
  circuits(options) {
    return this.#ask("circuits", null, options);
  }

  /**
   * The board in a format of other solvers; `into` is required.
   *
   * @param {Board | null} board
   * @param {AskExport & Signal} options
   * @returns {Promise<string>}
   */
  async export(board, { signal, request_id, ...fields }) {
    const response = await this.reach("v1/export", { signal, request_id, ...requestOf({ ...fields, board }) });
    return response.text();
  }

  /**
   * What a solver printed for an exported board, `output`, as a layout.
   *
   * @param {Board | null} board
   * @param {AskSolution & Signal} options
   * @returns {Promise<SolutionAnswer>}
   */
  solution(board, options) {
    return this.#ask("solution", board, options);
  }

  /**
   * What a route answers in JSON that has no method here: "games", "formats".
   *
   * @param {string} route below /v1/
   * @param {object | string | Blob | Uint8Array} [body] a question; texts and bytes go as they
   *   are; without any, the route is read (GET)
   * @param {{signal?: AbortSignal, request_id?: string | null}} [how]
   * @returns {Promise<any>}
   */
  async ask(route, body, how) {
    const response = await this.reach(`v1/${route}`, { ...how, ...requestOf(body) });
    return answer(await response.text(), this.#read);
  }

  /**
   * The response to any request, asked for again as questions are: it must be one that may be.
   *
   * @param {string} path below the URL of the service, such as "v1/automata/kadlac?format=svg"
   * @param {{method?: string, headers?: Record<string, string>, body?: RequestInit["body"],
   *   signal?: AbortSignal, request_id?: string | null}} [how]
   * @returns {Promise<Response>} its body still to come
   */
  async reach(path, { headers, request_id, ...how } = {}) {
    const named = { ...headers };
    if (this.#key != null) named.Authorization = `Bearer ${this.#key}`;
    if (request_id != null) named["X-Request-ID"] = request_id;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await this.#response(`${this.#url}/${path}`, { ...how, headers: named });
        if (response.ok) return response;
        throw await problem(response);
      } catch (error) {
        const pause = attempt < this.#retries && !how.signal?.aborted ? pauseBefore(error, attempt) : null;
        if (pause === null) throw error;
        await slept(pause, how.signal);
      }
    }
  }

  /**
   * All layouts, one after the other, or `limit` of them from `offset` on. Nothing is sent before
   * the first is asked for. Throws MinecheckIncomplete if the deadline cuts the stream short.
   *
   * @param {Board | null} board
   * @param {AskLayouts & Signal} [options]
   * @returns {AsyncGenerator<Layout, void, void>}
   */
  async *layoutsStream(board, options = {}) {
    for await (const layout of this.#lines("layouts", board, options)) {
      if ("complete" in layout) {
        throw new MinecheckIncomplete(this.#read(layout.next_offset), layout.consistent);
      }
      yield layout;
    }
  }

  /**
   * All conflicts, the smallest first, each as soon as it is found, or `limit` of them. Nothing is
   * sent before the first is asked for. Throws MinecheckIncomplete if the deadline cuts the stream short.
   *
   * @param {Board | null} board
   * @param {AskConflicts & Signal} [options]
   * @returns {AsyncGenerator<Clues, void, void>}
   */
  async *conflictsStream(board, options = {}) {
    let last = { complete: false, consistent: null };
    let found = 0;
    for await (const conflict of this.#lines("conflicts", board, options)) {
      if ("complete" in conflict) last = conflict;
      else {
        found += 1;
        yield conflict;
      }
    }
    if (!last.complete) throw new MinecheckIncomplete(this.#read(String(found)), found ? false : last.consistent);
  }

  /**
   * What a question is answered line by line.
   *
   * @param {string} task
   * @param {Board | null} board
   * @param {Record<string, any>} options
   */
  async *#lines(task, board, { signal, request_id, ...fields }) {
    const headers = { "Content-Type": JSON_TYPE, Accept: LINES_TYPE };
    const how = { method: "POST", headers, body: toJson({ ...fields, board }), signal, request_id };
    for await (const line of lines(await this.reach(`v1/${task}`, how))) yield JSON.parse(line);
  }

  /**
   * An answer for each board, in their order; a MinecheckProblem in place of it is not thrown.
   *
   * Not every browser can send a body while it is being made, or read while it sends. So boards,
   * which are taken as they are needed, go in parts of at most 65536 characters (64 boards first,
   * then more), each a request; the answers are read as they come. Options hold for all boards
   * that do not say otherwise. A `summary` is counted up as the answers come.
   *
   * @template {keyof BatchAnswers<any>} Task
   * @param {Task} task
   * @param {Iterable<Board | object> | AsyncIterable<Board | object>} boards boards, or objects
   *   with a board (or rules) and options
   * @param {AskBatch & Signal & {summary?: Partial<Summary>}} [options]
   * @returns {AsyncGenerator<BatchAnswers<Counts[Kind]>[Task] | MinecheckProblem, void, void>}
   */
  async *batch(task, boards, options = {}) {
    const { signal, request_id, summary = {}, ...fields } = options;
    Object.assign(summary, { lines: 0, problems: 0, incomplete: 0, ...summary });
    const path = `v1/batch?${query({ task, ...fields })}`;
    const headers = { "Content-Type": LINES_TYPE, Accept: LINES_TYPE };
    for await (const part of parts(boards)) {
      const how = { method: "POST", headers, body: part.body, signal, request_id };
      const response = await this.reach(path, how);
      let count = 0;
      for await (const line of lines(response)) {
        const found = readAnswer(line, part.first + count, response, this.#read);
        count += 1;
        countAnswer(summary, found);
        yield found;
      }
      if (count < part.size) throw new MinecheckIncomplete(this.#read(String(part.first + count)));
    }
  }

  async #response(url, how) {
    try {
      return await this.#fetch(url, how);
    } catch (error) {
      throw error instanceof TypeError ? new MinecheckUnreachable(url, error) : error;
    }
  }

  /** @param {string} task @param {Board | null} board @param {Record<string, any>} [options] */
  #ask(task, board, { signal, request_id, ...fields } = {}) {
    return this.ask(task, { ...fields, board }, { signal, request_id });
  }
}

/**
 * The request by which `ask` sends a body, if there is one; fetch itself tells the types of texts and blobs.
 *
 * @param {any} body
 * @returns {{method?: string, headers: Record<string, string>, body?: RequestInit["body"]}}
 */
function requestOf(body) {
  const headers = { Accept: JSON_TYPE };
  if (body == null) return { headers };
  const whole = typeof body === "string" || body instanceof Blob || ArrayBuffer.isView(body);
  if (whole) return { method: "POST", headers, body: /** @type {BodyInit} */ (body) };
  return { method: "POST", headers: { ...headers, "Content-Type": JSON_TYPE }, body: toJson(body) };
}

/** Fields of a request as JSON, with offsets of any size. */
function toJson(fields) {
  const given = Object.entries(fields).filter(([, value]) => value != null);
  return JSON.stringify(Object.fromEntries(given), (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

/** Options as the query of a batch has them. */
function query(fields) {
  const given = Object.entries(fields).filter(([, value]) => value != null);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** Boards, as they come, in parts. */
async function* parts(boards) {
  /** @type {string[]} */
  let rows = [];
  let [chars, first, most] = [0, 0, FIRST_PART];
  const cut = () => {
    const part = { first, size: rows.length, body: rows.join("") };
    first += rows.length;
    most = Math.min(2 * most, LAST_PART);
    [rows, chars] = [[], 0];
    return part;
  };
  for await (const board of boards) {
    const alone = typeof board === "string" || Array.isArray(board);
    const line = `${toJson(alone ? { board } : board)}\n`;
    if (rows.length && chars + line.length > PART_CHARS) yield cut();
    rows.push(line);
    chars += line.length;
    if (rows.length >= most || chars >= PART_CHARS) yield cut();
  }
  if (rows.length) yield cut();
}

/** The lines of a body, as they come; who stops reading them ends the request. */
async function* lines(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const [head, ...others] = decoder.decode(value, { stream: true }).split("\n");
      rest.push(head);
      for (const next of others) {
        yield rest.join("");
        rest = [next];
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** An answer, with its counts and its seed read. */
function answer(text, read) {
  const found = JSON.parse(text);
  for (const name of COUNTS) {
    if (typeof found[name] === "string") found[name] = read(found[name]);
  }
  if (found.by_mines != null) {
    const counts = Object.entries(found.by_mines).map(([mines, n]) => [mines, read(n)]);
    found.by_mines = Object.fromEntries(counts);
  }
  if (found.approximate != null) found.approximate.count = read(found.approximate.count);
  for (const path of found.paths ?? []) {
    if (typeof path.layouts === "string") path.layouts = read(path.layouts);
  }
  return found;
}

/** An answer or a problem, from its line in a batch. */
function readAnswer(line, number, response, read) {
  const found = answer(line, read);
  if (!("type" in found)) return found;
  const requestId = response.headers.get("X-Request-ID");
  return new MinecheckProblem({ ...found, line: number }, null, requestId);
}

function countAnswer(summary, found) {
  summary.lines += 1;
  if (found instanceof MinecheckProblem) summary.problems += 1;
  else if (!found.solver.complete) summary.incomplete += 1;
}

/** What a response says is wrong, whoever wrote it. */
async function problem(response) {
  const text = await response.text();
  const kind = response.headers.get("Content-Type") ?? "";
  const isProblem = kind.startsWith("application/problem+json");
  const stated = isProblem ? JSON.parse(text) : { detail: text.slice(0, 200) };
  const wait = response.headers.get("Retry-After");
  const retryAfter = /^[0-9]+$/.test(wait ?? "") ? Number(wait) : null;
  const document = { title: response.statusText, ...stated, status: response.status };
  return new MinecheckProblem(document, retryAfter, response.headers.get("X-Request-ID"));
}

/** What a page of another origin can do where it has no response, if that is what asks. */
function explainCors(url) {
  const origin = globalThis.location?.origin;
  if (origin === undefined || origin === new URL(url, location.href).origin) return [];
  const fix =
    origin === "null"
      ? "Pages that are opened as files have no origin: serve this one over HTTP."
      : `Start the service with MINECHECK_CORS_ORIGINS=${origin} (several go between commas).`;
  return [`If it is running, CORS is the likely cause: it does not answer pages of ${origin}. ${fix}`];
}

/** Milliseconds until what failed is sent again, null if it is not. */
function pauseBefore(error, attempt) {
  if (error instanceof TypeError) return RECONNECT * 2 ** attempt;
  if (!(error instanceof MinecheckProblem) || !LATER.includes(error.status)) return null;
  // Pages of other origins see Retry-After only where the service lets them.
  const pause = error.retryAfter === null ? PAUSE : 1000 * error.retryAfter;
  return pause <= LONGEST_PAUSE ? pause : null;
}

/** Sleep, or reject with the signal's reason as soon as it aborts. */
function slept(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const ended = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve(undefined);
    }, milliseconds);
    signal?.addEventListener("abort", ended, { once: true });
  });
}
