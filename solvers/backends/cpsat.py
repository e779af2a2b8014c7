"""The reduced board as linear constraints for OR-Tools CP-SAT: a second opinion.

One integer variable a box, one linear constraint a clue, the total of mines included.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import comb, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import Index
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.method import Enumerated
from minecheck.solvers.counting.combinations import unrank_combination
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Forced
from minecheck.solvers.search.linear_model import LinearModel
from minecheck.solvers.search.problem import BoxProblem

#: The part of the time in which layouts are searched for; in the rest those found are written.
_SEARCHING: Final = 0.8


class CpSat(Enumerated):
    """Any board, by OR-Tools CP-SAT."""

    backend = Backend.CPSAT
    tells_chances = False

    @cached_property
    def mines(self) -> NDArray[np.int32] | None:
        """Mines of each box in some layout."""
        return None if self.contradictory else find_witness(self.problem, self.deadline)

    def find_witness(self) -> Layout | None:
        """Return a layout, None if the model is infeasible."""
        return (
            None
            if self.mines is None
            else self._layout_from_mines(self.problem.place_mines(self.mines))
        )

    def find_forced(self) -> tuple[Forced, bool]:
        """Return forced cells, and whether these are all."""
        assert self.mines is not None, "called for consistent boards only"
        values, complete = find_forced(self.problem, self.mines, self.deadline)
        return self._forced_from_values(self._cell_values(values)), complete

    @cached_property
    def components(self) -> list[dict[int, int]]:
        """Layouts by mines of each component."""
        parts = BoxProblem.from_reduction(self.reduction, total=False)
        return [
            count_layouts(parts.take_component(component), self.deadline)
            for component in range(parts.components)
        ]

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on, in the order in which CP-SAT finds them."""
        if self.contradictory:
            return
        offset, least = self.question.offset, self.question.limit + 1
        for mines in iterate_layouts(self.problem, self.deadline, least, offset):
            yield self._layout_from_mines(mines)


def find_witness(problem: BoxProblem, deadline: Deadline) -> Index | None:
    """Return the mines of each box in some layout, None if there is none.

    Args:
        problem: the boxes and clues.
        deadline: when to give up.

    Raises:
        DeadlinePassed: it was not found out in time.
    """
    solved = _build_model(problem).find_best(deadline)
    if solved.values is None and not solved.complete:
        raise DeadlinePassed
    return None if solved.values is None else np.array(solved.values, dtype=np.int32)


def find_forced(
    problem: BoxProblem, layout: Index, deadline: Deadline
) -> tuple[NDArray[np.int8], bool]:
    """Return boxes that are all mines (1) or all safe (0) in every layout, else -1.

    Each round looks for a layout that breaks as many of the values still held by all as it can;
    when none can be broken, they are proved.

    Args:
        problem: the boxes and clues.
        layout: the mines of each box in any layout: (boxes,).
        deadline: when to give up.

    Returns:
        The values, int8 (boxes,), and whether they are complete.
    """
    model = _build_model(problem)
    size = problem.size.tolist()
    #: Maps each box to the variable that is true if its value is broken.
    broken = {}
    for box, held in enumerate(layout.tolist()):
        if size[box] and held in (0, size[box]):
            broken[box] = model.add_variable()
            away = (1, size[box]) if held == 0 else (0, size[box] - 1)
            model.constrain_sum([box], away, broken[box])
    values = np.full(len(size), -1, dtype=np.int8)
    while broken:
        model.set_objective(dict.fromkeys(broken.values(), -1))
        solved = model.find_best(deadline)
        mines = solved.values
        if mines is None:
            return values, False
        seen = {
            box
            for box in broken
            if (layout[box] == 0) != (mines[box] == 0)
            or (layout[box] == size[box]) != (mines[box] == size[box])
        }
        if not seen:
            if not solved.complete:
                return values, False
            for box in broken:
                values[box] = layout[box] != 0
            break
        for box in seen:
            del broken[box]
    return values, True


def count_layouts(problem: BoxProblem, deadline: Deadline) -> dict[int, int]:
    """Count the layouts of the boxes by mines in them, by enumeration.

    Args:
        problem: the boxes and clues.
        deadline: when to give up.

    Raises:
        DeadlinePassed: there are too many to enumerate in time.
    """
    by_mines: dict[int, int] = {}
    size = problem.size.tolist()

    def add_solution(mines: Sequence[int]) -> bool:
        total = sum(mines)
        by_mines[total] = by_mines.get(total, 0) + prod(map(comb, size, mines))
        return True

    _visit_solutions(problem, deadline, add_solution)
    return dict(sorted(by_mines.items()))


def iterate_layouts(
    problem: BoxProblem, deadline: Deadline, least: int, offset: int = 0
) -> Iterator[NDArray[np.bool_]]:
    """Yield layouts as masks of mines, (cells,); loose cells are enumerated too.

    Args:
        problem: the boxes and clues.
        deadline: when to give up.
        least: how many layouts to enumerate at least, unless there are fewer.
        offset: how many layouts to pass over first.

    Raises:
        DeadlinePassed: after the last layout that was found in time.
    """
    size = problem.size.tolist()
    loose = [] if problem.reduction.mines_left is not None else problem.reduction.loose.tolist()
    mine_lists: list[Sequence[int]] = []
    collected = 0

    def collect_layout(mines: Sequence[int]) -> bool:
        nonlocal collected
        mine_lists.append(mines)
        collected += prod(map(comb, size, mines)) << len(loose)
        return collected < offset + least

    late = False
    try:
        # Placing the result takes time as well.
        _visit_solutions(problem, deadline.take_share(_SEARCHING), collect_layout)
    except DeadlinePassed:
        late = True
    boxes = [problem.cells_of(box) for box in range(len(size))]
    decided = problem.place_mines(np.zeros(len(size), dtype=np.int32))
    for mines in mine_lists:
        ways = prod(map(comb, size, mines)) << len(loose)
        for number in range(min(offset, ways), ways):
            if late:
                deadline.check()
            placed = decided.copy()
            rest, free = divmod(number, 1 << len(loose))
            placed[[cell for bit, cell in enumerate(loose) if free >> bit & 1]] = True
            for cells, held in zip(boxes, mines, strict=True):
                rest, subset = divmod(rest, comb(cells.size, held))
                placed[cells[unrank_combination(cells.size, held, subset)]] = True
            yield placed
        offset = max(0, offset - ways)
    if late:
        raise DeadlinePassed


def _build_model(problem: BoxProblem) -> LinearModel:
    """Build a model whose variables are the mines of the boxes, by the numbers of the boxes."""
    model = LinearModel()
    for size in problem.size.tolist():
        model.add_variable(size)
    starts, boxes = problem.clue_start.tolist(), problem.clue_boxes.tolist()
    for clue, bounds in enumerate(zip(problem.low.tolist(), problem.high.tolist(), strict=True)):
        model.constrain_sum(boxes[starts[clue] : starts[clue + 1]], bounds)
    return model


def _visit_solutions(
    problem: BoxProblem, deadline: Deadline, visit: Callable[[Sequence[int]], bool]
) -> None:
    """Call ``visit`` with the mines of the boxes of every solution until it says stop.

    Raises:
        DeadlinePassed: time ran out.
    """
    if not _build_model(problem).visit_solutions(visit, deadline):
        raise DeadlinePassed
