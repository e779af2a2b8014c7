"""Batches in parts.

`httpx` sends a request to its end before it reads a byte of the response. A
batch in one body would therefore stand still for ever once the answers fill
all buffers on their way, so it goes in parts that these hold.
"""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, TypeAlias

from minecheck_client.options import AskBatch
from minecheck_client.problem import Incomplete, Problem
from minecheck_client.request import Line, json_body
from minecheck_client.response import LineSplitter, answer

Boards: TypeAlias = Iterable[Line]
#: Boards that may come asynchronously.
AsyncBoards: TypeAlias = Boards | AsyncIterable[Line]

#: Bytes of a part, unless it is one line; buffers of connections hold as many on any system.
_BYTES: Final = 1 << 16
# Parts grow, so that the first answers come soon and the last ones cheaply.
_FIRST: Final = 64
_LAST: Final = 4096


@dataclass
class Summary:
    """What a batch has come to so far."""

    lines: int = 0
    problems: int = 0
    incomplete: int = 0
    elapsed_ms: float = 0.0


class BatchOptions(AskBatch, total=False):
    """What holds for all lines of a batch that do not say otherwise, and how it is sent.

    ``gzip`` packs both ways; ``summary`` is counted up as the answers come.
    """

    gzip: bool
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive lines of a batch, and the number of the first, from 0."""

    first: int
    lines: list[bytes]


def cut(boards: Boards) -> Iterator[Part]:
    """Boards, as they come, in parts."""
    parts = _Parts(boards)
    for board in boards:
        yield from parts.more(board)
    yield from parts.last()


async def cut_async(boards: AsyncBoards) -> AsyncIterator[Part]:
    """The same of boards that may come asynchronously."""
    if not isinstance(boards, AsyncIterable):
        for part in cut(boards):
            yield part
        return
    parts = _Parts(boards)
    async for board in boards:
        for part in parts.more(board):
            yield part
    for part in parts.last():
        yield part


class _Parts:
    def __init__(self, boards: object) -> None:
        if isinstance(boards, str | bytes | Mapping):
            raise TypeError(
                "A batch takes many boards, not one: put it into a list, as in ['?1'], or give "
                "the boards of a file, one by one."
            )
        self._lines: list[bytes] = []
        self._bytes = 0
        self._first = 0
        self._most = _FIRST

    def more(self, board: Line) -> Iterator[Part]:
        """The parts that are full with this board, or without."""
        line = json_body(board if isinstance(board, Mapping) else {"board": board}) + b"\n"
        if self._lines and self._bytes + len(line) > _BYTES:
            yield self._cut()
        self._lines.append(line)
        self._bytes += len(line)
        if len(self._lines) >= self._most or self._bytes >= _BYTES:
            yield self._cut()

    def last(self) -> Iterator[Part]:
        """What is left, if anything."""
        if self._lines:
            yield self._cut()

    def _cut(self) -> Part:
        part = Part(self._first, self._lines)
        self._first += len(self._lines)
        self._most = min(2 * self._most, _LAST)
        self._lines, self._bytes = [], 0
        return part


class Answers:
    """The answers to a part, as their bytes come; a summary counts them."""

    def __init__(self, part: Part, request_id: str, summary: Summary | None) -> None:
        self._part = part
        self._request_id = request_id
        self._summary = summary or Summary()
        self._lines = LineSplitter()
        self._count = 0
        self._last = monotonic()

    def more(self, piece: bytes) -> Iterator[Any]:
        """An answer, or a `Problem`, for each line that these bytes end."""
        for line in self._lines.more(piece):
            yield self._counted(self._read(line))

    def end(self) -> None:
        """No bytes are left.

        Raises:
            Incomplete: not all lines of the part have an answer.
        """
        if self._count < len(self._part.lines):
            raise Incomplete(self._part.first + self._count)

    def _read(self, line: bytes) -> Any:
        document = answer(line)
        if "type" not in document:
            return document
        number = self._part.first + self._count
        return Problem(document | {"line": number}, None, self._request_id)

    def _counted(self, result: Any) -> Any:
        now = monotonic()
        summary = self._summary
        summary.lines += 1
        summary.elapsed_ms += 1000 * (now - self._last)
        if isinstance(result, Problem):
            summary.problems += 1
        else:
            summary.incomplete += not result["solver"]["complete"]
        self._count += 1
        self._last = now
        return result
