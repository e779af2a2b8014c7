// Plays JSMinesweeper's own solver (https://github.com/DavidNHill/JSMinesweeper) on given boards,
// without a browser, so that it can be compared with another player game by game.
//
//     node jsminesweeper.mjs /path/to/JSMinesweeper < games.jsonl > results.jsonl
//     node jsminesweeper.mjs --positions /path/to/JSMinesweeper
//
// The second is a player for minecheck evaluate, as docs/evaluate.md has it: two lines in, the size and the
// rows of a position, one line out, the cell that it opens.
//
// In the first, each input line is a game: {"mines": ["0100...", ...], "first": [row, column]}, where '1' is a mine.
// Each output line is its result, in the same order, written as soon as the game is over:
//     {"won": true, "guesses": 3, "seconds": 0.12}
// "guesses" counts the clicks that the solver itself did not hold to be certainly safe. "stuck": true is
// added to a game that was given up (and counted as lost) because the solver opened nothing more, and
// "error" says why if it threw.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileFunction } from "node:vm";

// What JSMinesweeper's page loads, but for main.js, which is the page itself. (MinesweeperGame.js is only
// needed for its names of actions: the games are dealt and refereed here.)
const SOURCES = [
    "client/Board.js", "client/Tile.js", "client/solver_main.js", "client/solver_probability_engine.js",
    "client/Brute_force.js", "client/BruteForceAnalysis.js", "client/MinesweeperGame.js",
    "client/SolutionCounter.js", "client/EfficiencyHelper.js", "client/FiftyFiftyHelper.js",
    "client/LongTermRiskHelper.js", "Utility/PrimeSieve.js", "Utility/Binomial.js",
];

// What the solver uses of the page, without a page.
const PAGE = {
    BOMB: 9,                    // how main.js marks a mine among the values of a tile
    analysisMode: false,        // the page is playing, not analysing a position
    showMessage() {},
    async sleep() {},           // the page's pauses only let the browser draw
    console: { log() {}, warn() {}, error() {} },
    // The solver leaves out its guessing heuristics whenever its probabilities took it 50 ms. Time stands
    // still for it here, lest it plays worse, and differently each time, on a slow or busy machine.
    Date: { now: () => 0 },
};

// The options of JSMinesweeper's own measurements of its win rate (bulkRun in main.js). All other settings
// stay at their defaults, which are also the page's.
const OPTIONS = { verbose: false, advancedGuessing: true, fullProbability: true, hardcore: false };

// So many answers in a row may open nothing (the solver may only have noted mines) before we give up.
const PATIENCE = 10;

function loadSolver(folder) {
    const root = existsSync(join(folder, "Minesweeper")) ? join(folder, "Minesweeper") : folder;
    const sources = SOURCES.map((name) => readFileSync(join(root, name), "utf8"));
    // One function around all of them: they find each other's names as on the page, and PAGE's as arguments.
    const code = ['"use strict";', ...sources,
        // As main.js sets it up: exact binomial coefficients, those of small boards looked up.
        "const binomialCache = new BinomialCache(5000, 500, new Binomial(65000, 500));",
        // Parts of the solver look at the page's current board instead of the one they were given.
        "let board;",
        "function showBoard(shown) { board = shown; }",
        "return { solver, showBoard, Board, PLAY_STYLE_NOFLAGS, ACTION_FLAG, ACTION_CHORD };"].join("\n");
    return compileFunction(code, Object.keys(PAGE))(...Object.values(PAGE));
}

// A dealt game, which opens cells on the solver's board and knows when it is over.
class Game {
    constructor(mines, Board) {
        this.mines = mines.map((row) => Array.from(row, (cell) => cell === "1"));
        this.height = mines.length;
        this.width = mines[0].length;
        const mineCount = this.mines.flat().filter(Boolean).length;
        this.safeCellsLeft = this.height * this.width - mineCount;
        this.lost = false;
        this.board = new Board(0, this.width, this.height, mineCount, 0, "");
    }

    get over() {
        return this.lost || this.safeCellsLeft === 0;
    }

    neighbours(row, column) {
        const found = [];
        for (let r = Math.max(0, row - 1); r <= Math.min(this.height - 1, row + 1); r++) {
            for (let c = Math.max(0, column - 1); c <= Math.min(this.width - 1, column + 1); c++) {
                if (r !== row || c !== column) found.push([r, c]);
            }
        }
        return found;
    }

