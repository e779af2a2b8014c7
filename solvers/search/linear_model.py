"""Whole numbers under linear constraints: a model for OR-Tools CP-SAT, and what comes of it.

Variables are known by their numbers from 0; a variable from 0 to 1 is a literal, and `~literal` its
negation, as in CP-SAT.

Tested in tests/solvers/search/test_linear_model.py.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from minecheck.solvers.deadline import Deadline

if TYPE_CHECKING:
    # Loaded when it is used: that takes as long as thousands of answers by other methods.
    # `cp_model`, which is usually called, is a layer above it that needs pandas.
    from ortools.sat.python import cp_model_helper as cp_sat

#: The solver takes no infinite time.
_NEVER: Final = 1e9
#: Less than this is rounding.
_SLACK: Final = 1e-6


class Solved(NamedTuple):
    """What became of a model.

    Attributes:
        values: the value of each variable in the best solution, None if none was found.
        complete: True if there is no better solution, or none at all.
        bound: no solution has a smaller objective.
        work: what it took, in CP-SAT's deterministic time.
    """

    values: list[int] | None
    complete: bool
    bound: int
    work: float


class LinearModel:
    """Variables, constraints, and an objective that is to be as small as possible."""

    def __init__(self) -> None:
        from ortools.sat.python.cp_model_helper import CpModelProto

        self._model: cp_sat.CpModelProto = CpModelProto()

    def add_variable(self, most: int = 1) -> int:
        """Add a variable from 0 to ``most``, and return its number."""
        self._model.variables.add().domain.extend([0, most])
        return len(self._model.variables) - 1

    def add_clause(self, literals: Iterable[int]) -> None:
        """Require that one of these literals is true."""
        self._model.constraints.add().bool_or.literals.extend(list(literals))

    def constrain_sum(
        self, variables: Sequence[int], domain: Sequence[int], condition: int | None = None
    ) -> None:
        """Require that the sum of variables is in a domain.

        Args:
            variables: their numbers.
            domain: the least and the largest number of each interval that is allowed, in order.
            condition: a literal; if it is false, any sum is allowed.
        """
        self._constrain(variables, [1] * len(variables), domain, condition)

    def constrain_difference(self, high: int, low: int, least: int, condition: int) -> None:
        """Require that a variable is above another by at least ``least``, if a literal is true."""
        _, most = self._model.variables[high].domain
        self._constrain([high, low], [1, -1], [least, most], condition)

    def set_objective(self, weights: Mapping[int, int]) -> None:
        """Ask for the smallest sum of variables, each times its weight."""
        self._model.clear_objective()
        self._model.objective.vars.extend(list(weights))
        self._model.objective.coeffs.extend(list(weights.values()))

    def suggest_values(self, values: Mapping[int, int]) -> None:
        """Begin the search with these values of variables."""
        self._model.solution_hint.vars.clear()
        self._model.solution_hint.values.clear()
        self._model.solution_hint.vars.extend(list(values))
        self._model.solution_hint.values.extend(list(values.values()))

    def find_best(
        self,
        deadline: Deadline,
        *,
        work: float = inf,
        relaxed: bool = False,
        interleaved: bool = False,
    ) -> Solved:
        """Return the solution with the smallest objective, or the best one in time.

        Args:
            deadline: when to stop.
            work: a unit takes about a second, and leads as far on any machine.
            relaxed: True to take bounds from relaxations to linear programs throughout.
            interleaved: True to have all strategies take turns.

        Raises:
            DeadlinePassed: the deadline is over before the solver begins.
        """
        parameters = self._make_parameters(deadline)
        parameters.interleave_search = interleaved
        if relaxed:
            parameters.linearization_level = 2
        if work < inf:
            parameters.max_deterministic_time = work
        return self._solve(parameters)

    def visit_solutions(self, visit: Callable[[Sequence[int]], bool], deadline: Deadline) -> bool:
        """Call ``visit`` with the values of each solution until it returns False.

        Returns:
            True if all were visited, or enough; False if time ran out.

        Raises:
            DeadlinePassed: the deadline is over before the solver begins.
        """
        from ortools.sat.python.cp_model_helper import SolutionCallback

        variables = range(len(self._model.variables))

        class Visitor(SolutionCallback):
            stopped = False

            def OnSolutionCallback(self) -> None:  # noqa: N802
                if not visit([self.SolutionIntegerValue(variable) for variable in variables]):
                    self.stopped = True
                    self.StopSearch()

        visitor = Visitor()
        parameters = self._make_parameters(deadline)
        parameters.enumerate_all_solutions = True
        # It has repeated solutions (or-tools issue 4640).
        parameters.cp_model_presolve = False
        return self._solve(parameters, visitor).complete or visitor.stopped

    def _constrain(
        self,
        variables: Sequence[int],
        weights: Sequence[int],
        domain: Sequence[int],
        condition: int | None,
    ) -> None:
        constraint = self._model.constraints.add()
        if condition is not None:
            constraint.enforcement_literal.append(condition)
        constraint.linear.vars.extend(list(variables))
        constraint.linear.coeffs.extend(list(weights))
        constraint.linear.domain.extend(list(domain))

    def _make_parameters(self, deadline: Deadline) -> "cp_sat.SatParameters":
        from ortools.sat.python.cp_model_helper import SatParameters

        deadline.check()
        parameters = SatParameters()
        # More workers lose and repeat solutions, and may still call that optimal.
        parameters.num_workers = 1
        # Ctrl-C belongs to who asks. CP-SAT takes it for a deadline, or is aborted by it.
        parameters.catch_sigint_signal = False
        parameters.max_time_in_seconds = min(max(0.0, deadline.left), _NEVER)
        return parameters

    def _solve(
        self,
        parameters: "cp_sat.SatParameters",
        visitor: "cp_sat.SolutionCallback | None" = None,
    ) -> Solved:
        from ortools.sat.python.cp_model_helper import SolveWrapper

        # Published without types of its methods.
        solver: Any = SolveWrapper()
        if visitor is not None:
            solver.add_solution_callback(visitor)
        solver.set_parameters(parameters)
        response = solver.solve(self._model)
        status = response.status.name
        assert status != "MODEL_INVALID", response.solution_info
        return Solved(
            list(response.solution) if status in ("OPTIMAL", "FEASIBLE") else None,
            status in ("OPTIMAL", "INFEASIBLE"),
            ceil(response.best_objective_bound - _SLACK),
            response.deterministic_time,
        )
