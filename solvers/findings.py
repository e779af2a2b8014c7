"""The types of what answers consist of: conflicts, explanations, moves, chances to win and others.

Where something is described, the first paragraph of a docstring is for whoever reads an answer.

Tested in tests/solvers/test_router.py.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board, list_coordinates
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE
from minecheck.solvers.annotations import (
    AnyCell,
    Cell,
    Chance,
    ClueAt,
    Coordinates,
    JsonName,
    OneOf,
    ValueKind,
    doc,
)


class Inference(StrEnum):
    """Why a step holds."""

    CLUE = "clue"
    TOTAL = "total"
    DIFFERENCE = "difference"
    INTERSECTION = "intersection"
    UNION = "union"
    ASSUME = "assume"
    LOOK_AHEAD = "look-ahead"
    SEARCH = "search"


class Level(IntEnum):
    """How hard a deduction is: the easiest rules that are enough, applied as often as needed.

    TRIVIAL: a clue that has all its mines, or as many as it has cells. SUBSET: a
    set without a set inside it. BOUNDS: differences and intersections of any
    sets. LOOK_AHEAD: suppositions, one at a time. GLOBAL: the total of mines.
    SEARCH: none of these is enough.
    """

    TRIVIAL = 0
    SUBSET = 1
    BOUNDS = 2
    LOOK_AHEAD = 3
    GLOBAL = 4
    SEARCH = 5

    @property
    def label(self) -> str:
        """The name in answers."""
        return self.name.lower().replace("_", "-")


#: The levels by their names, the easiest first.
LEVELS: Final = MappingProxyType({level.label: level for level in Level})


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues that contradict each other, or that force a cell; with the total of mines or not.

    Rule k of a rule set is (0, k).
    """

    clues: Annotated[list[ClueAt], doc("For rules: their positions from 0")]
    mines: Annotated[bool, JsonName("total"), doc("Whether the total of mines is needed, too")]
    minimal: Annotated[bool, doc("Whether none of them can be dropped")]
    smallest: Annotated[
        bool,
        doc(
            "Whether it is known that no fewer clues would do (the total of mines is used "
            "only if the clues alone do not suffice)"
        ),
    ] = False


@dataclass(slots=True)
class Conflicts:
    """Minimal conflicts, the smallest first."""

    sets: Annotated[
        list[Conflict],
        JsonName("conflicts"),
        doc("The sets, smallest first; of each, no clue can be dropped"),
    ]
    more: Annotated[bool, doc("Whether there are, or may be, others")]


