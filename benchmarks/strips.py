"""Strips one and two cells wide, up to ten million columns, each figure with its limit.

Where boards differ, a line shows the one with the worst ratio.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Action, alternate, kept, report, seconds
from minecheck.automata import deciding, make_strip, two_rows
from minecheck.minefield import FLAG, MINE, SAFE, UNKNOWN, Board, draw, parse
from minecheck.minefield.board import Cells

Name = TypeVar("Name")

_COLUMNS: Final = 10**7
_ROUNDS: Final = 5

#: The measured calls by name. Each takes cell codes; a `Strip` first makes a `Board` of them.
_QUESTIONS: Final[dict[str, Callable[[Cells], object]]] = {
    "deciding.consistent": deciding.decide_strip,
    "Strip.consistent": lambda cells: make_strip(Board(cells)).is_consistent(),
    "two_rows.forced": two_rows.find_forced,
    "Strip.forced": lambda cells: make_strip(Board(cells)).find_forced(),
    "Strip.chances": lambda cells: make_strip(Board(cells)).compute_chances(),
}
_DECIDING, _STRIP_DECIDING, *_MARKING = _QUESTIONS

#: The least that reading all cells can cost: one look-up a byte.
_PEER: Final = "bytes.translate"
_SYMBOLS: Final = bytes.maketrans(bytes(range(FLAG + 1)), b"012345678?BSF")

#: Peer -> the largest ratio allowed, for deciding and for forced cells and chances.
_DECIDING_LIMITS: Final[dict[str, float | None]] = {_PEER: 5}
_READING: Final = 3.0
_MARKING_LIMIT: Final = 40.0
_MARKING_LIMITS: Final[dict[str, float | None]] = {_DECIDING: _MARKING_LIMIT, _PEER: None}
_BYTES_A_COLUMN: Final = 64.0
_COUNTING: Final = 0.1
_GROWTH: Final = 1.25

#: For 0, 1 and 2 unknown cells in a column: ways to place 0, 1 and 2 mines in them.
_PLACINGS: Final = ((1,), (1, 1), (1, 2, 1))


def run() -> None:
    """All figures."""
    read()
    for rows in (1, 2):
        passes(rows)
    far_apart()
    memory()
    count()
    for rows in (1, 2):
        growth(rows)


def read() -> None:
    """Measure the way from the text of a row to its verdict."""
    text = draw(Board(_random(1, 10**6)))[0]
    peer = partial(text.encode().translate, bytes(range(256)))
    pairs = alternate(lambda: make_strip(parse(text)).is_consistent(), peer, 5 * _ROUNDS)
    report("strip(parse(text)).consistent() 1x1e+06, random", pairs, _PEER, _READING)


def passes(rows: int) -> None:
    """Deciding, forced cells and chances of ten million columns."""
    assert deciding.decide_strip(_random(rows))[0]
    boards = {name: _actions(cells) for name, cells in _boards(rows).items()}
    for question in _QUESTIONS:
        limits = _MARKING_LIMITS if question in _MARKING else _DECIDING_LIMITS
        times = {
            name: _in_turn({each: actions[each] for each in (question, *limits)})
            for name, actions in boards.items()
        }
        for peer, limit in limits.items():
            pairs = {
                name: list(zip(found[question], found[peer], strict=True))
                for name, found in times.items()
            }
            worst = max(
                pairs, key=lambda name: median(ours / theirs for ours, theirs in pairs[name])
            )
            report(f"{question} {rows}x{_COLUMNS:.0e}, {worst}", pairs[worst], peer, limit)


def far_apart() -> None:
    """Chances where the weights of layouts run out of the range of floats."""
    for columns in (10**6 + 1, _COLUMNS + 1):
        cells = _phases(columns)
        what = f"Strip.chances 2x{columns:.0e}, weights far apart"
        ask, decide = _QUESTIONS["Strip.chances"], deciding.decide_strip
        report(what, alternate(partial(ask, cells), partial(decide, cells), 3), _DECIDING, None)


def memory() -> None:
    """The peak beyond the codes, results included, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cells.npy")
        for name, cells, questions in (
            (f"1x{_COLUMNS:.0e}, random", _random(1), _MARKING),
            (f"2x{_COLUMNS:.0e}, random", _random(2), _MARKING),
            ("2x1e+06, weights far apart", _phases(10**6 + 1), ["Strip.chances"]),
        ):
            np.save(path, cells)
            for question in questions:
                command = [sys.executable, "-m", "benchmarks.strips", str(path), question]
                peak = int(subprocess.check_output(command)) / cells.shape[1]
                print(
                    f"  {question} {name}: {peak:.1f} bytes a column{kept(peak, _BYTES_A_COLUMN)}",
                    flush=True,
                )


def count() -> None:
    """An exact count with tens of thousands of digits."""
    cells = _random(2, 2 * 10**5, hidden=0.8)
    found = make_strip(Board(cells)).count()
    assert found == count_by_columns(cells)
    pairs = alternate(lambda: make_strip(Board(cells)).count(), lambda: count_by_columns(cells), 3)
    digits = int(found.bit_length() * np.log10(2)) + 1
    report(f"count 2x2e+05, {digits} digits", pairs, "column by column", _COUNTING)


