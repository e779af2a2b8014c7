"""Answers as the service gives them, but for counts and offsets: those are integers of any size.

What a newer service says beyond this is in the dicts all the same. Fields are
null (None) where they were not decided in time or do not apply; the service's
/docs tells what each means.
"""

from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

#: [row, col], from 0.
Place: TypeAlias = list[int]
#: A place, or for rules a name.
Cell: TypeAlias = Place | str
#: Of rules, a cell without a name is a number among those.
AnyCell: TypeAlias = Place | str | int
#: A number, or with fractions a string such as 3/7.
Chance: TypeAlias = float | str | None


class RulesLayout(TypedDict):
    """A layout of rules: names of mines, and places of mines among the cells without names."""

    mines: list[str]
    others: list[int]


#: Numbers on safe cells, B on mines.
Layout: TypeAlias = list[str] | RulesLayout


@dataclass
class Summary:
    """What a batch has come to so far."""

    lines: int = 0
    problems: int = 0
    incomplete: int = 0
    elapsed_ms: float = 0.0


class Solver(TypedDict):
    """Who answered."""

    name: str
    complete: bool
    elapsed_ms: float
    note: NotRequired[str | None]
    cached: NotRequired[bool]


class Flags(TypedDict):
    """A player's flags."""

    right: list[Place]
    wrong: list[Place]
    unproved: list[Place]


class Feasible(TypedDict):
    """The least and the most mines of any layout."""

    least: int
    most: int


class Others(TypedDict):
    """The cells that no rule names."""

    cells: int
    probability: Chance
    forced: Literal["mines", "safe"] | None


class Verdict(TypedDict):
    """What every answer says."""

    consistent: bool | None
    conflict: list[Place] | list[int] | None
    conflict_mines: bool | None
    conflict_minimal: bool | None
    conflict_smallest: bool | None
    feasible_mines: NotRequired[Feasible | None]
    flags: Flags | None
    solver: Solver


class CheckAnswer(Verdict):
    """Whether the board is consistent."""

    witness: Layout | None
    certificate: NotRequired[dict[str, Any] | None]


class Approximate(TypedDict):
    """A count within a factor of 1 + epsilon, with probability 1 - delta."""

    count: int
    epsilon: float
    delta: float


class Estimate(TypedDict):
    """Work that counting takes."""

    products: float | None
    table: float | None


class CountAnswer(Verdict):
    """How many layouts there are; ``by_mines`` by their total of mines."""

    count: int | None
    by_mines: dict[int, int] | None
    likelihood: NotRequired[Chance]
    approximate: NotRequired[Approximate | None]
    estimate: NotRequired[Estimate | None]


class ForcedCells(TypedDict):
    """Unknown cells that are the same in every layout."""

    mines: list[Cell]
    safe: list[Cell]


class ForcedAnswer(Verdict):
    """Which cells are forced."""

    forced: ForcedCells | None
    others: NotRequired[Others | None]
    certificate: NotRequired[dict[str, Any] | None]


class Step(TypedDict):
    """One step of a deduction."""

    rule: str
    cells: list[AnyCell]
    low: int
    high: int
    sources: list[int]
    under: list[int]
    clue: Place | int | None
    text: str


class Explanation(TypedDict):
    """Why cells are the same in every layout."""

    cells: list[AnyCell]
    value: Literal["mine", "safe"]
    difficulty: str | None
    reasons: list[Place] | list[int] | None
    reasons_mines: bool | None
    reasons_minimal: bool | None
    reasons_smallest: bool | None
    steps: list[Step] | None


class Either(TypedDict):
    """A cell that is not forced, with a layout for each."""

    cell: Cell
    mine: Layout
    safe: Layout


class ExplainAnswer(Verdict):
    """Why cells are forced, or why the board is inconsistent."""

    explanations: list[Explanation] | None
    either: NotRequired[Either | None]
    steps: list[Step] | None


class Change(TypedDict):
    """A clue that would say something else."""

    clue: Place | int
    was: int | None
    number: int


class RepairAnswer(Verdict):
    """The fewest clues to change to make the board consistent."""

    changes: int | None
    repairs: list[list[Change]] | None
    more: bool | None
    repairable: bool | None


class LayoutsAnswer(Verdict):
    """A page of layouts."""

    count: int | None
    offset: int
    layouts: list[Layout] | None
    next_offset: int | None
    rank: NotRequired[int | None]


class SampleAnswer(Verdict):
    """Layouts drawn at random."""

    count: int | None
    seed: int
    offset: int
    samples: list[Layout] | None
    next_offset: int | None


class SafeCell(TypedDict):
    """A cell and the chance of a mine in it."""

    cell: Cell
    probability: Chance


class AnalyzeAnswer(CheckAnswer, CountAnswer, ForcedAnswer):
    """All of it."""

    probabilities: list[list[Chance]] | dict[str, Chance] | None
    safest: list[SafeCell] | None


class Window(TypedDict):
    """A rectangle of cells on the board."""

    row: int
    col: int
    height: int
    width: int


class LoosenedClue(TypedDict):
    """A clue in the window that unknown cells outside may satisfy in part."""

    clue: Place
    number: int
    low: int
    high: int


class StripsAnswer(Verdict):
    """What the clues in a window say about the cells in it."""

    forced: ForcedCells | None
    window: Window
    loosened: list[LoosenedClue] | None
    witness: list[str] | None
    machines: list[str]
    count: int | None
    probabilities: list[list[float | None]] | None
