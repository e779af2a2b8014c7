"""The end of a game, played as well as it can be: how many of its layouts are won.

All layouts are laid out first (`solvers.play.endgame_layouts`); then moves and what they show are
searched (`solvers.play.endgame_search`). The values are exact where the effort was enough, and
bounds otherwise.

Tested in tests/solvers/play/test_moves.py.
"""

from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.play.endgame_layouts import HIT, list_endgame_numbers
from minecheck.solvers.play.endgame_search import Search, bound_endgame_value
from minecheck.solvers.play.small_ends import SMALL_BITS, WORD, SmallEnd
from minecheck.solvers.positions.solve import Position

#: Sets that are remembered, for each layout and at most; powers of two.
_MEMORY: Final = 64
_MOST_MEMORY: Final = 2**22
#: Effort between two looks at the clock: some 20 ms.
_SLICE: Final = 3_000_000
#: Guesses that are tried in each set before all of them are, in ends of more layouts than this:
#: that gives bounds soon.
_WIDTHS: Final = (1, 3)
_WIDENED: Final = 2_000
#: Shorter times are not measured.
_LEAST_SECONDS: Final = 1e-4


class Endgame:
    """A position with so few layouts that they can be listed.

    Attributes:
        layouts: how many there are.
        cells: those that are not shown and may be safe, numbered in reading order, int32.
        numbers: what each of them shows in each layout, uint8 (layouts, cells), `HIT` for a mine.
        effort: what is left of it, in layouts times cells that are looked at.
        slice_effort: the least effort between two looks at the clock.
    """

    def __init__(
        self, numbers: NDArray[np.uint8], cells: NDArray[np.int32], width: int, effort: int
    ) -> None:
        self.numbers = numbers
        self.cells = cells
        self.layouts = len(numbers)
        self.effort = effort
        self.slice_effort = _SLICE
        mined = numbers == HIT
        rows, cols = np.divmod(cells, width)
        near = np.abs(rows[:, np.newaxis] - rows) <= 1
        near &= np.abs(cols[:, np.newaxis] - cols) <= 1
        memory = 1 << (_MEMORY * self.layouts - 1).bit_length()
        memory = min(memory, _MOST_MEMORY)
        draws = np.random.PCG64(0)
        words = np.asarray(draws.random_raw(2 * self.layouts), np.uint64).reshape(-1, 2)
        self._search = Search(
            numbers,
            _pack_rows(mined),
            _pack_rows(near),
            words[_number_images(mined, rows, cols).T],
            np.arange(self.layouts, dtype=np.int32),
            np.empty(self.layouts, np.int32),
            np.empty((2 * cells.size + 2, cells.size), np.int32),
            np.zeros((memory, 2), np.uint64),
            np.zeros((memory, 2), np.int32),
            np.zeros(2, np.int64),
            _make_small_end(cells.size),
        )

    @classmethod
    def from_position(
        cls, board: Board, mines: int, position: Position, most: int, effort: int
    ) -> "Endgame | None":
        """Return the end of a game from its position; None if it has too many layouts.

        Args:
            board: what is shown.
            mines: the total of mines.
            position: the solved position.
            most: the most layouts to list.
            effort: how much to search, in layouts times cells that are looked at.
        """
        if position.count > most:
            return None
        fits, numbers, cells = list_endgame_numbers(board.cells, position.chances, mines, most)
        return cls(numbers, cells, board.width, effort) if fits else None

    def bound_value(self, deadline: Deadline) -> tuple[int, int]:
        """Return bounds of the number of layouts that are won; equal if effort and time suffice."""
        return self._bound_cell(-1, deadline, 0)

    def bound_after_opening(
        self, index: int, deadline: Deadline, enough: int = 0
    ) -> tuple[int, int]:
        """Return bounds of the layouts won after ``cells[index]`` was opened, whatever it shows.

        Args:
            index: the index of the cell in ``cells``.
            deadline: when to stop.
            enough: a value that is not above this need not be known.
        """
        return self._bound_cell(index, deadline, enough)

    def _bound_cell(self, index: int, deadline: Deadline, enough: int) -> tuple[int, int]:
        low, high = 0, self.layouts
        part = self.slice_effort
        widths = [width for width in _WIDTHS if self.layouts > _WIDENED] + [len(self.cells)]
        while max(low, enough) < high and self.effort > 0 and deadline.left > 0:
            part = min(part, self.effort)
            started = monotonic()
            self._search.effort[1] = widths[0]
            # Results of earlier rounds are remembered.
            least, most = bound_endgame_value(self._search, index, part, enough)
            left = int(self._search.effort[0])
            self.effort -= part - max(0, left)
            low, high = max(low, least), min(high, most)
            if left > 0 and len(widths) > 1:
                del widths[0]
            # More at a time, but no more than there is time for.
            rate = part / max(monotonic() - started, _LEAST_SECONDS)
            part = int(max(self.slice_effort, min(2 * part, rate * deadline.left)))
        return low, high


def _make_small_end(cells: int) -> SmallEnd:
    """Make room for sets of at most 64 layouts of ``cells`` cells."""
    depths = cells + 3
    return SmallEnd(
        np.zeros((cells, HIT + 1), np.uint64),
        np.zeros((cells, 2), np.int32),
        np.zeros((depths, cells), np.int32),
        np.zeros((depths, cells), np.int32),
        np.zeros((depths, HIT + 1), np.int32),
        np.zeros(WORD, np.uint64),
        np.zeros(1 << SMALL_BITS, np.uint64),
        np.zeros(1 << SMALL_BITS, np.int64),
        np.zeros((1 << SMALL_BITS, 2), np.int32),
        np.zeros(2, np.int64),
    )


def _pack_rows(mask: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack rows of truth values, (n, m), into words of 64 bits, (n, at least one)."""
    rows, cols = mask.shape
    padded = np.zeros((rows, max(64, -(-cols // 64) * 64)), np.bool_)
    padded[:, :cols] = mask
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _number_images(
    mined: NDArray[np.bool_], rows: NDArray[np.int32], cols: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the number of each layout's image under each symmetry, (symmetries, layouts).

    A symmetry turns or mirrors the cells onto themselves, and so all layouts. The first one
    leaves all as it is.
    """
    layouts = len(mined)
    numberings = [np.arange(layouts, dtype=np.int32)]
    down, across = rows - rows.min(initial=0), cols - cols.min(initial=0)
    bottom, right = down.max(initial=0), across.max(initial=0)
    index_of = {cell: index for index, cell in enumerate(zip(down, across, strict=True))}
    packed = _as_items(mined)
    order = np.argsort(packed)
    for turn in range(1, 8):
        images = (bottom - down if turn & 1 else down, right - across if turn & 2 else across)
        moved = [
            index_of.get(image) for image in zip(*images[:: -1 if turn & 4 else 1], strict=True)
        ]
        if None in moved:
            continue
        turned = _as_items(mined[:, np.array(moved, np.int64)])
        image = np.searchsorted(packed, turned, sorter=order)
        numbers = order[np.minimum(image, layouts - 1)]
        if np.array_equal(packed[numbers], turned):
            numberings.append(numbers.astype(np.int32))
    return np.stack(numberings)


def _as_items(mask: NDArray[np.bool_]) -> NDArray[np.void]:
    """Return each row as one item that can be compared."""
    words = np.ascontiguousarray(np.packbits(mask, axis=1))
    return words.view(f"S{words.shape[1]}").ravel() if words.size else np.zeros(len(mask), "S1")
