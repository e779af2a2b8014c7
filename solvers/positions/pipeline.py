"""Plain lines and bodies: read, solved and written without the interpreter.

Lines of a batch are answered together, and a request as a single line; see `solvers.positions`.
What cannot be answered here is left to the caller, together with what was read and found.

Tested in tests/app/execution/test_at_once_lines.py.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board
from minecheck.minefield.compiled import FixedVector, compile_kernel
from minecheck.solvers.positions.fields import COUNT
from minecheck.solvers.positions.many import (
    BOARD,
    COLUMNS,
    PARTLY,
    READ,
    TRIED,
    list_counts,
    make_position,
    solve_read,
)
from minecheck.solvers.positions.read import list_cell_codes, read_line
from minecheck.solvers.positions.solve import ANY, Position
from minecheck.solvers.positions.write import (
    COLS,
    ROWS,
    SOLVED,
    STATE,
    TOTAL,
    SolvedPositions,
    write_answers,
)


class ParsedLine(NamedTuple):
    """A parsed line that is left for others, and the facts known about it.

    Of a board that was ``looked`` at, ``position`` is what was found, without some components; None
    if nothing was.
    """

    board: Board
    mines: int | None
    looked: bool
    position: Position | None

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of the request, so that it is read once."""
        return {"board": self.board} | ({} if self.mines is None else {"mines": self.mines})


class AnsweredLines(NamedTuple):
    """Answers to lines, one after another, each with its newline, and where each of them ends.

    The numbers of lines without an answer are ``unanswered``; those of them that were read are in
    ``parsed``. ``cells`` are those of each board, 0 if it was not read.
    """

    text: bytes
    ends: list[int]
    unanswered: list[int]
    parsed: dict[int, ParsedLine]
    cells: list[int]

    @property
    def answers(self) -> list[bytes | None]:
        """The answers one by one; None where a line is unanswered."""
        return [self.text[begin:end] or None for begin, end in pairwise([0, *self.ends])]


def leave_lines(count: int) -> AnsweredLines:
    """Return ``count`` lines that are left to be answered one by one."""
    return AnsweredLines(b"", [0] * count, list(range(count)), {}, [0] * count)


def answer_position_lines(
    lines: Sequence[bytes], fields: int, total: int | None, most_letters: int, most_cells: int
) -> AnsweredLines:
    """Answer the lines that can be answered together; each answer says its share of the time.

    Args:
        lines: without their newlines; longer ones than ``most_letters`` are left.
        fields: the requested fields, as bits of `solvers.positions.fields`.
        total: that of lines without their own, 0 or more and below 2**31.
        most_letters: as above.
        most_cells: larger boards are read and left.
    """
    start_time = perf_counter()
    ended = [line + b"\n" if len(line) <= most_letters else b"\n" for line in lines]
    boards, records, layouts, kinds, chances, spreads, starts = _read_and_solve(
        np.frombuffer(b"".join(ended), np.uint8),
        np.array(list(accumulate(map(len, ended))), np.int64),
        list_cell_codes(),
        ANY if total is None else total,
        most_cells,
    )
    rows = records.tolist()
    states = [row[STATE] for row in rows]
    left_lines = [line for line, state in enumerate(states) if state != SOLVED]
    counts = (
        list_counts(rows, spreads.tolist(), starts.tolist())
        if PARTLY in states or fields & COUNT
        else []
    )
    solved = SolvedPositions(records, layouts, kinds, chances, counts)
    text, ends = b"", [0] * len(lines)
    if len(left_lines) < len(lines):
        share = (perf_counter() - start_time) / sum(state >= TRIED for state in states)
        text, ends = write_answers(solved, fields, share)
    parsed = {
        line: _build_parsed_line(rows, line, boards, solved) for line in left_lines if states[line]
    }
    return AnsweredLines(text, ends, left_lines, parsed, [row[ROWS] * row[COLS] for row in rows])


def _build_parsed_line(
    rows: Sequence[Sequence[int]], line: int, boards: NDArray[np.int8], solved: SolvedPositions
) -> ParsedLine:
    """Return what a line says, and what was found of it."""
    row = rows[line]
    shape = row[ROWS], row[COLS]
    # A copy, so that one board does not keep the cells of all lines.
    cells = boards[row[BOARD] : row[BOARD] + row[ROWS] * row[COLS]].reshape(shape).copy()
    mines = None if row[TOTAL] == ANY else row[TOTAL]
    position = make_position(rows, line, solved) if row[STATE] == PARTLY else None
    return ParsedLine(Board.read_only(cells), mines, row[STATE] >= TRIED, position)


@compile_kernel
def _read_and_solve(
    text: FixedVector[np.uint8],
    ends: FixedVector[np.int64],
    codes: FixedVector[np.uint8],
    total: int,
    most_cells: int,
) -> tuple[
    NDArray[np.int8],
    NDArray[np.int64],
    NDArray[np.bool_],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Read lines that end before ``ends``, and solve what they say.

    Returns the cells of all boards read; of each line how far it got, (lines, COLUMNS); and what
    `solve_read` has found of them.
    """
    # A cell takes a letter at least.
    boards = np.empty(text.size, np.int8)
    records = np.zeros((ends.size, COLUMNS), np.int64)
    board = begin = 0
    for line in range(ends.size):
        record = records[line]
        rows, cols, mines = read_line(text, begin, ends[line] - 1, codes, total, boards, board)
        begin = ends[line]
        if rows > 0:
            record[STATE], record[ROWS], record[COLS], record[TOTAL] = READ, rows, cols, mines
            record[BOARD] = board
            board += rows * cols
        assert board <= boards.size, "more cells than letters"
    layouts, kinds, chances, spreads, starts = solve_read(boards, records, board, most_cells)
    return boards, records, layouts, kinds, chances, spreads, starts
