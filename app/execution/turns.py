"""Turns of the workers that batches share: who has one next, so that no batch waits for another.

A *short* turn is for a chunk of lines, read and answered as far as bounded effort goes. A *long*
turn is for one line, until its deadline. There are more workers than turns of one kind may take, so
a short turn comes soon, whatever other batches ask. Without long turns the others rest: more of
them than processors would only cost time.

Among those that wait, the client goes first that has had the least time, and of its batches the one
that has had the least. Time is what a turn may take, not what it took: the order depends on what
was asked alone. Who begins, or comes back, is treated like whoever had the last turn: nobody saves
time up, and nobody pays for having been alone.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

#: Seconds that a short turn may take: it ends after the first line by whose end they are over.
SHORT_SECONDS: Final = 0.25


@dataclass(slots=True, eq=False, weakref_slot=True)
class _Client:
    """A client, and the seconds of turns that it has ``had``.

    ``now`` is what the batch had had that it used its last turn for, whose number is ``last``.
    """

    had: float = 0.0
    now: float = 0.0
    waiting: int = 0
    last: int = 0


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request for a turn that takes some seconds."""

    granted: asyncio.Future[None]
    seconds: float
    number: int


@dataclass(slots=True)
class _Kind:
    """A kind of turn, of which ``taken`` are in use."""

    taken: int = 0


@dataclass(slots=True, eq=False)
class Batch:
    """A batch of a client, which has ``had`` some seconds; `Turns.new_batch` makes it."""

    client: _Client
    had: float = 0.0
    short: deque[_Waiting] = field(default_factory=deque)
    long: deque[_Waiting] = field(default_factory=deque)


class _Next(NamedTuple):
    """A batch that may have a turn of this kind, for the first in the queue."""

    batch: Batch
    queue: deque[_Waiting]
    kind: _Kind

    def rank(self) -> tuple[float, int, float, int]:
        """Return what orders batches: clients, then the batches of each. The least goes first."""
        client = self.batch.client
        return client.had, client.last, self.batch.had, self.queue[0].number


class Turns:
    """Turns of ``workers``, of which at most ``most_alike`` have turns of the same kind at a time.

    For use on one event loop.
    """

    def __init__(self, workers: int, most_alike: int) -> None:
        self._workers = workers
        self._most_alike = most_alike
        self._short, self._long = _Kind(), _Kind()
        self._clients: WeakValueDictionary[str, _Client] = WeakValueDictionary()
        #: Batches of which something waits.
        self._batches: dict[Batch, None] = {}
        self._turns_requested = self._turns_given = 0
        #: The seconds of the client that was given the last turn.
        self._now = 0.0

    @property
    def taken(self) -> int:
        """Turns that are taken now."""
        return self._short.taken + self._long.taken

    @property
    def waiting(self) -> int:
        """Turns that are waited for now."""
        return sum(len(batch.short) + len(batch.long) for batch in self._batches)

    def new_batch(self, client: str = "") -> Batch:
        """Return a new batch of the client of this name, which may have others."""
        own = self._clients.get(client)
        if own is None:
            own = self._clients[client] = _Client()
        return Batch(own)

    def short_turn(self, batch: Batch) -> AbstractAsyncContextManager[None]:
        """Wait for a turn for a chunk of the batch; within, a worker is free."""
        return self._take_turn(batch, batch.short, self._short, SHORT_SECONDS)

    def long_turn(self, batch: Batch, seconds: float) -> AbstractAsyncContextManager[None]:
        """Wait for a turn for a line that may take so long; within, a worker is free."""
        return self._take_turn(batch, batch.long, self._long, seconds)

    @asynccontextmanager
    async def _take_turn(
        self, batch: Batch, queue: deque[_Waiting], kind: _Kind, seconds: float
    ) -> AsyncIterator[None]:
        self._turns_requested += 1
        turn = asyncio.get_running_loop().create_future()
        waiting = _Waiting(turn, seconds, self._turns_requested)
        self._enqueue_batch(batch, queue, waiting)
        self._grant_turns()
        try:
            await waiting.granted
        except asyncio.CancelledError:
            if not waiting.granted.cancelled():
                # The turn was granted, and nobody is left to take it.
                self._give_back(kind)
            elif waiting in queue:
                self._dequeue_batch(batch, queue, waiting)
            raise
        try:
            yield
        finally:
            self._give_back(kind)

    def _enqueue_batch(self, batch: Batch, queue: deque[_Waiting], waiting: _Waiting) -> None:
        client = batch.client
        # Who asks again is treated like those whose turn it is now.
        if not client.waiting:
            client.had = max(client.had, self._now)
        if batch not in self._batches:
            batch.had = max(batch.had, client.now)
            self._batches[batch] = None
        client.waiting += 1
        queue.append(waiting)

    def _dequeue_batch(self, batch: Batch, queue: deque[_Waiting], waiting: _Waiting) -> None:
        queue.remove(waiting)
        batch.client.waiting -= 1
        if not (batch.short or batch.long):
            del self._batches[batch]

    def _give_back(self, kind: _Kind) -> None:
        kind.taken -= 1
        self._grant_turns()

    def _grant_turns(self) -> None:
        """Give turns to those that are next, as long as workers are free."""
        while self.taken < self._workers:
            able = [
                _Next(batch, *found)
                for batch in self._batches
                if (found := self._find_queue(batch)) is not None
            ]
            if not able:
                return
            self._grant_one(*min(able, key=_Next.rank))

    def _grant_one(self, batch: Batch, queue: deque[_Waiting], kind: _Kind) -> None:
        waiting = queue[0]
        self._dequeue_batch(batch, queue, waiting)
        # A cancelled task may not have noticed yet.
        if waiting.granted.cancelled():
            return
        kind.taken += 1
        client = batch.client
        self._turns_given += 1
        client.last = self._turns_given
        self._now, client.now = client.had, batch.had
        client.had += waiting.seconds
        batch.had += waiting.seconds
        waiting.granted.set_result(None)

    def _find_queue(self, batch: Batch) -> tuple[deque[_Waiting], _Kind] | None:
        """Return the queue of a batch whose first may have a turn, and of which kind; or None."""
        for queue, kind in ((batch.short, self._short), (batch.long, self._long)):
            if queue and kind.taken < self._most_alike:
                return queue, kind
        return None
