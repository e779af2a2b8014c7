"""Both directions of a connection: what it has yet to parse, and what its client has yet to take.

uvicorn pauses reading for reasons of its own; a connection that is behind with parsing pauses it,
too. Of what is written, `CountingTransport` knows how much the client has taken.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from uvicorn.protocols.http.flow_control import FlowControl

from minecheck.app.requests.budget import SCARCE_RATE, MemoryBudget


class ReadingFlow(FlowControl):
    """Reading is paused as long as uvicorn has paused it, or the connection is behind."""

    def __init__(self, transport: asyncio.Transport, parse_on: Callable[[], None]) -> None:
        """``parse_on`` is called when the app asks for more, and the connection is behind."""
        super().__init__(transport)
        self._parse_on = parse_on
        self._paused = self._behind = False

    def pause_reading(self) -> None:
        """Pause reading, for uvicorn."""
        self._paused = True
        super().pause_reading()

    def resume_reading(self) -> None:
        """Resume reading, once the connection is no longer behind."""
        self._paused = False
        if self._behind:
            self._parse_on()
        else:
            super().resume_reading()

    def set_behind(self, behind: bool) -> None:
        """Note whether bytes have come in that are not parsed yet: then no more are read."""
        self._behind = behind
        if behind:
            super().pause_reading()
        elif not self._paused:
            super().resume_reading()


class CountingTransport:
    """A transport that counts what is written to it; all else it leaves to the other one.

    ``end`` is called in place of ``close``, which is left to it as `end_now`.
    """

    def __init__(self, transport: asyncio.Transport, end: Callable[[], None]) -> None:
        self._transport = transport
        self._written = 0
        self.close = end
        self.end_now = transport.close
        # Methods called for every request are found without `__getattr__`.
        self._write = transport.write
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        """Send data, or keep it until the client takes it."""
        self._written += len(data)
        self._write(data)

    @property
    def waiting(self) -> int:
        """Bytes that the client has not taken yet."""
        size: int = self._transport.get_write_buffer_size()
        return size

    @property
    def taken(self) -> int:
        """Bytes that the client has taken so far."""
        return self._written - self.waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Outgoing:
    """What a connection has written, and its client has not taken: for how long, how slowly."""

    def __init__(self, transport: CountingTransport) -> None:
        self.transport = transport
        #: When the client last took something, and how much it had taken by then.
        self._last = 0.0
        self._last_taken = 0
        #: Since when something waits, and how much had been taken by then.
        self._since: float | None = None
        self._taken_before = 0

    def is_stuck(
        self, now: float, seconds: float, *, slow_is_stuck: bool, is_sending: bool
    ) -> bool:
        """Return True if the client has taken nothing, or too little, for ``seconds``.

        Args:
            now: the time on the monotonic clock.
            seconds: how long a client may take nothing.
            slow_is_stuck: whether taking too little counts, too.
            is_sending: whether the client has sent more of its request since the last call: it may
                read after that.
        """
        taken = self.transport.taken
        if not self.transport.waiting:
            self._since = None
            return False
        if self._since is None:
            self._since, self._taken_before = now, taken
            self._last, self._last_taken = now, taken
        elif taken > self._last_taken or is_sending:
            self._last, self._last_taken = now, taken
        late = now - self._since - seconds
        slow = slow_is_stuck and late > 0 and taken - self._taken_before < SCARCE_RATE * late
        return slow or now - self._last >= seconds


class Watch:
    """Looks after all connections of a server, each second as long as there are any."""

    _PAUSE: Final = 1.0

    def __init__(self, connections: Iterable[Any], budget: MemoryBudget, seconds: float) -> None:
        self._connections = connections
        self._budget = budget
        self._seconds = seconds
        self._due: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Look from now on, if that has not begun."""
        if self._due is None:
            self._wait_for_look()

    def _wait_for_look(self) -> None:
        self._due = asyncio.get_running_loop().call_later(self._PAUSE, self._look_at_connections)

    def _look_at_connections(self) -> None:
        self._due = None
        now = asyncio.get_running_loop().time()
        connections = list(self._connections)
        for connection in connections:
            connection.end_if_stuck(now, self._seconds, memory_is_scarce=self._budget.is_scarce)
        if connections:
            self._wait_for_look()
