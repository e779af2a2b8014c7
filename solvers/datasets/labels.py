"""Positions of many games with all that is known of them.

A game is played by opening a cell that is least likely to be a mine, any of them with the same
chance. Each position before such a click is one of the data. What is found depends on the kind of
the boards and on the seed alone: there is no deadline, so that a slow machine finds the same.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, UNKNOWN, Board
from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import NONE, count_least_clicks, find_openings
from minecheck.solvers.datasets.symmetry import DataSplit, choose_split, make_key
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.environment.dealing import DealtBoards, wrap_seed
from minecheck.solvers.environment.games import GameBatch, Reward
from minecheck.solvers.environment.truth import solve_games
from minecheck.solvers.games.proved_play import GradedPlay
from minecheck.solvers.library.questions import explain
from minecheck.solvers.play.moves import Adviser
from minecheck.solvers.positions.solve import solve_position
from minecheck.solvers.reasons.deduction import Level

#: The end of a game is played out where it has at most this many layouts, with this effort.
_MOST_LAYOUTS: Final = 500
_EFFORT: Final = 2_000 * _MOST_LAYOUTS

# SplitMix64, the finalizer of S. Vigna's generator of that name.
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIXES: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


@dataclass(frozen=True, slots=True)
class DatasetOptions:
    """The data: games of a kind with the seeds ``seed``, ``seed + 1`` and so on.

    ``proofs`` asks for explanations of all forced cells, which takes most of the time.
    """

    kind: DealtBoards
    seed: int = 0
    proofs: bool = False

    def __post_init__(self) -> None:
        if not self.kind.plane:
            raise ValueError("Positions are those of ordinary boards.")


@dataclass(frozen=True, slots=True)
class MapGrade:
    """The grade of a whole map; ``hardest`` is the hardest step before the first guess."""

    split: DataSplit
    guess_free: bool
    hardest: Level
    openings: int
    clicks: int


@dataclass(frozen=True, slots=True)
class LabelledPositions:
    """Positions by game and turn, with their labels; arrays have an entry for each position.

    Attributes:
        games: the number of the game, from 0.
        turns: how many clicks were made after the first one.
        cells: what is shown, int8 (positions, cells).
        chances: the exact chance of a mine in each hidden cell, NaN elsewhere, (positions, cells).
        counts: the number of layouts.
        keys: as `make_key` makes them.
        best: the best move and the chance to win with it, where the end of the game was played out.
        proofs: explanations as JSON; empty unless they were requested.
        grades: what is known of each map, by the number of its game.
    """

    games: NDArray[np.int64]
    turns: NDArray[np.int32]
    cells: NDArray[np.int8]
    chances: NDArray[np.float64]
    counts: list[int]
    keys: list[int]
    best: list[tuple[int, float] | None]
    proofs: list[str]
    grades: dict[int, MapGrade]


def label_games(options: DatasetOptions, numbers: range) -> LabelledPositions:
    """Play games, and label their positions.

    Args:
        options: what the games are.
        numbers: the numbers of the games, ascending.
    """
    kind = options.kind
    games, turns, cells, chances, counts = _play_games(options, numbers)
    order = np.lexsort((turns, games))
    games, turns, cells, chances = games[order], turns[order], cells[order], chances[order]
    counts = [counts[index] for index in order.tolist()]
    boards = [_make_board(kind, row) for row in cells]
    proofs = [_explain(board, kind.mines) for board in boards] if options.proofs else []
    return LabelledPositions(
        games,
        turns,
        cells,
        np.where(cells == UNKNOWN, chances, np.nan),
        counts,
        [make_key(board.cells, kind.mines) for board in boards],
        [
            _find_best(board, kind.mines, row.reshape(board.shape), count)
            for board, row, count in zip(boards, chances, counts, strict=True)
        ],
        proofs,
        {number: _grade_map(options, number) for number in numbers},
    )


def _play_games(
    options: DatasetOptions, numbers: range
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int8], NDArray[np.float64], list[int]]:
    """Return the positions of games turn by turn: game, turn, cells, chances, count."""
    kind, games = options.kind, len(numbers)
    batch = GameBatch(kind, games, False, Reward.OUTCOME)
    seeds = np.array([wrap_seed(options.seed + number) for number in numbers], np.int64)
    batch.begin_games(np.ones(games, np.bool_), seeds)
    going = batch.legal.sum(axis=1) > kind.mines
    all_numbers = np.array(numbers, np.int64)
    parts: list[tuple[NDArray[np.int64], int, NDArray[np.int8], NDArray[np.float64]]] = []
    counts: list[int] = []
    turn = 0
    while going.any():
        shown = batch.cells[going]
        chances, layout_counts = solve_games(kind, shown)
        counts += layout_counts
        parts.append((all_numbers[going], turn, shown, chances))
        clicks = np.zeros(games, np.int64)
        clicks[going] = _choose_safest(shown, chances, seeds[going], turn)
        moves = batch.make_moves(clicks, going)
        going &= ~(moves.lost | moves.won)
        turn += 1
    size = kind.rows * kind.cols
    return (
        np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)]),
        np.repeat(
            np.arange(len(parts), dtype=np.int32), [part[0].size for part in parts] or [0][:0]
        ),
        np.concatenate([np.empty((0, size), np.int8), *(part[2] for part in parts)]),
        np.concatenate([np.empty((0, size)), *(part[3] for part in parts)]),
        counts,
    )


def _choose_safest(
    cells: NDArray[np.int8], chances: NDArray[np.float64], seeds: NDArray[np.int64], turn: int
) -> NDArray[np.int64]:
    """Return one of the safest cells of each game, any of them with nearly the same chance."""
    risks = np.where(cells == UNKNOWN, chances, 2.0)
    safest = risks == risks.min(axis=1, keepdims=True)
    words = _mix_words(seeds, turn)
    drawn = (words % safest.sum(axis=1).astype(np.uint64)).astype(np.int64)
    return np.asarray((safest.cumsum(axis=1) > drawn[:, None]).argmax(axis=1))


def _mix_words(seeds: NDArray[np.int64], turn: int) -> NDArray[np.uint64]:
    """Return a random word for each seed in a turn, the same on every machine."""
    words = seeds.astype(np.uint64) * _GOLDEN + np.uint64(turn)
    for _ in range(2):
        words = words + _GOLDEN
        for shift, factor in _MIXES:
            words = (words ^ words >> np.uint64(shift)) * np.uint64(factor)
        words ^= words >> np.uint64(31)
    return words


def _make_board(kind: DealtBoards, cells: NDArray[np.int8]) -> Board:
    return Board.read_only(cells.reshape(kind.rows, kind.cols).copy())


def _find_best(
    board: Board, mines: int, chances: NDArray[np.float64], count: int
) -> tuple[int, float] | None:
    """Return the best move of an end of a game, and the chance to win; None if it is not exact."""
    if count > _MOST_LAYOUTS:
        return None
    unknown_chances = np.where(board.unknown, chances, np.nan)
    position = solve_position(board, mines)
    ranked = Adviser(board, mines, unknown_chances, position, _EFFORT, Deadline()).rank_moves(1)
    if not ranked.complete or not ranked.moves or ranked.moves[0].win is None:
        return None
    (row, col), win = ranked.moves[0].cell, ranked.moves[0].win
    return row * board.width + col, win


def _explain(board: Board, mines: int) -> str:
    """Return why cells of a position are forced, as JSON."""
    explanations = explain(board, mines).to_dict()["explanations"]
    return orjson.dumps(explanations).decode()


def _grade_map(options: DatasetOptions, number: int) -> MapGrade:
    kind = options.kind
    seeds = np.array([wrap_seed(options.seed + number)], np.int64)
    layout = Layout((kind.deal(seeds) == MINE).reshape(kind.rows, kind.cols))
    play = GradedPlay(Game(layout, kind.opened_first), Deadline(), Level.SEARCH)
    guess_free = play.play_on()
    openings = int(find_openings(layout).max(initial=NONE)) + 1
    split = choose_split(layout.mines)
    return MapGrade(split, guess_free, play.level, openings, count_least_clicks(layout))
