"""The questions as functions, for programs that use minecheck as a library.

Every function takes the board first: a `Board`, `Rules` or `Variant`, or anything that
`minecheck.minefield.notation.parse` reads, which are text, rows and nested lists, and arrays of
symbols. ``mines`` is the number of mines on the whole board, if it is known.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isnan
from operator import index
from time import perf_counter
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import Window
from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.rules import Puzzle, Rules
from minecheck.minefield.variant import Variant
from minecheck.solvers import at_once
from minecheck.solvers.annotations import Place
from minecheck.solvers.backend import Backend
from minecheck.solvers.composition import Composition
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question, QuestionError
from minecheck.solvers.router import answer_question
from minecheck.solvers.tasks.analyze import Analyze, AnalyzeAnswer
from minecheck.solvers.tasks.check import Check, CheckAnswer
from minecheck.solvers.tasks.compose import Compose, ComposeAnswer
from minecheck.solvers.tasks.conflicts import AllConflicts, ConflictsAnswer
from minecheck.solvers.tasks.count import Count, CountAnswer
from minecheck.solvers.tasks.explain import Explain, ExplainAnswer
from minecheck.solvers.tasks.forced import ForcedAnswer, ForcedCells
from minecheck.solvers.tasks.layouts import Layouts, LayoutsAnswer
from minecheck.solvers.tasks.moves import Moves, MovesAnswer
from minecheck.solvers.tasks.repair import Repair, RepairAnswer
from minecheck.solvers.tasks.sample import Sample, SampleAnswer
from minecheck.solvers.tasks.strips import Strips, StripsAnswer

#: The forms in which a board can be given.
BoardLike: TypeAlias = Puzzle | str | Sequence[str] | Sequence[Sequence[str | int]] | NDArray[Any]
#: When an answer is due: seconds from now, a moment, or never.
Due: TypeAlias = Deadline | float | None
#: The values of options that mean nothing.
_LEFT_OUT: Final = (None, False, Backend.AUTO)
#: The chance of a mine in each unknown cell, as a number or as text such as "0.2" or "1/5".
Density: TypeAlias = Fraction | Decimal | float | str


def check(
    board: BoardLike,
    mines: int | None = None,
    *,
    backend: Backend | str = Backend.AUTO,
    certificate: bool = False,
    deadline: Due = None,
) -> CheckAnswer:
    """Decide whether any layout fits, with a witness, or with clues that contradict each other.

    >>> check("?1?").consistent
    True
    >>> check(["11?", "???", "3??"]).conflict.clues
    [(0, 0), (2, 0)]

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        backend: the backend that decides.
        certificate: whether to return a certificate of the verdict.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        BackendRefusal: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    found: CheckAnswer = _answer_question(
        Check, board, mines, deadline, backend=backend, certificate=certificate
    )
    return found


def count(
    board: BoardLike,
    mines: int | None = None,
    *,
    density: Density | None = None,
    backend: Backend | str = Backend.AUTO,
    certificate: bool = False,
    deadline: Due = None,
) -> CountAnswer:
    """Count the layouts that fit, exactly, in all and by number of mines.

    ``by_mines`` of the answer takes longer: it is counted when it is first read, and is None
    past the deadline. With a ``density`` the answer also has the ``likelihood`` that mines laid
    at random fit.

    >>> count("?" * 100).count
    1267650600228229401496703205376

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        density: the chance of a mine in each unknown cell, between 0 and 1.
        backend: the backend that counts.
        certificate: whether to return a certificate of the count.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        BackendRefusal: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    found: CountAnswer = _answer_question(
        Count,
        board,
        mines,
        deadline,
        backend=backend,
        density=density,
        by_mines=None,
        certificate=certificate,
    )
    return found


def forced(
    board: BoardLike,
    mines: int | None = None,
    *,
    backend: Backend | str = Backend.AUTO,
    certificate: bool = False,
    deadline: Due = None,
) -> ForcedAnswer:
    """Find the unknown cells that are the same in every layout.

    >>> forced("?1??", mines=1).forced.safe
    [(0, 3)]

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        backend: the backend that decides.
        certificate: whether to return certificates of the forced cells.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        BackendRefusal: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    found: ForcedAnswer = _answer_question(
        ForcedCells, board, mines, deadline, backend=backend, certificate=certificate
    )
    return found


