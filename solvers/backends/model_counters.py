"""Counting layouts by others' model counters: Ganak, exactly, and ApproxMC, approximately.

For components too wide for `solvers.counting`, which counts the others. Both read the clauses of
`solvers.backends.clauses` and run in a child process that the deadline kills. They come
with ``pip install minecheck[counters]``, where there are wheels of them.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from math import inf, prod
from typing import Final, TypeVar

from minecheck.minefield.reduction.constraints import Reduction
from minecheck.solvers.backends import counter_process
from minecheck.solvers.backends.clauses import encode_reduction
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Approximation

Count = TypeVar("Count", int, Approximation)

#: The guarantee of an approximate count.
_EPSILON: Final = 0.8
_DELTA: Final = 0.2
#: A child process whose parent is dead ends itself this many seconds after the deadline.
_ORPHANED_SECONDS: Final = 1.0


class CounterMissing(Exception):
    """The package of a counter is not installed; it does not exist for every platform."""

    def __init__(self, package: str) -> None:
        super().__init__(f"{package} is not installed: pip install minecheck[counters]")


class CounterFailed(Exception):
    """A counter ended without a count, such as for want of memory."""


class WideCount:
    """The count of a reduction without a total of mines, some components of which are too wide.

    The others are counted by the frontier. `count_exactly` may take ``exact_share`` of the time
    left. ``note`` says what kept a counter from its work, if anything did.
    """

    def __init__(self, tally: BoardTally, deadline: Deadline, exact_share: float) -> None:
        self.tally = tally
        self.exact_share = exact_share
        self.deadline = deadline
        self.note: str | None = None

    @cached_property
    def narrow(self) -> list[int | None]:
        """Layouts of each component, None for those that are too wide."""
        counts: list[int | None] = []
        for part in self.tally.parts:
            try:
                counts.append(part.count)
            except TooWide:
                counts.append(None)
        return counts

    def count_exactly(self) -> int:
        """Return the number of layouts, wide components by Ganak, in part of the time left.

        Raises:
            TooWide: that takes too long, or Ganak is not there.
        """
        deadline = self.deadline.take_share(self.exact_share)
        try:
            counts = self._count_components(
                lambda reduction, k: count_exactly(reduction, k, deadline)
            )
        except DeadlinePassed:
            raise TooWide from None
        if counts is None:
            raise TooWide
        return prod(counts)

    def count_approximately(self) -> Approximation | None:
        """Estimate the number of layouts, by ApproxMC where components are wide; None if it failed.

        Raises:
            DeadlinePassed: that takes too long.
        """
        epsilon, delta = share_errors(_EPSILON, _DELTA, self.narrow.count(None))
        counts = self._count_components(
            lambda reduction, k: count_approximately(reduction, k, self.deadline, epsilon, delta)
        )
        if counts is None:
            return None
        approximation = multiply_counts(counts)
        assert isinstance(approximation, Approximation), "a component is too wide"
        return approximation

    def _count_components(
        self, counted: Callable[[Reduction, int], Count]
    ) -> list[int | Count] | None:
        """Return layouts of the loose cells and of each component; ``counted`` counts wide ones.

        None if the counter is missing or failed; then `note` says why.
        """
        reduction = self.tally.reduction
        counts: list[int | Count] = [1 << reduction.loose.size]
        try:
            for component, count in enumerate(self.narrow):
                counts.append(counted(reduction, component) if count is None else count)
        except (CounterMissing, CounterFailed) as error:
            self.note = self.note or str(error)
            return None
        return counts


def count_exactly(reduction: Reduction, component: int | None, deadline: Deadline) -> int:
    """Return the layouts of a component, without the total of mines, by Ganak.

    Args:
        reduction: the reduced board.
        component: the number of the component; None for the whole board, with its loose cells and
            the total.
        deadline: when the counter is killed.

    Raises:
        CounterMissing: pyganak is not installed.
        CounterFailed: it ended without a count.
        DeadlinePassed: it did not end in time.
    """
    return _run_counter("pyganak", reduction, component, deadline, "ganak")


def count_approximately(
    reduction: Reduction,
    component: int | None,
    deadline: Deadline,
    epsilon: float = _EPSILON,
    delta: float = _DELTA,
    seed: int = 1,
) -> Approximation:
    """Estimate the layouts of a component, without the total of mines, by ApproxMC.

    None as the component is the whole board, with its loose cells and the total.
    Both ``epsilon`` and ``delta`` are above 0, ``delta`` below 1; the same seed
    finds the same count. The guarantee is that of Chakraborty, Meel and Vardi, *A
    scalable approximate model counter* (CP 2013), and *Algorithmic improvements
    in approximate counting for probabilistic inference* (IJCAI 2016).

    Args:
        reduction: the reduced board.
        component: the number of the component.
        deadline: when the counter is killed.
        epsilon: the relative tolerance, above 0.
        delta: the chance that the estimate is outside of it, between 0 and 1.
        seed: the seed of the counter.

    Raises:
        ValueError: ``epsilon`` or ``delta`` is out of its range.
        CounterMissing: pyapproxmc is not installed.
        CounterFailed: it ended without a count.
        DeadlinePassed: it did not end in time.
    """
    if not (epsilon > 0 and 0 < delta < 1):
        raise ValueError("epsilon must be above 0, and delta between 0 and 1")
    options = (str(epsilon), str(delta), str(seed))
    count = _run_counter("pyapproxmc", reduction, component, deadline, "approxmc", *options)
    return Approximation(count, epsilon, delta)


def share_errors(epsilon: float, delta: float, parts: int) -> tuple[float, float]:
    """Return epsilon and delta for each of several parts whose counts are multiplied.

    Args:
        epsilon: the tolerance of the product.
        delta: the chance that the product is outside of it.
        parts: how many parts are multiplied, at least 1.
    """
    return (1 + epsilon) ** (1 / parts) - 1, delta / parts


def multiply_counts(parts: Sequence[int | Approximation]) -> int | Approximation:
    """Multiply counts; the product is exact if all of them are.

    Factors 1 + epsilon multiply. Deltas add up, as one part that is too far
    off is enough and nothing is assumed about how they hang together.
    """
    count = prod(part if isinstance(part, int) else part.count for part in parts)
    about = [part for part in parts if isinstance(part, Approximation)]
    if not about:
        return count
    epsilon = prod(1 + part.epsilon for part in about) - 1
    return Approximation(count, epsilon, min(1.0, sum(part.delta for part in about)))


def _run_counter(
    package: str, reduction: Reduction, component: int | None, deadline: Deadline, *arguments: str
) -> int:
    """Return the count that `solvers.backends.counter_process` prints for a component."""
    if find_spec(package) is None:
        raise CounterMissing(package)
    cells, clauses, top = encode_reduction(
        reduction, deadline, None if component is None else [component]
    )
    pieces: list[str] = []
    for piece in counter_process.write_dimacs(cells.size, clauses, top):
        deadline.check()
        pieces.append(piece)
    text = "".join(pieces)
    seconds = None if deadline.at == inf else deadline.left
    alarm = 0.0 if seconds is None else seconds + _ORPHANED_SECONDS
    command = [
        sys.executable,
        "-P",
        counter_process.__file__,
        str(os.getpid()),
        str(alarm),
        *arguments,
    ]
    try:
        ended = subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise DeadlinePassed from None
    if ended.returncode:
        lines = ended.stderr.strip().splitlines()[-1:] or [f"status {ended.returncode}"]
        raise CounterFailed(f"{package}: {lines[0]}")
    return int(ended.stdout, 16)
