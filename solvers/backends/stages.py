"""The stages of `Auto` as engines of their own: each answers alone, or says that it cannot.

Tested in tests/solvers/test_backend.py.
"""

from functools import cached_property
from typing import NoReturn

from minecheck.minefield.reduction.constraints import NONE, Reduction
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.backends.counting import Counting
from minecheck.solvers.backends.method import Method
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.positions.solve import Position


class PropagationAlone(Counting):
    """Boards whose clues are decided by propagation; the other cells are free."""

    backend = Backend.PROPAGATION

    @cached_property
    def reduction(self) -> Reduction:
        """The reduced board, which propagation decides completely.

        Raises:
            BackendError: some clues are left undecided.
        """
        reduction = super().reduction
        if reduction.conflict == NONE and reduction.components:
            raise BackendError("propagation does not decide all of its clues")
        return reduction


class Stage(Auto):
    """A stage of `Auto` that goes on to no other one."""

    engines = Method.engines


class PositionsAlone(Stage):
    """Ordinary positions, by the compiled call alone."""

    backend = Backend.POSITIONS

    @cached_property
    def position(self) -> Position:
        """The solved position, which this engine requires.

        Raises:
            BackendError: the board is no such position.
        """
        position = super().position
        if position is None:
            raise BackendError("it is not a consistent position with narrow components only")
        return position

    def compute_chances(self) -> Chances | None:
        """Return exact chances, in reading order; None if this engine has none.

        Raises:
            BackendError: exact fractions are requested.
        """
        if self.question.fractions:
            raise BackendError("it knows no exact fractions")
        return None


class SearchAlone(Stage):
    """Depth-first search alone, within a fixed number of steps."""

    backend = Backend.SEARCH

    @cached_property
    def position(self) -> None:
        """None: search looks for no position."""
        return None

    @cached_property
    def counts_first(self) -> bool:
        """False: nothing is counted here."""
        return False

    @cached_property
    def tally(self) -> BoardTally:
        """Never there: search does not count.

        Raises:
            TooWide: always.
        """
        raise TooWide

    def _note_sat(self) -> NoReturn:
        raise TooWide
