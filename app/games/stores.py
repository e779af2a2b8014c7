"""Stores of games, so that clients need not know where the mines are."""

from array import array
from time import monotonic
from typing import Final, Protocol

from cachetools import TTLCache

from minecheck.app import problems
from minecheck.app.games.deals import Kept

#: The size of a game in memory besides its mines and clicks, in bytes.
_OVERHEAD: Final = 1000


class Games(Protocol):
    """A store of games by id; each lives for some ``seconds`` after its last use.

    ``fix`` says what to do about a game that is not there. What cannot be reached, or has no
    room, raises a ProblemError: a 503.
    """

    seconds: int
    fix: str

    async def keep_deal(self, game: str, deal: bytes) -> None:
        """Keep what was dealt.

        Args:
            game: the id of the game.
            deal: the packed `Deal`.
        """

    async def find_game(self, game: str) -> Kept | None:
        """Return a game, None if it is not there."""

    async def click_cell(self, game: str, cell: int) -> Kept | None:
        """Add a click to a game and return it, None if it is not there.

        Args:
            game: the id of the game.
            cell: the number of the cell, in reading order.
        """

    async def close(self) -> None:
        """Keep nothing any more."""


class MemoryGames:
    """Games in limited megabytes (2**20 bytes) of memory; the least recently used go first."""

    fix = (
        "Deal a new one with POST /v1/games. Replicas share games only if MINECHECK_REDIS_URL is "
        "set."
    )

    def __init__(self, megabytes: int, seconds: int) -> None:
        self.seconds = seconds
        self._kept: TTLCache[str, Kept] = TTLCache(megabytes << 20, seconds, monotonic, _size_of)

    async def keep_deal(self, game: str, deal: bytes) -> None:
        """Keep what was dealt."""
        self._put_game(game, Kept(deal))

    async def find_game(self, game: str) -> Kept | None:
        """Return a game, None if it is not there."""
        stored = self._kept.get(game)
        if stored is not None:
            self._put_game(game, stored)
        return stored

    async def click_cell(self, game: str, cell: int) -> Kept | None:
        """Add a click to a game and return it, None if it is not there."""
        stored = self._kept.get(game)
        if stored is not None:
            stored = Kept(stored.deal, stored.clicks + array("q", (cell,)))
            self._put_game(game, stored)
        return stored

    async def close(self) -> None:
        """Do nothing: nothing is left to do."""

    def _put_game(self, game: str, stored: Kept) -> None:
        """Keep a game from now on, as the one used last."""
        if _size_of(stored) > self._kept.maxsize:
            raise problems.make_temporary_problem(
                "no-room-for-game",
                "The game is larger than the memory for games.",
                "Deal a smaller one, or raise MINECHECK_GAMES_MB.",
            )
        self._kept[game] = stored


def _size_of(stored: Kept) -> int:
    return len(stored.deal) + stored.clicks.itemsize * len(stored.clicks) + _OVERHEAD
