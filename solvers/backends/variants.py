"""Boards whose clues are sets, or lie, or whose cells hold several mines.

Counts, chances and numbered layouts come from a dynamic program over the frontier
(`solvers.variants`); where it has too many states, verdicts and forced cells from CP-SAT.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import chain
from random import Random

import numpy as np
from numpy.typing import NDArray

from minefield.board import MINE
from minefield.layout import Layout, Piled
from minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED
from minefield.variant import Variant
from solvers.answer import Forced
from solvers.backends import variant_model
from solvers.backends.method import Method
from solvers.budget import TooWide
from solvers.counting.chances import Chances
from solvers.deadline import Deadline
from solvers.effort import Effort, NeedsWorker
from solvers.progress import Progress
from solvers.question import Question
from solvers.variants.problem import Problem
from solvers.variants.tally import Tally

#: Up to so many unknown cells, layouts by number of mines take next to nothing.
_SOON_CELLS = 100


class Variants(Method):
    """Variants whose clues are not just intervals."""

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        assert isinstance(question.board, Variant), "as it is chosen"
        self.variant = question.board
        self.used: dict[str, None] = {}
        if not effort.unbounded:
            raise NeedsWorker

    @property
    def name(self) -> str:
        return "+".join(self.used) or "frontier"

    def resume(self, progress: Progress) -> None:
        if progress.answer is not None:
            self.used = dict.fromkeys(progress.answer.method.split("+"))

    @cached_property
    def problem(self) -> Problem:
        """The variant as boxes."""
        return Problem.of(self.variant, self.question.mines)

    @cached_property
    def counts(self) -> Tally:
        """The counts, whatever they are used for."""
        return Tally(self.problem, self.question.density, self.deadline)

    @property
    def tally(self) -> Tally:
        """The counts; raises `TooWide` if there are none."""
        self.counts.check()
        self.used["frontier"] = None
        return self.counts

    def witness(self) -> Layout | None:
        try:
            found = self.tally.layout(0) if self.tally.count else None
        except TooWide:
            self.used["cpsat"] = None
            held = self.by_boxes
            found = None if held is None else self._spread(held)
        return None if found is None else self._layout(found)

    @cached_property
    def by_boxes(self) -> list[int] | None:
        """Spare mines of each box in some layout, by CP-SAT."""
        return variant_model.witness(self.problem, self.deadline)

    def forced(self) -> tuple[Forced, bool]:
        cells, complete = self.variant.cells.size, True
        try:
            values = np.full(cells, UNDECIDED, np.int8)
            for among, chance in self._exact.groups:
                if chance.part in (0, chance.whole):
                    values[among] = IS_MINE if chance.part else IS_SAFE
        except TooWide:
            held = self.by_boxes
            assert held is not None, "asked of consistent boards only"
            self.used["cpsat"] = None
            values, complete = variant_model.forced(self.problem, held, cells, self.deadline)
        return self._among_unknown(values.reshape(self.variant.shape)), complete

    @cached_property
    def _exact(self) -> Chances:
        return self.counts.chances(self.variant.cells.size)

    def count(self) -> int:
        return self.tally.count

    def by_mines(self) -> dict[int, int] | None:
        return self.tally.by_mines

    @property
    def soon_by_mines(self) -> bool:
        unknown = int(np.count_nonzero(self.variant.unknown))
        return self.question.mines is not None or unknown <= _SOON_CELLS

    def chances(self, density: Fraction | None) -> Chances:
        return self._exact

    def layouts(self) -> Iterator[Layout]:
        for rank in range(self.question.offset, self.tally.count):
            self.deadline.check()
            yield self._layout(self.tally.layout(rank))

    def sample(self, random: Random) -> Layout:
        return self._layout(self.tally.sample(random))

    def rank(self, layout: Layout) -> int:
        return self.tally.rank(layout.amounts.ravel())

    def _spread(self, held: list[int]) -> dict[int, int]:
        """Spare mines by cell, from those of each box: as many as fit, cell by cell."""
        found = {}
        problem = self.problem
        boxes = chain(problem.boxes, problem.loose, problem.decided)
        for box, left in zip(boxes, [*held, *(one.low for one in problem.decided)], strict=True):
            for cell in box.cells:
                found[cell] = min(left, box.span)
                left -= found[cell]
        return found

    def _layout(self, spare: dict[int, int]) -> Layout:
        amounts: NDArray[np.int8] = (self.variant.cells == MINE).astype(np.int8)
        flat = amounts.ravel()
        for cell, more in spare.items():
            flat[cell] += more
        return Layout(amounts > 0) if self.variant.most == 1 else Piled(amounts)
