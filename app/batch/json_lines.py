"""Bytes cut into lines, and lines of JSON (NDJSON): one request a line."""

from collections.abc import Iterator
from itertools import count, repeat
from typing import Protocol

from minecheck.app.batch.batch_line import BatchLine


class InputParser(Protocol):
    """Makes boards of a file, or of the body of a request, that comes in pieces.

    What it holds of the input is bounded, whatever comes in.
    """

    @property
    def buffered_bytes(self) -> int:
        """The bytes of the board that has begun."""

    def feed(self, data: bytes) -> Iterator[BatchLine]:
        """Yield the boards that end in further bytes."""

    def finish(self) -> Iterator[BatchLine]:
        """Yield the boards that are left at the end."""


class LineCutter:
    """Cuts bytes into lines without their ends; of a long line only the beginning is held.

    ``most`` is the number of bytes that a line may have: of a longer one, one byte more is kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._rest = bytearray()

    @property
    def buffered_bytes(self) -> int:
        """The bytes of the line that has begun."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that end in further bytes."""
        end_of_line, *later = data.split(b"\n")
        self._rest += end_of_line[: self._most + 1 - len(self._rest)]
        if not later:
            return []
        *whole, beginning = later
        lines = [bytes(self._rest), *whole]
        self._rest = bytearray(beginning[: self._most + 1])
        if b"\r" not in data and not lines[0].endswith(b"\r"):
            return lines
        return [line.removesuffix(b"\r") for line in lines]

    def finish(self) -> list[bytes]:
        """Return the last line, if it has no end."""
        line, self._rest = bytes(self._rest), bytearray()
        return [line.removesuffix(b"\r")] if line else []


class JsonLineParser:
    """Makes a request of every line; see `InputParser`.

    Args:
        most: the most bytes of a line.
        file: the name of the file, None for a stream.
        first: the number of the first line.
    """

    def __init__(self, most: int, file: str | None, first: int = 0) -> None:
        self._cutter = LineCutter(most)
        self._file = file
        self._number = first

    @property
    def buffered_bytes(self) -> int:
        """The bytes of the line that has begun."""
        return self._cutter.buffered_bytes

    def feed(self, data: bytes) -> Iterator[BatchLine]:
        """Yield the lines that end in further bytes."""
        return self._number_lines(self._cutter.feed(data))

    def finish(self) -> Iterator[BatchLine]:
        """Yield the last line, if it has no end."""
        return self._number_lines(self._cutter.finish())

    def _number_lines(self, lines: list[bytes]) -> Iterator[BatchLine]:
        first, self._number = self._number, self._number + len(lines)
        return iter(BatchLine.list_lines(lines, count(first), repeat(self._file)))
