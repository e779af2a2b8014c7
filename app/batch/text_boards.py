"""Boards as text: one in a file, or several with blank lines between them.

Blank lines may also stand between the rows of a single board. If a text can be read both ways, it
is not cut on a guess: its answer is a problem that says how to choose.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.json_lines import LineCutter
from minecheck.app.batch.lines import PLAIN_ROWS, LineTemplate
from minecheck.app.problems import ProblemError, make_field_problem
from minecheck.app.requests.jobs import find_line_field
from minecheck.minefield import BoardError, FormatError, Notation
from minecheck.minefield.reader import AmbiguousBoardError, read_board

#: Longer texts with blank lines are several boards.
_LONGEST_BOARD: Final = 1_000_000


class _Block(NamedTuple):
    """Lines without a blank one among them, and the number of the first."""

    content: bytes
    line: int

    @property
    def is_grid(self) -> bool:
        """True for two rows or more in the standard notation, and nothing else."""
        return b"\n" in self.content and PLAIN_ROWS.fullmatch(self.content) is not None


class TextParser:
    """Makes boards of a text; see `app.batch.json_lines.InputParser`.

    Args:
        template: the operation, its defaults and the settings.
        file: the name of the file, None for a stream.
        first: the number of the first line.
        split: True if blank lines separate boards, False if the text is one board, None if the text
            itself has to show it.
    """

    def __init__(
        self, template: LineTemplate, file: str | None, first: int = 0, split: bool | None = None
    ) -> None:
        self._most = template.settings.max_body_bytes
        self._symbols = template.defaults.get("symbols")
        self._most_cells = template.settings.max_cells
        self._is_strict = template.defaults.get("notation", "standard") != Notation.STANDARD
        self._cutter = LineCutter(self._most)
        self._file = file
        self._number = first
        if split is None and find_line_field(template.operation) != "board":
            # A file, or a formula, may have blank lines.
            split = False
        self._split = True if split is None and self._is_strict else split
        #: The lines of the text, or of the block that has begun, and the bytes of them.
        self._lines: list[bytes] = []
        self._first = first
        self._size = 0
        #: The blocks of a text that may be one board or several, and all of its lines.
        self._blocks: list[_Block] = []
        self._whole: list[bytes] = []
        self._whole_size = 0

    @property
    def buffered_bytes(self) -> int:
        """The bytes of the text that is not cut yet."""
        return self._cutter.buffered_bytes + self._size + self._whole_size

    def feed(self, data: bytes) -> Iterator[BatchLine]:
        """Yield the boards that end in further bytes."""
        for line in self._cutter.feed(data):
            yield from self._take_line(line)

    def finish(self) -> Iterator[BatchLine]:
        """Yield the boards that are left."""
        for line in self._cutter.finish():
            yield from self._take_line(line)
        yield from self._end_block()
        if len(self._blocks) > 1 and self._split is None:
            yield from self._choose_reading()
        else:
            yield from self._release_blocks()

    def _take_line(self, line: bytes) -> Iterator[BatchLine]:
        if self._split is None and self._whole_size <= self._most:
            self._whole.append(line[: self._most + 1])
            self._whole_size += len(self._whole[-1]) + 1
        # A blank is a cell in some notations.
        is_blank = not (line if self._is_strict else line.strip(b" \t\xef\xbb\xbf"))
        if is_blank and (self._split is not False or not self._lines):
            yield from self._end_block()
        elif self._size <= self._most:
            self._first = self._first if self._lines else self._number
            self._lines.append(line[: self._most + 1 - self._size])
            self._size += len(self._lines[-1]) + 1
        self._number += 1

    def _end_block(self) -> Iterator[BatchLine]:
        if not self._lines:
            return
        self._blocks.append(_Block(b"\n".join(self._lines), self._first))
        self._lines, self._size = [], 0
        if self._split is None:
            grids = sum(block.is_grid for block in self._blocks)
            if grids > 1 or self._whole_size > min(self._most, _LONGEST_BOARD):
                # Each of two grids has rows without blank lines between them: no board is both.
                self._split = True
                self._whole, self._whole_size = [], 0
        if self._split is not None:
            yield from self._release_blocks()

    def _release_blocks(self) -> Iterator[BatchLine]:
        for block in self._blocks:
            yield BatchLine(block.content, block.line, self._file, "text")
        self._blocks = []

    def _choose_reading(self) -> Iterator[BatchLine]:
        """Yield the one board of a text with blank lines, its several boards, or a problem."""
        whole, number = b"\n".join(self._whole), self._blocks[0].line
        boards = [block for block in self._blocks if self._is_board(block.content)]
        # Boards of several rows each, without blank lines between those, are no rows of another.
        if sum(b"\n" in block.content for block in boards) > 1 or not self._is_board(whole):
            yield from self._release_blocks()
        elif len(boards) == len(self._blocks):
            yield BatchLine.from_problem(
                _make_ambiguous_problem(len(self._blocks)), number, self._file
            )
        else:
            yield BatchLine(whole, number, self._file, "text")

    def _is_board(self, content: bytes) -> bool:
        """Return True if a text can be read as a board, or as several different ones."""
        try:
            read_board(content, self._symbols, most=self._most_cells)
        except AmbiguousBoardError:
            return True
        except (BoardError, FormatError):
            return False
        return True


def _make_ambiguous_problem(count: int) -> ProblemError:
    return make_field_problem(
        "ambiguous-blank-lines",
        f"The text has blank lines, so it may be one board or {count} boards.",
        "Say which: split=true (--split) if each part is a board, split=false (--one-board) if all "
        "of them are rows of one board.",
    )
