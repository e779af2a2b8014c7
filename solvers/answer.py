"""Questions about a board and what is answered to them."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import prod
from secrets import randbits
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from automata import Loosened, Window
from minefield.amounts import several
from minefield.board import SAFE, UNKNOWN, Board
from minefield.certificates.document import Certificate
from minefield.layout import Layout
from minefield.rules import Puzzle, Rules

Place: TypeAlias = tuple[int, int]

#: Seeds of samples lie below this.
SEEDS = 1 << 63


def fresh_seed() -> int:
    """A seed for who names none: a number that JavaScript can repeat."""
    return randbits(53)


class Task(StrEnum):
    """What can be asked."""

    CHECK = "check"
    LAYOUTS = "layouts"
    COUNT = "count"
    FORCED = "forced"
    ANALYZE = "analyze"
    STRIPS = "strips"
    SAMPLE = "sample"
    EXPLAIN = "explain"
    REPAIR = "repair"


#: What may be proved.
CERTIFIED = (Task.CHECK, Task.FORCED)
#: What is answered by no backend in particular.
REASONED = (Task.EXPLAIN, Task.REPAIR)
#: What may be asked of a window.
WINDOWED = (Task.STRIPS, Task.LAYOUTS)
#: What a density weighs.
WEIGHED = (Task.COUNT, Task.ANALYZE, Task.SAMPLE)


class Backend(StrEnum):
    """Who answers; `AUTO` takes the cheapest that is exact."""

    AUTO = "auto"
    AUTOMATA = "automata"
    FRONTIER = "frontier"
    SAT = "sat"
    CPSAT = "cpsat"
    EXHAUSTIVE = "exhaustive"


@dataclass(frozen=True, slots=True)
class Question:
    """A task on a board, or on rules in its place.

    ``mines`` is the exact total over the whole board. ``density`` weighs the
    layouts instead: each unknown cell is a mine with this chance. ``offset`` and
    ``limit`` say which layouts, or samples, are wanted. `Task.STRIPS` asks what
    the clues in a ``window`` of the board say about the cells in it, and
    `Task.LAYOUTS` with a window for its layouts.
    ``fractions`` asks for exact chances. ``layout`` is one whose rank is wanted.
    Samples depend on the ``seed`` only. `Task.EXPLAIN` may ask for one ``cell``; ``limit`` bounds
    the repairs of `Task.REPAIR`. ``certificate`` asks for proof.

    Raises:
        QuestionError: a value out of its range, ``mines`` with ``density``, a
            layout that does not fit, or an option that the task does not take.
    """

    task: Task
    board: Puzzle
    mines: int | None = None
    density: Fraction | None = None
    backend: Backend = Backend.AUTO
    offset: int = 0
    limit: int = 100
    window: Window | None = None
    fractions: bool = False
    layout: Layout | None = None
    seed: int = 0
    cell: Place | None = None
    certificate: bool = False

    def __post_init__(self) -> None:
        cells = self.cells
        if self.mines is not None and not 0 <= self.mines <= cells:
            raise QuestionError(
                "mines",
                f"{several(cells, 'cell')} can hold 0 to {several(cells, 'mine')}, "
                "known ones included.",
            )
        if self.offset < 0:
            raise QuestionError("offset", "An offset is 0 or more.")
        if self.limit < 1:
            raise QuestionError("limit", "A limit is 1 or more.")
        if not 0 <= self.seed < SEEDS:
            raise QuestionError("seed", f"A seed lies between 0 and {SEEDS - 1}.")
        self._check_density()
        self._check_window()
        self._check_layout()
        self._check_cell()
        if self.certificate and self.task not in CERTIFIED:
            raise QuestionError("certificate", "Verdicts and forced cells have certificates only.")
        if self.task in REASONED and self.backend is not Backend.AUTO:
            raise QuestionError("backend", "Reasons and repairs have a method of their own.")

    def _check_density(self) -> None:
        if self.density is None:
            return
        if not 0 < self.density < 1:
            raise QuestionError("density", "A density lies between 0 and 1, both excluded.")
        if self.mines is not None:
            raise QuestionError("density", "A board has a total of mines or a density, not both.")
        if self.window is not None:
            raise QuestionError("density", "The layouts of a window weigh the same.")
        if self.task not in WEIGHED:
            raise QuestionError("density", "A density weighs counts, chances and samples only.")

    def _check_window(self) -> None:
        if self.window is None:
            if self.task is Task.STRIPS:
                raise QuestionError("window", "A strip is cut out by a window.")
            return
        if self.task not in WINDOWED:
            raise QuestionError("window", "Strips and layouts are cut out by a window only.")
        if self.mines is not None:
            raise QuestionError("mines", "How many mines are in a window is not known.")
        if self.backend is not Backend.AUTO:
            raise QuestionError("backend", "Windows are read by automata only.")
        if isinstance(self.board, Rules):
            raise QuestionError("window", "A window is cut out of a board, not of rules.")

    def _check_layout(self) -> None:
        layout = self.layout
        if layout is None:
            return
        if self.task is not Task.LAYOUTS:
            raise QuestionError("layout", "Only among layouts has a layout a rank.")
        if self.window is not None:
            raise QuestionError("layout", "Ranks are told of layouts of a whole board.")
        if layout.mines.shape != self.board.shape:
            height, width = self.board.shape
            raise QuestionError(
                "layout",
                f"A layout of it has {several(height, 'row')} of {several(width, 'cell')}.",
            )
        if isinstance(self.board, Rules):
            for rule in self.board.broken(layout.mines)[:1]:
                raise QuestionError("layout", f"The layout breaks rule {rule}.")
        else:
            for row, col in layout.contradictions(self.board)[:1]:
                raise QuestionError(
                    "layout",
                    f"The layout does not fit the board at row {row}, column {col}.",
                    (row, col),
                )
        if self.mines not in (None, layout.total):
            raise QuestionError(
                "layout", f"The layout has {several(layout.total, 'mine')}, not {self.mines}."
            )

    def _check_cell(self) -> None:
        if self.cell is None:
            return
        if self.task is not Task.EXPLAIN:
            raise QuestionError("cell", "One cell is explained; nothing else is asked of one.")
        height, width = self.board.shape
        row, col = self.cell
        if not (0 <= row < height and 0 <= col < width):
            raise QuestionError(
                "cell", f"The board has {several(height, 'row')} of {several(width, 'cell')}."
            )
        if not self.board.unknown[row, col]:
            raise QuestionError(
                "cell",
                f"The cell at row {row}, column {col} is known: there is nothing to explain.",
            )

    @property
    def cells(self) -> int:
        """Number of cells."""
        return prod(self.board.shape)

    @property
    def size(self) -> int:
        """Number of cells, or of all that rules name, if that is more."""
        if isinstance(self.board, Rules):
            return max(self.cells, sum(len(rule.cells) for rule in self.board.rules))
        return self.cells

    @property
    def clued(self) -> Puzzle:
        """The board, without the clues outside the window if there is one."""
        if self.window is None or isinstance(self.board, Rules):
            return self.board
        outside = np.ones(self.board.shape, np.bool_)
        outside[self.window.rows, self.window.cols] = False
        return Board(np.where(outside & (self.board.cells < UNKNOWN), SAFE, self.board.cells))

    @property
    def flags(self) -> list[Place]:
        """The flags of the board, those in the window if there is one, in reading order."""
        window, flags = self.window, self.board.flags
        return [flag for flag in flags if flag in window] if window else flags


class QuestionError(ValueError):
    """A question that makes no sense; ``field`` is the value at fault, ``place`` a cell of it."""

    def __init__(self, field: str, detail: str, place: Place | None = None) -> None:
        super().__init__(field, detail, place)
        self.field = field
        self.detail = detail
        self.place = place

    def __str__(self) -> str:
        return self.detail


class BackendRefusal(ValueError):
    """A backend that was asked for cannot take this board."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues that cannot hold together, with the total of mines if ``mines`` is true.

    ``minimal``: without any one of them the others could hold; ``smallest``: it
    is known that no fewer will do (without the total, if these need none). Rule k of a
    rule set is (0, k).
    """

    clues: list[Place]
    mines: bool
    minimal: bool
    smallest: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """One step of a deduction: among the cells lie ``low`` to ``high`` mines.

    ``rule`` is the name of a `solvers.reasons.deduction.Rule`, ``sources`` are the places
    (from 0) of the statements that it follows from, ``under`` those of the
    suppositions it rests on. ``low`` above ``high`` is a contradiction.
    ``clue`` is where the clue stands that says it. ``text`` says it in words.
    """

    rule: str
    cells: list[Place]
    low: int
    high: int
    sources: tuple[int, ...]
    under: tuple[int, ...]
    clue: Place | None
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why cells are mines, or safe: by these clues, in these steps.

    ``reasons`` cannot hold together with any of the cells being otherwise;
    None where they were not found in time, and so for the ``difficulty``, the
    name of a `solvers.reasons.deduction.Level`. The last step speaks of all the cells.
    """

    cells: list[Place]
    mine: bool
    difficulty: str | None
    reasons: Conflict | None
    steps: list[Statement] | None