@dataclass(frozen=True, slots=True)
class Statement:
    """One step of a deduction: among the cells lie low to high mines.

    ``low`` above ``high`` is a contradiction. Steps are numbered from 0, but from 1 in ``text``.
    """

    rule: Annotated[
        str,
        OneOf(tuple(rule.value for rule in Inference)),
        doc("Why it holds"),
    ]
    cells: list[AnyCell]
    low: int
    high: Annotated[int, doc("Below low in a contradiction")]
    sources: Annotated[tuple[int, ...], doc("Numbers, from 0, of the steps it follows from")]
    under: Annotated[tuple[int, ...], doc("Numbers of the suppositions it rests on")]
    clue: Annotated[ClueAt | None, doc("The clue that says it")]
    text: Annotated[str, doc("The step in words; there, steps are counted from 1")]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why cells are the same in every layout.

    The ``reasons`` cannot hold together with any of the cells being otherwise; they, the steps and
    the difficulty are None where they were not found in time.
    """

    json_fields: ClassVar = ("cells", "value", "difficulty", "reasons", "steps")

    cells: list[AnyCell]
    mine: bool
    difficulty: Annotated[
        str | None,
        OneOf(tuple(LEVELS)),
        doc("The easiest technique that finds it on the whole board"),
    ]
    reasons: Annotated[Conflict | None, doc("Clues that force each of the cells")]
    steps: Annotated[
        list[Statement] | None,
        doc("From the reasons to the cells: the last step says what they are"),
    ]

    @property
    def value(self) -> Literal["mine", "safe"]:
        """The cell in every layout: a mine, or safe."""
        return "mine" if self.mine else "safe"


#: Names that players have for steps of a walk.
PATTERN_NAMES: Final = ("single clue", "1-1", "1-2", "1-2-1", "1-2-2-1", "box", "mine counting")


@dataclass(frozen=True, slots=True)
class WalkStep:
    """A step of a walk through a position: clues that decide cells, given the earlier steps.

    As a hint it has stages: the area, the clues, the cells, and the sentence.
    """

    area: Annotated[list[AnyCell], doc("The cells that were undecided, which the clues count")]
    clues: Annotated[list[ClueAt], doc("The clues that decide it, none of them to spare")]
    total: Annotated[bool, doc("Whether the total of mines is needed, too")]
    mines: Annotated[list[AnyCell], doc("Cells that are mines by this step")]
    safe: Annotated[list[AnyCell], doc("Cells that are safe by this step")]
    uses: Annotated[
        tuple[int, ...], doc("Numbers, from 0, of earlier steps that decided cells of the clues")
    ]
    pattern: Annotated[
        str | None,
        OneOf(PATTERN_NAMES),
        doc("The name that players have for it, by the mines that its clues lack"),
    ]
    reduced: Annotated[
        bool, doc("Whether known mines were taken off the clues of a pattern first: reduction")
    ]
    text: Annotated[str, doc("The step in words")]


@dataclass(frozen=True, slots=True)
class Either:
    """A cell that is not forced."""

    cell: Cell
    mine: Annotated[Layout, doc("A layout in which it is a mine")]
    safe: Annotated[Layout, doc("A layout in which it is safe")]


@dataclass(frozen=True, slots=True, order=True)
class Correction:
    """A clue with another number.

    On a board ``number`` is the digit 0..8 to write; of rule k, at (0, k), exactly so many mines.
    """

    clue: ClueAt
    was: Annotated[int | None, doc("Its number now; null for rules")]
    number: Annotated[int, doc("The number it would have; for rules: exactly so many mines")]


@dataclass(slots=True)
class Corrections:
    """The smallest sets of corrections that make a board consistent."""

    json_fields: ClassVar = ("changes", "sets", "more", "possible")

    changes: Annotated[
        int | None,
        doc(
            "How many clues each repair changes; null where that is not known, or where "
            "changing clues does not help"
        ),
    ]
    sets: Annotated[
        list[list[Correction]], JsonName("repairs"), doc("The repairs with that many changes")
    ]
    possible: Annotated[
        bool,
        JsonName("repairable"),
        doc("False where known cells and the total of mines contradict each other"),
    ]
    more: Annotated[bool, doc("Whether there are, or may be, others as small")]


@dataclass(eq=False)
class Forced:
    """Unknown cells that are the same in every layout, as [row, col] or by name.

    ``values`` is int8 (height, width): IS_MINE or IS_SAFE for these cells, something else for the
    others, known cells among them.
    """

    json_fields: ClassVar = ("mines", "safe")

    values: NDArray[np.int8]

    @cached_property
    def mines(self) -> list[Cell]:
        """Unknown cells that are mines in every layout."""
        return list_coordinates(self.values == IS_MINE)

    @cached_property
    def safe(self) -> list[Cell]:
        """Unknown cells that are safe in every layout."""
        return list_coordinates(self.values == IS_SAFE)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forced) and (self.mines, self.safe) == (other.mines, other.safe)


@dataclass(frozen=True, slots=True)
class Others:
    """The cells that no rule names: they are all alike."""

    cells: int
    probability: Annotated[Chance, doc("Chance of a mine in each of them")]
    forced: Literal["mines", "safe"] | None


@dataclass(frozen=True, slots=True)
class Flags:
    """A player's flags, judged."""

    right: Annotated[list[Coordinates], doc("On mines in every layout")]
    wrong: Annotated[list[Coordinates], doc("On safe cells in every layout")]
    unproved: list[Coordinates]


