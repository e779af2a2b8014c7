"""The way of one question: from what a program gives to an answer that it can print and keep.

Tested in tests/solvers/library/test_questions.py.
"""

import re
from collections.abc import Callable, Mapping, Set
from decimal import Decimal
from fractions import Fraction
from math import isnan
from operator import index
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from minecheck.automata import Window
from minecheck.minefield.rules import Puzzle
from minecheck.minefield.spelling import suggest_name
from minecheck.solvers import position_answers
from minecheck.solvers.backend import Backend
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.documents.presenting import AnsweredQuestion
from minecheck.solvers.library.boards import BoardLike, read_board
from minecheck.solvers.library.first_answers import FIRST_ANSWERS
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question, QuestionError
from minecheck.solvers.router import answer_question

#: When an answer is due: seconds from now, a moment, or never.
Due: TypeAlias = Deadline | float | None
#: The chance of a mine in each unknown cell, as a number or as text such as "0.2" or "1/5".
Density: TypeAlias = Fraction | Decimal | float | str
#: Text that means a whole number.
_WHOLE: Final = re.compile(r"\s*([0-9]+)(?:\.0*)?\s*")
#: The values of options that mean nothing.
_LEFT_OUT: Final = (None, False, Backend.AUTO)


def ask(
    kind: type[Question],
    board: BoardLike,
    mines: int | None,
    due: Due,
    **options: Any,
) -> Any:
    """Answer a question; a position of a game before a question is made of it.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        BackendError: the backend does not answer the question, or cannot take the board.
        TypeError: an argument is of another type.
    """
    deadline = read_deadline(due)
    puzzle = read_board(board)
    if mines is not None:
        options["mines"] = mines if type(mines) is int else read_mines(mines)
    # Options with their default values need no check.
    options_set = {name for name, value in options.items() if value not in _LEFT_OUT}
    if FIRST_ANSWERS.has_time_for(kind, puzzle, options_set):
        with FIRST_ANSWERS.interpret():
            return _answer(kind, puzzle, deadline, options, options_set)
    return _answer(kind, puzzle, deadline, options, options_set)


def _answer(
    kind: type[Question],
    puzzle: Puzzle,
    deadline: Deadline | None,
    options: dict[str, Any],
    options_set: Set[str],
) -> Any:
    started = perf_counter()
    by_mines = options.get("by_mines", False)
    progress = None
    if kind.at_once and options_set <= {"mines"}:
        position = position_answers.solve_known_part(puzzle, options.get("mines"))
        from_position = position_answers.answer_from_position(kind, position, by_mines)
        if from_position is not None:
            from_position.elapsed = perf_counter() - started
            from_position.presenter = AnsweredQuestion(kind, puzzle, options)
            return from_position
        progress = Progress(looked=position_answers.may_be_position(puzzle), position=position)
    if "backend" in options:
        options["backend"] = _read_backend(options["backend"])
    if options.get("density") is not None:
        options["density"] = _read_density(options["density"])
    if options.get("seed", 0) is None:
        del options["seed"]
    _check_types(options)
    answer = answer_question(kind(puzzle, **options), deadline, progress=progress)
    answer.presenter = AnsweredQuestion(kind, puzzle, options)
    return answer


def _check_types(options: Mapping[str, Any]) -> None:
    """Reject options of a type that no question takes.

    Raises:
        TypeError: the first of them is named, and what it may be.
    """
    for name, value in options.items():
        if value is None or name not in _TYPES:
            continue
        right, expected = _TYPES[name]
        if not right(value):
            raise TypeError(f"{name} has to be {expected}, not {value!r:.80}.")


def is_whole(value: object) -> bool:
    """Return True for a whole number of any type."""
    return hasattr(value, "__index__") and not isinstance(value, bool)


def is_cell(value: object) -> bool:
    """Return True for a pair of whole numbers."""
    return isinstance(value, tuple | list) and len(value) == 2 and all(map(is_whole, value))


def _is_window(value: object) -> bool:
    return isinstance(value, Window)


#: Options, each with a test of its type and the name of that type.
_TYPES: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = MappingProxyType(
    {
        **dict.fromkeys(("limit", "offset", "seed"), (is_whole, "a whole number")),
        "cell": (is_cell, "(row, col), both from 0, or None"),
        "window": (_is_window, "a minecheck.Window(row, col, rows, cols)"),
    }
)


def read_mines(mines: object) -> int:
    """Return a total of mines as an integer.

    Raises:
        TypeError: it is no whole number.
    """
    if not isinstance(mines, bool):
        try:
            return index(mines)  # type: ignore[arg-type]
        except TypeError:
            pass
    meant = _WHOLE.fullmatch(str(mines))
    hint = f". Write mines={meant[1]}" if meant else ""
    raise TypeError(f"mines has to be a whole number or None, not {type(mines).__name__}{hint}")


def _read_backend(backend: Backend | str) -> Backend:
    try:
        return Backend(backend)
    except ValueError:
        name = str(backend)[:80]
        raise QuestionError(
            "backend",
            f'"{name}" is not a valid backend. {suggest_name(name, Backend)}'
            f"Use one of: {', '.join(Backend)}.",
        ) from None


def _read_density(density: Density) -> Fraction:
    """Return a density exactly as it is written: 0.1 is a tenth."""
    try:
        return Fraction(density if isinstance(density, Fraction) else str(density))
    except (ValueError, ZeroDivisionError):
        raise QuestionError(
            "density", 'A density is a number between 0 and 1, or text such as "0.2" or "1/5".'
        ) from None


def read_deadline(due: Due) -> Deadline | None:
    """Return the moment at which an answer is due.

    Raises:
        QuestionError: it is not in the future.
        TypeError: it is no number.
    """
    if due is None or isinstance(due, Deadline):
        return due
    if isinstance(due, bool) or not isinstance(due, int | float):
        raise TypeError(f"deadline has to be seconds, a Deadline or None, not {type(due).__name__}")
    if isnan(due) or due <= 0:
        raise QuestionError("deadline", "A deadline is more than 0 seconds from now.")
    return Deadline.in_seconds(due)