@dataclass(frozen=True, slots=True)
class Either:
    """A cell that is not forced: a layout in which it is a mine, and one in which it is safe."""

    cell: Place
    mine: Layout
    safe: Layout


@dataclass(frozen=True, slots=True)
class Correction:
    """A clue that would say something else: ``number`` in place of ``was`` (rules: None)."""

    clue: Place
    was: int | None
    number: int


@dataclass(frozen=True, slots=True)
class Corrections:
    """The smallest sets of corrections that make a board consistent.

    ``changes`` is how many clues each set changes, None if that is not known in
    time or no changes help; then ``possible`` is False. ``more``: there may be others.
    """

    changes: int | None
    sets: list[list[Correction]]
    possible: bool
    more: bool


@dataclass(frozen=True, slots=True)
class Forced:
    """Unknown cells that are mines, or safe, in every layout, in reading order."""

    mines: list[Place]
    safe: list[Place]


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags on cells that are mines in every layout, in none, and the rest."""

    right: list[Place]
    wrong: list[Place]
    unproved: list[Place]


@dataclass(frozen=True, slots=True)
class Approximation:
    """An approximate count.

    With a probability of at least ``1 - delta`` the exact count lies between
    ``count / (1 + epsilon)`` and ``count * (1 + epsilon)``.
    """

    count: int
    epsilon: float
    delta: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an exact count takes, as it is known before.

    Of all components together: ``products`` of table entries that are summed,
    and entries of the largest ``table``. Infinite where no plan was found.
    """

    products: float
    table: float


