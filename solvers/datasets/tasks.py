"""Questions about positions to evaluate players by, each with its exact answer and difficulty."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from minecheck.minefield.board import Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.environment.text import describe_position, prompt_move
from minecheck.solvers.library.questions import analyze, check, explain
from minecheck.solvers.reasons.deduction import LEVELS, Level

#: Tasks ask for counts of at most this many layouts.
_MOST_COUNTED: Final = 1000
#: Positions that are looked at, for each requested task of a kind and difficulty.
_LOOKED_AT: Final = 20
#: The difficulty of positions in which nothing is proved.
_NOTHING: Final = "nothing proved"


class TaskKind(StrEnum):
    """The kind of a question."""

    CONSISTENCY = "consistency"
    FORCED = "forced"
    COUNT = "count"
    CHANCE = "chance"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class EvaluationTask:
    """A question about a position.

    Attributes:
        kind: its kind.
        difficulty: the hardest step that a forced cell of the position needs.
        board: what is shown, one line a row.
        mines: the total of mines.
        prompt: the question in words, which says how to answer.
        answer: ``yes`` or ``no``; cells proved safe as ``0,3; 1,2`` or ``none``; an exact number of
            layouts; a chance; the safest cells.
        key: the key of the position that it was made from.
    """

    kind: str
    difficulty: str
    board: str
    mines: int
    prompt: str
    answer: str
    key: int


def make_tasks(positions: Iterable[tuple[Board, int, int]], each: int) -> Iterator[EvaluationTask]:
    """Yield tasks about positions, up to ``each`` of every kind and difficulty.

    Args:
        positions: boards, their totals, and their keys, which decide what chance would.
        each: the most tasks of a kind and difficulty.
    """
    task_counts: Counter[tuple[TaskKind, str]] = Counter()
    kinds = list(TaskKind)
    levels = len(Level) + 1
    for number, (board, mines, key) in enumerate(positions):
        if number >= _LOOKED_AT * each * len(kinds) * levels:
            return
        difficulty = find_difficulty(board, mines)
        for turn in range(len(kinds)):
            kind = kinds[(key + turn) % len(kinds)]
            if task_counts[kind, difficulty] >= each:
                continue
            task = make_task(kind, board, mines, key, difficulty)
            if task is not None:
                task_counts[kind, difficulty] += 1
                yield task
                break


def find_difficulty(board: Board, mines: int) -> str:
    """Return the hardest step that a forced cell of a consistent position needs."""
    explanations = explain(board, mines).explanations or []
    levels = [
        LEVELS[explanation.difficulty]
        for explanation in explanations
        if explanation.difficulty is not None
    ]
    return max(levels).label if levels else _NOTHING


def make_task(
    kind: TaskKind, board: Board, mines: int, key: int, difficulty: str
) -> EvaluationTask | None:
    """Return a task of a kind about a position; None if the position has none.

    Args:
        kind: the kind.
        board: a consistent position.
        mines: the total of mines.
        key: the number that decides which cell the task is about, or which clue is changed.
        difficulty: the difficulty of the position.
    """
    task_board, answer = board, None
    if kind is TaskKind.CONSISTENCY:
        task_board, answer = _make_verdict(board, mines, key)
        question = _CONSISTENCY
    elif kind is TaskKind.FORCED:
        safe = analyze(board, mines).forced
        answer = None if safe is None else format_cells(safe.safe)
        question = _FORCED
    elif kind is TaskKind.COUNT:
        count = analyze(board, mines).count
        answer = str(count) if count is not None and count <= _MOST_COUNTED else None
        question = _COUNT
    elif kind is TaskKind.CHANCE:
        cell, answer = _choose_chance(board, mines, key)
        question = _CHANCE.format(*cell)
    else:
        chances = analyze(board, mines).probabilities
        assert chances is not None, "without a deadline they are known"
        least = np.nanmin(chances)
        answer = format_cells([(row, col) for row, col in np.argwhere(chances == least).tolist()])
        question = ""
    if answer is None:
        return None
    prompt = prompt_move(board, mines)
    if kind is not TaskKind.MOVE:
        prompt = describe_position(task_board, mines, "position") + question
    rows = "\n".join(task_board.rows())
    return EvaluationTask(kind.value, difficulty, rows, mines, prompt, answer, key)


def format_cells(cells: Iterable[Coordinates]) -> str:
    """Return cells as ``0,3; 1,2``, or ``none``."""
    return "; ".join(f"{row},{col}" for row, col in cells) or "none"


def _make_verdict(board: Board, mines: int, key: int) -> tuple[Board, str | None]:
    """Return the board, or one that a changed clue makes inconsistent; half of them each."""
    if key >> 8 & 1:
        return board, "yes"
    clues = [(row, col) for row, col in np.argwhere(board.cells <= 8).tolist()]
    for turn in range(len(clues)):
        cell = clues[((key >> 16) + turn) % len(clues)]
        for step in (1, -1) if key >> 9 & 1 else (-1, 1):
            number = int(board.cells[cell]) + step
            if 0 <= number <= 8:
                changed = board.with_codes({cell: number})
                if check(changed, mines).consistent is False:
                    return changed, "no"
    return board, None


def _choose_chance(board: Board, mines: int, key: int) -> tuple[Coordinates, str | None]:
    """Return a cell that is not forced, if there is one, and its chance."""
    chances = analyze(board, mines).probabilities
    assert chances is not None, "without a deadline they are known"
    open_cells = np.argwhere((chances > 0) & (chances < 1)).tolist()
    if not open_cells:
        return (0, 0), None
    row, col = open_cells[(key >> 16) % len(open_cells)]
    return (row, col), repr(float(chances[row, col]))


_LAST: Final = "Write your answer on the last line: ANSWER: "
_CONSISTENCY: Final = (
    "Is there any way to place the mines that fits all numbers and the number of mines? "
    f"{_LAST}yes or no"
)
_FORCED: Final = (
    "Which hidden cells are certainly safe, however the mines are placed? A cell that is listed "
    f"and not safe costs as much as a right one gains. {_LAST}row,column; row,column … or none"
)
_COUNT: Final = (
    f"In how many ways can the mines be placed among the hidden cells? {_LAST}the number"
)
_CHANCE: Final = (
    "All placements of the mines that fit are equally likely. How likely is a mine at row {}, "
    f"column {{}}? {_LAST}a decimal, a percentage or a fraction"
)
