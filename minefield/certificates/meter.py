"""How much work a certificate of a count may take: what is too much is rejected before it is done.

Nothing that a certificate shows depends on it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from minecheck.minefield.certificates.fields import CertificateError

T = TypeVar("T")

#: Steps between two calls of ``pause``.
_CHUNK: Final = 2000
#: The number of bit products that takes about as long as joining two entries.
_BITS: Final = 20
#: No more joins of two entries are done, some minutes of work.
MOST_WORK: Final = 1 << 27


class TooMuchWork(CertificateError):
    """The check takes more work than is allowed; it is not known if the certificate is right."""


@dataclass(slots=True)
class Meter:
    """The work that may still be done; ``pause`` is called now and then."""

    pause: Callable[[], None] = lambda: None
    left: int = MOST_WORK
    _since: int = 0

    def spend_products(self, products: int, bits: int = 0, other: int = 0) -> None:
        """Account for products of numbers with up to ``bits`` bits before they are computed.

        Args:
            products: how many products there are.
            bits: bits of the longest factor on one side.
            other: bits of the longest factor on the other side.

        Raises:
            TooMuchWork: that is more than may be done.
        """
        self.left -= products * (1 + (bits * other >> _BITS))
        if self.left < 0:
            detail = f"It takes more than {MOST_WORK} products of table entries."
            raise TooMuchWork("components", detail)
        self.tick(products)

    def tick(self, steps: int = 1) -> None:
        """Call ``pause`` if it was not called for so long."""
        self._since += steps
        if self._since >= _CHUNK:
            self._since = 0
            self.pause()


def run_bounded(find: Callable[[], T]) -> T | None:
    """Return what a function finds out, None if that takes too much work."""
    try:
        return find()
    except TooMuchWork:
        return None


def count_longest_bits(numbers: Iterable[int]) -> int:
    """Return the number of bits of the longest of some numbers, 0 if there are none."""
    return max(map(int.bit_length, numbers), default=0)
