"""Counts where a component is too wide for the frontier: by Ganak, or about, by ApproxMC."""

from collections.abc import Callable
from functools import cached_property
from math import prod
from time import monotonic
from typing import Final, TypeVar

from minefield.reduction.constraints import Reduction
from solvers.answer import Approximation
from solvers.backends import model_counters
from solvers.backends.model_counters import CounterFailed, CounterMissing, combined, shares
from solvers.counting.board import Tally
from solvers.counting.component import TooWide
from solvers.deadline import Deadline, DeadlinePassed

Count = TypeVar("Count", int, Approximation)

#: The part of the time left that the exact counter may take; the rest is for the approximate one.
_EXACT_SHARE: Final = 0.5
#: What is promised of an approximate count.
_EPSILON: Final = 0.8
_DELTA: Final = 0.2


class WideCount:
    """The count of a reduction without a total of mines, some components of which are too wide.

    The others are counted by the frontier. ``note`` says what kept a counter
    from its work, if anything did.
    """

    def __init__(self, tally: Tally, deadline: Deadline) -> None:
        self.tally = tally
        self.deadline = deadline
        self.note: str | None = None

    @cached_property
    def narrow(self) -> list[int | None]:
        """Layouts of each component, None for those that are too wide."""
        found: list[int | None] = []
        for part in self.tally.parts:
            try:
                found.append(part.count)
            except TooWide:
                found.append(None)
        return found

    def exact(self) -> int:
        """The number of layouts, by Ganak where components are wide, in part of the time left.

        Raises:
            TooWide: that takes too long, or Ganak is not there.
        """
        deadline = Deadline(monotonic() + max(0.0, self.deadline.left) * _EXACT_SHARE)
        try:
            counts = self._counts(lambda reduction, k: model_counters.exact(reduction, k, deadline))
        except DeadlinePassed:
            raise TooWide from None
        if counts is None:
            raise TooWide
        return prod(counts)

    def approximate(self) -> Approximation | None:
        """About the number of layouts, by ApproxMC where components are wide; None if it failed.

        Raises:
            DeadlinePassed: that takes too long.
        """
        epsilon, delta = shares(_EPSILON, _DELTA, self.narrow.count(None))
        counts = self._counts(
            lambda reduction, k: model_counters.approximate(
                reduction, k, self.deadline, epsilon, delta
            )
        )
        if counts is None:
            return None
        found = combined(counts)
        assert isinstance(found, Approximation), "a component is too wide"
        return found

    def _counts(self, counted: Callable[[Reduction, int], Count]) -> list[int | Count] | None:
        """Layouts of the loose cells and of each component, by ``counted`` where that is wide.

        None if the counter is missing or failed; then `note` says why.
        """
        reduction = self.tally.reduction
        found: list[int | Count] = [1 << reduction.loose.size]
        try:
            for component, count in enumerate(self.narrow):
                found.append(counted(reduction, component) if count is None else count)
        except (CounterMissing, CounterFailed) as error:
            self.note = self.note or str(error)
            return None
        return found
