"""Routing: the backend that answers a question."""

from collections.abc import Callable, Mapping
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final

from minecheck.minefield.board import Board
from minecheck.minefield.variant import Variant
from minecheck.solvers import position_answers
from minecheck.solvers.answer import Answer, BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.backends.automata import Automata, Windowed
from minecheck.solvers.backends.clause_counting import ApproxMc, Ganak
from minecheck.solvers.backends.counting import Counting
from minecheck.solvers.backends.cpsat import CpSat
from minecheck.solvers.backends.exhaustive import Exhaustive
from minecheck.solvers.backends.method import Method
from minecheck.solvers.backends.position_and_rest import PositionAndRest
from minecheck.solvers.backends.sat import Sat
from minecheck.solvers.backends.stages import PositionsAlone, PropagationAlone, SearchAlone
from minecheck.solvers.backends.variants import Variants
from minecheck.solvers.composer import Composer
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import FULL, Effort, NeedsMoreEffort
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question

_METHODS: Final[Mapping[Backend, Callable[[Question, Deadline, Effort], Method]]] = (
    MappingProxyType(
        {
            Backend.AUTOMATA: Automata,
            Backend.FRONTIER: Counting,
            Backend.SAT: Sat,
            Backend.CPSAT: CpSat,
            Backend.EXHAUSTIVE: Exhaustive,
            Backend.PROPAGATION: PropagationAlone,
            Backend.POSITIONS: PositionsAlone,
            Backend.SEARCH: SearchAlone,
            Backend.GANAK: Ganak,
            Backend.APPROXMC: ApproxMc,
        }
    )
)


def answer_question(
    question: Question,
    deadline: Deadline | None = None,
    effort: Effort = FULL,
    keep: Callable[[Answer], None] = lambda _: None,
    progress: Progress | None = None,
) -> Any:
    """Answer a question as far as deadline and effort allow.

    Args:
        question: the question.
        deadline: when to stop; None for never.
        effort: how much may be spent.
        keep: a function that is given the answer after each part of it, for the case that the
            process does not live to return it.
        progress: how far less effort has got, from where this goes on.

    Returns:
        An answer of the question's ``answer_type``.

    Raises:
        BackendError: the requested backend cannot take the board.
        WindowError: the window is not on the board, or too wide.
        NeedsMoreEffort: it takes more than ``effort``, which excludes unbounded methods.
    """
    started = perf_counter()
    deadline = deadline or Deadline()
    progress = progress or Progress()
    position = position_answers.look_at_position(question, progress)
    answer = position_answers.answer_from_position(type(question), position, question.by_mines)
    if answer is not None:
        answer.elapsed = perf_counter() - started
        return answer
    before = progress.answer.elapsed if progress.answer else 0.0
    try:
        method = choose_method(question, deadline, effort, progress)
        composed = Composer(question, method, deadline, effort, keep, progress).compose()
    except BackendError as error:
        if error.choices:
            raise
        raise question.make_backend_error(
            f"The backend {question.backend} cannot answer for this board: {error}."
        ) from None
    except NeedsMoreEffort as needs:
        needs.progress = progress
        if progress.answer:
            progress.answer.elapsed = before + perf_counter() - started
        raise
    composed.elapsed = before + perf_counter() - started
    return composed


def choose_method(
    question: Question, deadline: Deadline, effort: Effort, progress: Progress
) -> Method:
    """Choose the method: for a window, for a variant, the backend, automata, else `Auto`.

    Of large boards most components are answered as those of a position, which
    `position_answers.look_at_position` has noted in ``progress``.

    Args:
        question: the question.
        deadline: when the method has to stop.
        effort: how much it may spend.
        progress: how far less effort has got.

    Raises:
        BackendError: the backend has no order of layouts, and the question needs one.
        NeedsMoreEffort: an effort with bounds is not enough, whatever the board.
    """
    if not (effort.unbounded or question.is_bounded):
        raise NeedsMoreEffort
    if question.cutout is not None:
        return Windowed(question, deadline, effort)
    if isinstance(question.board, Variant) and question.board.beyond is not None:
        return Variants(question, deadline, effort)
    backend = Backend.AUTO if question.backend is question.engine else question.backend
    if backend is not Backend.AUTO:
        return _METHODS[backend](question, deadline, effort)
    if _is_for_automata(question):
        return Automata(question, deadline, effort)
    position = progress.position
    # Without a total, narrow components, if there are any, have been counted.
    if question.mines is None and position is not None and len(position.starts) > 1:
        return PositionAndRest(question, deadline, effort, position)
    return Auto(question, deadline, effort)


def _is_for_automata(question: Question) -> bool:
    """Return True if automata answer best: one or two rows or columns, without a total."""
    board = question.board
    return isinstance(board, Board) and min(board.shape) <= 2 and question.mines is None
