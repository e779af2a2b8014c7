"""The lag of the event loop."""

import asyncio
from time import monotonic
from typing import Final

from prometheus_client import CollectorRegistry, Gauge

#: The interval of measurements in seconds: blocking counts less by up to this.
_STEP: Final = 0.02
#: A reader that reads this often, in seconds, misses nothing.
_WINDOW: Final = 15.0


class Lag:
    """The longest that something due had to wait for the event loop lately.

    Lately is the current window of time, and the one before it.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._before = self._now = 0.0
        gauge = Gauge(
            "minecheck_loop_lag_seconds",
            "Longest wait for the event loop in the last 15 to 30 seconds",
            registry=registry,
        )
        gauge.set_function(lambda: max(self._before, self._now))

    async def watch_lag(self) -> None:
        """Measure, until cancelled."""
        while True:
            self._before, self._now = self._now, 0.0
            until = monotonic() + _WINDOW
            while (started := monotonic()) < until:
                await asyncio.sleep(_STEP)
                self._now = max(self._now, monotonic() - started - _STEP)
