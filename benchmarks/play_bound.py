"""A bound that no player exceeds, from guesses between two cells that nothing ever tells apart.

A *swap* of a layout is a pair of a mine and a safe cell such that every other cell that sees only
one of the two is a mine. docs/optimal.md has the proof: if the swaps of a layout that stand apart
are the same in all layouts that exchanging them gives, then best play wins one of these at most.
"""

from collections.abc import Iterator
from itertools import product
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Rows, columns, mines, and the games that today's player wins there, in percent, in docs/moves.md.
KINDS: Final = ((9, 9, 10, 96.86), (16, 16, 40, 88.82), (16, 30, 99, 54.12))
#: The first click, which is an opening: there is no mine around.
FIRST: Final = (3, 3)
_LAYOUTS: Final = 100_000
_BATCH: Final = 500
#: How far apart the cells of a swap are, at most.
_REACH: Final = 2
#: Swaps of a layout of which all exchanges are checked; layouts with more count as won.
_MOST_SWAPS: Final = 7
_SEED: Final = 2026

Cell = tuple[int, int]
#: The two cells of a swap, the first one first in reading order.
Pair = tuple[Cell, Cell]


class Bound(NamedTuple):
    """The mean of the chances of layouts, and the half width of its 95 % interval."""

    mean: float
    half: float


def run() -> None:
    """Print the bound of each kind of game."""
    for rows, cols, mines, won in KINDS:
        bound = estimate_bound(rows, cols, mines, _LAYOUTS)
        print(
            f"  {rows}x{cols}, {mines} mines: at most {100 * bound.mean:.2f} ± "
            f"{100 * bound.half:.2f} % (95 %), {_LAYOUTS} layouts; the player wins {won} %",
            flush=True,
        )


def estimate_bound(rows: int, cols: int, mines: int, layouts: int) -> Bound:
    """Estimate the bound from random layouts with an opening at `FIRST`.

    Args:
        rows: rows of the board.
        cols: columns of the board.
        mines: mines of the board.
        layouts: how many layouts to draw.
    """
    room = np.ones((rows, cols), np.bool_)
    room[FIRST[0] - 1 : FIRST[0] + 2, FIRST[1] - 1 : FIRST[1] + 2] = False
    draws = np.random.default_rng(_SEED)
    chances: list[float] = []
    while len(chances) < layouts:
        batch = np.zeros((min(_BATCH, layouts - len(chances)), rows * cols), np.bool_)
        cells = np.flatnonzero(room)
        order = np.argsort(draws.random((len(batch), cells.size)), axis=1)[:, :mines]
        np.put_along_axis(batch, cells[order], values=True, axis=1)
        chances += weigh_layouts(batch.reshape(-1, rows, cols), room)
    mean = float(np.mean(chances))
    half = NormalDist().inv_cdf(0.975) * float(np.std(chances)) / layouts**0.5
    return Bound(mean, half)


def weigh_layouts(mines: NDArray[np.bool_], room: NDArray[np.bool_]) -> list[float]:
    """Return one over the size of the class of each layout, of which one is won at most.

    Args:
        mines: the layouts, (layouts, rows, cols).
        room: cells that may hold mines, (rows, cols).
    """
    return [
        0.5 ** len(_keep_stable(layout, pairs, room)) if pairs else 1.0
        for layout, pairs in zip(mines, _find_swaps(mines, room), strict=True)
    ]


def _keep_stable(
    layout: NDArray[np.bool_], pairs: list[Pair], room: NDArray[np.bool_]
) -> set[Pair]:
    """Return the swaps that stand apart, if they do in all layouts that exchanging them gives."""
    apart = _stand_apart(layout.shape, pairs)
    if not 0 < len(apart) <= _MOST_SWAPS:
        return set()
    members = np.repeat(layout[np.newaxis], 2 ** len(apart), axis=0)
    for member, choice in zip(members, product((False, True), repeat=len(apart)), strict=True):
        for (one, other), exchanged in zip(sorted(apart), choice, strict=True):
            if exchanged:
                member[one], member[other] = member[other], member[one]
    same = (_stand_apart(layout.shape, found) == apart for found in _find_swaps(members, room))
    return apart if all(same) else set()


def _stand_apart(shape: tuple[int, ...], pairs: list[Pair]) -> set[Pair]:
    """Return the swaps that share no cell with another one, nor with what that needs as mines."""
    needs = {pair: _cells_that_tell(shape, pair) for pair in pairs}
    return {
        pair
        for pair in pairs
        if all(
            other == pair
            or not (set(pair) & (set(other) | needs[other]) or set(other) & needs[pair])
            for other in pairs
        )
    }


def _cells_that_tell(shape: tuple[int, ...], pair: Pair) -> set[Cell]:
    """Return the other cells of the board that see only one of two."""
    around = [
        {
            (row, col)
            for row in range(max(0, cell[0] - 1), min(shape[0], cell[0] + 2))
            for col in range(max(0, cell[1] - 1), min(shape[1], cell[1] + 2))
        }
        for cell in pair
    ]
    return (around[0] ^ around[1]) - set(pair)


def _find_swaps(mines: NDArray[np.bool_], room: NDArray[np.bool_]) -> Iterator[list[Pair]]:
    """Yield the swaps of each layout whose cells both may hold mines; all arrays as above."""
    layouts, rows, cols = mines.shape
    edge = 2 * _REACH
    safe = np.pad(~mines, ((0, 0), (edge, edge), (edge, edge)))
    found: list[list[Pair]] = [[] for _ in range(layouts)]
    for down, across in product(range(_REACH + 1), range(-_REACH, _REACH + 1)):
        if (down, across) <= (0, 0):
            continue
        # The first cells of pairs whose second cell is on the board, too.
        top, left = rows - down, max(0, -across)
        right = cols - max(0, across)
        first, second = np.s_[:top, left:right], np.s_[down:, left + across : right + across]
        swaps = mines[:, *first] != mines[:, *second]
        swaps &= room[first] & room[second]
        for row, col in _offsets_that_tell(down, across):
            begin, side = edge + row, edge + left + col
            swaps &= ~safe[:, begin : begin + top, side : side + right - left]
        for layout, row, col in np.argwhere(swaps).tolist():
            one = (row, col + left)
            found[layout].append((one, (one[0] + down, one[1] + across)))
    yield from found


def _offsets_that_tell(down: int, across: int) -> list[Cell]:
    """Return where cells see only one of two, from the first one; the other is at an offset."""
    one = {(row, col) for row, col in product((-1, 0, 1), repeat=2)}
    other = {(row + down, col + across) for row, col in one}
    return sorted((one ^ other) - {(0, 0), (down, across)})
