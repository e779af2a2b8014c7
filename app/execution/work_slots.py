"""Slots that work in progress takes, as many as may be."""

from collections.abc import Iterator
from contextlib import contextmanager

from minecheck.app.problems import Overloaded


class WorkSlots:
    """Slots, at most so many of which may be ``taken`` at once.

    ``refused`` counts how often there was none left, which is answered with the problem ``full``.
    """

    def __init__(self, most: float, full: type[Overloaded] = Overloaded) -> None:
        self._most = most
        self._full = full
        self.taken = 0
        self.refused = 0

    @contextmanager
    def take_slot(self) -> Iterator[None]:
        """Take a slot, within a context.

        Raises:
            Overloaded: there is none left.
        """
        if self.taken >= self._most:
            self.refused += 1
            raise self._full
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1
