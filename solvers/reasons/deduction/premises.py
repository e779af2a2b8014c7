"""The statements of clues, which the steps of a proof begin with.

Tested in tests/solvers/reasons/test_deduction.py.
"""

from dataclasses import dataclass

import numpy as np

from minecheck.minefield.reduction.constraints import TOTAL, UNDECIDED, Constraints
from minecheck.solvers.findings import Inference, Level


@dataclass(frozen=True, slots=True)
class Premise:
    """The statement of a clue (by its number), or of the total (`TOTAL`), about undecided cells.

    The bounds may be out of reach.
    """

    clue: int
    cells: tuple[int, ...]
    low: int
    high: int


class Premises:
    """The statements of constraints, as premises."""

    def __init__(self, constraints: Constraints) -> None:
        self._constraints = constraints
        self._start = constraints.start.tolist()
        self._members = constraints.members.tolist()
        self._low = constraints.low.tolist()
        self._high = constraints.high.tolist()

    def of_clue(self, clue: int) -> Premise:
        """Return the statement of a clue."""
        cells = self._members[self._start[clue] : self._start[clue + 1]]
        return Premise(clue, tuple(cells), self._low[clue], self._high[clue])

    def of_total(self) -> Premise:
        """Return the statement of the total; there has to be one."""
        mines_left = self._constraints.mines_left
        assert mines_left is not None, "there is no total"
        cells = np.flatnonzero(self._constraints.known == UNDECIDED)
        return Premise(TOTAL, tuple(cells.tolist()), mines_left, mines_left)


@dataclass(frozen=True, slots=True)
class Deduction:
    """Among ``cells`` (ascending) lie ``low`` to ``high`` mines; low above high is a contradiction.

    ``sources`` are the indices in the chain of the steps it follows from, and
    ``under`` those of the ASSUME steps it rests on (an ASSUME step rests on
    itself). A LOOK_AHEAD step follows from an ASSUME step and a contradiction
    under it, and rests on it no longer.
    """

    rule: Inference
    cells: tuple[int, ...]
    low: int
    high: int
    sources: tuple[int, ...] = ()
    under: tuple[int, ...] = ()
    clue: int | None = None

    @property
    def contradictory(self) -> bool:
        """True if no layout can satisfy it."""
        return self.low > self.high


@dataclass(frozen=True, slots=True)
class Proof:
    """A chain of steps, the last of which is what was to be shown, and how hard it is."""

    level: Level
    steps: tuple[Deduction, ...]
