"""Layouts by number: the mines of the boxes in layout number r, and the number of a layout.

Tested in tests/solvers/counting/test_whole_board.py.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Vector, compile_kernel
from minecheck.solvers.counting.join_tree import JoinTree, list_edges, make_scratch, write_edges
from minecheck.solvers.counting.mine_rows import ENTRIES, Rows
from minecheck.solvers.counting.naturals import to_integers
from minecheck.solvers.counting.table_values import TableValues


class _Choice(NamedTuple):
    """One way to an entry: those of left and right, the mines of each, and the layouts of right."""

    left: int
    left_mines: int
    right: int
    right_mines: int
    right_layouts: int


class Ranking:
    """The order of the layouts of a plan: table by table from the root down.

    ``inside`` are the values of all ``rows``. Where these are entries, mines are not distinguished,
    and are 0 in every argument. What is read off the tables is kept, so that later
    layouts cost about a look-up a box.
    """

    def __init__(self, plan: JoinTree, inside: TableValues, rows: Rows = ENTRIES) -> None:
        self._plan = plan
        self._inside = inside
        self._rows = rows
        self._left = plan.left.tolist()
        self._right = plan.right.tolist()
        self._edges: dict[int, tuple[list[int], list[int], list[int]]] = {}
        self._values: dict[tuple[int, int], dict[int, int]] = {}
        self._choices: dict[tuple[int, int, int], tuple[list[int], list[_Choice]]] = {}

    def unrank(self, mines: int, rank: int) -> list[tuple[int, int]]:
        """Return for each box its mines and the number of its way, in one layout.

        Args:
            mines: the mines of the layout; 0 where mines are not distinguished.
            rank: the number of the layout among these, from 0.
        """
        tables = len(self._inside.start)
        entry, mines_in_table, rank_in_table = [0] * tables, [0] * tables, [0] * tables
        mines_in_table[-1], rank_in_table[-1] = mines, rank
        first_result = self._plan.boxes + 1
        for join in reversed(range(len(self._left))):
            result = first_result + join
            sums, choices = self._list_choices(join, entry[result], mines_in_table[result])
            index = bisect_right(sums, rank_in_table[result]) - 1
            choice = choices[index]
            left, right = self._left[join], self._right[join]
            (
                entry[left],
                mines_in_table[left],
                entry[right],
                mines_in_table[right],
                right_layouts,
            ) = choice
            rank_in_table[left], rank_in_table[right] = divmod(
                rank_in_table[result] - sums[index], right_layouts
            )
        boxes = self._plan.boxes
        return list(zip(entry[:boxes], rank_in_table[:boxes], strict=True))

    def rank(self, ways_of_boxes: list[tuple[int, int]]) -> int:
        """Return the number of a layout: the inverse of `unrank`.

        Raises:
            ValueError: these mines are not a layout.
        """
        counts = np.array([mines for mines, _ in ways_of_boxes], np.int32)
        entry = _find_entries(self._plan, counts)
        if entry[-1] < 0:
            raise ValueError("these mines are not a layout")
        tables = entry.size
        mines_in_table, rank_in_table = [0] * tables, [0] * tables
        for box, (mines, way) in enumerate(ways_of_boxes):
            rank_in_table[box] = way
            if self._rows.first.size:
                mines_in_table[box] = int(self._rows.least[self._rows.first[box] + mines])
        first_result = self._plan.boxes + 1
        for join, (left, right) in enumerate(zip(self._left, self._right, strict=True)):
            result = first_result + join
            mines_in_table[result] = mines_in_table[left] + mines_in_table[right]
            sums, choices = self._list_choices(join, int(entry[result]), mines_in_table[result])
            choice_key = int(entry[left]), mines_in_table[left], int(entry[right])
            index = next(
                position for position, choice in enumerate(choices) if choice[:3] == choice_key
            )
            rank_in_table[result] = (
                sums[index]
                + rank_in_table[left] * choices[index].right_layouts
                + rank_in_table[right]
            )
        return rank_in_table[-1]

    def _list_choices(self, join: int, entry: int, mines: int) -> tuple[list[int], list[_Choice]]:
        """Return all ways to an entry, and how many layouts come before each."""
        key = join, entry, mines
        if key not in self._choices:
            left_entries, right_entries, start = self._list_edges(join)
            layout_counts: list[int] = []
            choices: list[_Choice] = []
            for edge in range(start[entry], start[entry + 1]):
                left_entry, right_entry = left_entries[edge], right_entries[edge]
                right_counts = self._read_value(self._right[join], right_entry)
                for left_mines, left_layouts in self._read_value(
                    self._left[join], left_entry
                ).items():
                    right_layouts = right_counts.get(mines - left_mines)
                    if right_layouts:
                        layout_counts.append(left_layouts * right_layouts)
                        choices.append(
                            _Choice(
                                left_entry,
                                left_mines,
                                right_entry,
                                mines - left_mines,
                                right_layouts,
                            )
                        )
            self._choices[key] = list(accumulate(layout_counts, initial=0))[:-1], choices
        return self._choices[key]

    def _read_value(self, table: int, entry: int) -> dict[int, int]:
        """Return the layouts of an entry by mines."""
        key = table, entry
        if key not in self._values:
            begin, end, fewest = entry, entry + 1, 0
            if self._rows.first.size:
                begin, end, fewest = self._rows.find_rows(table, entry)
            counts = enumerate(to_integers(self._inside.read_table(table)[begin:end]), fewest)
            self._values[key] = {mines: layouts for mines, layouts in counts if layouts}
        return self._values[key]

    def _list_edges(self, join: int) -> tuple[list[int], list[int], list[int]]:
        """Return (left, right, start): entry d has the edges ``start[d]`` to ``start[d + 1]``."""
        if join not in self._edges:
            left, right, result = list_edges(self._plan, join)
            order = np.argsort(result, kind="stable")
            entries = int(self._plan.entries[self._plan.boxes + 1 + join])
            start = np.searchsorted(result[order], np.arange(entries + 1))
            self._edges[join] = left[order].tolist(), right[order].tolist(), start.tolist()
        return self._edges[join]


@compile_kernel
def _find_entries(plan: JoinTree, mines: Vector[np.int32]) -> NDArray[np.int32]:
    """Find the entry of each table when box b holds ``mines[b]``; -1 from one that has none on."""
    boxes = mines.size
    entry_of_table = np.full(plan.entries.size, -1, np.int32)
    entry_of_table[:boxes] = mines
    entry_of_table[boxes] = 0
    scratch = make_scratch(plan)
    for join in range(plan.left.size):
        left_entry, right_entry = entry_of_table[plan.left[join]], entry_of_table[plan.right[join]]
        room = max(1, int(plan.entries[plan.right[join]]))
        edges = np.empty((3, room), np.int32)
        if left_entry < 0 or right_entry < 0:
            break
        count, _ = write_edges(plan, join, left_entry, np.empty(0, np.bool_), edges, scratch)
        for edge in range(count):
            if edges[0, edge] == left_entry and edges[1, edge] == right_entry:
                entry_of_table[boxes + 1 + join] = edges[2, edge]
    return entry_of_table
