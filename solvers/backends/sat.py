"""SAT solvers from PySAT, on the clauses of `solvers.backends.clauses`.

CaDiCaL cannot be interrupted, so it runs in slices of conflicts between which
the deadline is looked at. It is looked at, too, while a solver takes in clauses: of a large board
there are millions.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    UNDECIDED,
    Index,
    Reduction,
)
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.clauses import Clauses, encode_reduction
from minecheck.solvers.backends.method import Enumerated
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Forced

if TYPE_CHECKING:
    from pysat.solvers import Solver


#: Conflicts of a slice at most and at least; with as many clauses as the product of both numbers
#: says, a slice takes some tenths of a second.
_MOST_CONFLICTS: Final = 2000
_LEAST_CONFLICTS: Final = 10
_SLICE_WORK: Final = 100_000_000
#: Clauses that a solver takes in between two looks at the deadline.
_PIECE_CLAUSES: Final = 50_000
_BACKBONE_CHUNK: Final = 100


class Sat(Enumerated):
    """Any board, by CNF and PySAT."""

    backend = Backend.SAT
    tells_chances = False

    @cached_property
    def first_layout(self) -> Layout | None:
        """A layout."""
        if self.contradictory:
            return None
        witness = find_witness(self.reduction, self.deadline)
        return self._layout_from_mines(self._place_mines(*witness)) if witness else None

    def find_witness(self) -> Layout | None:
        """Return the layout that the solver found, None if there is none."""
        return self.first_layout

    def find_forced(self) -> tuple[Forced, bool]:
        """Return forced cells, and whether these are all."""
        assert self.first_layout is not None, "called for consistent boards only"
        values, complete = find_forced(
            self.reduction, self.first_layout.mines.ravel(), self.deadline
        )
        return self._forced_from_values(values), complete

    @cached_property
    def components(self) -> list[dict[int, int]]:
        """Layouts by mines of each component."""
        return [
            count_layouts(self.reduction, component, self.deadline)
            for component in range(self.reduction.components)
        ]

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on, in the order of the solver's search tree."""
        if self.contradictory:
            return
        layouts = iterate_layouts(self.reduction, self.deadline)
        # No enumeration gets as far as where a slice has to stop counting.
        for cells, mines in islice(layouts, min(self.question.offset, sys.maxsize), None):
            yield self._layout_from_mines(self._place_mines(cells, mines))


