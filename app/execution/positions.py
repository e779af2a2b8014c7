"""Positions of games in the plain words of games: read, solved and written without the interpreter.

Lines of a batch are answered together, and a request as a single line. What is no such line, or no
such position, is left to be answered by itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.answers.position_json import COUNT, HEIGHT, Told, written
from app.answers.render import solver
from app.execution.fast_path import MOST_CELLS
from app.execution.plain_lines import read_plain, symbols
from app.questions.record import Described
from app.settings import Settings
from minefield.compiled import FixedVector, compiled
from solvers.at_once import NAME, STRIP
from solvers.counting.position import ANY, Counts, solved
from solvers.counting.position_line import SURE

#: Letters of the longest lines that are read here: more than a board that is taken needs.
_LONGEST: Final = 8 * MOST_CELLS

# Of a line, behind its place as `Told` has it: whether it was tried, what `Counts` has, and where
# that ends.
_TRIED: Final = 5
_FIELDS: Final = 10


class Together(NamedTuple):
    """The answers to lines, one after another, each with its newline, and where each of them ends.

    Of a line that is ``left`` (their places) there is nothing; if it was ``tried``, its board is
    no such position.
    """

    text: bytes
    ends: list[int]
    left: list[int]
    tried: list[bool]

    @property
    def answers(self) -> list[bytes | None]:
        """The answers one by one; None where a line is left."""
        return [self.text[begin:end] or None for begin, end in pairwise([0, *self.ends])]


def answered(
    record: Described, lines: Sequence[bytes], defaults: Mapping[str, Any], settings: Settings
) -> Together:
    """What is answered together; what that takes is told of each line: its share."""
    fields, total = record.at_once, defaults.get("mines")
    if not fields or not defaults.keys() <= {"mines"} or not _is_total(total):
        return _none_of([False] * len(lines))
    started = perf_counter()
    longest = min(_LONGEST, settings.max_body_bytes)
    ended = [line + b"\n" if len(line) <= longest else b"\n" for line in lines]
    found, layouts, kinds, chances, spreads, starts = _positions(
        np.frombuffer(b"".join(ended), np.uint8),
        np.array(list(accumulate(map(len, ended))), np.int64),
        symbols(),
        ANY if total is None else total,
        min(MOST_CELLS, settings.max_cells),
    )
    told = found.tolist()
    tried = [bool(line[_TRIED]) for line in told]
    if not kinds.size:
        return _none_of(tried)
    by = solver(NAME, True, (perf_counter() - started) / sum(tried))
    counts = list(_counts(told, spreads.tolist(), starts.tolist())) if fields & COUNT else []
    text, ends = written(Told(found, layouts, kinds, chances, counts), fields, by)
    left = np.flatnonzero(found[:, HEIGHT] == 0).tolist()
    return Together(text, ends, left, tried)


def _none_of(tried: list[bool]) -> Together:
    return Together(b"", [0] * len(tried), list(range(len(tried))), tried)


def request_answered(
    record: Described, body: bytes, settings: Settings
) -> tuple[bytes | None, bool]:
    """The answer to a JSON object, if it is such a line, and whether it was tried."""
    if not body.startswith(b"{"):
        return None, False
    found = answered(record, (body,), {}, settings)
    return found.text[:-1] or None, found.tried[0]


def _is_total(given: object) -> bool:
    return given is None or (type(given) is int and 0 <= given < 2**31)


def _counts(
    told: Sequence[Sequence[int]], spreads: list[int], starts: list[int]
) -> Iterator[Counts | None]:
    spread = start = 0
    for height, _, total, *_, fewest, loose, spread_end, start_end in told:
        if not height:
            yield None
            continue
        of_parts, from_parts = spreads[spread:spread_end], starts[start:start_end]
        yield Counts(of_parts, from_parts, fewest, loose, None if total == ANY else total)
        spread, start = spread_end, start_end


@compiled
def _positions(
    text: FixedVector[np.uint8],
    ends: FixedVector[np.int64],
    symbols: FixedVector[np.uint8],
    total: int,
    most_cells: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.bool_],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """What is told of each line, (lines, FIELDS), with the height 0 if it is left, and of them all.

    That is, of one after the other: layouts and kinds of all cells, chances of all kinds, and
    spreads and starts as `Counts` has them.
    """
    # A cell takes a letter at least; no position has more kinds, or components, than cells and 4.
    most = min(text.size, ends.size * most_cells)
    cells = np.empty(text.size, np.int8)
    layouts = np.empty(most, np.bool_)
    kinds = np.empty(most, np.int32)
    chances = np.empty(most + 4 * ends.size)
    spreads = np.empty(2 * (most + ends.size), np.int64)
    starts = np.empty(most + 4 * ends.size, np.int64)
    found = np.zeros((ends.size, _FIELDS), np.int64)
    cell = kind = spread = start = begin = 0
    for line in range(ends.size):
        end = ends[line] - 1
        height, width, mines = read_plain(text, begin, end, symbols, total, cells, cell)
        begin = ends[line]
        if min(height, width) <= STRIP or height * width > most_cells:
            continue
        found[line, _TRIED] = 1
        end = cell + height * width
        outcome, told, by_kind = solved(
            cells[cell:end].reshape(height, width),
            mines,
            1.0,
            0.0,
            kinds[cell:end].reshape(height, width),
            layouts[cell:end].reshape(height, width),
        )
        of_parts, from_parts, fewest, loose, left_out = told
        if outcome != SURE or left_out > 0:
            continue
        cell = end
        chances[kind : kind + by_kind.size] = by_kind
        spreads[spread : spread + of_parts.size] = of_parts
        starts[start : start + from_parts.size] = from_parts
        kind += by_kind.size
        spread += of_parts.size
        start += from_parts.size
        place = (height, width, mines, kind, 0, 1, fewest, loose, spread, start)
        for field in range(_FIELDS):
            found[line, field] = place[field]
    return (
        found,
        layouts[:cell],
        kinds[:cell],
        chances[:kind],
        spreads[:spread],
        starts[:start],
    )
