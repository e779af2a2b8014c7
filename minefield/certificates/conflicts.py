"""Checks of conflicts: do clues contradict each other, is the set minimal, is it smallest?

That is found out by counting the layouts of the clues alone (`minefield.certificates.recount`).

Tested in tests/minefield/certificates/test_agreement.py.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from minecheck.minefield.board import Board, list_coordinates
from minecheck.minefield.certificates.boxes import Sum, count_shown_mines, read_sums
from minecheck.minefield.certificates.meter import Meter, TooMuchWork, run_bounded
from minecheck.minefield.certificates.recount import has_layout
from minecheck.minefield.rules import Plain

#: The largest number of products of table entries that one question may take: some seconds.
MOST_WORK: Final = 1 << 20
#: No more sets of clues are tried.
_MOST_SETS: Final = 20_000


@dataclass(frozen=True, slots=True)
class ConflictCore:
    """Clues, by number in the order of `read_sums`, with the total or without."""

    clues: frozenset[int]
    total: bool

    @property
    def size(self) -> int:
        """The number of clues, without the total."""
        return len(self.clues)


class Clues:
    """The clues of a puzzle, and its total, as far as unknown cells go.

    ``most_work`` is the largest number of products of table entries in one question.
    """

    def __init__(self, puzzle: Plain, mines: int | None, most_work: int = MOST_WORK) -> None:
        self._most_work = most_work
        self.sums: list[Sum] = list(read_sums(puzzle))
        self.unknown = int(np.count_nonzero(puzzle.unknown))
        self.left = None if mines is None else mines - count_shown_mines(puzzle)
        cells = list_coordinates(puzzle.cells <= 8) if isinstance(puzzle, Board) else []
        self._number = {cell: number for number, cell in enumerate(cells)}
        self._on_board = isinstance(puzzle, Board)

    def find_number(self, name: object) -> int | None:
        """Return the number of a clue as answers name it, None if there is no such clue.

        On a board, answers name a clue [row, col]; of rules, by their position.
        """
        if self._on_board:
            if isinstance(name, list) and [type(part) for part in name] == [int, int]:
                return self._number.get((name[0], name[1]))
            return None
        if isinstance(name, int) and type(name) is int and 0 <= name < len(self.sums):
            return name
        return None

    def is_conflict(self, core: ConflictCore) -> bool | None:
        """Return True if these clues contradict each other; None if that takes too much work."""
        return self._run_bounded(lambda meter: not self._can_hold(core.clues, core.total, meter))

    def is_minimal(self, core: ConflictCore) -> bool | None:
        """Return True if the rest of a conflict is consistent whichever clue is left out."""

        def look(meter: Meter) -> bool:
            if core.total and not self._can_hold(core.clues, False, meter):
                return False
            return all(
                self._can_hold(core.clues - {clue}, core.total, meter) for clue in core.clues
            )

        return self._run_bounded(look)

    def is_smallest(self, core: ConflictCore, *, alone: bool | None) -> bool | None:
        """Return True if no fewer clues contradict each other.

        The total counts only if it is needed.

        Args:
            core: the clues of the conflict, and whether it needs the total.
            alone: whether all clues can hold without the total, None if that is not known.

        Returns:
            None if finding out takes more work than may be done.
        """
        if not core.total:
            return self._run_bounded(partial(self._are_smaller_consistent, core.size))
        if alone is not True:
            return alone
        if comb(len(self.sums), max(core.size - 1, 0)) > _MOST_SETS:
            return None
        if not core.size:
            return True

        def look(meter: Meter) -> bool:
            fewer = combinations(range(len(self.sums)), core.size - 1)
            return all(self._can_hold(clues, True, meter) for clues in fewer)

        return self._run_bounded(look)

    def _are_smaller_consistent(self, size: int, meter: Meter) -> bool:
        """Return True if all sets of fewer than ``size`` clues are consistent without the total.

        If not, some set whose clues are connected by cells cannot.
        """
        of_cell: dict[int, list[int]] = {}
        for number, (cells, _, _) in enumerate(self.sums):
            for cell in cells:
                of_cell.setdefault(cell, []).append(number)
        waiting = [frozenset([number]) for number in range(len(self.sums)) if size > 1]
        tried = set(waiting)
        while waiting:
            if len(tried) > _MOST_SETS:
                raise TooMuchWork("conflict", f"There are more than {_MOST_SETS} sets.")
            clues = waiting.pop()
            if not self._can_hold(clues, False, meter):
                return False
            if len(clues) + 1 < size:
                near = self._list_neighbours(clues, of_cell, meter)
                larger = {clues | {neighbour} for neighbour in near} - tried
                tried |= larger
                waiting += larger
        return True

    def _list_neighbours(
        self, clues: Collection[int], of_cell: Mapping[int, Sequence[int]], meter: Meter
    ) -> set[int]:
        """Return the other clues that ask for some cell of these."""
        neighbours = set[int]()
        for cell in {cell for clue in clues for cell in self.sums[clue][0]}:
            meter.spend_products(len(of_cell[cell]))
            neighbours.update(of_cell[cell])
        return neighbours - {*clues}

    def _can_hold(self, clues: Collection[int], total: bool, meter: Meter) -> bool:
        sums = [self.sums[clue] for clue in clues]
        cells = {cell for members, _, _ in sums for cell in members}
        return has_layout(sums, self.unknown - len(cells), self.left if total else None, meter)

    def _run_bounded(self, find: Callable[[Meter], bool]) -> bool | None:
        """Return the result of a search, None if the search takes too much work."""
        return run_bounded(lambda: find(Meter(left=self._most_work)))
