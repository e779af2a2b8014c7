"""Which backend answers which question, and the questions as functions."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from time import perf_counter
from types import MappingProxyType
from typing import Final

from minefield.board import Board
from minefield.layout import Layout
from minefield.rules import Puzzle
from minefield.variant import Variant
from solvers import at_once
from solvers.answer import Answer, BackendRefusal
from solvers.backends.automata import Automata, Windowed
from solvers.backends.counting import Counting
from solvers.backends.cpsat import CpSat
from solvers.backends.exhaustive import Exhaustive
from solvers.backends.method import Method
from solvers.backends.position_and_rest import PositionAndRest
from solvers.backends.sat import Sat
from solvers.backends.search import Auto
from solvers.backends.variants import Variants
from solvers.composer import Composer
from solvers.counting.position import Position
from solvers.deadline import Deadline
from solvers.effort import FULL, Effort, NeedsWorker
from solvers.progress import Progress
from solvers.question import Backend, Question, Task, fresh_seed

_METHODS: Final[Mapping[Backend, Callable[[Question, Deadline, Effort], Method]]] = (
    MappingProxyType(
        {
            Backend.AUTOMATA: Automata,
            Backend.FRONTIER: Counting,
            Backend.SAT: Sat,
            Backend.CPSAT: CpSat,
            Backend.EXHAUSTIVE: Exhaustive,
        }
    )
)
#: Those that know an order of the layouts, and so draw and rank them.
_ORDERED: Final = (Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER)
#: Those that an effort bounds; only a deadline ends the others.
_BOUNDED: Final = (Backend.AUTOMATA, Backend.FRONTIER)


def answer(
    question: Question,
    deadline: Deadline | None = None,
    effort: Effort = FULL,
    keep: Callable[[Answer], None] = lambda _: None,
    progress: Progress | None = None,
    position: Position | None = None,
) -> Answer:
    """Answer a question, as far as the deadline and the effort allow.

    ``keep`` is given the answer after each part of it, for the case that the
    process does not live to return it. ``progress`` is how far less effort has got: it
    goes on from there. ``position`` is what `at_once.most_known` tells, where that is known.

    Raises:
        BackendRefusal: the backend that was asked for cannot take the board.
        WindowError: the window is not on the board, or too wide.
        NeedsWorker: it takes more than ``effort``, which excludes unbounded methods.
    """
    started = perf_counter()
    deadline = deadline or Deadline()
    progress = progress or Progress()
    if not progress.no_position and at_once.takes(question):
        position = at_once.most_known(question.board, question.mines)
        told = at_once.told(question.task, position, question.by_mines)
        if told is not None:
            told.elapsed = perf_counter() - started
            return told
        progress.no_position = True
    before = progress.answer.elapsed if progress.answer else 0.0
    try:
        method = choose(question, deadline, effort, position)
        found = Composer(question, method, deadline, effort, keep, progress).compose()
    except NeedsWorker as needs:
        needs.progress = progress
        if progress.answer:
            progress.answer.elapsed = before + perf_counter() - started
        raise
    found.elapsed = before + perf_counter() - started
    return found


def choose(
    question: Question, deadline: Deadline, effort: Effort, position: Position | None = None
) -> Method:
    """The method: that of a window, of a variant, the backend asked for, automata, else `Auto`.

    Of large boards most components are answered as those of a position.
    """
    if question.window is not None:
        return Windowed(question, deadline, effort)
    if isinstance(question.board, Variant) and question.board.beyond is not None:
        return Variants(question, deadline, effort)
    ordered = question.task is Task.SAMPLE or question.layout is not None
    if ordered and question.backend not in _ORDERED:
        raise BackendRefusal("it has no order of the layouts to draw or rank them by")
    if question.backend is not Backend.AUTO:
        if not effort.unbounded and question.backend not in _BOUNDED:
            raise NeedsWorker
        return _METHODS[question.backend](question, deadline, effort)
    if _for_automata(question):
        return Automata(question, deadline, effort)
    if question.mines is None and at_once.takes(question):
        by_parts = PositionAndRest.of(question, deadline, effort, position)
        if by_parts is not None:
            return by_parts
    return Auto(question, deadline, effort)


def _for_automata(question: Question) -> bool:
    """Whether automata answer best: strips of one row or two, or columns, without a total."""
    board = question.board
    return isinstance(board, Board) and min(board.shape) <= 2 and question.mines is None


def _plain(
    task: Task,
    board: Puzzle,
    mines: int | None,
    deadline: Deadline | None,
    by_mines: bool | None = False,
) -> Answer:
    """Answer a question without other options; of a position before a question is made of it."""
    started = perf_counter()
    position = at_once.most_known(board, mines)
    found = at_once.told(task, position, by_mines)
    if found is None:
        progress = Progress(no_position=at_once.may_be_position(board))
        question = Question(task, board, mines, by_mines=by_mines)
        return answer(question, deadline, progress=progress, position=position)
    found.elapsed = perf_counter() - started
    return found


def check(board: Puzzle, mines: int | None = None, deadline: Deadline | None = None) -> Answer:
    """Whether any layout fits, with a witness or a conflict."""
    return _plain(Task.CHECK, board, mines, deadline)


def count(
    board: Puzzle,
    mines: int | None = None,
    density: Fraction | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """How many layouts fit, in all and by number of mines; how likely with this density.

    Layouts by number of mines take longer: they are counted once they are read,
    which is None past the deadline.
    """
    if density is None:
        return _plain(Task.COUNT, board, mines, deadline, by_mines=None)
    return answer(Question(Task.COUNT, board, mines, density, by_mines=None), deadline)


def forced(board: Puzzle, mines: int | None = None, deadline: Deadline | None = None) -> Answer:
    """Which unknown cells are the same in every layout."""
    return _plain(Task.FORCED, board, mines, deadline)


def layouts(
    board: Puzzle,
    mines: int | None = None,
    offset: int = 0,
    limit: int = 100,
    layout: Layout | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """Layouts number ``offset`` to ``offset + limit - 1``, and the rank of ``layout``."""
    question = Question(Task.LAYOUTS, board, mines, offset=offset, limit=limit, layout=layout)
    return answer(question, deadline)


def sample(
    board: Puzzle,
    mines: int | None = None,
    density: Fraction | None = None,
    limit: int = 1,
    seed: int | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """So many layouts drawn at random, the same for the same ``seed`` (None: a fresh one)."""
    seed = fresh_seed() if seed is None else seed
    question = Question(Task.SAMPLE, board, mines, density, limit=limit, seed=seed)
    return answer(question, deadline)


def analyze(
    board: Puzzle,
    mines: int | None = None,
    density: Fraction | None = None,
    fractions: bool = False,
    deadline: Deadline | None = None,
) -> Answer:
    """All of these, and the chance of a mine for each unknown cell, as fractions if wanted."""
    if density is None and not fractions:
        return _plain(Task.ANALYZE, board, mines, deadline, by_mines=None)
    question = Question(Task.ANALYZE, board, mines, density, fractions=fractions, by_mines=None)
    return answer(question, deadline)