@dataclass(slots=True)
class Answer:
    """What was found; None stands for not asked, not applicable, or not decided in time.

    ``method`` names what gave the answer. ``complete`` is False when
    something that was asked is missing or may be more than what is given.
    ``feasible`` are the least and the most mines of any layout, where the total
    that was given is that of none. ``probabilities`` is NaN for known cells,
    (height, width); as fractions it is an array of objects, None for known cells.
    ``safest`` are the cells least likely to be mines, in order. ``likelihood`` is the chance
    that mines laid at random with the density fit. ``layouts`` are also the samples;
    ``rank`` is that of the question's layout. ``approximate`` stands in for a
    count that took too long, ``estimate`` is what that takes, ``note`` says what would help.
    ``explanations`` tell why cells are forced, ``steps`` why a board is inconsistent.
    ``certificates`` prove the verdict, or each forced cell.
    ``loosened`` are the clues in a window that unknown cells outside make intervals; ``witness``
    and ``probabilities`` then have its shape. ``elapsed`` is in seconds.
    """

    consistent: bool | None = None
    witness: Layout | None = None
    conflict: Conflict | None = None
    feasible: tuple[int, int] | None = None
    count: int | None = None
    by_mines: dict[int, int] | None = None
    likelihood: float | Fraction | None = None
    forced: Forced | None = None
    flags: Flags | None = None
    probabilities: NDArray[Any] | None = None
    safest: list[tuple[Place, float | Fraction]] | None = None
    layouts: list[Layout] | None = None
    next_offset: int | None = None
    rank: int | None = None
    approximate: Approximation | None = None
    estimate: Estimate | None = None
    note: str | None = None
    loosened: list[Loosened] | None = None
    explanations: list[Explanation] | None = None
    steps: list[Statement] | None = None
    either: Either | None = None
    repairs: Corrections | None = None
    certificates: list[Certificate] | None = None
    method: str = ""
    complete: bool = True
    elapsed: float = 0.0
