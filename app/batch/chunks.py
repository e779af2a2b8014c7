"""How many lines are answered at once: many if they are quick, few if they are not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from minecheck.app.batch.batch_line import BatchLine

#: The most lines of a chunk, the lines of the first one, and the bytes after which it ends.
_MOST_LINES: Final = 256
_FIRST_LINES: Final = 16
_CHUNK_BYTES: Final = 1 << 17
#: What chunks should take, with their answers: few seconds, for who waits for a turn, and bytes.
_FAIR_SECONDS: Final = 0.05
_FAIR_BYTES: Final = 1 << 21


@dataclass(slots=True)
class Pace:
    """The number of ``lines`` in the next chunk."""

    lines: int = _FIRST_LINES

    def learn_pace(self, lines: int, seconds: float, size: int) -> None:
        """Adapt the number of lines to the last chunk.

        Args:
            lines: the lines of that chunk.
            seconds: the time that it took.
            size: the bytes of its answers.
        """
        fair = lines / max(seconds / _FAIR_SECONDS, size / _FAIR_BYTES, 1 / _MOST_LINES)
        self.lines = max(1, min(2 * self.lines, _MOST_LINES, int(fair)))

    def cut_chunks(self, source: Iterable[BatchLine]) -> Iterator[list[BatchLine]]:
        """Cut lines into chunks, each bounded in lines and bytes."""
        chunk: list[BatchLine] = []
        size = 0
        for line in source:
            chunk.append(line)
            size += len(line.content)
            if len(chunk) >= self.lines or size >= _CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk
