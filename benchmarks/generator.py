"""Boards without guesses against ms_toollib's, which takes its own way to solve and to change."""

from collections.abc import Iterator
from functools import partial
from statistics import median

import ms_toollib

from benchmarks.timing import alternate, kept, seconds
from minecheck.solvers.games.generator import BoardOptions, Guarantee, generate_board
from minecheck.solvers.reasons.deduction import Level

_HEIGHT, _WIDTH, _MINES = 16, 30, 99
_FIRST = (8, 15)
_ROUNDS = 60


def run() -> None:
    """Expert boards: the median time of many, ours graded, too; then by difficulty, alone."""
    seeds = iter(range(1_000_000))
    _ours(seeds, Level.SEARCH)
    pairs = alternate(partial(_ours, seeds, Level.SEARCH), _theirs, _ROUNDS)
    ours, theirs = (median(side) for side in zip(*pairs, strict=True))
    print(
        f"  guess-free 16x30/99, {_ROUNDS} boards each: {ours * 1e3:.3g} ms, "
        f"ms_toollib {theirs * 1e3:.3g} ms, ratio of medians {ours / theirs:.2f}"
        f"{kept(ours / theirs, 3)}",
        flush=True,
    )
    for level in Level:
        times = sorted(seconds(partial(_ours, seeds, level)) for _ in range(_ROUNDS))
        print(
            f"  at most {level.label}: {median(times) * 1e3:.3g} ms, longest {times[-1] * 1e3:.3g}",
            flush=True,
        )


def _ours(seeds: Iterator[int], hardest: Level) -> None:
    options = BoardOptions(
        _HEIGHT, _WIDTH, _MINES, Guarantee.GUESS_FREE, _FIRST, next(seeds), hardest
    )
    assert generate_board(options).game is not None


def _theirs() -> None:
    _, solvable = ms_toollib.laymine_solvable(_HEIGHT, _WIDTH, _MINES, *_FIRST)
    assert solvable
