"""Plain lines and bodies: read, solved and written without the interpreter.

Lines of a batch are answered together, and a request as a single line; see `solvers.positions`.
What cannot be answered here is left to the caller, together with what was read and found.

Tested in tests/app/execution/test_at_once_lines.py.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board
from minecheck.minefield.compiled import FixedVector, compile_kernel
from minecheck.solvers.positions.fields import COUNT
from minecheck.solvers.positions.read import cell_codes, read_line
from minecheck.solvers.positions.solve import ANY, STRIP, LayoutCounts, Position, solve_kinds
from minecheck.solvers.positions.states import SURE
from minecheck.solvers.positions.write import (
    ANSWERED,
    CELLS_END,
    COLS,
    KINDS_END,
    PLACES,
    ROWS,
    STATE,
    TOTAL,
    Solved,
    write_answers,
)

# The progress of a line: not read, 0; read, but too large, or a strip; solved in vain; solved
# without some components. The last state is ANSWERED.
_READ: Final = 1
_TRIED: Final = 2
_PARTLY: Final = 3
# Columns behind those that `write` has: what `Counts` has, where its spreads and its starts end,
# the components left out, and where the cells that were read begin.
_FEWEST: Final = PLACES
_LOOSE: Final = PLACES + 1
_SPREADS_END: Final = PLACES + 2
_STARTS_END: Final = PLACES + 3
_LEFT_OUT: Final = PLACES + 4
_BOARD: Final = PLACES + 5
_COLUMNS: Final = PLACES + 6

#: Kinds, chances and starts beyond the cells of a board, at most.
_MORE: Final = 4


class Read(NamedTuple):
    """A parsed line that is left for others, and the facts known about it.

    Of a board that was ``looked`` at, ``position`` is what was found, without some components; None
    if nothing was.
    """

    board: Board
    mines: int | None
    looked: bool
    position: Position | None


class Lines(NamedTuple):
    """Answers to lines, one after another, each with its newline, and where each of them ends.

    Of a line that is ``left`` (their places) there is nothing; if it was read, it is in ``read``.
    ``cells`` are those of each board, 0 if it was not read.
    """

    text: bytes
    ends: list[int]
    left: list[int]
    read: dict[int, Read]
    cells: list[int]

    @property
    def answers(self) -> list[bytes | None]:
        """The answers one by one; None where a line is left."""
        return [self.text[begin:end] or None for begin, end in pairwise([0, *self.ends])]


def leave_lines(count: int) -> Lines:
    """Return ``count`` lines that are left to be answered one by one."""
    return Lines(b"", [0] * count, list(range(count)), {}, [0] * count)


def answer_lines(
    lines: Sequence[bytes], fields: int, total: int | None, most_letters: int, most_cells: int
) -> Lines:
    """Answer the lines that can be answered together; each answer says its share of the time.

    Args:
        lines: without their newlines; longer ones than ``most_letters`` are left.
        fields: what is asked, as bits of `solvers.positions.fields`.
        total: that of lines without their own, 0 or more and below 2**31.
        most_letters: as above.
        most_cells: larger boards are read and left.
    """
    started = perf_counter()
    ended = [line + b"\n" if len(line) <= most_letters else b"\n" for line in lines]
    boards, places, layouts, kinds, chances, spreads, starts = _read_and_solve(
        np.frombuffer(b"".join(ended), np.uint8),
        np.array(list(accumulate(map(len, ended))), np.int64),
        cell_codes(),
        ANY if total is None else total,
        most_cells,
    )
    rows = places.tolist()
    states = [row[STATE] for row in rows]
    left = [line for line, state in enumerate(states) if state != ANSWERED]
    counts = (
        _counts_of(rows, spreads.tolist(), starts.tolist())
        if _PARTLY in states or fields & COUNT
        else []
    )
    found = Solved(places, layouts, kinds, chances, counts)
    text, ends = b"", [0] * len(lines)
    if len(left) < len(lines):
        share = (perf_counter() - started) / sum(state >= _TRIED for state in states)
        text, ends = write_answers(found, fields, share)
    read = {line: _read_of(rows, line, boards, found) for line in left if states[line]}
    return Lines(text, ends, left, read, [row[ROWS] * row[COLS] for row in rows])


def _read_of(
    rows: Sequence[Sequence[int]], line: int, boards: NDArray[np.int8], found: Solved
) -> Read:
    """Return what a line says, and what was found of it."""
    row, before = rows[line], rows[line - 1] if line else [0] * _COLUMNS
    shape = row[ROWS], row[COLS]
    # A copy, so that one board does not keep the cells of all lines.
    cells = boards[row[_BOARD] : row[_BOARD] + row[ROWS] * row[COLS]].reshape(shape).copy()
    cells.setflags(write=False)
    mines = None if row[TOTAL] == ANY else row[TOTAL]
    position = None
    if row[STATE] == _PARTLY:
        counts = found.counts[line]
        assert counts is not None, "as it was solved"
        of_cells = slice(before[CELLS_END], row[CELLS_END])
        position = Position.from_kinds(
            counts,
            row[_LEFT_OUT],
            found.kinds[of_cells].reshape(shape),
            found.layouts[of_cells].reshape(shape),
            found.chances[before[KINDS_END] : row[KINDS_END]],
        )
    return Read(Board.read_only(cells), mines, row[STATE] >= _TRIED, position)


def _counts_of(
    rows: Sequence[Sequence[int]], spreads: list[int], starts: list[int]
) -> list[LayoutCounts | None]:
    """Return the counts of each line, None where there are none."""
    found: list[LayoutCounts | None] = []
    spread = start = 0
    for row in rows:
        of_parts, from_parts = spreads[spread : row[_SPREADS_END]], starts[start : row[_STARTS_END]]
        spread, start = row[_SPREADS_END], row[_STARTS_END]
        total = None if row[TOTAL] == ANY else row[TOTAL]
        is_solved = row[STATE] >= _PARTLY
        found.append(
            LayoutCounts(of_parts, from_parts, row[_FEWEST], row[_LOOSE], total)
            if is_solved
            else None
        )
    return found


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

    Returns the cells of all boards read; of each line how far it got, (lines, _COLUMNS); and of
    those solved, one after the other: layouts and kinds of all cells, chances of all kinds, spreads
    and starts as `Counts` has them.
    """
    # A cell takes a letter at least.
    most = min(text.size, ends.size * most_cells)
    boards = np.empty(text.size, np.int8)
    layouts = np.empty(most, np.bool_)
    kinds = np.empty(most, np.int32)
    chances = np.empty(most + _MORE * ends.size)
    spreads = np.empty(2 * (most + ends.size), np.int64)
    starts = np.empty(most + _MORE * ends.size, np.int64)
    places = np.zeros((ends.size, _COLUMNS), np.int64)
    board = cell = kind = spread = start = begin = 0
    for line in range(ends.size):
        place = places[line]
        rows, cols, mines = read_line(text, begin, ends[line] - 1, codes, total, boards, board)
        begin = ends[line]
        if rows > 0:
            place[STATE], place[ROWS], place[COLS], place[TOTAL] = _READ, rows, cols, mines
            place[_BOARD] = board
            board += rows * cols
        assert board <= boards.size, "more cells than letters"
        if min(rows, cols) > STRIP and rows * cols <= most_cells:
            end = cell + rows * cols
            outcome, outcome_values, by_kind = solve_kinds(
                boards[place[_BOARD] : board].reshape(rows, cols),
                mines,
                1.0,
                0.0,
                kinds[cell:end].reshape(rows, cols),
                layouts[cell:end].reshape(rows, cols),
            )
            place[STATE] = _TRIED
            if outcome == SURE:
                of_parts, from_parts, place[_FEWEST], place[_LOOSE], place[_LEFT_OUT] = (
                    outcome_values
                )
                place[STATE] = ANSWERED if place[_LEFT_OUT] == 0 else _PARTLY
                assert kind + by_kind.size <= chances.size, "too many kinds"
                assert spread + of_parts.size <= spreads.size, "too many layouts by mines"
                assert start + from_parts.size <= starts.size, "too many components"
                cell = end
                chances[kind : kind + by_kind.size] = by_kind
                spreads[spread : spread + of_parts.size] = of_parts
                starts[start : start + from_parts.size] = from_parts
                kind += by_kind.size
                spread += of_parts.size
                start += from_parts.size
        place[CELLS_END], place[KINDS_END] = cell, kind
        place[_SPREADS_END], place[_STARTS_END] = spread, start
    return (
        boards,
        places,
        layouts[:cell],
        kinds[:cell],
        chances[:kind],
        spreads[:spread],
        starts[:start],
    )