    // Opens the cell and, from a zero, all around it. Clicks on opened cells do nothing.
    click(row, column) {
        if (this.mines[row][column]) {
            this.lost = true;
            return;
        }
        const toOpen = [[row, column]];
        while (toOpen.length > 0) {
            const [r, c] = toOpen.pop();
            const tile = this.board.getTileXY(c, r);
            if (!tile.isCovered()) continue;
            const around = this.neighbours(r, c);
            const value = around.filter(([nr, nc]) => this.mines[nr][nc]).length;
            tile.setValue(value);
            this.safeCellsLeft--;
            if (value === 0) toOpen.push(...around);
        }
    }
}

async function play({ mines, first }, player) {
    const { solver, showBoard, Board, PLAY_STYLE_NOFLAGS, ACTION_FLAG, ACTION_CHORD } = player;
    const game = new Game(mines, Board);
    const options = { ...OPTIONS, playStyle: PLAY_STYLE_NOFLAGS };
    showBoard(game.board);
    let guesses = 0;
    let idleAnswers = 0;
    game.click(...first);
    while (!game.over && idleAnswers < PATIENCE) {
        const safeCellsBefore = game.safeCellsLeft;
        const { actions } = await solver(game.board, options);
        for (const [i, action] of actions.entries()) {
            if (action.action === ACTION_FLAG || action.action === ACTION_CHORD) continue;
            const isSafe = action.prob === 1;
            // As the page plays: all that is safe, or only the first if that is a guess.
            if (i > 0 && !isSafe) break;
            if (!isSafe) guesses++;
            game.click(action.y, action.x);
            if (game.over || !isSafe) break;
        }
        idleAnswers = game.safeCellsLeft < safeCellsBefore ? 0 : idleAnswers + 1;
    }
    return { won: !game.lost && game.safeCellsLeft === 0, guesses, ...(game.over ? {} : { stuck: true }) };
}

// The cell that the solver opens in a position, [row, column].
async function choose(rows, mineCount, player) {
    const { solver, showBoard, Board, PLAY_STYLE_NOFLAGS, ACTION_FLAG, ACTION_CHORD } = player;
    const board = new Board(0, rows[0].length, rows.length, mineCount, 0, "");
    for (const [r, row] of rows.entries()) {
        for (const [c, cell] of Array.from(row).entries()) {
            if (cell !== "?") board.getTileXY(c, r).setValue(Number(cell));
        }
    }
    showBoard(board);
    for (let tries = 0; tries < PATIENCE; tries++) {
        const { actions } = await solver(board, { ...OPTIONS, playStyle: PLAY_STYLE_NOFLAGS });
        const clicks = actions.filter(({ action }) => action !== ACTION_FLAG && action !== ACTION_CHORD);
        const opened = clicks.find((action) => action.prob === 1) ?? clicks[0];
        if (opened !== undefined) return [opened.y, opened.x];
    }
    throw new Error("the solver opens nothing");
}

async function answerPositions(player) {
    let size;
    for await (const line of createInterface({ input: process.stdin })) {
        if (size === undefined) {
            size = line.split(" ").map(Number);
            continue;
        }
        process.stdout.write((await choose(line.split("/"), size[2], player)).join(" ") + "\n");
        size = undefined;
    }
}

const asPlayer = process.argv[2] === "--positions";
if (process.argv.length !== (asPlayer ? 4 : 3)) {
    process.stderr.write("usage: node jsminesweeper.mjs [--positions] /path/to/JSMinesweeper < games > results\n");
    process.exit(2);
}
const player = loadSolver(process.argv.at(-1));
await player.solver();  // without a board, it only gets itself ready
if (asPlayer) {
    await answerPositions(player);
    process.exit(0);
}
for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    const game = JSON.parse(line);
    const start = performance.now();
    const result = await play(game, player).catch((error) => (
        { won: false, guesses: null, stuck: true, error: String(error) }));
    const seconds = Number(((performance.now() - start) / 1000).toFixed(4));
    process.stdout.write(JSON.stringify({ ...result, seconds }) + "\n");
}
