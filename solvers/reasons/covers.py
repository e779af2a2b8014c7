"""Least covers: the lightest items that meet all of some sets, or a bound of their weight.

These are minimum hitting sets, as those of `solvers.search.hitting_sets`, which has no weights and
does not stop before the optimum. Here CP-SAT looks for them, whose bound holds at any time.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from minecheck.solvers.deadline import Deadline
from minecheck.solvers.search.linear_model import LinearModel


class Cover(NamedTuple):
    """Items that meet all sets, and what no such items weigh less than; None: none in time.

    ``work`` is what it took, in the unit of `Covers.find_lightest`.
    """

    items: set[int] | None
    bound: int
    work: float


class Covers:
    """Sets of items, by number from 0, each of a ``weight``; sets may be added."""

    def __init__(self, weights: Sequence[int]) -> None:
        self._model = LinearModel()
        self._items = [self._model.add_variable() for _ in weights]
        self._model.set_objective(dict(enumerate(weights)))
        self._sets: set[frozenset[int]] = set()

    def __len__(self) -> int:
        return len(self._sets)

    def add_set(self, items: Collection[int]) -> None:
        """Add a set: one of these items has to be taken."""
        items = frozenset(items)
        if items not in self._sets:
            self._sets.add(items)
            self._model.add_clause(sorted(items))

    def find_lightest(self, work: float, deadline: Deadline, hint: Collection[int]) -> Cover:
        """Return the lightest cover, or the best one after that much work.

        Args:
            work: units that take about a second each, and lead as far on any machine.
            deadline: when to stop in any case.
            hint: items of a cover that is near the lightest.

        Raises:
            DeadlinePassed: the deadline is over before the search begins.
        """
        self._model.suggest_values({item: int(item in hint) for item in self._items})
        # The bounds stay near 0 without relaxations to linear programs.
        solved = self._model.find_best(deadline, work=work, relaxed=True)
        values = solved.values
        items = None if values is None else {item for item in self._items if values[item]}
        return Cover(items, solved.bound, solved.work)