def analyze(
    board: BoardLike,
    mines: int | None = None,
    *,
    density: Density | None = None,
    fractions: bool = False,
    backend: Backend | str = Backend.AUTO,
    certificate: bool = False,
    deadline: Due = None,
) -> AnalyzeAnswer:
    """Answer `check`, `count` and `forced` at once, with the chance of a mine in each unknown cell.

    ``fractions`` asks for chances as exact fractions.

    >>> answer = analyze("?1??", mines=1)
    >>> answer.count, answer.forced.safe
    (2, [(0, 3)])
    >>> answer.probabilities.tolist()
    [[0.5, nan, 0.5, 0.0]]

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        density: the chance of a mine in each unknown cell, between 0 and 1.
        fractions: whether chances are exact fractions, not doubles.
        backend: the backend that answers.
        certificate: whether to return a certificate of the answer.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        BackendRefusal: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    found: AnalyzeAnswer = _answer_question(
        Analyze,
        board,
        mines,
        deadline,
        backend=backend,
        density=density,
        by_mines=None,
        fractions=fractions,
        certificate=certificate,
    )
    return found


def layouts(
    board: BoardLike,
    mines: int | None = None,
    *,
    offset: int = 0,
    limit: int = 100,
    layout: Layout | None = None,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> LayoutsAnswer:
    """List the layouts number ``offset`` to ``offset + limit - 1``, and rank ``layout``.

    >>> layouts(["??", "??"], mines=1, limit=2).layouts[1].rows()
    ['1B', '11']

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        offset: the number of the first layout to list, from 0.
        limit: the most layouts to list, at least 1.
        layout: a layout of the board, whose number the answer has as well.
        backend: the backend that orders the layouts.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        BackendRefusal: the backend cannot take the board, or does not number layouts.
        TypeError: an argument is of another type.
    """
    found: LayoutsAnswer = _answer_question(
        Layouts,
        board,
        mines,
        deadline,
        backend=backend,
        offset=offset,
        limit=limit,
        layout=layout,
    )
    return found


def sample(
    board: BoardLike,
    mines: int | None = None,
    *,
    density: Density | None = None,
    limit: int = 1,
    seed: int | None = None,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> SampleAnswer:
    """Draw ``limit`` layouts at random, the same ones for the same ``seed`` (None: a fresh seed).

    >>> len(sample("?1?", limit=3).layouts)
    3

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        density: the chance of a mine by which layouts are weighted, between 0 and 1.
        limit: how many layouts to draw, at least 1.
        seed: the seed of the draws.
        backend: the backend that draws.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        BackendRefusal: the backend cannot take the board, or draws no layouts.
        TypeError: an argument is of another type.
    """
    found: SampleAnswer = _answer_question(
        Sample,
        board,
        mines,
        deadline,
        backend=backend,
        density=density,
        limit=limit,
        seed=seed,
    )
    return found


def strips(
    board: BoardLike,
    window: Window,
    *,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> StripsAnswer:
    """Return the consequences of the clues in a window for its cells, by an automaton.

    >>> strips("?1?", Window(0, 0, 1, 3)).count
    2

    Args:
        board: a board in any form; see this module.
        window: the cells that the automaton reads.
        backend: the engine that answers; see `Backend`.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        WindowError: the window is not on the board, or too wide.
        TypeError: an argument is of another type.
    """
    found: StripsAnswer = _answer_question(
        Strips, board, None, deadline, backend=backend, window=window
    )
    return found


def explain(
    board: BoardLike,
    mines: int | None = None,
    *,
    cell: Place | None = None,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> ExplainAnswer:
    """Explain step by step why cells are forced, or one ``cell`` is, or why nothing fits.

    >>> for explanation in explain("?1??", mines=1).explanations:
    ...     print(explanation.cells, explanation.mine)
    [(0, 3)] False

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        cell: (row, col) of an unknown cell; None for all forced cells.
        backend: the engine that answers; see `Backend`.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        TypeError: an argument is of another type.
    """
    found: ExplainAnswer = _answer_question(
        Explain, board, mines, deadline, backend=backend, cell=cell
    )
    return found


def conflicts(
    board: BoardLike,
    mines: int | None = None,
    *,
    limit: int = 100,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> ConflictsAnswer:
    """Find all minimal sets of clues that contradict each other, up to ``limit``, smallest first.

    >>> conflicts("1?3?1").conflicts.sets[0].clues
    [(0, 2)]

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        limit: the most sets to find, at least 1.
        backend: the engine that answers; see `Backend`.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        TypeError: an argument is of another type.
    """
    found: ConflictsAnswer = _answer_question(
        AllConflicts, board, mines, deadline, backend=backend, limit=limit
    )
    return found


def repair(
    board: BoardLike,
    mines: int | None = None,
    *,
    limit: int = 10,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> RepairAnswer:
    """Find the fewest clues to change for the board to be consistent, in up to ``limit`` ways.

    >>> repair("1?3?1").repairs.changes
    1

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        limit: the most repairs to find, at least 1.
        backend: the engine that answers; see `Backend`.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        TypeError: an argument is of another type.
    """
    found: RepairAnswer = _answer_question(
        Repair, board, mines, deadline, backend=backend, limit=limit
    )
    return found


def moves(
    board: BoardLike,
    mines: int,
    *,
    cell: Place | None = None,
    limit: int = 10,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> MovesAnswer:
    """Rank the cells to open next, with the chance to win; ``cell`` is ranked in any case.

    >>> moves(["??2", "24?", "???"], mines=4, limit=1).moves.moves[0].cell
    (2, 0)

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board.
        cell: (row, col) of a cell that is ranked even if it is not among the best.
        limit: the most moves to rank, at least 1.
        backend: the engine that answers; see `Backend`.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        TypeError: an argument is of another type.
    """
    found: MovesAnswer = _answer_question(
        Moves, board, mines, deadline, backend=backend, cell=cell, limit=limit
    )
    return found


def compose(
    board: BoardLike,
    mines: int | None = None,
    *,
    composition: Composition | None = None,
    backend: Backend | str = Backend.AUTO,
    deadline: Due = None,
) -> ComposeAnswer:
    """Find the fewest clues that keep the board's information, as ``composition`` says.

    >>> compose("?1?1?").composed.optimal
    True

    Args:
        board: a board in any form; see this module.
        mines: the number of mines on the whole board, None if it is not known.
        composition: what the clues have to keep, and how they are chosen.
        backend: the engine that answers; see `Backend`.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        TypeError: an argument is of another type.
    """
    options = (composition or Composition()).options
    found: ComposeAnswer = _answer_question(
        Compose, board, mines, deadline, backend=backend, **options
    )
    return found


def read_board(board: BoardLike) -> Puzzle:
    """Return the board that is given in any of the forms of `BoardLike`.

    Raises:
        BoardError: it cannot be read; the error names the row and column.
    """
    # A board is ready, and looked for first: that is the way of programs that ask many times.
    if isinstance(board, Board | Rules | Variant):
        return board
    if hasattr(board, "__array__"):
        # Data frames are arrays as well.
        board = np.asarray(board).tolist()
    return parse(board)


def _answer_question(
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
        BackendRefusal: the backend does not answer the question, or cannot take the board.
        TypeError: an argument is of another type.
    """
    started = perf_counter()
    deadline = _read_deadline(due)
    puzzle = read_board(board)
    if mines is not None:
        options["mines"] = mines if type(mines) is int else _read_mines(mines)
    by_mines = options.get("by_mines", False)
    # Options with their default values need no check.
    given = {name for name, one in options.items() if one not in _LEFT_OUT}
    progress = None
    if kind.at_once and given <= {"mines"}:
        position = at_once.most_known(puzzle, options.get("mines"))
        found = at_once.answer_from_position(kind, position, by_mines)
        if found is not None:
            found.elapsed = perf_counter() - started
            return found
        progress = Progress(looked=at_once.may_be_position(puzzle), position=position)
    if "backend" in options:
        options["backend"] = _read_backend(options["backend"])
    if options.get("density") is not None:
        options["density"] = _read_density(options["density"])
    if options.get("seed", 0) is None:
        del options["seed"]
    question = kind(puzzle, **options)
    return answer_question(question, deadline, progress=progress)


