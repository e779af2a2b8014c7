"""The ways to answer, behind one interface.

Every method raises `DeadlinePassed` or `TooWide` where it cannot finish, and
`NeedsWorker` where it could, but not within the small effort it was given.
"""

import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import log
from random import Random
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from automata import MOST_NODES, DiagramTooLarge, Loosened, NotAStrip, cut, strip
from minefield.board import MINE, Board, coordinates
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
from solvers.answer import Approximation, BackendRefusal, Estimate, Forced, Question
from solvers.backends import cpsat, exhaustive, sat
from solvers.counting import board
from solvers.counting.board import Chances, Ratio, Tally
from solvers.counting.component import Budget, TooWide
from solvers.counting.cutset import Share
from solvers.deadline import Deadline
from solvers.search.core import Core
from solvers.search.problem import BoxProblem


class NeedsWorker(Exception):
    """The question takes more than the effort allowed; what was found is dropped."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work is allowed.

    ``search`` and ``transitions`` are the budgets of `solvers.search.search` and of
    `solvers.counting.component`, ``nodes`` that of `automata.diagram`, ``tries`` that of
    the search for a smallest set of reasons. ``unbounded`` lets SAT and CP-SAT
    run, which only a deadline ends; without it they raise `NeedsWorker`. ``share``
    names others, who count parts of what is dear.
    """

    search: int
    transitions: int
    unbounded: bool
    nodes: int = MOST_NODES
    tries: int = 5000
    share: Share | None = None


#: A few milliseconds at most on boards of ordinary games.
INLINE = Effort(search=500, transitions=4_000_000, unbounded=False, nodes=10_000, tries=20)
#: Less than a second on boards of up to some ten thousand cells.
BOUNDED = Effort(search=500, transitions=400_000_000, unbounded=False, nodes=1_000_000, tries=200)
#: For a process that a deadline can kill.
FULL = Effort(search=500, transitions=100_000_000_000, unbounded=True)

#: Units of `solvers.counting.component.Budget` that are done in a second, at least.
_WORK_A_SECOND = 250_000_000

#: Counts by mines that take more work are left out.
_BY_MINES_DIGITS = 4_000_000_000
_DIGITS_PER_NODE = _BY_MINES_DIGITS // MOST_NODES
#: Larger boards are refused by exhaustive search.
_EXHAUSTIVE_CELLS = 2500


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

    @abstractmethod
    def witness(self) -> Layout | None:
        """A layout, or None if the board is inconsistent."""

    @abstractmethod
    def forced(self) -> tuple[Forced, bool]:
        """Forced cells of a consistent board, and whether these are all."""

    @abstractmethod
    def count(self) -> int:
        """Number of layouts."""

    def by_mines(self) -> dict[int, int] | None:
        """Layouts by number of mines; None: not by this method, or on boards of this size."""
        return None

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

    def chances(self, density: Fraction | None) -> Chances | None:
        """The same, exact, in reading order; None: not by this method."""
        return None

    def likelihood(self, density: Fraction, by_mines: Mapping[int, int] | None) -> Ratio | None:
        """The chance that random mines fit; None where ``by_mines``, the counts, are not known."""
        if by_mines is None:
            return None
        known = 0 if isinstance(self.board, Rules) else np.count_nonzero(self.board.cells == MINE)
        among = {mines - int(known): layouts for mines, layouts in by_mines.items()}
        return board.likelihood(among, int(np.count_nonzero(self.board.unknown)), density)

    def sample(self, random: Random) -> Layout:
        """A layout drawn at random, of a consistent board."""
        raise BackendRefusal("it draws no layouts at random")

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

    @property
    def grid(self) -> Board:
        """The board, for methods that read rows and columns."""
        if isinstance(self.board, Rules):
            raise BackendRefusal("it reads rows and columns, and rules have none")
        return self.board

    def _forced(self, mines: NDArray[np.bool_], safe: NDArray[np.bool_]) -> Forced:
        """From masks over the board, (height, width)."""
        unknown = self.board.unknown
        return Forced(coordinates(mines & unknown), coordinates(safe & unknown))


