"""Answers already given, for the same questions asked again.

Questions are the same if all of their fields are. Complete answers are kept, as the JSON that was
sent: in memory, within a bound in bytes, and in a Redis where there is one. The key of a
question is 256 bits of BLAKE2b, for which nobody can find a collision, so the boards themselves
are not kept.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from hashlib import blake2b
from typing import Final

from cachetools import LRUCache

from minecheck.app.execution.redis_cache import PATIENCE, RedisStore
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.automata import Window
from minecheck.minefield import Board, Layout, Rules, Variant
from minecheck.solvers import Answer, Deadline

#: No answer takes more than this part of the memory.
_SHARE: Final = 16
#: The size of an answer in memory besides its body, in bytes.
_OVERHEAD: Final = 400
#: A deadline may have cut what is called complete where fewer seconds were left.
_MARGIN: Final = 0.3
#: The end of a body that comes from here; "solver" ends every answer.
_CACHED: Final = b',"cached":true}}'


@dataclass(slots=True)
class Entry:
    """The entry of an answer in the cache; ``sought`` is True if Redis was asked."""

    key: bytes
    sought: bool = False


class Cache:
    """Bodies of answers by question: in limited megabytes (2**20 bytes) of memory, and in Redis.

    For use on the event loop only. Where there is no entry, nothing is known and
    nothing kept. Of each level there are counters of ``hits`` and ``misses``.
    """

    def __init__(self, megabytes: int, store: RedisStore | None = None) -> None:
        self._memory: LRUCache[bytes, bytes] = LRUCache(megabytes << 20, _size_of)
        self._store = store
        self.memory_hits = self.memory_misses = 0
        self.redis_hits = self.redis_misses = 0

    @classmethod
    def from_settings(cls, settings: Settings, version: str) -> "Cache":
        """Build the cache from settings.

        Raises:
            MissingExtra: the package redis is needed and not installed.
            ValueError: the URL is not that of a Redis.
        """
        url, seconds = settings.redis_url, settings.cache_seconds
        return cls(settings.cache_mb, RedisStore(url, seconds, version) if url else None)

    @property
    def size(self) -> int:
        """Bytes that answers take in memory now."""
        return int(self._memory.currsize)

    @property
    def entries(self) -> int:
        """Answers in memory now."""
        return len(self._memory)

    @property
    def redis_errors(self) -> int:
        """Failures of Redis so far."""
        return self._store.errors if self._store else 0

    def find_entry(self, job: Job) -> Entry | None:
        """Return the entry of the answer in the cache; None if it is not cached.

        That is everything if there is neither memory nor Redis. The answer to a packed job has an
        entry of its own.
        """
        is_off = not self._memory.maxsize and self._store is None
        if is_off or not job.operation.cached:
            return None
        return Entry(blake2b(_identify_job(job), digest_size=32).digest())

    def get_local(self, entry: Entry | None) -> bytes | None:
        """Return the body of an answer in memory."""
        if entry is None:
            return None
        body = self._memory.get(entry.key)
        self.memory_hits += body is not None
        self.memory_misses += body is None
        return body

    async def fetch_remote(self, entry: Entry | None, deadline: Deadline) -> bytes | None:
        """Return the body of an answer in Redis, which is then in memory, too.

        Asking costs more than an ordinary board: ask before a question goes to a worker. It takes a
        tenth of a second at most, and is skipped if the deadline has no room for that.
        """
        if entry is None or self._store is None or deadline.left < 2 * PATIENCE:
            return None
        entry.sought = True
        body = None
        stored = await self._store.get(entry.key)
        # Somebody else may have put anything there.
        if stored is not None and stored.startswith(b"{") and stored.endswith(_CACHED):
            body = stored
            self._remember_body(entry.key, body)
        self.redis_hits += body is not None
        self.redis_misses += body is None
        return body

    def keep_answer(
        self, entry: Entry | None, answer: Answer, body: bytes, deadline: Deadline
    ) -> None:
        """Keep the body of an answer, if it is complete; in Redis, too, if that was asked."""
        is_final = answer.complete and not answer.note and not _may_improve(answer, deadline)
        if entry is None or not is_final:
            return
        stored = body[:-2] + _CACHED
        self._remember_body(entry.key, stored)
        if self._store is not None and entry.sought:
            self._store.put(entry.key, stored)

    async def close(self) -> None:
        """Finish what is being kept."""
        if self._store is not None:
            await self._store.close()

    def _remember_body(self, key: bytes, stored: bytes) -> None:
        if _size_of(stored) <= self._memory.maxsize // _SHARE:
            self._memory[key] = stored


def _size_of(stored: bytes) -> int:
    return len(stored) + _OVERHEAD


def _identify_job(job: Job) -> bytes:
    """Return the identity of a question: its task, and all of its fields."""
    if job.packed:
        return b"packed %b %b" % (job.operation.name.encode(), job.input)
    question = job.question
    parts = [job.operation.name.encode()]
    parts += [_encode_value(getattr(question, field.name)) for field in fields(question)]
    # Each with its length, so that no two lists look alike when they are joined.
    return b"".join(b"%d:%b" % (len(part), part) for part in parts)


def _encode_value(value: object) -> bytes:
    """Encode a field as bytes that differ where its values do.

    Raises:
        TypeError: there is no encoding for values of this type.
    """
    match value:
        case Board():
            return b"board %d %b" % (value.height, value.cells.tobytes())
        case Rules():
            rules = [(rule.cells, rule.low, rule.high) for rule in value.rules]
            return repr(("rules", value.shape, rules)).encode()
        case Variant():
            return repr(value).encode()
        case Layout():
            return b"layout %b" % value.mine_counts.tobytes()
        case Fraction():
            return f"{value.numerator:x}/{value.denominator:x}".encode()
        case bool() | None | Window() | tuple() | StrEnum() | str():
            return repr(value).encode()
        case int():
            # Long numbers would be rejected in decimal digits.
            return f"{value:x}".encode()
    raise TypeError(f"a question with a {type(value).__name__} cannot be a key of the cache")


def _may_improve(answer: Answer, deadline: Deadline) -> bool:
    """Return True if more time might have found a smaller conflict."""
    conflict = answer.conflict
    return conflict is not None and not conflict.smallest and deadline.left < _MARGIN
