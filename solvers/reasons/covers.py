"""Least covers: the lightest items that meet all of some sets, or a bound of their weight.

These are minimum hitting sets, as those of `solvers.search.hitting_sets`, which has no weights and
does not stop before the optimum. Here CP-SAT looks for them, whose bound holds at any time.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from collections.abc import Collection, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from minecheck.solvers.deadline import Deadline

if TYPE_CHECKING:
    from ortools.sat.python import cp_model_helper as cp_sat

#: Less than this is rounding.
_SLACK: Final = 1e-6


class Cover(NamedTuple):
    """Items that meet all sets, and what no such items weigh less than; None: none in time.

    ``work`` is what it took, in the unit of `Covers.least`.
    """

    items: set[int] | None
    bound: int
    work: float


class Covers:
    """Sets of items, by number from 0, each of a ``weight``; sets may be added."""

    def __init__(self, weights: Sequence[int]) -> None:
        # Loaded when it is used, as in `solvers.backends.cpsat`.
        from ortools.sat.python.cp_model_helper import CpModelProto

        self._model: cp_sat.CpModelProto = CpModelProto()
        for weight in weights:
            self._model.variables.add().domain.extend([0, 1])
            self._model.objective.coeffs.append(weight)
        self._model.objective.vars.extend(range(len(weights)))
        self._sets: set[frozenset[int]] = set()

    def __len__(self) -> int:
        return len(self._sets)

    def add_set(self, items: Collection[int]) -> None:
        """Add a set: one of these items has to be taken."""
        items = frozenset(items)
        if items not in self._sets:
            self._sets.add(items)
            self._model.constraints.add().bool_or.literals.extend(sorted(items))

    def find_lightest(self, work: float, deadline: Deadline, hint: Collection[int] = ()) -> Cover:
        """Return the lightest cover, or the best one after that much work.

        Args:
            work: units that take about a second each, and lead as far on any machine.
            deadline: when to stop in any case.
            hint: items of a cover that is near the lightest.

        Raises:
            DeadlinePassed: the deadline is over before the search begins.
        """
        from ortools.sat.python.cp_model_helper import SatParameters, SolveWrapper

        deadline.check()
        parameters = SatParameters()
        parameters.num_workers = 1
        # The bounds stay near 0 without relaxations to linear programs.
        parameters.linearization_level = 2
        parameters.catch_sigint_signal = False
        parameters.max_deterministic_time = work
        parameters.max_time_in_seconds = min(deadline.left, 1e9)
        self._model.solution_hint.vars.clear()
        self._model.solution_hint.values.clear()
        items = len(self._model.variables)
        self._model.solution_hint.vars.extend(range(items))
        self._model.solution_hint.values.extend(int(item in hint) for item in range(items))
        solver: Any = SolveWrapper()
        solver.set_parameters(parameters)
        response = solver.solve(self._model)
        bound = max(0, ceil(response.best_objective_bound - _SLACK))
        if response.status.name not in ("OPTIMAL", "FEASIBLE"):
            return Cover(None, bound, response.deterministic_time)
        items_taken = {item for item, taken in enumerate(response.solution) if taken}
        return Cover(items_taken, bound, response.deterministic_time)
