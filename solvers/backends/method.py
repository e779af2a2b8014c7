"""The interface of all backends, and the parts shared by those that begin with the reduction.

Every method raises `DeadlinePassed` or `TooWide` where it cannot finish, and
`NeedsMoreEffort` where it could, but not within the small effort it was given.

Tested in tests/solvers/test_router.py.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import Loosened, Outside
from minecheck.minefield.board import MINE, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.polynomials import SOON_CELLS
from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    NONE,
    UNDECIDED,
    Constraints,
    Reduction,
)
from minecheck.minefield.rules import Rules
from minecheck.minefield.variant import Variant
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.strip_chances import StripChances
from minecheck.solvers.counting import component_products
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import Effort
from minecheck.solvers.findings import Approximation, Estimate, Forced
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question
from minecheck.solvers.search.core import Core
from minecheck.solvers.search.problem import BoxProblem


class Method(ABC):
    """One way to answer questions about one board."""

    #: The engine, where it is always the same one.
    backend: ClassVar[Backend]
    #: True if the method can compute the chances of cells.
    tells_chances: ClassVar[bool] = True

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        self.question = question
        self.board = question.board
        self.deadline = deadline
        self.effort = effort

    @property
    def engines(self) -> tuple[Backend, ...]:
        """The engines that found the results so far; the last one gave the latest result."""
        return (self.backend,)

    @property
    def machines(self) -> tuple[str, ...]:
        """The automata among the engines, by name."""
        return ()

    def resume(self, progress: Progress) -> None:
        """Take over what is known already."""
        if progress.constraints is not None:
            self.constraints = progress.constraints

    def hand_over(self, progress: Progress) -> None:
        """Record the results so far for the effort that continues."""
        progress.constraints = vars(self).get("constraints")

    @cached_property
    def constraints(self) -> Constraints:
        """The clues and the total, with all that is made of them; others may know them before."""
        return Constraints.from_position(self.question.clued, self.question.mines)

    @abstractmethod
    def find_witness(self) -> Layout | None:
        """Return a layout, or None if the board is inconsistent."""

    @property
    def has_counted_some(self) -> bool:
        """True if counting has shown that layouts exist before one was constructed."""
        return False

    @abstractmethod
    def find_forced(self) -> tuple[Forced, bool]:
        """Return forced cells of a consistent board, and whether these are all."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of layouts."""

    def by_mines(self) -> dict[int, int] | None:
        """Return layouts by number of mines, once they are counted; None: not by this method."""
        return None

    @property
    def soon_by_mines(self) -> bool:
        """True if `by_mines` costs next to nothing."""
        return False

    def approximate(self) -> Approximation | None:
        """Return an approximation of a count that took too long."""
        return None

    @property
    def estimate(self) -> Estimate | None:
        """The effort of an exact count, if it was requested and is known in advance."""
        return None

    @property
    def note(self) -> str | None:
        """A hint about options that would have helped."""
        return None

    @abstractmethod
    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on, each once."""

    def compute_probabilities(self) -> NDArray[np.float64] | None:
        """Return chances of a mine as doubles; None: not by this method.

        Returns:
            float64 of shape (height, width), NaN for known cells.
        """
        return None

    def compute_chances(self) -> Chances | StripChances | None:
        """Return exact chances, in reading order; None: not by this method."""
        return None

    def compute_likelihood(self, density: Fraction) -> Ratio | None:
        """Return the chance that random mines fit; None where layouts by mines are not known."""
        by_mines = self.by_mines()
        if by_mines is None:
            return None
        known_mines = (
            0 if isinstance(self.board, Rules) else np.count_nonzero(self.board.cells == MINE)
        )
        among = {mines - int(known_mines): layouts for mines, layouts in by_mines.items()}
        return component_products.compute_likelihood(
            among, int(np.count_nonzero(self.board.unknown)), density
        )

    def sample(self, random: Random) -> Layout:
        """Draw a layout of a consistent board at random.

        Raises:
            BackendError: the method cannot draw layouts.
        """
        raise BackendError("it cannot draw layouts at random")

    def rank(self, layout: Layout) -> int:
        """Return the number of a layout that fits, in the order of `iterate_layouts`.

        Raises:
            BackendError: the method does not number layouts.
        """
        raise BackendError("it does not number layouts")

    def find_core(self) -> Core | None:
        """Return clues behind an inconsistency, not minimal, if the method knows them.

        The total is taken in only where the clues alone can hold, or time is up.
        """
        return None

    @property
    def loosened(self) -> list[Loosened] | None:
        """The clues of a window that see unknown cells outside it."""
        return None

    def find_outside(self) -> Outside | None:
        """Return the conditions on cells outside a window.

        Raises:
            BackendError: the method does not support windows.
        """
        raise BackendError("it does not support windows")

    @property
    def grid(self) -> Board:
        """The board, for methods that read rows and columns.

        Raises:
            BackendError: the puzzle is rules or a variant.
        """
        if isinstance(self.board, Rules):
            raise BackendError("it reads rows and columns, and rules have none")
        if isinstance(self.board, Variant):
            raise BackendError("it reads plane boards, where a cell touches those around it")
        return self.board

    def _forced_from_masks(self, mines: NDArray[np.bool_], safe: NDArray[np.bool_]) -> Forced:
        """Return forced cells from masks over the board, (height, width)."""
        values = np.where(safe, np.int8(IS_SAFE), np.int8(UNDECIDED))
        values[mines] = IS_MINE
        return self._keep_unknown(values)

    def _keep_unknown(self, values: NDArray[np.int8]) -> Forced:
        """Return forced cells from values, (height, width), which also cover known cells."""
        return Forced(np.where(self.board.unknown, values, np.int8(UNDECIDED)))


class Reduced(Method):
    """The shared part of methods that begin with the reduction."""

    @cached_property
    def reduction(self) -> Reduction:
        """The board, reduced."""
        return self.constraints.reduction

    @cached_property
    def problem(self) -> BoxProblem:
        """The reduction as boxes, the total of mines included."""
        return BoxProblem.from_reduction(self.reduction)

    @property
    def contradictory(self) -> bool:
        """True if propagation alone found the board inconsistent."""
        return self.reduction.conflict != NONE

    @property
    def _undecided(self) -> int:
        """Number of cells that propagation leaves open."""
        return self.reduction.loose.size + self.reduction.box_cells.size

    def _layout_from_mines(self, mines: NDArray[np.bool_]) -> Layout:
        """Return the layout with these mines, (cells,)."""
        return Layout(mines.reshape(self.board.shape))

    def _place_mines(
        self, cells: NDArray[np.integer], mines: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return the decided mines and the given ones as a mask, (cells,)."""
        placed = np.asarray(self.reduction.state == IS_MINE)
        placed[cells] = mines
        return placed

    def _forced_from_values(self, values: NDArray[np.int8]) -> Forced:
        """Return forced cells from values of shape (cells,), and those that propagation decided."""
        state = np.where(values == UNDECIDED, self.reduction.state, values)
        return self._keep_unknown(state.reshape(self.board.shape))

    def _cell_values(self, boxes: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return values of cells, (cells,), from values of boxes; UNDECIDED where not known."""
        values = np.full(self.reduction.state.size, UNDECIDED, dtype=np.int8)
        for box in np.flatnonzero(boxes >= 0).tolist():
            values[self.problem.cells_of(box)] = boxes[box]
        return values


class Enumerated(Reduced):
    """The shared part of methods that count by enumeration."""

    @property
    @abstractmethod
    def components(self) -> list[dict[int, int]]:
        """Layouts by mines of each component."""

    def count(self) -> int:
        """Count the layouts from those of each component."""
        return component_products.multiply_components(self.reduction, self.components)

    def by_mines(self) -> dict[int, int] | None:
        """Return the layouts by number of mines from those of each component."""
        return component_products.by_mines(self.reduction, self.components)

    @property
    def soon_by_mines(self) -> bool:
        """True if layouts by number of mines take little time."""
        return self.reduction.mines_left is not None or self._undecided <= SOON_CELLS