def growth(rows: int) -> None:
    """Time a column where ten million of them come as boards of ten thousand to ten million.

    The least of all rounds, for what a shared machine adds grows with the
    memory that a call asks for.
    """
    rng, sizes = np.random.default_rng(1), [10**power for power in range(4, 8)]
    boards = {
        size: list(_hidden(rng.random((_COLUMNS // size, rows, size)) < 0.25, 0.5, rng))
        for size in sizes
    }
    for question in (_DECIDING, "two_rows.forced", "Strip.chances"):
        times = _in_turn({size: _each(_QUESTIONS[question], boards[size]) for size in sizes})
        least = [min(times[size]) for size in sizes]
        ratio = max(least) / min(least)
        each = ", ".join(f"{time / _COLUMNS * 1e9:.3g}" for time in least)
        print(
            f"  {question} {rows}x1e4, 1e5, 1e6, 1e7: {each} ns a column, "
            f"largest over smallest {ratio:.3f} ({_ROUNDS} rounds){kept(ratio, _GROWTH)}",
            flush=True,
        )


def count_by_columns(cells: Cells) -> int:
    """Layouts of a board of two rows, counted by the mines of a column and of the one before it."""
    columns = cells.T.tolist()
    ways_here = [_ways(column) for column in columns]
    layouts = {(0, here): ways for here, ways in ways_here[0].items()}
    for column, following in zip(columns, [*ways_here[1:], {0: 1}], strict=True):
        clues = {code for code in column if code < UNKNOWN}
        found = {}
        if clues:
            for (before, here), number in layouts.items():
                after = min(clues) - before - here
                if len(clues) == 1 and after in following:
                    found[here, after] = number if following[after] == 1 else 2 * number
        else:
            sums: dict[int, int] = {}
            for (_, here), number in layouts.items():
                sums[here] = sums[here] + number if here in sums else number
            for after, ways in following.items():
                for here, number in sums.items():
                    found[here, after] = number if ways == 1 else 2 * number
        layouts = found
    return sum(layouts.values())


def _ways(column: list[int]) -> dict[int, int]:
    """Mines in a column of two -> ways to place them, which are one or two."""
    unknown = sum(code in (UNKNOWN, FLAG) for code in column)
    known = column.count(MINE)
    return {known + more: ways for more, ways in enumerate(_PLACINGS[unknown])}


def _actions(cells: Cells) -> dict[str, Action]:
    """The peer and all questions, of one board."""
    text, few = cells.tobytes(), cells[:, :100].copy()
    for ask in _QUESTIONS.values():
        ask(few)  # Compiles.
    asking = {name: partial(ask, cells) for name, ask in _QUESTIONS.items()}
    return {_PEER: partial(text.translate, _SYMBOLS), **asking}


def _each(ask: Callable[[Cells], object], boards: Iterable[Cells]) -> Action:
    def action() -> None:
        for cells in boards:
            ask(cells)

    return action


def _in_turn(actions: dict[Name, Action]) -> dict[Name, list[float]]:
    """Seconds of each action in each round."""
    rounds = [{name: seconds(action) for name, action in actions.items()} for _ in range(_ROUNDS)]
    return {name: [times[name] for times in rounds] for name in actions}


def _boards(rows: int) -> dict[str, Cells]:
    """Boards by name. A safe cell without a number means that a board is read twice."""
    read_twice = _random(rows).copy()
    read_twice[0, -1] = SAFE
    return {"random": _random(rows), "a safe cell at the end": read_twice}


@cache
def _random(rows: int, columns: int = _COLUMNS, hidden: float = 0.5) -> Cells:
    """A random layout, a quarter mines, of which some cells are hidden.

    Whether a column has a clue is then next to impossible to predict.
    """
    rng = np.random.default_rng(1)
    return _hidden(rng.random((rows, columns)) < 0.25, hidden, rng)


def _hidden(mines: NDArray[np.bool_], hidden: float, rng: np.random.Generator) -> Cells:
    """Return boards of one or two rows, (..., rows, columns), of which some cells are hidden."""
    # A cell sees all cells of its column and of the columns to its left and right.
    in_columns = np.zeros((*mines.shape[:-2], 1, mines.shape[-1] + 2), np.int8)
    in_columns[..., 1:-1] = mines.sum(axis=-2, keepdims=True)
    seen = in_columns[..., :-2] + in_columns[..., 1:-1] + in_columns[..., 2:]
    codes = np.where(mines, np.int8(MINE), seen)
    return np.where(rng.random(mines.shape) < hidden, np.int8(UNKNOWN), codes)


def _phases(columns: int) -> Cells:
    """Two unknown cells and two clues of 2, in turn; the number of columns is odd.

    Columns with 0 and 2 mines take turns, starting with either, or all have
    one: that is one layout, one more, and 2 ** ((columns + 1) / 2).
    """
    cells = np.full((2, columns), UNKNOWN, np.int8)
    cells[:, 1::2] = 2
    return cells


def _measure(path: str, question: str) -> int:
    """Return the most bytes by which memory grows while a saved board is computed."""
    cells, ask = np.load(path), _QUESTIONS[question]
    ask(cells[:, :101].copy())  # Compiles.
    before = _kibibytes("VmRSS")
    ask(cells)
    return 1024 * (_kibibytes("VmHWM") - before)


def _kibibytes(field: str) -> int:
    """A line of what Linux says of this process; unlike ru_maxrss, none of it is the parent's."""
    return int(Path("/proc/self/status").read_text().split(f"{field}:")[1].split()[0])


if __name__ == "__main__":
    print(_measure(*sys.argv[1:]))
