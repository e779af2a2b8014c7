"""What is answered to a question about a board."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from automata import Loosened, Outside
from minefield.board import Board, coordinates
from minefield.certificates.document import Certificate
from minefield.layout import Layout
from minefield.reduction.constraints import IS_MINE, IS_SAFE
from solvers.budget import TooWide
from solvers.deadline import DeadlinePassed
from solvers.question import Place

T = TypeVar("T")
#: Cells and their chances.
Safest: TypeAlias = list[tuple[Place, float | Fraction]]


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


@dataclass(slots=True)
class Conflicts:
    """Minimal conflicts, the smallest first; ``more``: there are, or may be, others."""

    sets: list[Conflict]
    more: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """One step of a deduction: among the cells lie ``low`` to ``high`` mines.

    ``rule`` is the name of a `solvers.reasons.deduction.Inference`, ``sources`` are the places
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


@dataclass(frozen=True, slots=True, order=True)
class Correction:
    """A clue that would say something else: ``number`` in place of ``was``.

    On a board ``number`` is the digit 0..8 to write; of rule k, at (0, k), exactly so many
    mines, and ``was`` is None.
    """

    clue: Place
    was: int | None
    number: int


@dataclass(slots=True)
class Corrections:
    """The smallest sets of corrections that make a board consistent.

    ``changes`` is how many clues each set changes, None if that is not known in
    time or no changes help; then ``possible`` is False. ``more``: there may be others.
    """

    changes: int | None
    sets: list[list[Correction]]
    possible: bool
    more: bool


@dataclass(eq=False)
class Forced:
    """Unknown cells that are the same in every layout.

    ``values`` is int8 (height, width): IS_MINE or IS_SAFE for these cells, something else for the
    others, known cells among them.
    """

    values: NDArray[np.int8]

    @cached_property
    def mines(self) -> list[Place]:
        """Those that are mines, in reading order."""
        return coordinates(self.values == IS_MINE)

    @cached_property
    def safe(self) -> list[Place]:
        """Those that are safe, in reading order."""
        return coordinates(self.values == IS_SAFE)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forced) and (self.mines, self.safe) == (other.mines, other.safe)


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags on cells that are mines in every layout, in none, and the rest."""

    right: list[Place]
    wrong: list[Place]
    unproved: list[Place]


@dataclass(frozen=True, slots=True)
class Move:
    """A cell to open next; what is not known is None.

    Attributes:
        cell: (row, col) from 0.
        safe: whether it is proved safe.
        mine: the chance of a mine.
        numbers: the chance of each number, 0 to 8, that it would show.
        progress: the chance that a safe cell is proved then, or nothing is left to do.
        survival: the chance to survive this click and the next one at best.
        win: the chance to win with best play after it.
        dead: whether it shows the same number in all layouts where it is safe.
    """

    cell: Place
    safe: bool
    mine: float
    numbers: list[float] | None = None
    progress: float | None = None
    survival: float | None = None
    win: float | None = None
    dead: bool | None = None


@dataclass(frozen=True, slots=True)
class Guess:
    """Cells that nothing outside of them can tell apart; ``chance`` is to open them all right."""

    cells: list[Place]
    chance: float


@dataclass(slots=True)
class Moves:
    """The best moves, best first, and bounds of the chance to win with best play.

    ``guesses`` cannot be avoided, None where they were not looked for. ``complete`` is False where
    time or effort was not enough for what is usually told.
    """

    moves: list[Move]
    low: float = 0.0
    high: float = 1.0
    guesses: list[Guess] | None = None
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Reveal:
    """A hidden clue, and what it would decide if it were shown; in expectation over the layouts.

    ``forced`` is the number of other cells that would become forced, ``bits`` the logarithm to
    base 2 of the number of layouts that would be left; None where it was not known in time.
    """

    cell: Place
    forced: float
    bits: float | None


@dataclass(slots=True)
class Composed:
    """The fewest clues that keep what they have to.

    They are chosen among those ``offered``. ``kept`` are the fewest that were found, on ``board``;
    None where not even all are ``enough``, or none were found in time. No fewer than
    ``lower_bound`` are enough. ``redundant`` are those that may be taken away, each by itself,
    with its orbit. ``reveals`` are the hidden clues that would decide most, first.
    """

    offered: list[Place]
    kept: list[Place] | None = None
    board: Board | None = None
    lower_bound: int = 0
    enough: bool | None = None
    redundant: list[Place] | None = None
    reveals: list[Reveal] | None = None

    @property
    def optimal(self) -> bool:
        """Whether it is known that no fewer clues would do."""
        return self.kept is not None and len(self.kept) == self.lower_bound


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


class Later(Generic[T]):
    """A field that may be given as a function: it is called when the field is first read.

    What takes more time or memory than the question had is None.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = "_" + name

    def __get__(self, answer: object | None, owner: type | None = None) -> T | None:
        if answer is None:
            # What a field is by default.
            return None
        given: T | Callable[[], T | None] | None = getattr(answer, self._name, None)
        if callable(given):
            try:
                given = given()
            except (DeadlinePassed, TooWide):
                given = None
            setattr(answer, self._name, given)
        return given

    def __set__(self, answer: object, given: T | Callable[[], T | None] | None) -> None:
        setattr(answer, self._name, given)


