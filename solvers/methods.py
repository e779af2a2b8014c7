"""The ways to answer, behind one interface.

Every method raises `DeadlinePassed` or `TooWide` where it cannot finish, and
`NeedsWorker` where it could, but not within the small effort it was given.
"""

import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from automata import MOST_NODES, DiagramTooLarge, Loosened, NotAStrip, cut, strip
from minefield.board import coordinates
from minefield.constraints import IS_MINE, IS_SAFE, NONE, UNDECIDED, Reduction, reduce_board
from minefield.layout import Layout
from solvers import counting, cpsat, exhaustive, sat
from solvers.answer import BackendRefusal, Forced, Question
from solvers.boxes import BoxProblem
from solvers.conflict import Core
from solvers.counting import Tally
from solvers.deadline import Deadline
from solvers.frontier import Budget, TooWide


class NeedsWorker(Exception):
    """The question takes more than the effort allowed; what was found is dropped."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work is allowed.

    ``search`` and ``transitions`` are the budgets of `solvers.search` and of
    `solvers.frontier`, ``nodes`` that of `automata.diagram`. ``unbounded``
    lets SAT and CP-SAT run, which only a deadline ends; without it they raise
    `NeedsWorker`.
    """

    search: int
    transitions: int
    unbounded: bool
    nodes: int = MOST_NODES


#: A few milliseconds at most on boards of ordinary games.
INLINE = Effort(search=500, transitions=4_000, unbounded=False, nodes=10_000)
#: Less than a second on boards of up to some ten thousand cells.
BOUNDED = Effort(search=500, transitions=200_000, unbounded=False, nodes=1_000_000)
#: For a process that a deadline can kill.
FULL = Effort(search=500, transitions=3_000_000, unbounded=True)

#: Counts by mines that take more work are left out.
_BY_MINES_DIGITS = 4_000_000_000
_DIGITS_PER_NODE = _BY_MINES_DIGITS // MOST_NODES
#: Larger boards are refused by exhaustive search.
_EXHAUSTIVE_CELLS = 2500


class Method(ABC):
    """One way to answer questions about one board."""

    #: What the method is called in answers.
    own_name: ClassVar[str] = ""

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
    def count(self) -> tuple[int, dict[int, int] | None]:
        """Number of layouts, in all and by mines (None where that is not known)."""

    @abstractmethod
    def layouts(self) -> Iterator[Layout]:
        """Layouts from the question's offset on, each once."""

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64] | None:
        """Chance of a mine, NaN for known cells, (height, width); None: not by this method."""
        return None

    def core(self) -> Core | None:
        """Clues behind an inconsistency, not minimal, if the method knows them."""
        return None

    @property
    def loosened(self) -> list[Loosened] | None:
        """The clues of a window that see unknown cells outside it."""
        return None

    def _forced(self, mines: NDArray[np.bool_], safe: NDArray[np.bool_]) -> Forced:
        """From masks over the board, (height, width)."""
        unknown = self.board.unknown
        return Forced(coordinates(mines & unknown), coordinates(safe & unknown))


