"""Questions about a board and what is answered to them."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from automata import Loosened, Window
from minefield.board import SAFE, UNKNOWN, Board
from minefield.layout import Layout

Place: TypeAlias = tuple[int, int]


class Task(StrEnum):
    """What can be asked."""

    CHECK = "check"
    LAYOUTS = "layouts"
    COUNT = "count"
    FORCED = "forced"
    ANALYZE = "analyze"
    STRIPS = "strips"


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
    """A task on a board.

    ``mines`` is the exact total over the whole board. ``density`` weighs the
    probabilities: each unknown cell is a mine with this chance. ``offset`` and
    ``limit`` say which layouts are wanted. `Task.STRIPS` asks what the clues in
    a ``window`` of the board say about the cells in it.

    Raises:
        QuestionError: a value out of its range, ``mines`` with ``density``, or a
            window where there should be none, or the other way round.
    """

    task: Task
    board: Board
    mines: int | None = None
    density: Fraction | None = None
    backend: Backend = Backend.AUTO
    offset: int = 0
    limit: int = 100
    window: Window | None = None

    def __post_init__(self) -> None:
        cells = self.board.cells.size
        if self.mines is not None and not 0 <= self.mines <= cells:
            raise QuestionError(
                "mines", f"A board of {cells} cells has 0 to {cells} mines, known ones included."
            )
        if self.density is not None and not 0 < self.density < 1:
            raise QuestionError("density", "A density lies between 0 and 1, both excluded.")
        if self.density is not None and self.mines is not None:
            raise QuestionError("density", "A board has a total of mines or a density, not both.")
        if self.offset < 0:
            raise QuestionError("offset", "An offset is 0 or more.")
        if self.limit < 1:
            raise QuestionError("limit", "A limit is 1 or more.")
        if (self.window is not None) != (self.task is Task.STRIPS):
            raise QuestionError("window", "A strip is cut out by a window; nothing else is.")
        if self.window is not None and self.mines is not None:
            raise QuestionError("mines", "How many mines are in a window is not known.")
        if self.window is not None and self.density is not None:
            raise QuestionError("density", "The layouts of a window weigh the same.")
        if self.window is not None and self.backend is not Backend.AUTO:
            raise QuestionError("backend", "Windows are read by automata only.")

    @property
    def clued(self) -> Board:
        """The board, without the clues outside the window if there is one."""
        if self.window is None:
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
    """A question that makes no sense; ``field`` is the value at fault."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(field, detail)
        self.field = field
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


class BackendRefusal(ValueError):
    """A backend that was asked for cannot take this board."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues that cannot hold together, with the total of mines if ``mines`` is true.

    ``minimal``: without any one of them the others could hold.
    """

    clues: list[Place]
    mines: bool
    minimal: bool


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


@dataclass(slots=True)
class Answer:
    """What was found; None stands for not asked, not applicable, or not decided in time.

    ``method`` names what gave the answer. ``complete`` is False when
    something that was asked is missing or may be more than what is given.
    ``probabilities`` is NaN for known cells, (height, width). ``loosened`` are
    the clues in a window that unknown cells outside make intervals; ``witness`` and
    ``probabilities`` then have its shape. ``elapsed`` is in seconds.
    """

    consistent: bool | None = None
    witness: Layout | None = None
    conflict: Conflict | None = None
    count: int | None = None
    by_mines: dict[int, int] | None = None
    forced: Forced | None = None
    flags: Flags | None = None
    probabilities: NDArray[np.float64] | None = None
    layouts: list[Layout] | None = None
    next_offset: int | None = None
    loosened: list[Loosened] | None = None
    method: str = ""
    complete: bool = True
    elapsed: float = 0.0
