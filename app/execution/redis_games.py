"""Games in a Redis, where every replica finds them.

A game is a list: what was dealt, then each click. Redis adds a click to the list of a game that is
there, or to none, so replicas need not agree on anything, and no click is lost. Unlike an answer,
a game cannot be worked out again: where Redis fails, that is said.
"""

import asyncio
import logging
from array import array
from contextlib import suppress
from typing import Any, Final

from app import problems
from app.execution.games import Kept
from app.settings import needing

#: Seconds for anything that is asked of it.
_PATIENCE: Final = 2.0
#: Connections; who finds none free waits for one.
_MOST: Final = 16

_LOG: Final = logging.getLogger("minecheck.games")


class RedisGames:
    """Games in the Redis at ``url``, each for so many ``seconds``; `close` it in the end.

    It belongs to one event loop.

    Raises:
        MissingExtra: the package redis is not installed.
        ValueError: the URL is not that of a Redis.
    """

    fix = "Deal a new one with POST /v1/games."

    def __init__(self, url: str, seconds: int) -> None:
        with needing("redis"):
            from redis.asyncio import BlockingConnectionPool, Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
        self.seconds = seconds
        pool = BlockingConnectionPool.from_url(
            url,
            protocol=2,
            # A connection may have ended while nobody used it. All commands may come twice.
            retry=Retry(NoBackoff(), 1),
            max_connections=_MOST,
            timeout=_PATIENCE,
            socket_timeout=_PATIENCE,
            socket_connect_timeout=_PATIENCE,
        )
        self._redis: Redis = Redis.from_pool(pool)

    async def keep(self, game: str, deal: bytes) -> None:
        """Keep what was dealt."""
        await self._done(game, ("DEL",), ("RPUSH", deal))

    async def find(self, game: str) -> Kept | None:
        """A game, if it is there."""
        return await self._kept(game)

    async def click(self, game: str, cell: int) -> Kept | None:
        """A game, if it is there, with one more click."""
        return await self._kept(game, ("RPUSHX", cell))

    async def close(self) -> None:
        """Close the connections."""
        with suppress(Exception):
            async with asyncio.timeout(_PATIENCE):
                await self._redis.aclose()

    async def _kept(self, game: str, *before: tuple[Any, ...]) -> Kept | None:
        """A game, if it is there, after commands about it."""
        *_, told, _ = await self._done(game, *before, ("LRANGE", 0, -1))
        return Kept(told[0], array("q", map(int, told[1:]))) if told else None

    async def _done(self, game: str, *commands: tuple[Any, ...]) -> list[Any]:
        """What Redis says to commands about a game, carried out together, which is kept on."""
        try:
            async with asyncio.timeout(_PATIENCE), self._redis.pipeline() as together:
                for name, *arguments in (*commands, ("EXPIRE", self.seconds)):
                    together.execute_command(name, f"minecheck:game:{game}", *arguments)
                told: list[Any] = await together.execute()
        except Exception as error:  # noqa: BLE001 - whatever it is, the game may still be there
            _LOG.warning("Redis fails; games wait for it: %s: %s", type(error).__name__, error)
            raise problems.for_now(
                "games-unreachable", "The Redis that keeps the games does not answer."
            ) from None
        return told
