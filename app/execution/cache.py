"""Answers already given, for whoever asks the same again.

The same is what differs by nothing that changes the answer, up to the
symmetries of the board where the answer can be carried along. Complete answers
are kept, as the JSON that was sent: in memory, within a bound in bytes, and in
a Redis where there is one. Questions are told apart by 256 bits of BLAKE2b,
of which nobody can make two alike, so the boards themselves are not kept.
"""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

from cachetools import LRUCache

from app.execution.redis_cache import PATIENCE, RedisStore
from app.execution.symmetry import SYMMETRIES, UNMOVED, Symmetry, canonical, carried
from app.settings import Settings
from minefield import Rules
from solvers import Answer, Deadline, Question, Task

#: What is answered alike for symmetric boards. Explanations name cells in sentences, and the
#: order of layouts depends on how a board lies.
_SYMMETRIC: Final = (Task.CHECK, Task.COUNT, Task.FORCED, Task.ANALYZE, Task.REPAIR)
#: Larger boards are compared as they lie.
_SYMMETRIC_CELLS: Final = 100_000
#: Larger bodies take too long to carry along on the event loop.
_CARRIED_BYTES: Final = 1 << 18
#: No answer takes more than this part of the memory.
_SHARE: Final = 16
#: Bytes that an answer in memory takes beside its body.
_OVERHEAD: Final = 400
#: A deadline may have cut what is called complete where fewer seconds were left.
_MARGIN: Final = 0.3
#: The end of a body that comes from here; "solver" ends every answer.
_CACHED: Final = b',"cached":true}}'


@dataclass(slots=True)
class Entry:
    """Where the answer to a question belongs: its key, and how its board lies.

    ``symmetry`` moves the board, of this ``shape``, to the one that the key is
    made of. ``sought`` tells whether Redis was asked.
    """

    key: bytes
    symmetry: Symmetry
    shape: tuple[int, int]
    sought: bool = False


class _Kept(NamedTuple):
    """A body, and how the board lay that it is about."""

    symmetry: Symmetry
    body: bytes


class Cache:
    """Bodies of answers by question: in so many megabytes (2**20 bytes), and in a Redis.

    For use on the event loop only. Where there is no entry, nothing is known and
    nothing kept. Of each level there are counters of ``hits`` and ``misses``.
    """

    def __init__(self, megabytes: int, store: RedisStore | None = None) -> None:
        self._memory: LRUCache[bytes, _Kept] = LRUCache(megabytes << 20, _size)
        self._store = store
        self.memory_hits = self.memory_misses = 0
        self.redis_hits = self.redis_misses = 0

    @classmethod
    def of(cls, settings: Settings, version: str) -> "Cache":
        """As the settings say; ``version`` is that of the service, whose answers these are.

        Raises:
            RuntimeError: the package redis is needed and not installed.
            ValueError: the URL is none of a Redis.
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

    def entry(self, question: Question) -> Entry | None:
        """Where the answer belongs; None for what is not kept.

        That is everything if there is neither memory nor Redis, and samples:
        who names no seed wants fresh ones.
        """
        off = not self._memory.maxsize and self._store is None
        if off or question.task is Task.SAMPLE:
            return None
        cells, symmetry = _form(question)
        key = blake2b(_options(question, turned=symmetry.turned), digest_size=32)
        key.update(cells)
        if question.layout is not None:
            key.update(question.layout.mines.tobytes())
        return Entry(key.digest(), symmetry, question.board.shape)

    def known(self, entry: Entry | None) -> bytes | None:
        """The body of an answer in memory."""
        if entry is None:
            return None
        kept = self._memory.get(entry.key)
        body = kept and _as_asked(kept, entry)
        self.memory_hits += body is not None
        self.memory_misses += body is None
        return body

    async def fetched(self, entry: Entry | None, deadline: Deadline) -> bytes | None:
        """The body of an answer in Redis, which is then in memory, too.

        To ask costs more than an ordinary board: ask before a question goes to
        a worker. Takes a tenth of a second at most, and is left undone where
        the deadline has no room for that.
        """
        if entry is None or self._store is None or deadline.left < 2 * PATIENCE:
            return None
        entry.sought = True
        body = None
        if (found := await self._store.get(entry.key)) is not None:
            # Whatever somebody else may have put there is no reason for an error.
            with suppress(ValueError, LookupError, TypeError, AttributeError):
                kept = _Kept(SYMMETRIES[found[0]], found[1:])
                if kept.body.startswith(b"{") and kept.body.endswith(_CACHED):
                    body = _as_asked(kept, entry)
                    self._remember(entry.key, kept)
        self.redis_hits += body is not None
        self.redis_misses += body is None
        return body

    def keep(self, entry: Entry | None, answer: Answer, body: bytes, deadline: Deadline) -> None:
        """Keep the body of an answer, if it is complete.

        ``deadline`` is the one that the answer had.
        """
        if answer.complete and not answer.note and not _cut(answer, deadline):
            self.put(entry, body)

    def put(self, entry: Entry | None, body: bytes) -> None:
        """Keep the body of a complete answer; in Redis, too, if that was asked for it."""
        if entry is None:
            return
        kept = _Kept(entry.symmetry, body[:-2] + _CACHED)
        self._remember(entry.key, kept)
        if self._store is not None and entry.sought:
            number = SYMMETRIES.index(entry.symmetry)
            self._store.put(entry.key, bytes((number,)) + kept.body)

    async def close(self) -> None:
        """Finish what is being kept."""
        if self._store is not None:
            await self._store.close()

    def _remember(self, key: bytes, kept: _Kept) -> None:
        if _size(kept) <= self._memory.maxsize // _SHARE:
            self._memory[key] = kept


def _size(kept: _Kept) -> int:
    return len(kept.body) + _OVERHEAD


def _form(question: Question) -> tuple[bytes, Symmetry]:
    """The board as bytes, and how it was moved for that."""
    board = question.board
    if isinstance(board, Rules):
        return repr([(rule.cells, rule.low, rule.high) for rule in board.rules]).encode(), UNMOVED
    symmetric = question.task in _SYMMETRIC and not question.certificate
    if symmetric and question.cells <= _SYMMETRIC_CELLS:
        return canonical(board.cells)
    return board.cells.tobytes(), UNMOVED


def _options(question: Question, turned: bool) -> bytes:
    """Everything but the cells that the answer depends on, told apart from all else."""
    density, shape = question.density, question.board.shape
    options = (
        question.task.value,
        isinstance(question.board, Rules),
        shape[::-1] if turned else shape,
        question.mines,
        density and (f"{density.numerator:x}", f"{density.denominator:x}"),
        question.backend.value,
        # In decimal digits, numbers as long as these may be would be refused.
        f"{question.offset:x}",
        question.limit,
        question.window,
        question.fractions,
        question.layout is not None,
        question.seed,
        question.cell,
        question.certificate,
    )
    return repr(options).encode()


def _cut(answer: Answer, deadline: Deadline) -> bool:
    """Whether more time might have found a smaller conflict."""
    conflict = answer.conflict
    return conflict is not None and not conflict.smallest and deadline.left < _MARGIN


def _as_asked(kept: _Kept, entry: Entry) -> bytes | None:
    """The body as it is about the board of the entry; None if that takes too long."""
    if kept.symmetry == entry.symmetry:
        return kept.body
    if len(kept.body) > _CARRIED_BYTES:
        return None
    return carried(kept.body, entry.symmetry.since(kept.symmetry), entry.shape)
