"""Positions of games among the lines of a batch: read, solved and written without the interpreter.

What is no such line, or no such position, is left to be answered by itself.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.answers.position_json import Told, written
from app.answers.render import solver
from app.batch.plain_lines import read_plain, symbols
from app.execution.fast_path import MOST_CELLS
from app.questions.record import Described
from app.settings import Settings
from minefield.compiled import FixedVector, compiled
from solvers.at_once import NAME, STRIP
from solvers.counting.position import ANY, Counts, solved
from solvers.counting.position_line import SURE

#: Letters of the longest lines that are read here: more than a board that is taken needs.
_LONGEST: Final = 8 * MOST_CELLS

# Of a position: its line, its place as `Told` has it, what `Counts` has, and where that ends.
_LINE: Final = 0
_PLACE: Final = slice(1, 5)
_FIELDS: Final = 9


class Together(NamedTuple):
    """The ``answers`` to lines, each with its newline; None where a line is left.

    The board of a line that was ``tried``, and is left, is no such position.
    """

    answers: list[bytes | None]
    tried: list[bool]


def answered(
    record: Described, lines: Sequence[bytes], defaults: Mapping[str, Any], settings: Settings
) -> Together:
    """What is answered together; what that takes is told of each line: its share."""
    told: list[bytes | None] = [None] * len(lines)
    total = defaults.get("mines")
    if record.at_once is None or not defaults.keys() <= {"mines"} or not _is_total(total):
        return Together(told, [False] * len(lines))
    started = perf_counter()
    longest = min(_LONGEST, settings.max_body_bytes)
    short = [line if len(line) <= longest else b"" for line in lines]
    text = b"".join([line + b"\n" for line in short])
    ends = np.cumsum([len(line) + 1 for line in short], dtype=np.int64)
    tried, found, layouts, kinds, chances, spreads, starts = _positions(
        np.frombuffer(text, np.uint8),
        ends,
        symbols(),
        ANY if total is None else total,
        min(MOST_CELLS, settings.max_cells),
    )
    if not len(found):
        return Together(told, tried.tolist())
    by = solver(NAME, True, (perf_counter() - started) / int(np.count_nonzero(tried)))
    counts = _counts(found, spreads, starts)
    places = np.zeros((len(found), 5), np.int64)
    places[:, :4] = found[:, _PLACE]
    answers, answer_ends = written(
        Told(places, layouts, kinds, chances, counts), record.at_once.fields, by
    )
    for line, (begin, end) in zip(
        found[:, _LINE].tolist(), pairwise([0, *answer_ends]), strict=True
    ):
        told[line] = answers[begin:end]
    return Together(told, tried.tolist())


def _is_total(given: object) -> bool:
    return given is None or (type(given) is int and 0 <= given < 2**31)


def _counts(
    found: NDArray[np.int64], spreads: NDArray[np.float64], starts: NDArray[np.int64]
) -> list[Counts]:
    counts = []
    spread = start = 0
    for *_, total, _, fewest, loose, spread_end, start_end in found.tolist():
        counts.append(
            Counts(
                spreads[spread:spread_end],
                starts[start:start_end],
                fewest,
                loose,
                None if total == ANY else total,
            )
        )
        spread, start = spread_end, start_end
    return counts


@compiled
def _positions(
    text: FixedVector[np.uint8],
    ends: FixedVector[np.int64],
    symbols: FixedVector[np.uint8],
    total: int,
    most_cells: int,
) -> tuple[
    NDArray[np.bool_],
    NDArray[np.int64],
    NDArray[np.bool_],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
]:
    """Which lines were tried, the positions among them, (positions, FIELDS), and what is told.

    That is, of one after the other: layouts and kinds of all cells, chances of all kinds, and
    spreads and starts as `Counts` has them.
    """
    # A cell takes a letter at least; no position has more kinds, or components, than cells and 4.
    most = min(text.size, ends.size * most_cells)
    cells = np.empty(text.size, np.int8)
    layouts = np.empty(most, np.bool_)
    kinds = np.empty(most, np.int32)
    chances = np.empty(most + 4 * ends.size)
    spreads = np.empty(2 * (most + ends.size))
    starts = np.empty(most + 4 * ends.size, np.int64)
    tried = np.zeros(ends.size, np.bool_)
    found = np.empty((ends.size, _FIELDS), np.int64)
    count = cell = kind = spread = start = begin = 0
    for line in range(ends.size):
        end = ends[line] - 1
        height, width, mines = read_plain(text, begin, end, symbols, total, cells, cell)
        begin = ends[line]
        if min(height, width) <= STRIP or height * width > most_cells:
            continue
        tried[line] = True
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
        found[count] = (line, height, width, mines, kind, fewest, loose, spread, start)
        count += 1
    return (
        tried,
        found[:count],
        layouts[:cell],
        kinds[:cell],
        chances[:kind],
        spreads[:spread],
        starts[:start],
    )
