"""The reduced board as linear constraints for OR-Tools CP-SAT: a second opinion.

One integer variable a box, one linear constraint a clue, the total of mines
included. Enumeration runs on one worker without presolve: with more workers
CP-SAT loses and repeats solutions and may still call that optimal, and with
presolve it has repeated them (or-tools issue 4640).
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from math import comb, prod
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from minefield.layout import Layout
from minefield.reduction.constraints import Index
from solvers.answer import Forced
from solvers.backends.method import Enumerated
from solvers.counting.component import combination
from solvers.deadline import Deadline, DeadlinePassed
from solvers.search.problem import BoxProblem

if TYPE_CHECKING:
    # Loaded when it is used: that takes as long as thousands of answers by other methods.
    from ortools.sat.python import cp_model

_FOUND: Final = ("OPTIMAL", "FEASIBLE")


class CpSat(Enumerated):
    """Any board, by OR-Tools CP-SAT."""

    own_name = "cpsat"
    tells_chances = False

    @cached_property
    def mines(self) -> NDArray[np.int32] | None:
        """Mines of each box in some layout."""
        return None if self.contradictory else witness(self.problem, self.deadline)

    def witness(self) -> Layout | None:
        return None if self.mines is None else self._layout(self.problem.place(self.mines))

    def forced(self) -> tuple[Forced, bool]:
        assert self.mines is not None, "asked of consistent boards only"
        values, complete = forced(self.problem, self.mines, self.deadline)
        return self._decided(self._cell_values(values)), complete

    @cached_property
    def components(self) -> list[dict[int, int]]:
        """Layouts by mines of each component."""
        parts = BoxProblem.of(self.reduction, total=False)
        return [
            count(parts.component(component), self.deadline)
            for component in range(parts.components)
        ]

    def layouts(self) -> Iterator[Layout]:
        if self.contradictory:
            return
        offset, wanted = self.question.offset, self.question.limit + 1
        for mines in layouts(self.problem, self.deadline, wanted, offset):
            yield self._layout(mines)


def witness(problem: BoxProblem, deadline: Deadline) -> Index | None:
    """Mines of each box in some layout, or None if there is none; raises `DeadlinePassed`."""
    model, mines = _model(problem)
    solver = _solver(deadline)
    status = solver.status_name(solver.solve(model))
    if status == "INFEASIBLE":
        return None
    if status not in _FOUND:
        raise DeadlinePassed
    return np.array([solver.value(variable) for variable in mines], dtype=np.int32)


def forced(problem: BoxProblem, layout: Index, deadline: Deadline) -> tuple[NDArray[np.int8], bool]:
    """Boxes that are all mines (1) or all safe (0) in every layout, else -1; whether complete.

    ``layout`` gives the mines of each box in any layout. Each round looks for
    a layout that breaks as many of the values still held by all as it can;
    when none can be broken, they are proved.
    """
    model, mines = _model(problem)
    size = problem.size.tolist()
    broken = {}
    for box, held in enumerate(layout.tolist()):
        if size[box] and held in (0, size[box]):
            broken[box] = model.new_bool_var("")
            away = mines[box] >= 1 if held == 0 else mines[box] <= size[box] - 1
            model.add(away).only_enforce_if(broken[box])
    values = np.full(len(size), -1, dtype=np.int8)
    while broken:
        model.maximize(sum(broken.values()))
        solver = _solver(deadline)
        status = solver.status_name(solver.solve(model))
        if status not in _FOUND:
            return values, False
        seen = {
            box
            for box in broken
            if (layout[box] == 0) != (solver.value(mines[box]) == 0)
            or (layout[box] == size[box]) != (solver.value(mines[box]) == size[box])
        }
        if not seen:
            if status != "OPTIMAL":
                return values, False
            for box in broken:
                values[box] = layout[box] != 0
            break
        for box in seen:
            del broken[box]
    return values, True


def count(problem: BoxProblem, deadline: Deadline) -> dict[int, int]:
    """Layouts of the boxes by mines in them, by enumeration; raises `DeadlinePassed`."""
    found: dict[int, int] = {}
    size = problem.size.tolist()

    def add(mines: list[int]) -> bool:
        total = sum(mines)
        found[total] = found.get(total, 0) + prod(map(comb, size, mines))
        return True

    _enumerate(problem, deadline, add)
    return dict(sorted(found.items()))


def layouts(
    problem: BoxProblem, deadline: Deadline, wanted: int, offset: int = 0
) -> Iterator[NDArray[np.bool_]]:
    """Layouts from number ``offset`` on, ``wanted`` of them or more, as mines of shape (cells,).

    Loose cells are enumerated too. Raises `DeadlinePassed`, after the last
    layout that was found.
    """
    size = problem.size.tolist()
    loose = [] if problem.reduction.mines_left is not None else problem.reduction.loose.tolist()
    found: list[list[int]] = []
    collected = 0

    def collect(mines: list[int]) -> bool:
        nonlocal collected
        found.append(mines)
        collected += prod(map(comb, size, mines)) << len(loose)
        return collected < offset + wanted

    late = False
    try:
        _enumerate(problem, deadline, collect)
    except DeadlinePassed:
        late = True
    boxes = [problem.cells_of(box) for box in range(len(size))]
    decided = problem.place(np.zeros(len(size), dtype=np.int32))
    for mines in found:
        ways = prod(map(comb, size, mines)) << len(loose)
        for number in range(min(offset, ways), ways):
            placed = decided.copy()
            rest, free = divmod(number, 1 << len(loose))
            placed[[cell for place, cell in enumerate(loose) if free >> place & 1]] = True
            for cells, held in zip(boxes, mines, strict=True):
                rest, subset = divmod(rest, comb(cells.size, held))
                placed[cells[combination(cells.size, held, subset)]] = True
            yield placed
        offset = max(0, offset - ways)
    if late:
        raise DeadlinePassed


def _model(problem: BoxProblem) -> tuple["cp_model.CpModel", list["cp_model.IntVar"]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    mines = [model.new_int_var(0, size, "") for size in problem.size.tolist()]
    starts, boxes = problem.clue_start.tolist(), problem.clue_boxes.tolist()
    for clue, (low, high) in enumerate(
        zip(problem.low.tolist(), problem.high.tolist(), strict=True)
    ):
        of_clue = [mines[box] for box in boxes[starts[clue] : starts[clue + 1]]]
        model.add_linear_constraint(sum(of_clue), low, high)
    return model, mines


def _solver(deadline: Deadline) -> "cp_model.CpSolver":
    from ortools.sat.python import cp_model

    deadline.check()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # Ctrl-C belongs to who asks. CP-SAT takes it for a deadline, or is aborted by it.
    solver.parameters.catch_sigint_signal = False
    solver.parameters.max_time_in_seconds = min(deadline.left, 1e9)
    return solver


def _enumerate(problem: BoxProblem, deadline: Deadline, visit: Callable[[list[int]], bool]) -> None:
    """Call ``visit`` with the mines of the boxes of every solution until it says stop."""
    from ortools.sat.python import cp_model

    model, mines = _model(problem)
    solver = _solver(deadline)
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.cp_model_presolve = False

    class Visitor(cp_model.CpSolverSolutionCallback):
        stopped = False

        def on_solution_callback(self) -> None:
            if not visit([self.value(variable) for variable in mines]):
                self.stopped = True
                self.stop_search()

    visitor = Visitor()
    status = solver.status_name(solver.solve(model, visitor))
    if status not in ("OPTIMAL", "INFEASIBLE") and not visitor.stopped:
        raise DeadlinePassed
