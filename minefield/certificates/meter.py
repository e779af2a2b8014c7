"""How much work a certificate of a count may take: what is too much is rejected before it is done.

Nothing that a certificate shows depends on it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from minefield.certificates.fields import CertificateError

#: Steps between two calls of ``pause``.
_CHUNK: Final = 2000
#: Products of so many pairs of bits take about as long as to join two entries.
_BITS: Final = 20
#: No more joins of two entries are done, some minutes of work.
MOST_WORK: Final = 1 << 27


@dataclass(slots=True)
class Meter:
    """What is left of the work that may be done; ``pause`` is called now and then."""

    pause: Callable[[], None] = lambda: None
    left: int = MOST_WORK
    _since: int = 0

    def spend(self, products: int, bits: int = 0, other: int = 0) -> None:
        """Account for products of numbers of up to so many bits, before they are done.

        Raises:
            CertificateError: that is more than may be done.
        """
        self.left -= products * (1 + (bits * other >> _BITS))
        if self.left < 0:
            detail = f"It takes more than {MOST_WORK} products of table entries."
            raise CertificateError("components", None, detail)
        self.tick(products)

    def tick(self, steps: int = 1) -> None:
        """Call ``pause`` if it was not called for so long."""
        self._since += steps
        if self._since >= _CHUNK:
            self._since = 0
            self.pause()


def longest(numbers: Iterable[int]) -> int:
    """Bits of the longest of some numbers."""
    return max(map(int.bit_length, numbers), default=0)
