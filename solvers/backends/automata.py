"""Strips, and windows cut out of boards, by the automata that read them column by column.

Tested in tests/automata/test_strips.py and tests/solvers/test_router.py.
"""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import (
    EVEN,
    MOST_NODES,
    DiagramTooLarge,
    Loosened,
    NotAStrip,
    Odds,
    Outside,
    TooLong,
    cut_window,
    make_strip,
)
from minecheck.minefield.layout import Layout
from minecheck.minefield.polynomials import SOON_CELLS
from minecheck.minefield.variant import Variant
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.method import Method
from minecheck.solvers.backends.strip_chances import StripChances
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.component_products import to_odds
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import Effort, NeedsMoreEffort
from minecheck.solvers.findings import Forced
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question

#: Counts by mines that take more work are left out.
_BY_MINES_DIGITS = 4_000_000_000
_SOON_DIGITS = 4_000_000
_DIGITS_PER_NODE = _BY_MINES_DIGITS // MOST_NODES


class Automata(Method):
    """Boards up to twelve cells high or wide, narrower ones if joined, read column by column."""

    backend = Backend.AUTOMATA

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        self.bounded = _Bounded(effort)
        try:
            board = self.board if isinstance(self.board, Variant) else self.grid
            self.strip = make_strip(board, question.mines, deadline.check, effort.nodes)
        except NotAStrip as error:
            raise BackendError(str(error)) from None

    @property
    def machines(self) -> tuple[str, ...]:
        """The automata that were run, by name."""
        return self.strip.machines

    def resume(self, progress: Progress) -> None:
        """Take over the progress of an earlier attempt, and which automata it ran."""
        super().resume(progress)
        if progress.answer is not None:
            self.strip.ran = dict.fromkeys(progress.answer.automata)

    def find_witness(self) -> Layout | None:
        """Return a layout that the automaton accepts, None if there is none."""
        with self.bounded:
            return self.strip.find_witness()

    def find_forced(self) -> tuple[Forced, bool]:
        """Return the forced cells, which are always all of them."""
        with self.bounded:
            return self._forced_from_masks(*self.strip.find_forced()), True

    def count(self) -> int:
        """Count the layouts by the paths of the automaton."""
        with self.bounded:
            return self.strip.count()

    def by_mines(self) -> dict[int, int] | None:
        """Return layouts by number of mines; None if these have too many digits to be computed.

        Raises:
            NeedsMoreEffort: they take more than the effort allows.
        """
        with self.bounded:
            digits = self._by_mines_digits
            if digits > _BY_MINES_DIGITS:
                return None
            if digits > self.effort.nodes * _DIGITS_PER_NODE:
                raise NeedsMoreEffort
            return self.strip.by_mines()

    @property
    def soon_by_mines(self) -> bool:
        """True if layouts by number of mines take little time."""
        with self.bounded:
            undecided = int(np.count_nonzero(self.board.unknown))
            if undecided > SOON_CELLS:
                undecided -= sum(int(np.count_nonzero(cells)) for cells in self.strip.find_forced())
            return undecided <= SOON_CELLS and self._by_mines_digits <= _SOON_DIGITS

    @property
    def _by_mines_digits(self) -> int:
        """Digits of 64 bits that are added for counts by mines; each takes a nanosecond."""
        if self.strip.weigh_all(EVEN) is not None:
            return 0
        unknown = int(np.count_nonzero(self.board.unknown))
        return len(self.strip.diagram) * unknown * self.strip.count().bit_length() // 64

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on, as the automaton orders them."""
        with self.bounded:
            for layout in self.strip.iterate_layouts(self.question.offset):
                yield layout
                self.deadline.check()

    @property
    def _odds(self) -> Odds:
        """The weights of mines and safe cells."""
        return Odds(*to_odds(self.question.density))

    def sample(self, random: Random) -> Layout:
        """Draw a layout at random, weighted by the density of the question."""
        with self.bounded:
            return self.strip.sample(random, self._odds)

    def rank(self, layout: Layout) -> int:
        """Return the number of a layout in the order of `iterate_layouts`."""
        with self.bounded:
            return self.strip.rank(layout)

    def compute_probabilities(self) -> NDArray[np.float64]:
        """Return the nearest doubles to the chances, NaN for known cells, (height, width)."""
        with self.bounded:
            return np.where(self.board.unknown, self.strip.compute_chances(self._odds), np.nan)

    def compute_chances(self) -> StripChances | None:
        """Return exact chances; None where rounded ones are enough."""
        with self.bounded:
            # Rounded chances are enough where they determine the exact ones.
            if not self.question.fractions and self.strip.find_alike(self._odds) is None:
                return None
        rounded = self.compute_probabilities()
        return StripChances(self.strip, self._odds, rounded, self.bounded)

    def compute_likelihood(self, density: Fraction) -> Ratio | None:
        """Return the chance that random mines of this density make a layout."""
        with self.bounded:
            weight = self.strip.weigh_all(self._odds)
        if weight is None:
            return super().compute_likelihood(density)
        return Ratio(weight, density.denominator ** int(np.count_nonzero(self.board.unknown)))


class Windowed(Method):
    """The consequences of the clues in a window, by the automaton that reads it as a strip.

    Layouts and chances have the shape of the window.
    """

    backend = Backend.AUTOMATA

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        assert question.cutout is not None, "a strip is cut out by a window"
        self.bounded = _Bounded(effort)
        self.cut = cut_window(self.grid, question.cutout, deadline.check, effort.nodes)

    @property
    def machines(self) -> tuple[str, ...]:
        """The automata that were run, by name."""
        return (self.cut.machine,)

    @property
    def loosened(self) -> list[Loosened]:
        """Clues of the window that cells outside of it may satisfy."""
        return self.cut.loosened

    def find_witness(self) -> Layout | None:
        """Return a layout of the window, None if its clues contradict each other."""
        with self.bounded:
            mines = next(self.cut.iterate_layouts(), None)
            return None if mines is None else Layout(mines)

    def find_forced(self) -> tuple[Forced, bool]:
        """Return the cells of the board that are forced by the clues in the window."""
        with self.bounded:
            mines, safe = (self._place_on_board(cells) for cells in self.cut.find_forced())
        return self._forced_from_masks(mines, safe), True

    def count(self) -> int:
        """Count the layouts of the window."""
        with self.bounded:
            return self.cut.count()

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts of the window from the question's offset on."""
        with self.bounded:
            for mines in self.cut.iterate_layouts(self.question.offset):
                yield Layout(mines)
                self.deadline.check()

    def compute_probabilities(self) -> NDArray[np.float64] | None:
        """Return the nearest doubles to the chances in the window, NaN for known cells."""
        with self.bounded:
            return np.where(self.cut.unknown, self.cut.compute_chances(), np.nan)

    def find_outside(self) -> Outside | None:
        """Return the conditions on cells outside the window."""
        with self.bounded:
            return self.cut.find_outside()

    def _place_on_board(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the board, from one of the window, (height, width)."""
        placed = np.zeros(self.board.shape, np.bool_)
        placed[self.cut.window.row_slice, self.cut.window.col_slice] = cells
        return placed


class _Bounded:
    """A context: what it means to a method that a strip is too much for an automaton."""

    def __init__(self, effort: Effort) -> None:
        self._effort = effort

    def __enter__(self) -> None:
        return

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, DiagramTooLarge | TooLong):
            if not self._effort.unbounded:
                raise NeedsMoreEffort from None
            raise TooWide(str(error)) from None
