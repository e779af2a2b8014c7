"""How hard a forced cell is: the easiest technique that finds it on the whole board.

Propagation finds the trivial ones. For the others the component is closed
under ever stronger rules of `solvers.reasons.deduction`, and last each cell that is still
open is supposed to be otherwise, as often as that decides one.

Tested in tests/solvers/reasons/test_explain.py.
"""

from collections.abc import Mapping
from itertools import chain, pairwise
from typing import Final

import numpy as np

from minecheck.minefield.reduction.constraints import NONE, UNDECIDED, Constraints
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.reasons.deduction import Closure, Level, Premise

#: Components of more sets take seconds.
_MOST_SETS: Final = 5000


class Difficulty:
    """The difficulty of seeing that cells are forced, with all clues at hand.

    ``forced`` are the forced cells and their values (1 a mine, 0 safe); the total
    of mines is not looked at. Steps harder than ``hardest`` are not tried: what needs one is
    said to need a search. Not all levels are computed for components of more sets than
    ``most_sets``. `find_level` raises `DeadlinePassed`.
    """

    def __init__(
        self,
        constraints: Constraints,
        forced: Mapping[int, int],
        deadline: Deadline,
        hardest: Level = Level.LOOK_AHEAD,
        most_sets: int = _MOST_SETS,
    ) -> None:
        self._reduction = reduction = constraints.reduction
        self._deadline = deadline
        self._forced = forced
        self._hardest = hardest
        self._most_sets = most_sets
        boxes = np.diff(reduction.component_boxes)
        self._component = np.full(constraints.cells, NONE, np.int32)
        self._component[reduction.box_cells] = np.repeat(
            np.repeat(np.arange(boxes.size), boxes), np.diff(reduction.box_start)
        )
        self._graded: dict[int, tuple[dict[int, Level], bool]] = {}

    def find_level(self, cell: int) -> Level | None:
        """Return the level of a forced cell; None if finding it would take too long."""
        if self._reduction.state[cell] != UNDECIDED:
            return Level.TRIVIAL
        component = int(self._component[cell])
        if component == NONE:
            # No clue touches the cell.
            return Level.SEARCH
        if component not in self._graded:
            self._graded[component] = self._grade_component(component)
        levels, finished = self._graded[component]
        return levels.get(cell, Level.SEARCH if finished else None)

    def _grade_component(self, component: int) -> tuple[dict[int, Level], bool]:
        """Return the levels of the cells of a component, and whether all others are harder."""
        closure = Closure(self._list_premises(component), self._deadline)
        closed = [level for level in (Level.SUBSET, Level.BOUNDS) if level <= self._hardest]
        finished = all(closure.close_at_level(level, self._most_sets) for level in closed)
        levels = {cell: level for cell, (_, level) in closure.decided.items()}
        open_cells = [
            cell
            for cell in self._forced
            if self._component[cell] == component and cell not in levels
        ]
        progress = finished and self._hardest >= Level.LOOK_AHEAD
        while progress:
            progress = False
            for cell in open_cells:
                if cell in levels:
                    continue
                otherwise = closure.with_assumption(cell, 1 - self._forced[cell])
                finished &= otherwise.close_at_level(Level.BOUNDS, self._most_sets)
                if otherwise.contradiction is None:
                    continue
                closure = closure.with_assumption(cell, self._forced[cell])
                finished &= closure.close_at_level(Level.BOUNDS, self._most_sets)
                for decided in closure.decided:
                    levels.setdefault(decided, Level.LOOK_AHEAD)
                progress = True
        return levels, finished

    def _list_premises(self, component: int) -> list[Premise]:
        reduction = self._reduction
        cells = [
            reduction.box_cells[first:last].tolist()
            for first, last in pairwise(reduction.box_start.tolist())
        ]
        first, last = reduction.component_clues[component : component + 2].tolist()
        return [
            Premise(
                int(reduction.clue[clue]),
                tuple(
                    sorted(
                        chain.from_iterable(cells[box] for box in reduction.boxes_of(clue).tolist())
                    )
                ),
                int(reduction.low[clue]),
                int(reduction.high[clue]),
            )
            for clue in range(first, last)
        ]
