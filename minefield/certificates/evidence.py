"""The facts that verified certificates and a recount establish about a puzzle.

The recount (`minefield.certificates.recount`) is done only where something is asked that the
certificates leave open, and only within bounds. What it cannot tell in time is None here.

Tested in tests/minefield/certificates/test_agreement.py.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from minecheck.minefield.certificates.chances import derive_chances, derive_forced
from minecheck.minefield.certificates.conflicts import MOST_WORK, Clues, ConflictCore
from minecheck.minefield.certificates.counting import Counted
from minecheck.minefield.certificates.document import Certificate, Claim
from minecheck.minefield.certificates.judge import name_sources
from minecheck.minefield.certificates.meter import Meter, run_bounded
from minecheck.minefield.certificates.recount import find_span, recount_layouts
from minecheck.minefield.layout import Layout
from minecheck.minefield.rules import Plain


class Evidence:
    """The facts that verified ``certificates`` of one puzzle and total establish.

    ``counted`` is what those of counts show, if there are any. ``most_work`` is the largest
    number of products of table entries in a recount, and in a question about a conflict.
    """

    def __init__(
        self,
        puzzle: Plain,
        mines: int | None,
        certificates: Sequence[Certificate],
        counted: Counted | None,
        most_work: int = MOST_WORK,
    ) -> None:
        self.puzzle, self.mines = puzzle, mines
        self.counted = counted
        self._most_work = most_work
        self.witnesses: list[Layout] = [
            certificate.witness for certificate in certificates if certificate.witness is not None
        ]
        self._refutations = [
            certificate for certificate in certificates if certificate.claim is Claim.INCONSISTENT
        ]
        #: Cells with a proof of their own, and whether they are mines.
        self.proved: dict[int, bool] = {
            certificate.cell: certificate.claim is Claim.MINE
            for certificate in certificates
            if certificate.cell is not None and certificate.claim in (Claim.MINE, Claim.SAFE)
        }

    @cached_property
    def consistent(self) -> bool | None:
        """True if a layout exists, None if that is not known."""
        if self.witnesses or self._refutations:
            return bool(self.witnesses)
        count = self.count
        return None if count is None else count > 0

    @cached_property
    def count(self) -> int | None:
        """Number of layouts."""
        counted = self.counted or self._recounted
        return None if counted is None else run_bounded(lambda: counted.count)

    @cached_property
    def by_mines(self) -> Mapping[int, int] | None:
        """Layouts by number of mines."""
        counted = self._polynomial
        return None if counted is None else run_bounded(lambda: counted.by_mines)

    @cached_property
    def chances(self) -> Mapping[int, Fraction] | None:
        """The chance of a mine in each unknown cell."""
        counted = self.counted or self._recounted
        return None if counted is None else run_bounded(lambda: derive_chances(counted))

    @cached_property
    def forced(self) -> Mapping[int, bool] | None:
        """All forced cells, and whether they are mines, where there is a layout."""
        if self._witnesses_leave == self.proved.keys():
            return self.proved
        return None if self.chances is None else derive_forced(self.chances)

    @cached_property
    def span(self) -> tuple[int, int] | bool:
        """The least and the most mines of any layout, whatever the total.

        False if there is none, True if that is not known.
        """
        counted = self._polynomial
        if counted is None:
            return True
        span = run_bounded(lambda: (find_span(counted),))
        return True if span is None else span[0] or False

    def is_conflict(self, core: ConflictCore) -> bool | None:
        """Return True if the clues contradict each other."""
        for refutation in self._refutations:
            clues, total = name_sources(refutation)
            numbers = {self.clues.find_number(clue) for clue in clues}
            if core.clues.issuperset(numbers) and core.total >= total:
                return True
        return self.clues.is_conflict(core)

    @cached_property
    def clues(self) -> Clues:
        """The clues, by number."""
        return Clues(self.puzzle, self.mines, self._most_work)

    @cached_property
    def _polynomial(self) -> Counted | None:
        """A count by mines."""
        if self.counted is not None and self.counted.polynomial:
            return self.counted
        return self._recounted

    @cached_property
    def _recounted(self) -> Counted | None:
        meter = Meter(left=self._most_work)
        return run_bounded(lambda: recount_layouts(self.puzzle, self.mines, meter))

    @cached_property
    def _witnesses_leave(self) -> set[int]:
        """Unknown cells that are the same in all witnesses; all if there are none."""
        mines = [layout.mines.ravel() for layout in self.witnesses]
        unknown = self.puzzle.unknown.ravel()
        if mines:
            unknown = unknown & (np.all(mines, axis=0) | ~np.any(mines, axis=0))
        return set(np.flatnonzero(unknown).tolist())
