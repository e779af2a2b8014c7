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

from minecheck.app import problems
from minecheck.app.games.deals import DamagedGame, Kept, count_most_clicks
from minecheck.app.problems import ProblemError
from minecheck.app.settings import require_extra

#: The usual timeout of a command, in seconds.
_PATIENCE: Final = 2.0
#: Connections; who finds none free waits for one.
_MOST: Final = 16
#: Digits of the number of a cell.
_LONGEST_CLICK: Final = 19

_LOG: Final = logging.getLogger("minecheck.games")


class RedisGames:
    """Games in the Redis at ``url``, each for some ``seconds``; `close` it at the end.

    It belongs to one event loop. A game has ``most_cells`` at most: what is larger was put there
    by somebody else, and is not read. ``patience`` is the timeout of each command, in seconds.

    Raises:
        MissingExtra: the package redis is not installed.
        ValueError: the URL is not that of a Redis.
    """

    fix = "Deal a new one with POST /v1/games."

    def __init__(
        self, url: str, seconds: int, most_cells: int = 2_000_000, patience: float = _PATIENCE
    ) -> None:
        with require_extra("redis"):
            from redis.asyncio import BlockingConnectionPool, Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
            from redis.exceptions import ResponseError
        self._rejected = ResponseError
        self.seconds = seconds
        self.patience = patience
        self._most_bytes = most_cells // 8 + 2000
        pool = BlockingConnectionPool.from_url(
            url,
            protocol=2,
            # A connection may have ended while nobody used it. All commands may come twice.
            retry=Retry(NoBackoff(), 1),
            max_connections=_MOST,
            timeout=patience,
            socket_timeout=patience,
            socket_connect_timeout=patience,
        )
        self._redis: Redis = Redis.from_pool(pool)

    async def keep_deal(self, game: str, deal: bytes) -> None:
        """Keep what was dealt.

        Raises:
            ProblemError: 503, Redis fails or has no room.
        """
        await self._run_commands(game, ("DEL",), ("RPUSH", deal))

    async def find_game(self, game: str) -> Kept | None:
        """Return a game, None if it is not there.

        Raises:
            ProblemError: 503, Redis fails.
        """
        return await self._read_game(game)

    async def click_cell(self, game: str, cell: int) -> Kept | None:
        """Add a click to a game and return it, None if it is not there.

        Raises:
            ProblemError: 503, Redis fails or has no room.
        """
        return await self._read_game(game, ("RPUSHX", cell))

    async def close(self) -> None:
        """Close the connections."""
        with suppress(Exception):
            async with asyncio.timeout(self.patience):
                await self._redis.aclose()

    async def _read_game(self, game: str, *before: tuple[Any, ...]) -> Kept | None:
        """Return a game, None if it is not there, after commands about it.

        How long the list is comes first: reading what is not a game could take any time.

        Raises:
            DamagedGame: it is not a game.
        """
        *_, deal, length, _ = await self._run_commands(game, *before, ("LINDEX", 0), ("LLEN",))
        if deal is None:
            return None
        if not isinstance(deal, bytes) or len(deal) > self._most_bytes:
            raise DamagedGame
        if length == 1:
            return Kept(deal)
        if length > count_most_clicks(deal):
            raise DamagedGame
        # Later clicks come behind these.
        replies, _ = await self._run_commands(game, ("LRANGE", 1, length - 1))
        if any(len(click) > _LONGEST_CLICK for click in replies):
            raise DamagedGame
        try:
            return Kept(deal, array("q", map(int, replies)))
        except (ValueError, OverflowError):
            raise DamagedGame from None

    async def _run_commands(self, game: str, *commands: tuple[Any, ...]) -> list[Any]:
        """Return the replies to commands about a game, in one transaction renewing its expiry."""
        try:
            async with asyncio.timeout(self.patience), self._redis.pipeline() as together:
                for name, *arguments in (*commands, ("EXPIRE", self.seconds)):
                    together.execute_command(name, f"minecheck:game:{game}", *arguments)
                replies: list[Any] = await together.execute()
        except self._rejected as error:
            # The key is there, as something else than a list.
            if "WRONGTYPE" in str(error):
                raise DamagedGame from None
            raise self._log_failure(error) from None
        except Exception as error:  # noqa: BLE001 - whatever it is, the game may still be there
            raise self._log_failure(error) from None
        return replies

    def _log_failure(self, error: Exception) -> ProblemError:
        """Return what is answered where Redis fails, having logged why."""
        _LOG.warning("Redis fails; games wait for it: %s: %s", type(error).__name__, error)
        return problems.make_temporary_problem(
            "games-unreachable", "The Redis that keeps the games does not answer."
        )
