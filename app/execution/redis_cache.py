"""A Redis in which replicas keep answers together.

Whatever happens to it, clients notice nothing but that answers are computed
again. Where it does not answer, that is counted, logged once, and no more is
tried for a second. What it rejects, and values that are not ours, are counted
and logged once of each kind; what is computed then takes the place of the value.
Values are data only, never code; who may write to the Redis may still forge
answers, so it belongs in the same network as the replicas.
"""

import asyncio
import logging
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Final, TypeVar

from minecheck.app.settings import require_extra

Found = TypeVar("Found")

#: The usual timeout of a command, in seconds.
PATIENCE: Final = 0.1
#: Seconds without a try after a failure.
_PAUSE: Final = 1.0
#: Connections, and what is under way at once; what comes on top is left undone.
_MOST: Final = 8
#: Larger values, in bytes, would keep it and us too long.
_LARGEST: Final = 1 << 18

_LOG: Final = logging.getLogger("minecheck.cache")


class GarbledValue(ValueError):
    """A value that was not put there under its key."""


class RedisStore:
    """Values by key in the Redis at ``url``, each for some seconds; `close` it at the end.

    Values are those of one ``version`` of the service only. ``patience`` is the
    timeout of each command, in seconds. ``errors`` counts the failures so far.
    It belongs to one event loop.

    Raises:
        MissingExtra: the package redis is not installed.
        ValueError: the URL is not that of a Redis.
    """

    def __init__(self, url: str, seconds: int, version: str, patience: float = PATIENCE) -> None:
        with require_extra("redis"):
            from redis.asyncio import Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
            from redis.exceptions import ResponseError
        self._redis: Redis = Redis.from_url(
            url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            max_connections=_MOST,
            socket_timeout=patience,
            socket_connect_timeout=patience,
        )
        self.patience = patience
        self._seconds = seconds
        self._version = version
        self._under_way = 0
        self._failing = False
        self._resume = 0.0
        self._writes: set[asyncio.Task[None]] = set()
        #: What goes wrong though it answers: nobody waits for that.
        self._value_errors = (ResponseError, GarbledValue, zlib.error)
        self._said: set[type[Exception]] = set()
        self.errors = 0

    async def get(self, key: bytes) -> bytes | None:
        """Return the value that was put under a key; None if there is none, or Redis is late."""

        async def read_value() -> bytes | None:
            packed = await self._redis.get(self._full_key(key))
            return None if packed is None else _unpack_value(key, packed)

        return await self._try_call(read_value)

    def put(self, key: bytes, value: bytes) -> None:
        """Put a value under a key, in the background.

        It is skipped if it is large, while Redis fails, and while as much as allowed is being put.
        """
        if len(value) > _LARGEST or len(self._writes) >= _MOST or monotonic() < self._resume:
            return

        async def write_value() -> None:
            # Redis is not to blame for the time that this takes.
            packed = await asyncio.to_thread(_pack_value, key, value)
            await self._try_call(
                lambda: self._redis.set(self._full_key(key), packed, ex=self._seconds)
            )

        task = asyncio.get_running_loop().create_task(write_value())
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def close(self) -> None:
        """Finish what is being put, and close the connection."""
        await asyncio.gather(*self._writes)
        with suppress(Exception):
            async with asyncio.timeout(self.patience):
                await self._redis.aclose()

    def _full_key(self, key: bytes) -> str:
        return f"minecheck:{self._version}:{key.hex()}"

    async def _try_call(self, call: Callable[[], Awaitable[Found]]) -> Found | None:
        """Return the result of a call; None if it fails, or Redis has failed recently."""
        now = monotonic()
        if now < self._resume or self._under_way >= _MOST:
            return None
        if self._failing:
            # One tries whether it is back, the others do not wait for that.
            self._resume = now + _PAUSE
        self._under_way += 1
        result = None
        try:
            async with asyncio.timeout(self.patience):
                result = await call()
        except self._value_errors as error:
            self._note_rejection(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the answer can be computed
            self._note_failure(error)
            return None
        finally:
            self._under_way -= 1
        self._note_success()
        return result

    def _note_rejection(self, error: Exception) -> None:
        """Note that Redis is there, but something went wrong."""
        self.errors += 1
        if type(error) not in self._said:
            self._said.add(type(error))
            _LOG.warning(
                "Redis rejects a command, or holds foreign values: %s: %s",
                type(error).__name__,
                error,
            )

    def _note_failure(self, error: Exception) -> None:
        """Note that Redis is not there, or does not answer."""
        self.errors += 1
        self._resume = monotonic() + _PAUSE
        if not self._failing:
            self._failing = True
            _LOG.warning(
                "Redis fails; answers are computed without it: %s: %s", type(error).__name__, error
            )

    def _note_success(self) -> None:
        if self._failing:
            self._failing = False
            self._resume = 0.0
            _LOG.info("Redis is back.")


def _pack_value(key: bytes, value: bytes) -> bytes:
    """Return the stored form of a value: its checksum and its key identify it."""
    return zlib.compress(key + value, 1)


def _unpack_value(key: bytes, packed: bytes | str) -> bytes:
    if isinstance(packed, str):
        raise GarbledValue("the URL asks for text in place of bytes")
    inflate = zlib.decompressobj()
    whole = inflate.decompress(packed, len(key) + _LARGEST)
    if not inflate.eof or not whole.startswith(key):
        raise GarbledValue("a value is not what was put there")
    return whole[len(key) :]