class Automata(Method):
    """Boards up to twelve cells high or wide, read column by column."""

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        try:
            self.strip = strip(self.grid, question.mines, deadline.check, effort.nodes)
        except NotAStrip as refusal:
            raise BackendRefusal(str(refusal)) from None

    @property
    def name(self) -> str:
        return self.strip.machine

    def witness(self) -> Layout | None:
        with _bounded(self.effort):
            return self.strip.witness()

    def forced(self) -> tuple[Forced, bool]:
        with _bounded(self.effort):
            return self._forced(*self.strip.forced()), True

    def count(self) -> int:
        with _bounded(self.effort):
            return self.strip.count()

    def by_mines(self) -> dict[int, int] | None:
        with _bounded(self.effort):
            unknown = int(np.count_nonzero(self.board.unknown))
            bits = self.strip.count().bit_length()
            # Additions of numbers with so many digits of 64 bits take about a nanosecond a digit.
            digits = len(self.strip.diagram) * unknown * bits // 64
            if unknown > board.BY_MINES_CELLS or digits > _BY_MINES_DIGITS:
                return None
            if digits > self.effort.nodes * _DIGITS_PER_NODE:
                raise NeedsWorker
            return self.strip.by_mines()

    def layouts(self) -> Iterator[Layout]:
        with _bounded(self.effort):
            for layout in self.strip.layouts(self.question.offset):
                yield layout
                self.deadline.check()

    def sample(self, random: Random) -> Layout:
        if self.question.density is not None:
            raise BackendRefusal("it draws all layouts alike, and takes no density")
        with _bounded(self.effort):
            return self.strip.sample(random)

    def rank(self, layout: Layout) -> int:
        with _bounded(self.effort):
            return self.strip.rank(layout)

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64] | None:
        log_odds = 0.0
        if density is not None:
            log_odds = log(density.numerator) - log(density.denominator - density.numerator)
        with _bounded(self.effort):
            chances = self.strip.probabilities(log_odds)
            return _uncertain(chances, self.board.unknown, *self.strip.forced())


