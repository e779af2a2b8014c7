"""A player that deduces by M. Probst's algorithm, as his *minedetector* does, and guesses else.

Every clue is a set of cells with bounds on its mines. Differences of overlapping sets are new sets,
whose bounds follow; a set whose bounds are both 0, or both its size, decides its cells. The
algorithm is not complete, and it does not know the total of mines.

M. Probst, *minedetector* (README).
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np

from minecheck.minefield.board import MINE, Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.reasons.deduction.closure import iterate_bits

#: The least and the most mines in a set of cells.
Bounds: TypeAlias = tuple[int, int]

#: A position with more sets than this is given up: what is found by then is true.
_MOST_SETS: Final = 5_000


class ProbstPlayer:
    """Opens cells that are proved safe by differences of sets; else the least likely mine.

    Where nothing is proved, bounds serve as approximate chances: a cell is as likely a mine as the
    middle of the bounds says of the smallest set with it, and a cell in no set as the mines that
    are left say of all unopened cells.
    """

    def __init__(self) -> None:
        self._safe: list[Coordinates] = []

    def choose_cell(self, board: Board, mines: int) -> Coordinates:
        """Return the cell to open.

        Args:
            board: the position, with an unknown cell.
            mines: the total of mines.
        """
        while self._safe:
            row, col = self._safe.pop()
            # An opening may have shown it meanwhile.
            if board.unknown[row, col]:
                return row, col
        cells, sets = bound_sets(board)
        self._safe = [cells[bit] for bit in iterate_bits(_unite_safe(sets))]
        if self._safe:
            return self._safe.pop()
        return _guess_cell(board, mines, cells, sets)

    def begin_game(self) -> None:
        """Forget what was proved of another game."""
        self._safe = []


def bound_sets(board: Board) -> tuple[list[Coordinates], dict[int, Bounds]]:
    """Return the unknown cells next to clues, and bounds of sets of them.

    Args:
        board: the position.

    Returns:
        The cells, and for each set the least and the most mines in it. A set is the sum of
        ``1 << bit`` over the indices of its cells in the list.
    """
    codes, unknown, mines = board.cells, board.unknown, board.cells == MINE
    height, width = codes.shape
    bit_of: dict[Coordinates, int] = {}
    waiting: dict[int, Bounds] = {}
    for row in range(height):
        for col in range(width):
            if codes[row, col] > 8:
                continue
            top, left = max(0, row - 1), max(0, col - 1)
            near = slice(top, row + 2), slice(left, col + 2)
            around = [
                (top + down, left + right) for down, right in np.argwhere(unknown[near]).tolist()
            ]
            if around:
                cells_as_bits = sum(1 << bit_of.setdefault(cell, len(bit_of)) for cell in around)
                left_over = int(codes[row, col]) - int(mines[near].sum())
                waiting[cells_as_bits] = (left_over, left_over)
    return list(bit_of), _close_differences(waiting)


def _close_differences(waiting: dict[int, Bounds]) -> dict[int, Bounds]:
    """Return all sets that follow from some, with their bounds, by differences."""
    queue = deque(waiting)
    settled: dict[int, Bounds] = {}
    # Sets that share no cell say nothing of each other: these are the known ones by their cells.
    meeting: defaultdict[int, set[int]] = defaultdict(set)
    while queue and len(settled) + len(waiting) < _MOST_SETS:
        one = queue.popleft()
        bounds = waiting.pop(one)
        # A dict, since sets have no order that is the same everywhere.
        overlapping = dict.fromkeys(
            other for bit in iterate_bits(one) for other in sorted(meeting[bit])
        )
        for other in overlapping:
            others = settled.get(other)
            if others is None:
                continue
            for part, low, high in _subtract_sets(one, bounds, other, others):
                previous = waiting.get(part) or settled.get(part)
                if previous is not None and low <= previous[0] and high >= previous[1]:
                    continue
                if part not in waiting:
                    queue.append(part)
                    if settled.pop(part, None) is not None:
                        for bit in iterate_bits(part):
                            meeting[bit].discard(part)
                old_low, old_high = previous or (0, part.bit_count())
                waiting[part] = (max(low, old_low), min(high, old_high))
                if waiting[part][0] > waiting[part][1]:
                    # The board is inconsistent, and bounds would move apart without end.
                    return {**settled, **waiting}
        if one not in waiting:
            settled[one] = bounds
            for bit in iterate_bits(one):
                meeting[bit].add(one)
    return {**settled, **waiting}


def _subtract_sets(
    one: int, bounds: Bounds, other: int, others: Bounds
) -> Iterator[tuple[int, int, int]]:
    """Yield (set, least, most) for what each of two sets has outside of the other."""
    shared = one & other
    if not shared:
        return
    size = shared.bit_count()
    outside, outside_other = one.bit_count() - size, other.bit_count() - size
    least = max(0, bounds[0] - outside, others[0] - outside_other)
    most = min(size, bounds[1], others[1])
    if outside:
        yield one ^ shared, max(0, bounds[0] - most), min(outside, bounds[1] - least)
    if outside_other:
        yield other ^ shared, max(0, others[0] - most), min(outside_other, others[1] - least)


def _unite_safe(sets: dict[int, Bounds]) -> int:
    union = 0
    for cells, (_, high) in sets.items():
        if high == 0:
            union |= cells
    return union


def _guess_cell(
    board: Board, mines: int, cells: list[Coordinates], sets: dict[int, Bounds]
) -> Coordinates:
    """Return the cell that is least likely a mine by the middle of bounds, the first of several."""
    unknown = [(row, col) for row, col in np.argwhere(board.unknown).tolist()]
    chances = dict.fromkeys(unknown, mines / len(unknown))
    # The smallest set comes last, and so it decides.
    for cell_set in sorted(sets, key=int.bit_count, reverse=True):
        low, high = sets[cell_set]
        for bit in iterate_bits(cell_set):
            chances[cells[bit]] = (low + high) / 2 / cell_set.bit_count()
    return min(unknown, key=chances.__getitem__)