class Automata(Method):
    """Boards up to twelve cells high or wide, read column by column."""

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        try:
            self.strip = strip(question.board, question.mines, deadline.check, effort.nodes)
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

    def count(self) -> tuple[int, dict[int, int] | None]:
        with _bounded(self.effort):
            count = self.strip.count()
            unknown = int(np.count_nonzero(self.board.unknown))
            # Additions of numbers with so many digits of 64 bits take about a nanosecond a digit.
            digits = len(self.strip.diagram) * unknown * count.bit_length() // 64
            if unknown > counting.BY_MINES_CELLS or digits > _BY_MINES_DIGITS:
                return count, None
            if digits > self.effort.nodes * _DIGITS_PER_NODE:
                raise NeedsWorker
            return count, self.strip.by_mines()

    def layouts(self) -> Iterator[Layout]:
        with _bounded(self.effort):
            for layout in self.strip.layouts(self.question.offset):
                yield layout
                self.deadline.check()

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
        self.cut = cut(question.board, question.window, deadline.check, effort.nodes)

    @property
    def name(self) -> str:
        return self.cut.machine

    @property
    def loosened(self) -> list[Loosened]:
        return self.cut.loosened

    def witness(self) -> Layout | None:
        return next(self.layouts(), None)

    def forced(self) -> tuple[Forced, bool]:
        with _bounded(self.effort):
            mines, safe = (self._on_board(cells) for cells in self.cut.forced())
        return self._forced(mines, safe), True

    def count(self) -> tuple[int, dict[int, int] | None]:
        with _bounded(self.effort):
            return self.cut.count(), None

    def layouts(self) -> Iterator[Layout]:
        with _bounded(self.effort):
            yield from map(Layout, self.cut.layouts())

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

    @cached_property
    def all(self) -> list[Layout]:
        """Every layout."""
        if self.board.cells.size > _EXHAUSTIVE_CELLS:
            raise BackendRefusal(f"exhaustive search takes at most {_EXHAUSTIVE_CELLS} cells")
        try:
            return list(exhaustive.layouts(self.board, self.question.mines, self.deadline))
        except exhaustive.FrontierTooLarge as refusal:
            raise BackendRefusal(str(refusal)) from None

    def witness(self) -> Layout | None:
        return self.all[0] if self.all else None

    def forced(self) -> tuple[Forced, bool]:
        mines = np.stack([layout.mines for layout in self.all])
        everywhere, nowhere = np.asarray(mines.all(axis=0)), np.asarray(~mines.any(axis=0))
        return self._forced(everywhere, nowhere), True

    def count(self) -> tuple[int, dict[int, int] | None]:
        return len(self.all), dict(Counter(layout.total for layout in self.all))

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

    def core(self) -> Core | None:
        if not self.contradictory:
            return None
        return Core(*self.reduction.conflict_trace())

    def _enumerated(self) -> Iterator[Layout]:
        """Layouts from the question's offset on, by SAT."""
        if self.contradictory:
            return
        found = sat.layouts(self.reduction, self.deadline)
        # No enumeration gets as far as where a slice has to stop counting.
        for cells, mines in islice(found, min(self.question.offset, sys.maxsize), None):
            yield self._layout(self._placed(cells, mines))

    def _counted(
        self, components: Sequence[Mapping[int, int]]
    ) -> tuple[int, dict[int, int] | None]:
        """Counts of the board from the layouts by mines of each component."""
        return (
            counting.count(self.reduction, components),
            counting.by_mines(self.reduction, components),
        )

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
        return Tally(self.reduction, Budget(self.effort.transitions, self.deadline))

    def witness(self) -> Layout | None:
        if self.contradictory or not self.tally.count:
            return None
        return self._layout(self.tally.layout(0))

    def forced(self) -> tuple[Forced, bool]:
        return self._decided(self.tally.forced()), True

    def count(self) -> tuple[int, dict[int, int] | None]:
        return self.tally.count, self.tally.by_mines

    def layouts(self) -> Iterator[Layout]:
        for rank in range(self.question.offset, self.tally.count):
            self.deadline.check()
            yield self._layout(self.tally.layout(rank))

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64] | None:
        return self.tally.probabilities(density).reshape(self.board.shape)


class Sat(Reduced):
    """Any board, by CNF and PySAT."""

    own_name = "sat"

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

    def count(self) -> tuple[int, dict[int, int] | None]:
        components = [
            sat.count(self.reduction, component, self.deadline)
            for component in range(self.reduction.components)
        ]
        return self._counted(components)

    def layouts(self) -> Iterator[Layout]:
        return self._enumerated()


class CpSat(Reduced):
    """Any board, by OR-Tools CP-SAT."""

    own_name = "cpsat"

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

    def count(self) -> tuple[int, dict[int, int] | None]:
        parts = BoxProblem.of(self.reduction, total=False)
        components = [
            cpsat.count(parts.component(component), self.deadline)
            for component in range(parts.components)
        ]
        return self._counted(components)

    def layouts(self) -> Iterator[Layout]:
        if self.contradictory:
            return
        offset, wanted = self.question.offset, self.question.limit + 1
        for mines in cpsat.layouts(self.problem, self.deadline, wanted, offset):
            yield self._layout(mines)