@dataclass
class Answer:
    """What was found; None stands for not asked, not applicable, or not decided in time.

    ``method`` names what gave the answer. ``complete`` is False when
    something that was asked is missing or may be more than what is given.
    ``feasible`` are the least and the most mines of any layout, where the total
    that was given is that of none. ``probabilities`` is NaN for known cells,
    (height, width); as fractions it is an array of objects, None for known cells.
    ``safest`` are the cells least likely to be mines, in order, ``by_mines`` the layouts by number
    of mines, ascending; they and the ``witness`` may be made when they are read. ``likelihood`` is
    the chance that mines laid at random with the density fit. ``layouts`` are also the samples;
    ``rank`` is that of the question's layout. ``approximate`` stands in for a
    count that took too long, ``estimate`` is what that takes, ``note`` says what would help.
    ``explanations`` tell why cells are forced, ``steps`` why a board is inconsistent.
    ``moves`` are the best ones, ``conflicts`` all minimal ones, ``composed`` the fewest clues.
    ``certificates`` prove the verdict, or each forced cell.
    ``loosened`` are the clues in a window that unknown cells outside make intervals, ``outside``
    what must hold there; ``witness`` and ``probabilities`` then have its shape. ``elapsed`` is
    in seconds.
    """

    consistent: bool | None = None
    witness: Later[Layout] = Later()
    conflict: Conflict | None = None
    conflicts: Conflicts | None = None
    feasible: tuple[int, int] | None = None
    count: int | None = None
    by_mines: Later[dict[int, int]] = Later()
    likelihood: float | Fraction | None = None
    forced: Forced | None = None
    flags: Flags | None = None
    probabilities: NDArray[Any] | None = None
    safest: Later[Safest] = Later()
    layouts: list[Layout] | None = None
    next_offset: int | None = None
    rank: int | None = None
    approximate: Approximation | None = None
    estimate: Estimate | None = None
    note: str | None = None
    loosened: list[Loosened] | None = None
    outside: Outside | None = None
    explanations: list[Explanation] | None = None
    steps: list[Statement] | None = None
    either: Either | None = None
    repairs: Corrections | None = None
    moves: Moves | None = None
    composed: Composed | None = None
    certificates: list[Certificate] | None = None
    method: str = ""
    complete: bool = True
    elapsed: float = 0.0

    @classmethod
    def of(cls, told: dict[str, object]) -> "Answer":
        """An answer that tells these, those of later with a _; all else is as by default.

        The constructor, which sets every field, takes three times as long.
        """
        answer = cls.__new__(cls)
        answer.__dict__ = told
        return answer

    def __getstate__(self) -> dict[str, Any]:
        # What is told later is told before the answer leaves its process.
        later = {"_witness": self.witness, "_by_mines": self.by_mines, "_safest": self.safest}
        return vars(self) | later