class Windowed(Method):
    """What the clues in a window say, by the automaton that reads it as a strip.

    Layouts and chances have the shape of the window.
    """

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        assert question.window is not None, "a strip is cut out by a window"
        self.cut = cut(self.grid, question.window, deadline.check, effort.nodes)

    @property
    def name(self) -> str:
        return self.cut.machine

    @property
    def loosened(self) -> list[Loosened]:
        return self.cut.loosened

    def witness(self) -> Layout | None:
        with _bounded(self.effort):
            mines = next(self.cut.layouts(), None)
            return None if mines is None else Layout(mines)

    def forced(self) -> tuple[Forced, bool]:
        with _bounded(self.effort):
            mines, safe = (self._on_board(cells) for cells in self.cut.forced())
        return self._forced(mines, safe), True

    def count(self) -> int:
        with _bounded(self.effort):
            return self.cut.count()

    def layouts(self) -> Iterator[Layout]:
        with _bounded(self.effort):
            for mines in self.cut.layouts(self.question.offset):
                yield Layout(mines)
                self.deadline.check()

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64] | None:
        with _bounded(self.effort):
            return _uncertain(self.cut.probabilities(), self.cut.unknown, *self.cut.forced())

    def _on_board(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """From the window's cells, (height, width), to the board's."""
        placed = np.zeros(self.board.shape, np.bool_)
        placed[self.cut.window.rows, self.cut.window.cols] = cells
        return placed


def _uncertain(
    chances: NDArray[np.float64],
    unknown: NDArray[np.bool_],
    mines: NDArray[np.bool_],
    safe: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Chances of unknown cells, never 0 or 1 unless the cell is forced; NaN for known ones."""
    least, most = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)
    between = np.where(mines | safe, chances, np.clip(chances, least, most))
    return np.where(unknown, between, np.nan)


@contextmanager
def _bounded(effort: Effort) -> Iterator[None]:
    """What a diagram that is too large means to a method."""
    try:
        yield
    except DiagramTooLarge as error:
        if not effort.unbounded:
            raise NeedsWorker from None
        raise TooWide(str(error)) from None


class Exhaustive(Method):
    """Small boards, by Kadlac's breadth-first search."""

    own_name = "exhaustive"
    tells_chances = False

    @cached_property
    def all(self) -> list[Layout]:
        """Every layout."""
        if self.question.cells > _EXHAUSTIVE_CELLS:
            raise BackendRefusal(f"exhaustive search takes at most {_EXHAUSTIVE_CELLS} cells")
        try:
            return list(exhaustive.layouts(self.grid, self.question.mines, self.deadline))
        except exhaustive.FrontierTooLarge as refusal:
            raise BackendRefusal(str(refusal)) from None

    def witness(self) -> Layout | None:
        return self.all[0] if self.all else None

    def forced(self) -> tuple[Forced, bool]:
        mines = np.stack([layout.mines for layout in self.all])
        everywhere, nowhere = np.asarray(mines.all(axis=0)), np.asarray(~mines.any(axis=0))
        return self._forced(everywhere, nowhere), True

    def count(self) -> int:
        return len(self.all)

    def by_mines(self) -> dict[int, int] | None:
        return dict(Counter(layout.total for layout in self.all))

    def layouts(self) -> Iterator[Layout]:
        return iter(self.all[self.question.offset :])


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

    def _enumerated(self) -> Iterator[Layout]:
        """Layouts from the question's offset on, by SAT."""
        if self.contradictory:
            return
        found = sat.layouts(self.reduction, self.deadline)
        # No enumeration gets as far as where a slice has to stop counting.
        for cells, mines in islice(found, min(self.question.offset, sys.maxsize), None):
            yield self._layout(self._placed(cells, mines))

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
        state = state.reshape(self.board.shape)
        return self._forced(state == IS_MINE, state == IS_SAFE)

    def _cell_values(self, boxes: NDArray[np.int8]) -> NDArray[np.int8]:
        """Values of cells, (cells,), from values of boxes; UNDECIDED where not known."""
        values = np.full(self.reduction.state.size, UNDECIDED, dtype=np.int8)
        for box in np.flatnonzero(boxes >= 0).tolist():
            values[self.problem.cells_of(box)] = boxes[box]
        return values


class Frontier(Reduced):
    """Any board of narrow components, by dynamic programming."""

    own_name = "frontier"

    @cached_property
    def tally(self) -> Tally:
        """The counts."""
        work = self.effort.transitions
        if self.effort.unbounded:
            # What cannot be done in time is not begun.
            work = int(min(work, max(0.0, self.deadline.left) * _WORK_A_SECOND))
        return Tally(self.reduction, Budget(work, self.deadline))

    def witness(self) -> Layout | None:
        if self.contradictory or not self.tally.count:
            return None
        return self._layout(self.tally.layout(0))

    def forced(self) -> tuple[Forced, bool]:
        return self._decided(self.tally.forced()), True

    def count(self) -> int:
        return self.tally.count

    def by_mines(self) -> dict[int, int] | None:
        return self.tally.by_mines

    @property
    def estimate(self) -> Estimate | None:
        return self.tally.estimate if "tally" in vars(self) else None

    def layouts(self) -> Iterator[Layout]:
        for rank in range(self.question.offset, self.tally.count):
            self.deadline.check()
            yield self._layout(self.tally.layout(rank))

    def sample(self, random: Random) -> Layout:
        return self._layout(self.tally.sample(random, self.question.density))

    def rank(self, layout: Layout) -> int:
        return self.tally.rank(layout.mines.ravel())

    def chances(self, density: Fraction | None) -> Chances | None:
        return self.tally.chances(density)

    def likelihood(self, density: Fraction, by_mines: Mapping[int, int] | None) -> Ratio | None:
        return self.tally.likelihood(density)


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


class Sat(Enumerated):
    """Any board, by CNF and PySAT."""

    own_name = "sat"
    tells_chances = False

    @cached_property
    def found(self) -> Layout | None:
        """A layout."""
        if self.contradictory:
            return None
        found = sat.witness(self.reduction, self.deadline)
        return self._layout(self._placed(*found)) if found else None

    def witness(self) -> Layout | None:
        return self.found

    def forced(self) -> tuple[Forced, bool]:
        assert self.found is not None, "asked of consistent boards only"
        values, complete = sat.forced(self.reduction, self.found.mines.ravel(), self.deadline)
        return self._decided(values), complete

    @cached_property
    def components(self) -> list[dict[int, int]]:
        """Layouts by mines of each component."""
        return [
            sat.count(self.reduction, component, self.deadline)
            for component in range(self.reduction.components)
        ]

    def layouts(self) -> Iterator[Layout]:
        return self._enumerated()


class CpSat(Enumerated):
    """Any board, by OR-Tools CP-SAT."""

    own_name = "cpsat"
    tells_chances = False

    @cached_property
    def mines(self) -> NDArray[np.int32] | None:
        """Mines of each box in some layout."""
        return None if self.contradictory else cpsat.witness(self.problem, self.deadline)

    def witness(self) -> Layout | None:
        return None if self.mines is None else self._layout(self.problem.place(self.mines))

    def forced(self) -> tuple[Forced, bool]:
        assert self.mines is not None, "asked of consistent boards only"
        values, complete = cpsat.forced(self.problem, self.mines, self.deadline)
        return self._decided(self._cell_values(values)), complete

    @cached_property
    def components(self) -> list[dict[int, int]]:
        """Layouts by mines of each component."""
        parts = BoxProblem.of(self.reduction, total=False)
        return [
            cpsat.count(parts.component(component), self.deadline)
            for component in range(parts.components)
        ]

    def layouts(self) -> Iterator[Layout]:
        if self.contradictory:
            return
        offset, wanted = self.question.offset, self.question.limit + 1
        for mines in cpsat.layouts(self.problem, self.deadline, wanted, offset):
            yield self._layout(mines)