def _read_mines(mines: object) -> int:
    if not isinstance(mines, bool):
        try:
            return index(mines)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise TypeError(f"mines has to be a whole number or None, not {type(mines).__name__}")


def _read_backend(backend: Backend | str) -> Backend:
    try:
        return Backend(backend)
    except ValueError:
        names = ", ".join(Backend)
        raise QuestionError(
            "backend", f'"{str(backend)[:80]}" is not a valid backend. Use one of: {names}.'
        ) from None


def _read_density(density: Density) -> Fraction:
    """Return a density exactly as it is written: 0.1 is a tenth."""
    try:
        return Fraction(density if isinstance(density, Fraction) else str(density))
    except (ValueError, ZeroDivisionError):
        raise QuestionError(
            "density", 'A density is a number between 0 and 1, or text such as "0.2" or "1/5".'
        ) from None


def _read_deadline(due: Due) -> Deadline | None:
    if due is None or isinstance(due, Deadline):
        return due
    if isinstance(due, bool) or not isinstance(due, int | float):
        raise TypeError(f"deadline has to be seconds, a Deadline or None, not {type(due).__name__}")
    if isnan(due) or due <= 0:
        raise QuestionError("deadline", "A deadline is more than 0 seconds from now.")
    return Deadline.in_seconds(due)
