"""When to stop.

Tested in tests/solvers/test_deadlines.py.
"""

from dataclasses import dataclass
from math import inf
from time import monotonic, thread_time


class DeadlinePassed(Exception):
    """The time for a question is over before its answer was complete."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock, in seconds; by default never."""

    at: float = inf

    @classmethod
    def in_seconds(cls, seconds: float | None) -> "Deadline":
        """Return the moment ``seconds`` from now, or never."""
        return cls(inf if seconds is None else monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then; negative afterwards."""
        return self.at - monotonic()

    def take_share(self, share: float) -> "Deadline":
        """Return the moment when this share, from 0 to 1, of the seconds until then is over."""
        return self if self.at == inf else Deadline(monotonic() + share * self.left)

    def check(self) -> None:
        """Reject further work after the deadline.

        Raises:
            DeadlinePassed: the deadline is over.
        """
        if self.left <= 0:
            raise DeadlinePassed


@dataclass(frozen=True, slots=True)
class Turn(Deadline):
    """A deadline that is over, too, once its thread has computed for so long.

    What computes beside others is measured so: by what it does, not by what it waits for.
    """

    computed: float = inf

    @classmethod
    def start(cls, deadline: Deadline, seconds: float) -> "Turn":
        """Return a turn of this thread.

        Args:
            deadline: when the turn ends at the latest.
            seconds: how long the thread may compute.
        """
        return cls(deadline.at, thread_time() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then, of whichever kind there are fewer."""
        return min(self.at - monotonic(), self.computed - thread_time())

    def take_share(self, share: float) -> "Turn":
        """Return a turn with this share, from 0 to 1, of the time that is left of either kind."""
        whole = Deadline(self.at).take_share(share)
        computed = thread_time() + share * (self.computed - thread_time())
        return Turn(whole.at, computed)
