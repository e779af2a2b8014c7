"""Boards whose clues are sets, or lie, or whose cells hold several mines.

Counts, chances and numbered layouts come from the tables of plain boards
(`solvers.variants.slot_counts`), or, where clues may lie or tables are too wide, from a dynamic
program over the frontier (`solvers.variants.sweep`); where that has too many states, verdicts and
forced cells come from CP-SAT.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from random import Random

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.layout import Layout, MultiMineLayout
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, NONE, UNDECIDED, Reduction
from minecheck.minefield.variant import Variant
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends import variant_model
from minecheck.solvers.backends.method import Method
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import Effort
from minecheck.solvers.findings import Forced
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question
from minecheck.solvers.variants.problem import VariantProblem
from minecheck.solvers.variants.slot_counts import SlotCounts
from minecheck.solvers.variants.slots import Slots
from minecheck.solvers.variants.tally import VariantTally

#: Up to this many unknown cells, layouts by number of mines cost next to nothing. Fewer than
#: `polynomials.SOON_CELLS`, as a sweep that has counted all layouts together runs again for them.
_SOON_CELLS = 100


class Variants(Method):
    """Variants whose clues are not just intervals."""

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        assert isinstance(question.board, Variant), "as it is chosen"
        self.variant = question.board
        self.used: dict[Backend, None] = {}

    @property
    def engines(self) -> tuple[Backend, ...]:
        """The engines that found the results so far; the last one gave the latest result."""
        return tuple(self.used) or (self._next_engine,)

    @property
    def _next_engine(self) -> Backend:
        """The engine that is tried next: the requested one, if any."""
        if self.question.backend is not Backend.AUTO:
            return self.question.backend
        return _identify_engine(self._ways[0]) if self._ways else Backend.CPSAT

    def resume(self, progress: Progress) -> None:
        """Take over the progress of an earlier attempt."""
        super().resume(progress)
        if progress.answer is not None:
            self.used = dict.fromkeys(map(Backend, progress.answer.engines))

    @cached_property
    def slots(self) -> Slots:
        """The variant as constraints over slots."""
        return Slots.from_variant(self.variant)

    @cached_property
    def reduction(self) -> Reduction:
        """The slots in boxes; a clue that may lie constrains nothing alone."""
        if self._lies:
            return self.slots.constraints.parts
        return self.slots.build_reduction(self.question.mines)

    @cached_property
    def problem(self) -> VariantProblem:
        """The boxes with what the clues say of them."""
        return VariantProblem.from_reduction(self.slots, self.reduction, self.question.mines)

    @cached_property
    def _ways(self) -> list[VariantTally | SlotCounts]:
        """The ways to count that are left to try: each orders layouts."""
        backend, ways = self.question.backend, self._ways_of_board
        if backend is Backend.AUTO:
            return ways
        return [way for way in ways if _identify_engine(way) is backend]

    @property
    def _ways_of_board(self) -> list[VariantTally | SlotCounts]:
        """All ways to count such a board, the cheapest first."""
        density, deadline, limits = self.question.density, self.deadline, self.effort.variants
        few_moves, most_moves = (
            VariantTally(self.problem, density, deadline, moves, limits.most_bytes)
            for moves in (limits.few_moves, limits.most_moves)
        )
        if self._lies:
            return [most_moves]
        few, many = (
            SlotCounts(self.slots, self.reduction, density, deadline, work)
            for work in (limits.little_work, limits.most_work)
        )
        if self.reduction.conflict != NONE:
            return [few]
        return [few, few_moves, many, most_moves]

    @property
    def _lies(self) -> bool:
        return self.variant.lies != (0, 0)

    @property
    def tally(self) -> VariantTally | SlotCounts:
        """The counts, by the first way that is not too wide.

        Raises:
            TooWide: all ways are.
        """
        while self._ways:
            try:
                self._ways[0].check_feasible()
            except TooWide:
                del self._ways[0]
            else:
                self.used[_identify_engine(self._ways[0])] = None
                return self._ways[0]
        raise TooWide

    def find_witness(self) -> Layout | None:
        """Return a layout, by CP-SAT where counts are too wide; None if there is none."""
        if not self._ways and self.reduction.conflict != NONE:
            # The reduction has decided it, and no way to count is left that the backend may take.
            return None
        try:
            mine_counts = self.tally.find_witness() if self.tally.count else None
        except TooWide:
            self._note_cpsat()
            held = self.by_boxes
            mine_counts = None if held is None else self._spread_mines(held)
        return None if mine_counts is None else self._layout_from_mines(mine_counts)

    def _note_cpsat(self) -> None:
        """Note that CP-SAT is used next; raise `TooWide` if another engine was requested."""
        if self.question.backend not in (Backend.AUTO, Backend.CPSAT):
            raise TooWide
        self.used[Backend.CPSAT] = None

    @cached_property
    def by_boxes(self) -> list[int] | None:
        """Spare mines of each box in some layout, by CP-SAT."""
        return variant_model.find_witness(self.problem, self.deadline)

    def find_forced(self) -> tuple[Forced, bool]:
        """Return forced cells, by CP-SAT where counts are too wide, and whether these are all."""
        cells, complete = self.variant.cells.size, True
        try:
            values = np.full(cells, UNDECIDED, np.int8)
            for among, chance in self._exact.groups:
                if chance.part in (0, chance.whole):
                    values[among] = IS_MINE if chance.part else IS_SAFE
        except TooWide:
            self._note_cpsat()
            held = self.by_boxes
            assert held is not None, "called for consistent boards only"
            values, complete = variant_model.find_forced(self.problem, held, self.deadline)
        return self._keep_unknown(values.reshape(self.variant.shape)), complete

    @cached_property
    def _exact(self) -> Chances:
        return self.tally.compute_chances(self.variant.cells.size)

    def count(self) -> int:
        """Count the layouts."""
        return self.tally.count

    def by_mines(self) -> dict[int, int] | None:
        """Return the layouts by number of mines."""
        return self.tally.by_mines

    @property
    def soon_by_mines(self) -> bool:
        """True if layouts by number of mines take little time."""
        unknown = int(np.count_nonzero(self.variant.unknown))
        return self.question.mines is not None or unknown <= _SOON_CELLS

    def compute_chances(self) -> Chances:
        """Return exact chances."""
        return self._exact

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on, by their numbers."""
        for rank in range(self.question.offset, self.tally.count):
            self.deadline.check()
            yield self._layout_from_mines(self.tally.unrank(rank))

    def sample(self, random: Random) -> Layout:
        """Draw a layout at random."""
        return self._layout_from_mines(self.tally.sample(random))

    def rank(self, layout: Layout) -> int:
        """Return the number of a layout in the order of `iterate_layouts`."""
        return self.tally.rank(layout.mine_counts.ravel())

    def _spread_mines(self, held: list[int]) -> NDArray[np.int8]:
        """Return mines by cell from the spare ones of each box: as many as fit, cell by cell."""
        spread = {}
        problem = self.problem
        for box, mines in zip(chain(problem.boxes, problem.loose), held, strict=True):
            for cell in box.cells:
                spread[cell] = min(mines, box.span)
                mines -= spread[cell]
        return problem.layout_from_spare(spread)

    def _layout_from_mines(self, mine_counts: NDArray[np.int8]) -> Layout:
        mine_counts = mine_counts.reshape(self.variant.shape)
        return Layout(mine_counts > 0) if self.variant.most == 1 else MultiMineLayout(mine_counts)


def _identify_engine(way: VariantTally | SlotCounts) -> Backend:
    """Return the engine that a way to count is."""
    return Backend.SWEEP if isinstance(way, VariantTally) else Backend.FRONTIER
