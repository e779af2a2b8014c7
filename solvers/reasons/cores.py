"""Cores: clues that cannot hold together, none of them to spare, and the fewest if possible.

`solvers.reasons.mus` finds them by local search; where the total matters, or local search gives up,
`solvers.search.core` does, by counting and by SAT.

Tested in tests/solvers/reasons/test_explain.py.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import IS_MINE, Constraints
from minecheck.solvers.backends.sat import Oracle
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import INLINE, Effort, NeedsMoreEffort
from minecheck.solvers.reasons.guarded import Guarded
from minecheck.solvers.reasons.mus import CoreSearch
from minecheck.solvers.search.core import (
    Core,
    Refuter,
    Undecided,
    find_fewest,
    make_search_refuter,
    mark_if_smallest,
    minimise_core,
)

#: Larger cores are left to a worker, and to SAT where search gives up.
_SEARCHED = 48
#: Larger cores are first reduced by SAT, in a worker.
_LARGE = 200
#: Cores of more clues are not minimised.
_LARGEST = 5000
#: The budget of the search for a smallest set, for each of its tries.
_ALLOWANCE_A_TRY = 20_000
#: The value for no box: cells that no clue touches.
NO_BOX = -1


class CoreFinder:
    """Finds the cores of one board, as far as the deadline and the effort allow.

    ``complete`` turns False when the deadline cuts something short. Methods raise `NeedsMoreEffort`
    where the effort is too small.

    Args:
        constraints: the clues of the board.
        deadline: when to stop.
        effort: how much may be spent.
        patient: whether the client waits for the best cores.
    """

    def __init__(
        self, constraints: Constraints, deadline: Deadline, effort: Effort, patient: bool
    ) -> None:
        self.constraints = constraints
        self.deadline = deadline
        self.effort = effort
        self.complete = True
        # Cores with the total that were found for other cells.
        self._counted: list[list[int]] = []
        self._patient = patient
        self._tries = effort.tries if patient else min(effort.tries, INLINE.tries)

    def minimise_conflict(self, core: Core) -> Core:
        """Reduce contradictory clues to those that are needed, the fewest if possible."""
        if core.minimal:
            # A theorem says so, and no solver would find fewer in time.
            return core
        if not core.total:
            core = self._trim_core(core)
            search = self.make_core_search(None)
            smaller_core = search.find_within(core.clues)
            if smaller_core is not None and smaller_core.minimal:
                return self._find_fewest_in_conflict(search, smaller_core)
            core = core if smaller_core is None else sort_clues(smaller_core)
        core = self.minimise(self.constraints, core)
        core = self._mark_if_only(self.constraints, core)
        return self._find_fewest_of_all(core) if self._patient else core

    def _find_fewest_in_conflict(self, search: CoreSearch, core: Core) -> Core:
        """Return the smallest core, or the one found if that takes longer than the client waits."""
        if not core.smallest and not search.settled and self._patient:
            if not self.effort.unbounded:
                raise NeedsMoreEffort
            try:
                search = self.make_core_search(self._find_near_layout())
            except DeadlinePassed:
                self.complete = False
        if search.settled:
            core = self.find_fewest_within(search, core, NO_BOX, IS_MINE)
        return sort_clues(core)

    def _find_fewest_of_all(self, core: Core) -> Core:
        """Return the smallest core like this one, or the core if that takes too long."""
        if core.smallest or not core.minimal:
            return core
        effort, clue_count = self.effort, self.constraints.low.size
        # The other half of the time is for the steps.
        deadline = Deadline.in_seconds(self.deadline.left / 2)
        refute = make_search_refuter(self.constraints, effort.search, effort.transitions, deadline)
        try:
            core = find_fewest(core, range(clue_count), refute, self._tries // clue_count)
        except DeadlinePassed:
            self.note_cut()
        if not core.smallest and not effort.unbounded:
            raise NeedsMoreEffort
        return core

    def _find_near_layout(self) -> NDArray[np.bool_]:
        """Return mines that satisfy nearly all clues, (cells,)."""
        clues = list(range(self.constraints.low.size))
        with SatRefuter(self.constraints, clues, False, self.deadline) as refute:
            while core := refute(clues, False):
                clues.remove(core.clues[0])
            return refute.read_layout()

    def find_hard_core(self, cell: int, value: int, total: bool) -> Core:
        """Find a core for a cell where search gave up, or where the total of mines is needed."""
        clue_count = self.constraints.low.size
        if not self.effort.unbounded and (not total or clue_count > _SEARCHED):
            raise NeedsMoreEffort
        otherwise = self.constraints.with_assumption(cell, 1 - value)
        everything = list(range(clue_count))
        if total:
            everything = self._reuse_counted_core(otherwise) or everything
        else:
            # Unless SAT says that the clues alone are enough, the total is needed.
            with SatRefuter(otherwise, range(clue_count + 1), False, self.deadline) as refute:
                total = refute(range(clue_count + 1), False) is None
        core = self.minimise(otherwise, Core(everything, total))
        if core.total and core.clues not in self._counted:
            self._counted.append(core.clues)
        return self._mark_if_only(otherwise, core)

    def _reuse_counted_core(self, otherwise: Constraints) -> list[int] | None:
        """Return clues that were enough for another cell, with the total, and are for this one."""
        effort, last = self.effort, self.constraints.low.size
        refute = make_search_refuter(otherwise, effort.search, effort.transitions, self.deadline)
        for clues in self._counted:
            with suppress(Undecided):
                if refute([*clues, last], True):
                    return clues
        return None

    def make_core_search(self, mines: NDArray[np.bool_] | None) -> CoreSearch:
        """Return the search for cores, given a layout (cells,); small ones run in this process."""
        most = _LARGEST if self.effort.unbounded else _SEARCHED
        allowance = self._tries * _ALLOWANCE_A_TRY
        return CoreSearch(
            self.constraints, mines, self.effort.search, most, allowance, self.deadline
        )

    def find_fewest_within(self, search: CoreSearch, core: Core, box: int, value: int) -> Core:
        """Return the smallest core, or the one found if that takes too long."""

        def check_time() -> None:
            self.deadline.check()
            self._tries -= 1

        try:
            core = search.find_smallest_core(core, box, value, check_time, self._tries)
        except DeadlinePassed:
            self.note_cut()
        if not core.smallest and self._patient and not self.effort.unbounded:
            raise NeedsMoreEffort
        return core

    def _trim_core(self, core: Core) -> Core:
        """Return the part of a large core that SAT needs."""
        if len(core.clues) <= _LARGE:
            return core
        if not self.effort.unbounded:
            raise NeedsMoreEffort
        try:
            with SatRefuter(self.constraints, core.clues, False, self.deadline) as refute:
                return refute(core.clues, False) or core
        except DeadlinePassed:
            return core

    def minimise(self, constraints: Constraints, core: Core) -> Core:
        """Return a minimal core, by search where that is enough, else by SAT.

        Clues of ``constraints`` beyond the board's stay in every search.
        """
        effort, deadline = self.effort, self.deadline
        held = list(range(self.constraints.low.size, constraints.low.size))
        # SAT is poor at counting mines: with a total, search is worth trying on large ones too.
        if len(core.clues) <= _SEARCHED or (core.total and effort.unbounded):
            refute = make_search_refuter(constraints, effort.search, effort.transitions, deadline)
            core = minimise_core(core, _make_refuter(held, refute))
            if core.minimal:
                return core
        if not effort.unbounded:
            raise NeedsMoreEffort
        clues = [*core.clues, *held]
        with SatRefuter(constraints, clues, core.total, deadline) as refute_by_sat:
            return minimise_core(core, _make_refuter(held, refute_by_sat))

    def _mark_if_only(self, constraints: Constraints, core: Core) -> Core:
        """Mark the core as the smallest if no other is possible and that is cheap to see."""
        effort = self.effort
        clue_count = self.constraints.low.size
        if len(core.clues) * clue_count > self._tries * _SEARCHED:
            return core
        held = list(range(clue_count, constraints.low.size))
        refute = make_search_refuter(constraints, effort.search, effort.transitions, self.deadline)
        try:
            return mark_if_smallest(core, range(clue_count), _make_refuter(held, refute))
        except DeadlinePassed:
            self.note_cut()
            return core

    def note_cut(self) -> None:
        """Note that the time is over: for good, or until more effort is allowed."""
        if not self.effort.unbounded:
            raise NeedsMoreEffort
        self.complete = self.complete and not self._patient


class SatRefuter:
    """Refutes subsets of clues by SAT, where assumptions switch clues on. A context manager."""

    def __init__(
        self, constraints: Constraints, clues: Sequence[int], total: bool, deadline: Deadline
    ) -> None:
        self._problem = Guarded(constraints, clues, deadline, total)
        self._guards = dict(zip(clues, self._problem.guards.tolist(), strict=True))
        self._layout = np.asarray(constraints.known == IS_MINE)
        self._oracle = Oracle(self._problem.clauses, deadline)

    def __enter__(self) -> "SatRefuter":
        return self

    def __exit__(self, *_: object) -> None:
        self._oracle.__exit__()

    def __call__(self, clues: Sequence[int], total: bool) -> Core | None:
        """Return a part of the clues (and the total) that cannot hold, or None if all can."""
        guarded = {self._guards[clue]: clue for clue in clues}
        switches = list(guarded)
        if total and self._problem.total is not None:
            switches.append(self._problem.total)
        if self._oracle.solve(switches):
            return None
        core = self._oracle.read_core()
        in_core = [guarded[guard] for guard in core if guard in guarded]
        return Core(in_core, self._problem.total in core)

    def read_layout(self) -> NDArray[np.bool_]:
        """Return mines that satisfy the last clues, (cells,), after these were found to hold."""
        mines = self._layout.copy()
        mines[self._problem.cells] = self._oracle.read_model(self._problem.cells.size)
        return mines


def sort_clues(core: Core) -> Core:
    """Return the core with its clues in order."""
    return replace(core, clues=sorted(core.clues))


def _make_refuter(held: Sequence[int], refute: Refuter) -> Refuter:
    """Return a refuter that takes some more clues for granted."""

    def with_held(clues: Sequence[int], total: bool) -> Core | None:
        core = refute([*clues, *held], total)
        return core and replace(core, clues=[clue for clue in core.clues if clue not in held])

    return with_held
