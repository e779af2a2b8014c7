"""A slow and obviously right answer to every question about a small board.

Tries every subset of the unknown cells and counts neighbours in plain Python.
It takes only `Board` and its cell codes from the code under test.
"""

from collections import Counter
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias, TypeVar

from minecheck.minefield.board import FLAG, MINE, UNKNOWN, Board

Cell: TypeAlias = tuple[int, int]
Name = TypeVar("Name")

#: More unknown cells than this would take too long.
MOST_UNKNOWN = 16


@dataclass(frozen=True)
class Answer:
    """Everything about a board; a layout is the set of all its mines, known ones included.

    The forced cells are unknown cells; both sets are empty when there is no layout.
    """

    layouts: list[frozenset[Cell]]
    count: int
    by_mines: dict[int, int]
    forced_mines: Set[Cell]
    forced_safe: Set[Cell]

    @property
    def consistent(self) -> bool:
        """True if there is a layout."""
        return self.count > 0


def neighbours(cell: Cell, height: int, width: int) -> list[Cell]:
    """The up to eight cells around a cell."""
    row, col = cell
    around = [(row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    return [(r, c) for r, c in around if (r, c) != cell and 0 <= r < height and 0 <= c < width]


def answer(board: Board, mines: int | None = None) -> Answer:
    """All layouts of ``board`` (with ``mines`` mines in all, if given) and what follows."""
    cells = {
        (row, col): code
        for row, codes in enumerate(board.cells.tolist())
        for col, code in enumerate(codes)
    }
    unknown = [cell for cell, code in cells.items() if code in (UNKNOWN, FLAG)]
    known = frozenset(cell for cell, code in cells.items() if code == MINE)
    # A subset of the unknown cells is a number: cell k is in it when bit k is set.
    bit = {cell: 1 << index for index, cell in enumerate(unknown)}
    clues = []
    for cell, code in cells.items():
        if code <= 8:
            around = neighbours(cell, board.height, board.width)
            covered = sum(bit.get(near, 0) for near in around)
            clues.append((covered, code - sum(near in known for near in around)))
    layouts = []
    for chosen in _subsets(len(unknown)):
        if all((chosen & covered).bit_count() == need for covered, need in clues) and mines in (
            None,
            len(known) + chosen.bit_count(),
        ):
            layouts.append(known.union(cell for cell in unknown if chosen & bit[cell]))
    return Answer(
        layouts,
        len(layouts),
        dict(sorted(Counter(map(len, layouts)).items())),
        {cell for cell in unknown if layouts and all(cell in layout for layout in layouts)},
        {cell for cell in unknown if layouts and all(cell not in layout for layout in layouts)},
    )


def sets_of(
    rules: Sequence[tuple[Collection[Name], int, int]],
    names: Sequence[Name],
    mines: int | None = None,
) -> list[frozenset[Name]]:
    """All subsets of ``names`` that have ``low..high`` members among each rule's cells.

    A rule is (cells, low, high); ``mines`` is the size of the subset, if given.
    """
    bit = {name: 1 << index for index, name in enumerate(names)}
    constraints = [(sum(bit[name] for name in set(cells)), low, high) for cells, low, high in rules]
    return [
        frozenset(name for name in names if chosen & bit[name])
        for chosen in _subsets(len(names))
        if all(low <= (chosen & cells).bit_count() <= high for cells, low, high in constraints)
        and mines in (None, chosen.bit_count())
    ]


def _subsets(size: int) -> range:
    if size > MOST_UNKNOWN:
        raise ValueError(f"{size} unknown cells are too many to try all subsets")
    return range(1 << size)


def same_clues(clues: Sequence[Collection[Name]], names: Collection[Name]) -> set[frozenset[Name]]:
    """``names`` grouped by which clues cover them; names that no clue covers are left out."""
    groups: dict[frozenset[int], set[Name]] = {}
    for name in names:
        covering = frozenset(index for index, cells in enumerate(clues) if name in cells)
        if covering:
            groups.setdefault(covering, set()).add(name)
    return {frozenset(group) for group in groups.values()}


def merge_overlapping(groups: Collection[frozenset[Name]]) -> set[frozenset[Name]]:
    """Sets that share members, joined until none do."""
    joined = set(groups)
    while True:
        pair = next((pair for pair in combinations(joined, 2) if pair[0] & pair[1]), None)
        if pair is None:
            return joined
        joined = (joined - set(pair)) | {pair[0] | pair[1]}
