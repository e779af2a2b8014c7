"""The questions as functions, for programs that use minecheck as a library.

Every function takes the board first: a `Board`, `Rules` or `Variant`, or anything that
`minecheck.minefield.notation.parse` reads, which are text, rows and nested lists, and arrays of
symbols. ``mines`` is the number of mines on the whole board, if it is known.
"""

from minecheck.automata import Window
from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.backend import Backend
from minecheck.solvers.composition import Composition
from minecheck.solvers.library.ask import Density, Due, ask
from minecheck.solvers.library.boards import BoardLike
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
        BackendError: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    answer: CheckAnswer = ask(
        Check, board, mines, deadline, backend=backend, certificate=certificate
    )
    return answer


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
        BackendError: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    answer: CountAnswer = ask(
        Count,
        board,
        mines,
        deadline,
        backend=backend,
        density=density,
        by_mines=None,
        certificate=certificate,
    )
    return answer


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
        BackendError: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    answer: ForcedAnswer = ask(
        ForcedCells, board, mines, deadline, backend=backend, certificate=certificate
    )
    return answer


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
        BackendError: the backend cannot take the board.
        TypeError: an argument is of another type.
    """
    answer: AnalyzeAnswer = ask(
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
    return answer


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
        BackendError: the backend cannot take the board, or does not number layouts.
        TypeError: an argument is of another type.
    """
    answer: LayoutsAnswer = ask(
        Layouts,
        board,
        mines,
        deadline,
        backend=backend,
        offset=offset,
        limit=limit,
        layout=layout,
    )
    return answer


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
        BackendError: the backend cannot take the board, or draws no layouts.
        TypeError: an argument is of another type.
    """
    answer: SampleAnswer = ask(
        Sample,
        board,
        mines,
        deadline,
        backend=backend,
        density=density,
        limit=limit,
        seed=seed,
    )
    return answer


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
    answer: StripsAnswer = ask(Strips, board, None, deadline, backend=backend, window=window)
    return answer


def explain(
    board: BoardLike,
    mines: int | None = None,
    *,
    cell: Coordinates | None = None,
    walk: bool = False,
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
        walk: True for one walk through the position as well, which decides each cell in one step.
        backend: the engine that answers; see `Backend`.
        deadline: seconds from now, or a `Deadline`; None for no limit.

    Raises:
        BoardError: the board cannot be read.
        QuestionError: an option is out of its range, or does not go with the board.
        TypeError: an argument is of another type.
    """
    options = {"backend": backend, "cell": cell, "walk": walk}
    answer: ExplainAnswer = ask(Explain, board, mines, deadline, **options)
    return answer


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
    answer: ConflictsAnswer = ask(
        AllConflicts, board, mines, deadline, backend=backend, limit=limit
    )
    return answer


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
    answer: RepairAnswer = ask(Repair, board, mines, deadline, backend=backend, limit=limit)
    return answer


def moves(
    board: BoardLike,
    mines: int,
    *,
    cell: Coordinates | None = None,
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
    answer: MovesAnswer = ask(
        Moves, board, mines, deadline, backend=backend, cell=cell, limit=limit
    )
    return answer


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
    answer: ComposeAnswer = ask(Compose, board, mines, deadline, backend=backend, **options)
    return answer
