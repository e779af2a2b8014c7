"""What every backend answers, and what those share that start from the reduction.

Every method raises `DeadlinePassed` or `TooWide` where it cannot finish, and
`NeedsWorker` where it could, but not within the small effort it was given.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from automata import Loosened, Outside
from minefield.board import MINE, Board
from minefield.layout import Layout
from minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    NONE,
    UNDECIDED,
    Reduction,
    reduce_board,
)
from minefield.rules import Rules
from minefield.variant import Variant
from solvers.answer import Approximation, BackendRefusal, Estimate, Forced
from solvers.backends.strip_chances import StripChances
from solvers.counting import board
from solvers.counting.chances import Chances
from solvers.counting.polynomial import SOON_CELLS
from solvers.counting.ratio import Ratio
from solvers.deadline import Deadline
from solvers.effort import Effort
from solvers.progress import Progress
from solvers.question import Question
from solvers.search.core import Core
from solvers.search.problem import BoxProblem


class Method(ABC):
    """One way to answer questions about one board."""

    #: What the method is called in answers.
    own_name: ClassVar[str] = ""
    #: Whether it can tell the chances of cells.
    tells_chances: ClassVar[bool] = True

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        self.question = question
        self.board = question.board
        self.deadline = deadline
        self.effort = effort

    @property
    def name(self) -> str:
        """What gave the answers so far."""
        return self.own_name

    def resume(self, progress: Progress) -> None:
        """Take over what is known already."""
        # By itself a method remembers nothing of it.
        return

    @abstractmethod
    def witness(self) -> Layout | None:
        """A layout, or None if the board is inconsistent."""

    @property
    def has_counted_some(self) -> bool:
        """Whether counting has shown, before any layout was made, that there are some."""
        return False

    @abstractmethod
    def forced(self) -> tuple[Forced, bool]:
        """Forced cells of a consistent board, and whether these are all."""

    @abstractmethod
    def count(self) -> int:
        """Number of layouts."""

    def by_mines(self) -> dict[int, int] | None:
        """Layouts by number of mines, once they have been counted; None: not by this method."""
        return None

    @property
    def soon_by_mines(self) -> bool:
        """Whether `by_mines` takes next to nothing."""
        return False

    def approximate(self) -> Approximation | None:
        """What may be said of a count that took too long."""
        return None

    @property
    def estimate(self) -> Estimate | None:
        """What an exact count takes, if it was asked for and is known before."""
        return None

    @property
    def note(self) -> str | None:
        """What would have helped."""
        return None

    @abstractmethod
    def layouts(self) -> Iterator[Layout]:
        """Layouts from the question's offset on, each once."""

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64] | None:
        """Chance of a mine, NaN for known cells, (height, width); None: not by this method."""
        return None

    def chances(self, density: Fraction | None) -> Chances | StripChances | None:
        """The same, exact, in reading order; None: not by this method."""
        return None

    def likelihood(self, density: Fraction) -> Ratio | None:
        """The chance that random mines fit; None where the layouts by mines are not known."""
        by_mines = self.by_mines()
        if by_mines is None:
            return None
        known = 0 if isinstance(self.board, Rules) else np.count_nonzero(self.board.cells == MINE)
        among = {mines - int(known): layouts for mines, layouts in by_mines.items()}
        return board.likelihood(among, int(np.count_nonzero(self.board.unknown)), density)

    def sample(self, random: Random) -> Layout:
        """A layout drawn at random, of a consistent board."""
        raise BackendRefusal("it cannot draw layouts at random")

    def rank(self, layout: Layout) -> int:
        """The number of a layout that fits, in the order of `layouts`."""
        raise BackendRefusal("it does not number layouts")

    def core(self) -> Core | None:
        """Clues behind an inconsistency, not minimal, if the method knows them.

        The total is taken in only where the clues alone can hold, or time is up.
        """
        return None

    @property
    def loosened(self) -> list[Loosened] | None:
        """The clues of a window that see unknown cells outside it."""
        return None

    def outside(self) -> Outside | None:
        """What must hold outside a window."""
        raise BackendRefusal("it reads no windows")

    @property
    def grid(self) -> Board:
        """The board, for methods that read rows and columns."""
        if isinstance(self.board, Rules):
            raise BackendRefusal("it reads rows and columns, and rules have none")
        if isinstance(self.board, Variant):
            raise BackendRefusal("it reads plane boards, where a cell touches those around it")
        return self.board

    def _forced(self, mines: NDArray[np.bool_], safe: NDArray[np.bool_]) -> Forced:
        """From masks over the board, (height, width)."""
        values = np.where(safe, np.int8(IS_SAFE), np.int8(UNDECIDED))
        values[mines] = IS_MINE
        return self._among_unknown(values)

    def _among_unknown(self, values: NDArray[np.int8]) -> Forced:
        """From values of shape (height, width), of which known cells have some, too."""
        return Forced(np.where(self.board.unknown, values, np.int8(UNDECIDED)))


class Reduced(Method):
    """What the methods that start from the reduction share."""

    @cached_property
    def reduction(self) -> Reduction:
        """The board, reduced."""
        return reduce_board(self.board, self.question.mines)

    @cached_property
    def problem(self) -> BoxProblem:
        """The reduction as boxes, the total of mines included."""
        return BoxProblem.of(self.reduction)

    @property
    def contradictory(self) -> bool:
        """Whether propagation alone found the board inconsistent."""
        return self.reduction.conflict != NONE

    @property
    def _undecided(self) -> int:
        """Number of cells that propagation leaves open."""
        return self.reduction.loose.size + self.reduction.box_cells.size

    def _layout(self, mines: NDArray[np.bool_]) -> Layout:
        """From mines of shape (cells,)."""
        return Layout(mines.reshape(self.board.shape))

    def _placed(self, cells: NDArray[np.integer], mines: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The decided mines and the given ones, (cells,)."""
        placed = np.asarray(self.reduction.state == IS_MINE)
        placed[cells] = mines
        return placed

    def _decided(self, values: NDArray[np.int8]) -> Forced:
        """Forced cells from values of shape (cells,), and those that propagation decided."""
        state = np.where(values == UNDECIDED, self.reduction.state, values)
        return self._among_unknown(state.reshape(self.board.shape))

    def _cell_values(self, boxes: NDArray[np.int8]) -> NDArray[np.int8]:
        """Values of cells, (cells,), from values of boxes; UNDECIDED where not known."""
        values = np.full(self.reduction.state.size, UNDECIDED, dtype=np.int8)
        for box in np.flatnonzero(boxes >= 0).tolist():
            values[self.problem.cells_of(box)] = boxes[box]
        return values


class Enumerated(Reduced):
    """What the methods share that count by enumeration."""

    @property
    @abstractmethod
    def components(self) -> list[dict[int, int]]:
        """Layouts by mines of each component."""

    def count(self) -> int:
        return board.count(self.reduction, self.components)

    def by_mines(self) -> dict[int, int] | None:
        return board.by_mines(self.reduction, self.components)

    @property
    def soon_by_mines(self) -> bool:
        return self.reduction.mines_left is not None or self._undecided <= SOON_CELLS
