"""The model counters Ganak and ApproxMC as engines of their own, for counts alone.

Tested in tests/solvers/test_backend.py.
"""

from functools import cached_property

from minecheck.minefield.layout import Layout
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends import model_counters
from minecheck.solvers.backends.model_counters import CounterFailed, CounterMissing
from minecheck.solvers.backends.sat import Sat
from minecheck.solvers.budget import TooWide
from minecheck.solvers.deadline import DeadlinePassed
from minecheck.solvers.findings import Approximation


class Ganak(Sat):
    """Any board, counted exactly by Ganak; a layout, where one is read, comes from SAT."""

    backend = Backend.GANAK
    _note: str | None = None

    @cached_property
    def layout_count(self) -> int:
        """The number of layouts; raises `TooWide` if Ganak failed."""
        if self.contradictory:
            return 0
        try:
            return model_counters.count_exactly(self.reduction, None, self.deadline)
        except CounterMissing as missing:
            raise BackendError(str(missing)) from None
        except CounterFailed as failed:
            self._note = str(failed)
            raise TooWide from None

    @property
    def has_counted_some(self) -> bool:
        """True if layouts were counted; False if there are none, or if it is not known."""
        try:
            return self.layout_count > 0
        except (TooWide, DeadlinePassed):
            return False

    def find_witness(self) -> Layout | None:
        """Return a layout by SAT, None if there is none."""
        return super().find_witness() if self.has_counted_some or not self._is_known else None

    @property
    def _is_known(self) -> bool:
        return "layout_count" in vars(self)

    def count(self) -> int:
        """Return the exact number of layouts."""
        return self.layout_count

    def by_mines(self) -> dict[int, int] | None:
        """Return the layouts by number of mines, None without a total of mines."""
        mines = self.question.mines
        return None if mines is None else {mines: self.layout_count}

    @property
    def soon_by_mines(self) -> bool:
        """True if the layouts by number of mines take no further work."""
        return self.question.mines is not None

    @property
    def note(self) -> str | None:
        """The note of the answer: why there is no count."""
        return self._note


class ApproxMc(Sat):
    """Any board, counted about by ApproxMC; whether there are layouts at all is left to SAT."""

    backend = Backend.APPROXMC
    _note: str | None = None

    @property
    def engines(self) -> tuple[Backend, ...]:
        """The engines that found the results so far; the last one gave the latest result."""
        return Backend.SAT, Backend.APPROXMC

    def count(self) -> int:
        """Leave the exact count out.

        Raises:
            TooWide: always.
        """
        raise TooWide

    def approximate(self) -> Approximation | None:
        """Return an approximate count by ApproxMC, None if it failed.

        Raises:
            BackendError: pyapproxmc is not installed.
        """
        try:
            return model_counters.count_approximately(self.reduction, None, self.deadline)
        except CounterMissing as missing:
            raise BackendError(str(missing)) from None
        except CounterFailed as failed:
            self._note = str(failed)
            return None

    @property
    def note(self) -> str | None:
        """The note of the answer: why there is no count."""
        return self._note or "approxmc gives an approximate count only"
