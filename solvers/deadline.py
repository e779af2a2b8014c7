"""When to stop."""

from dataclasses import dataclass
from math import inf
from time import monotonic


class DeadlinePassed(Exception):
    """The time for a question is over before its answer was complete."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock, in seconds; by default never."""

    at: float = inf

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """The moment ``seconds`` from now, or never."""
        return cls(inf if seconds is None else monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then; negative afterwards."""
        return self.at - monotonic()

    def check(self) -> None:
        """Raise `DeadlinePassed` if it is past."""
        if self.left <= 0:
            raise DeadlinePassed