class Oracle:
    """A SAT solver with a deadline; use it as a context manager."""

    def __init__(self, clauses: Clauses, deadline: Deadline, name: str = "cadical195") -> None:
        # Imported when it is needed: most questions are answered before.
        from pysat.solvers import Solver

        self.deadline = deadline
        self._solver = Solver(name)
        self._conflicts = conflicts_per_slice(len(clauses))
        try:
            take_in(self._solver, clauses, deadline)
        except DeadlinePassed:
            self._solver.delete()
            raise

    def __enter__(self) -> "Oracle":
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Return True if the clauses hold under the assumptions."""
        return solve_in_slices(self._solver, assumptions, self._conflicts, self.deadline)

    def add_clause(self, clause: list[int]) -> None:
        """Add one more clause."""
        self._solver.add_clause(clause)

    def prefer_values(self, literals: list[int]) -> None:
        """Set the values that are tried first."""
        self._solver.set_phases(literals)

    def read_model(self, variables: int) -> NDArray[np.bool_]:
        """Return the values of the first variables after `solve` returned True."""
        values = np.zeros(variables, dtype=np.bool_)
        model = np.array(self._solver.get_model()[:variables], dtype=np.int64)
        values[np.abs(model) - 1] = model > 0
        return values

    def read_core(self) -> list[int]:
        """Return assumptions that fail together, after `solve` returned False."""
        return self._solver.get_core() or []


def solve_in_slices(
    solver: "Solver", assumptions: Iterable[int], conflicts: int, deadline: Deadline
) -> bool:
    """Return True if the clauses of a solver hold, which looks at the time after some conflicts."""
    while True:
        deadline.check()
        solver.conf_budget(conflicts)
        verdict = solver.solve_limited(assumptions=assumptions)
        if verdict is not None:
            return bool(verdict)


def conflicts_per_slice(clauses: int) -> int:
    """Return the number of conflicts after which a solver of that size looks at the time.

    It depends on nothing else: the same board has the same answer every time.
    """
    return max(_LEAST_CONFLICTS, min(_MOST_CONFLICTS, _SLICE_WORK // max(1, clauses)))


def take_in(
    solver: "Solver", clauses: Clauses, deadline: Deadline, piece: int = _PIECE_CLAUSES
) -> None:
    """Add clauses to a solver, some at a time.

    Args:
        solver: a solver of PySAT.
        clauses: clauses of literals.
        deadline: when to give up.
        piece: clauses that are added between two looks at the deadline.

    Raises:
        DeadlinePassed: not all were added in time.
    """
    for first in range(0, len(clauses), piece):
        deadline.check()
        solver.append_formula(clauses[first : first + piece])


def find_witness(
    reduction: Reduction, deadline: Deadline, components: Sequence[int] | None = None
) -> tuple[Index, NDArray[np.bool_]] | None:
    """Return the undecided cells and which of them are mines in some layout, or None.

    Args:
        reduction: the reduced board.
        deadline: when to give up.
        components: the components to look at, alone and without the total; None for all of the
            board.

    Raises:
        DeadlinePassed: it was not found out in time.
    """
    cells, clauses, _ = encode_reduction(reduction, deadline, components)
    with Oracle(clauses, deadline) as oracle:
        return (cells, oracle.read_model(cells.size)) if oracle.solve() else None


def find_forced(
    reduction: Reduction,
    layout: NDArray[np.bool_],
    deadline: Deadline,
    components: Sequence[int] | None = None,
) -> tuple[NDArray[np.int8], bool]:
    """Return values of undecided cells where all layouts agree, and whether they are complete.

    A chunk of literals that hold in every layout seen so far is refuted together: either a new
    layout drops some of them, or the whole chunk is proved. Unlike PySAT's BBScan this can stop.

    Args:
        reduction: the reduced board.
        layout: any layout, as a mask of mines: (cells,).
        deadline: when to stop.
        components: the components to look at, alone and without the total; None for all of the
            board.

    Returns:
        int8 of shape (cells,), UNDECIDED where nothing was proved; False if time ran out.
    """
    values = np.full(reduction.state.size, UNDECIDED, dtype=np.int8)
    try:
        cells, clauses, switch = encode_reduction(reduction, deadline, components)
        candidates = np.where(layout[cells], 1, -1) * np.arange(1, cells.size + 1)
        with Oracle(clauses, deadline) as oracle:
            while candidates.size:
                chunk = candidates[-_BACKBONE_CHUNK:].tolist()
                switch += 1
                oracle.add_clause([-switch, *(-literal for literal in chunk)])
                if oracle.solve([switch]):
                    held = oracle.read_model(cells.size)
                    candidates = candidates[held[np.abs(candidates) - 1] == (candidates > 0)]
                    continue
                candidates = candidates[: -len(chunk)]
                for literal in chunk:
                    oracle.add_clause([literal])
                    values[cells[abs(literal) - 1]] = IS_MINE if literal > 0 else IS_SAFE
    except DeadlinePassed:
        return values, False
    return values, True


def iterate_layouts(
    reduction: Reduction, deadline: Deadline, components: Sequence[int] | None = None
) -> Iterator[tuple[Index, NDArray[np.bool_]]]:
    """Yield every layout once, as undecided cells and which of them are mines.

    The tree of assignments is walked by assumptions: below a layout's prefix the last cell that can
    change is changed. No clause is added, so the thousandth layout takes as long as the first.

    Args:
        reduction: the reduced board.
        deadline: when to give up.
        components: the components to look at, alone and without the total; None for all of the
            board.

    Raises:
        DeadlinePassed: between two layouts.
    """
    cells, clauses, _ = encode_reduction(reduction, deadline, components)
    with Oracle(clauses, deadline, "glucose4") as oracle:
        if not oracle.solve():
            return
        literals = _to_literals(oracle.read_model(cells.size))
        changed = [False] * cells.size
        while True:
            yield cells, np.array(literals, dtype=np.int64) > 0
            for index in reversed(range(cells.size)):
                if changed[index]:
                    continue
                if oracle.solve([*literals[:index], -literals[index]]):
                    literals = _to_literals(oracle.read_model(cells.size))
                    changed[index] = True
                    changed[index + 1 :] = [False] * (cells.size - index - 1)
                    break
            else:
                return


def count_layouts(reduction: Reduction, component: int, deadline: Deadline) -> dict[int, int]:
    """Count the layouts of a component by mines, by enumeration.

    Args:
        reduction: the reduced board.
        component: the number of the component.
        deadline: when to give up.

    Raises:
        DeadlinePassed: there are too many to enumerate in time.
    """
    totals = Counter(
        int(np.count_nonzero(mines))
        for _, mines in iterate_layouts(reduction, deadline, [component])
    )
    return dict(sorted(totals.items()))


def _to_literals(model: NDArray[np.bool_]) -> list[int]:
    literals: list[int] = (np.where(model, 1, -1) * np.arange(1, model.size + 1)).tolist()
    return literals
