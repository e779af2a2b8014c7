"""The bytes that requests and answers under way may hold in the serving process, all together.

A body whose length is announced counts as a whole from its head on, as long as it comes quickly
enough; another counts with what has arrived of it. An answer counts until the client has taken it.
What a request holds is its `MemoryShare`.
"""

import sys
from collections.abc import Callable
from typing import Final

from starlette.types import Scope

from minecheck.app.problems import Overloaded
from minecheck.app.requests.scope import read_network

#: Name in the scope of a request, and in the state of the app's lifespan, of the budget.
BUDGET: Final = "minecheck.budget"
#: Name in the scope of a request of its share, once it has one.
_SHARE: Final = "minecheck.share"
#: The size of an open connection: its objects, and the small requests on it, which need no share of
#: their own.
CONNECTION_BYTES: Final = 16 * 1024
#: Connections take up to this part of a budget.
_CONNECTIONS: Final = 2
#: The name for a proxy, which sends requests of many clients.
NOBODY: Final = ""
#: Shares up to this size may come out of the reserve.
SMALL_SHARE: Final = 64 * 1024
#: The reserve is this part of a budget.
_RESERVE: Final = 8
#: Bytes per second that clients send, and take of answers, at least, where memory is scarce.
SCARCE_RATE: Final = 64 * 1024
#: The part of it that one client may hold, and the part of the reserve.
_CLIENT: Final = 2
_CLIENT_RESERVE: Final = 16


class OutOfMemoryBudget(Overloaded):
    """Requests and answers under way hold as much as they may."""

    detail = "Other requests and their answers take up the memory that there is for them."


class MemoryBudget:
    """A limited number of bytes for requests and answers in progress.

    An eighth is reserved for small shares, so that large bodies never keep small requests out. One
    client, by its network, has at most half. ``held`` is what is taken, ``refused`` counts
    the requests for which there was no room.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self.refused = 0
        self._by_client: dict[str, int] = {}
        #: The callbacks by which slow uploads give back room that they do not use yet.
        self.reclaims: set[Callable[[], None]] = set()

    @property
    def most_connections(self) -> int:
        """The largest number of open connections."""
        return self.most // _CONNECTIONS // CONNECTION_BYTES

    @property
    def is_scarce(self) -> bool:
        """True if more than half is taken."""
        return 2 * self.held > self.most

    def has_room(self, client: str, size: int, share: int) -> bool:
        """Return True if there is room for more bytes of a share.

        Args:
            client: the network of the client, or `NOBODY`.
            size: how many bytes more.
            share: the bytes of the share with them.
        """
        most, own = self.most, self.most // _CLIENT
        if share <= SMALL_SHARE:
            own += most // _CLIENT_RESERVE
        else:
            most -= most // _RESERVE
        if client != NOBODY and self._by_client.get(client, 0) + size > own:
            return False
        return self.held + size <= most

    def reclaim_idle(self) -> bool:
        """Take the room from uploads that do not use it soon; return whether there was any."""
        before = self.held
        for give_back in tuple(self.reclaims):
            give_back()
        return self.held < before

    def add_bytes(self, client: str, size: int) -> None:
        """Take bytes for a client, or give them back.

        Args:
            client: the network of the client, or `NOBODY`.
            size: how many bytes; a negative number gives them back.
        """
        self.held += size
        own = self._by_client.get(client, 0) + size
        if own:
            self._by_client[client] = own
        else:
            self._by_client.pop(client, None)


class MemoryShare:
    """The bytes that one request, or one connection, holds of a budget, for a client."""

    __slots__ = ("_budget", "_client", "held")

    def __init__(self, budget: MemoryBudget, client: str) -> None:
        self._budget = budget
        self._client = client
        self.held = 0

    def has_room(self, size: int) -> bool:
        """Return True if it may have ``size`` bytes altogether."""
        growth = size - self.held
        return (
            growth <= 0
            or self._budget.has_room(self._client, growth, size)
            or (self._budget.reclaim_idle() and self._budget.has_room(self._client, growth, size))
        )

    def reserve(self, size: int, give_back: Callable[[], None]) -> None:
        """Reserve bytes that are to arrive.

        Args:
            size: how many bytes.
            give_back: a function that is called when others need them.

        Raises:
            OutOfMemoryBudget: there is no room for them; then it stays as it was.
        """
        self.resize(size)
        self._budget.reclaims.add(give_back)

    def end_reservation(self, give_back: Callable[[], None]) -> None:
        """Keep what is held, whatever others need."""
        self._budget.reclaims.discard(give_back)

    def resize(self, size: int) -> None:
        """Set the size to ``size`` bytes altogether.

        Raises:
            OutOfMemoryBudget: there is no room for them; then it stays as it was.
        """
        if not self.has_room(size):
            self._budget.refused += 1
            raise OutOfMemoryBudget
        self.set(size)

    def set(self, size: int) -> None:
        """Set the size to ``size`` bytes that are held already, even without room for them."""
        if size != self.held:
            self._budget.add_bytes(self._client, size - self.held)
            self.held = size

    def close(self) -> None:
        """Give all back, for good."""
        self.set(0)
        self._budget = MemoryBudget(sys.maxsize)

    def move_to(self, client: str) -> None:
        """Count for another client from now on."""
        if client != self._client:
            held = self.held
            self.set(0)
            self._client = client
            self.set(held)


def find_memory_share(scope: Scope) -> MemoryShare:
    """Return the share of a request, which begins with nothing; `release_memory` ends it."""
    share: MemoryShare | None = scope.get(_SHARE)
    if share is None:
        # An app that is called without its middleware has no limit.
        budget = scope.get(BUDGET) or MemoryBudget(sys.maxsize)
        share = MemoryShare(budget, read_network(scope))
        scope[_SHARE] = share
    return share


def release_memory(scope: Scope) -> None:
    """Give back what a request holds, which has ended."""
    share: MemoryShare | None = scope.get(_SHARE)
    if share is not None:
        share.set(0)