@dataclass(frozen=True, slots=True)
class Move:
    """A cell to open next. Chances are exact; null where one is not known."""

    cell: Coordinates
    safe: Annotated[bool, doc("Whether it is proved safe")]
    mine: Annotated[float, doc("Chance of a mine")]
    numbers: Annotated[
        list[float] | None, doc("Chance of each number, 0 to 8, that it would show")
    ] = None
    progress: Annotated[
        float | None,
        doc("Chance that it is safe, and that then a safe cell is proved or nothing is left to do"),
    ] = None
    survival: Annotated[
        float | None,
        doc("Chance to survive this click and the next one, on the safest cell then"),
    ] = None
    win: Annotated[
        float | None,
        doc(
            "Chance to win with best play after it; null where the game is not near "
            "enough to its end"
        ),
    ] = None
    dead: Annotated[
        bool | None,
        doc(
            "Whether opening it tells nothing: it shows the same number in all layouts "
            "where it is safe"
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Guess:
    """Cells that nothing outside of them can distinguish."""

    cells: list[Coordinates]
    chance: Annotated[float, doc("To open them all right with best play")]


@dataclass(frozen=True, slots=True)
class Win:
    """The chance to win with best play."""

    low: float
    high: float
    exact: Annotated[bool, doc("Whether low and high are the chance itself")]


@dataclass(slots=True)
class RankedMoves:
    """The best moves, best first, and bounds of the chance to win with best play.

    ``guesses`` cannot be avoided, None where they were not looked for. ``complete`` is False where
    time or effort was not enough for the usual fields. Nothing is ``winnable`` where nothing
    fits.
    """

    json_fields: ClassVar = ("moves", "win", "guesses")

    moves: Annotated[list[Move], doc("Best first; none where nothing is left to open")]
    low: float = 0.0
    high: float = 1.0
    guesses: Annotated[
        list[Guess] | None, doc("Guesses that cannot be avoided, whenever they are made")
    ] = None
    complete: bool = True
    winnable: bool = True

    @property
    def win(self) -> Win | None:
        """The chance to win with best play, null if no layout fits."""
        return Win(self.low, self.high, self.low == self.high) if self.winnable else None


@dataclass(frozen=True, slots=True)
class Reveal:
    """A hidden clue, and what it would decide; without a layout in expectation, if it is safe."""

    cell: Coordinates
    forced: Annotated[float, doc("How many other cells it would force")]
    bits: Annotated[
        float | None,
        doc(
            "Logarithm to base 2 of the number of layouts that it would leave; null where "
            "it takes too long to count them"
        ),
    ]


@dataclass(slots=True)
class Composed:
    """The fewest clues that keep what they have to.

    They are chosen among those ``offered``. ``kept`` are the fewest that were found, on ``board``;
    None where not even all are ``enough``, or none were found in time. With what is
    ``redundant`` goes its orbit.
    """

    json_fields: ClassVar = (
        *("clues", "enough", "size", "lower_bound", "optimal"),
        *("board", "kept", "removed", "redundant", "reveals"),
    )

    offered: list[Coordinates]
    kept: Annotated[list[Coordinates] | None, doc("Where these are")] = None
    board: Annotated[Board | None, doc("The board with the clues that are kept")] = None
    lower_bound: Annotated[int, doc("No fewer clues than these are enough")] = 0
    enough: Annotated[bool | None, doc("Whether all of them together are enough")] = None
    redundant: Annotated[
        list[Coordinates] | None,
        doc(
            "Clues that may go by themselves, while all others stay; under a symmetry with "
            "those that they are carried to"
        ),
    ] = None
    reveals: Annotated[
        list[Reveal] | None,
        doc(
            "Hidden clues that would decide most, those that force most cells first; null "
            "if none were asked for"
        ),
    ] = None

    @property
    def clues(self) -> Annotated[int, doc("How many clues there are to choose from")]:
        """The number of clues there are to choose from."""
        return len(self.offered)

    @property
    def size(
        self,
    ) -> Annotated[int | None, doc("How many clues are kept; null if none were found")]:
        """The number of clues that are kept; null if none were found."""
        return None if self.kept is None else len(self.kept)

    @property
    def optimal(self) -> Annotated[bool, doc("Whether it is known that no fewer clues are enough")]:
        """True if it is known that no fewer clues are enough."""
        return self.kept is not None and len(self.kept) == self.lower_bound

    @property
    def removed(
        self,
    ) -> Annotated[
        list[Coordinates] | None,
        doc("Where the other clues were: if optimal, the most that can go together"),
    ]:
        """Places of the other clues: if optimal, the most that can go together."""
        return None if self.kept is None else sorted(set(self.offered).difference(self.kept))


@dataclass(frozen=True, slots=True)
class Approximation:
    """A count that is not exact: within a factor of 1 + epsilon, with probability 1 - delta."""

    count: Annotated[int, ValueKind.COUNT]
    epsilon: float
    delta: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """Work that an exact count takes, known beforehand; null where it is beyond all bounds.

    Of all components together; infinite where no plan was found.
    """

    products: Annotated[float, ValueKind.AMOUNT, doc("Products of table entries to be summed")]
    table: Annotated[float, ValueKind.AMOUNT, doc("Entries of the largest table")]
