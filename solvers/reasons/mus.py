"""Which clues force a box, and which cannot hold together: sets without a clue to spare.

A set of clues is a *core* when they cannot hold together, or not with what is
supposed of one box. Cores are looked for from near to far: starting from no
clue at all, a layout is searched, and the clues it misses are added, until no
layout is left. Dropping one clue after another leaves a minimal core. A clue
without which all others could hold is *necessary*: it is in every core, and
when all clues of a core are necessary there is no other, and none smaller.
Otherwise the smallest core is found by hitting sets (`solvers.search.hitting_sets`).

The total of mines is not looked at here: `solvers.search.core` does.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import IS_MINE, Constraints
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.reasons.mus_kernels import (
    ALLOWANCE,
    BAD,
    COUNT,
    ENOUGH,
    GIVEN_UP,
    GROW,
    GROWS,
    MINIMAL,
    MOST_MISSED,
    OFF,
    PHASE,
    SHRINK,
    STATE_SIZE,
    TEST,
    TESTED,
    VERDICT,
    Mus,
    add_clue,
    continue_search,
    find_correction,
    find_forcing_clue,
    forget_clues,
    note_missed,
)
from minecheck.solvers.search import hitting_sets
from minecheck.solvers.search.core import Core
from minecheck.solvers.search.engine import INCONSISTENT, Verdict, build_net, work_on
from minecheck.solvers.search.problem import BoxProblem

#: No box is supposed to be otherwise.
_NO_BOX: Final = -1
#: More than is ever spent.
_UNLIMITED: Final = 1 << 60
#: Clues that are added between two looks at the deadline.
_ADDED: Final = 1000


class CoreSearch:
    """A search for cores among the clues of one board; clues of cores come nearest first.

    ``layout`` are the mines of a layout that satisfies all clues, or nearly all,
    (cells,); None if there is none at hand. ``budget`` bounds each search, in boxes looked at for
    each clue. Cores that need more than ``most`` clues are not minimised.
    ``allowance`` bounds, in the same unit, all that is ever done to find the smallest.
    """

    def __init__(
        self,
        constraints: Constraints,
        layout: NDArray[np.bool_] | None,
        budget: int,
        most: int = 1 << 30,
        allowance: int = 20_000_000,
        deadline: Deadline | None = None,
    ) -> None:
        self.problem = problem = BoxProblem.from_reduction(constraints.parts, total=False)
        self.clue = problem.reduction.clue
        self._budget = budget
        self._most = most
        self._allowance = allowance
        self._deadline = deadline or Deadline()
        guess = (
            np.zeros(problem.size.size, np.int32) if layout is None else problem.count_mines(layout)
        )
        clues = self.clue.size
        bound_off = np.full(clues, OFF, np.int32)
        self._net = build_net(problem)._replace(low=-bound_off, high=bound_off)
        self._work = work_on(self._net, guess)
        self._mus = Mus(
            problem.low,
            problem.high,
            np.empty(clues, np.int32),
            np.zeros(clues, np.int8),
            np.zeros(clues, np.bool_),
            np.empty(clues, np.int32),
            np.zeros(STATE_SIZE, np.int64),
        )
        note_missed(self._work, self._mus)
        self._number = np.full(constraints.low.size, -1, np.int32)
        self._number[self.clue] = np.arange(clues, dtype=np.int32)
        # A clue without cells is not in the net: it says nothing, or is a core of its own.
        empty = self._number < 0
        impossible = np.flatnonzero(empty & ((constraints.low > 0) | (constraints.high < 0)))
        self._impossible = int(impossible[0]) if impossible.size else None
        self._box = np.full(constraints.cells, _NO_BOX, np.int32)
        cells = problem.reduction.box_cells
        sizes = np.diff(problem.reduction.box_start)
        self._box[cells] = np.repeat(np.arange(sizes.size), sizes)

    def box_of(self, cell: int) -> int:
        """Return the box of an undecided cell; -1 if no clue touches it."""
        return int(self._box[cell])

    def find_within(self, clues: Sequence[int]) -> Core | None:
        """Return a minimal core within clues; None if they can hold, or the budget was spent.

        If any clue of all is impossible by itself, that is the core.
        """
        if self._impossible is not None:
            return Core([self._impossible], False, True, True)
        chosen = self._number[np.asarray(clues, np.int32)]
        chosen = chosen[chosen >= 0]
        return self.find_core(_NO_BOX, IS_MINE, chosen.tolist())[1]

    def find_core(
        self, box: int, value: int, clues: Sequence[int] = ()
    ) -> tuple[Verdict, Core | None]:
        """Find clues that force all cells of a box to be mines or safe, or a core within clues.

        Args:
            box: the number of the box, -1 for none.
            value: 1 for mines, 0 for safe cells.
            clues: the clues that the search begins with, by their numbers in the net.

        Returns:
            INCONSISTENT with a core; CONSISTENT when the clues leave it open; GAVE_UP when the
            budget was spent.
        """
        net, work, mus = self._net, self._work, self._mus
        least, most = self._negate_value(box, value)
        single = find_forcing_clue(net, work, mus, box, value)
        if single >= 0:
            return Verdict.INCONSISTENT, Core([int(self.clue[single])], False, True, True)
        state = mus.state
        state[PHASE], state[COUNT], state[TESTED] = GROW, 0, 0
        state[ALLOWANCE], state[GIVEN_UP] = _UNLIMITED, 0
        state[MINIMAL], state[ENOUGH], state[GROWS] = 1, self._most, box != _NO_BOX
        mus.necessary[:] = False
        # Each test would search the whole board if no layout nearly fits the clues.
        allowance = self._allowance if self.settled else 0
        try:
            for number, clue in enumerate(clues):
                if number % _ADDED == _ADDED - 1:
                    self._deadline.check()
                state[COUNT] = add_clue(mus, state[COUNT], clue)
            while continue_search(net, work, mus, box, least, most, self._budget, allowance):
                self._deadline.check()
        except DeadlinePassed:
            if state[PHASE] == GROW:
                raise
            state[MINIMAL] &= state[PHASE] != SHRINK
        finally:
            if state[PHASE] >= TEST and allowance:
                self._allowance = min(self._allowance, int(state[ALLOWANCE]))
            count = int(state[COUNT])
            forget_clues(mus, 0, count)
        verdict = Verdict(state[VERDICT])
        return verdict, self._read_core(count) if verdict is Verdict.INCONSISTENT else None

    @property
    def settled(self) -> bool:
        """True if a layout of all clues, or nearly all, is known: only then `smallest` is quick."""
        return bool(self._mus.state[BAD] <= MOST_MISSED)

    def find_smallest_core(
        self, core: Core, box: int, value: int, check: Callable[[], None], tries: int
    ) -> Core:
        """Return the smallest core, or ``core`` if that many tries are not enough.

        Args:
            core: a minimal core.
            box: the box that the core forces, -1 for a core of the clues alone.
            value: 1 if it forces mines, 0 if safe cells.
            check: a function called between searches, which may raise.
            tries: how many hitting sets to try.
        """
        if core.smallest or not core.minimal:
            return core

        def find_missed(tried: list[int]) -> list[int] | None:
            check()
            return self._find_missed(tried, box, value)

        state = self._mus.state
        state[ALLOWANCE] = self._allowance
        try:
            clues = hitting_sets.find_smallest_core(core.clues, find_missed, tries, core.necessary)
        finally:
            self._allowance = int(state[ALLOWANCE])
        return core if clues is None else replace(core, clues=list(clues), smallest=True)

    def _find_missed(self, clues: Sequence[int], box: int, value: int) -> list[int] | None:
        """Return the clues that a layout of some clues misses, none to spare.

        The list is empty if there is no such layout, and None stands for giving up.
        """
        least, most = self._negate_value(box, value)
        chosen = self._number[np.asarray(clues, np.int32)]
        verdict, missed = find_correction(
            self._net, self._work, self._mus, chosen, box, least, most, self._budget
        )
        if verdict == INCONSISTENT:
            return []
        missed_clues: list[int] = self.clue[missed].tolist()
        return missed_clues or None

    def _negate_value(self, box: int, value: int) -> tuple[int, int]:
        """Return the mines of a box that is not all mines (1), or not all safe (0)."""
        size = 0 if box == _NO_BOX else int(self.problem.size[box])
        return (0, size - 1) if value == IS_MINE else (1, size)

    def _read_core(self, count: int) -> Core:
        """Return the core that was found."""
        core = self.clue[self._mus.order[:count]]
        necessary = core[self._mus.necessary[:count]]
        minimal = bool(self._mus.state[MINIMAL])
        # No single clue is a core, and sets that are one clue short of every core are
        # consistent: every core needs one more.
        smallest = minimal and (count <= 2 or necessary.size >= count - 1)
        return Core(core.tolist(), False, minimal, smallest, tuple(necessary.tolist()))
