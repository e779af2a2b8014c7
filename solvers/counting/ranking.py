"""Layouts by number: the mines of the boxes in layout number r, and the number of a layout.

Tested in tests/solvers/counting/test_whole_board.py.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Vector, compile_kernel
from minecheck.solvers.counting.join_tree import JoinTree, list_edges, scratch_of, write_edges
from minecheck.solvers.counting.mine_rows import ENTRIES, Rows
from minecheck.solvers.counting.naturals import to_integers
from minecheck.solvers.counting.table_values import TableValues


class _Choice(NamedTuple):
    """One way to an entry: those of left and right, the mines of each, and the layouts of right."""

    left: int
    left_mines: int
    right: int
    right_mines: int
    rest: int


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
        self._found: dict[tuple[int, int, int], tuple[list[int], list[_Choice]]] = {}

    def unrank(self, mines: int, rank: int) -> list[tuple[int, int]]:
        """Return for each box its mines and the number of its way, in one layout.

        Args:
            mines: the mines of the layout; 0 where mines are not distinguished.
            rank: the number of the layout among these, from 0.
        """
        tables = len(self._inside.start)
        entry, held, number = [0] * tables, [0] * tables, [0] * tables
        held[-1], number[-1] = mines, rank
        first = self._plan.boxes + 1
        for join in reversed(range(len(self._left))):
            result = first + join
            sums, choices = self._list_choices(join, entry[result], held[result])
            index = bisect_right(sums, number[result]) - 1
            choice = choices[index]
            left, right = self._left[join], self._right[join]
            entry[left], held[left], entry[right], held[right], rest = choice
            number[left], number[right] = divmod(number[result] - sums[index], rest)
        boxes = self._plan.boxes
        return list(zip(entry[:boxes], number[:boxes], strict=True))

    def rank(self, chosen: list[tuple[int, int]]) -> int:
        """Return the number of a layout: the inverse of `unrank`.

        Raises:
            ValueError: these mines are not a layout.
        """
        counts = np.array([mines for mines, _ in chosen], np.int32)
        entry = _find_entries(self._plan, counts)
        if entry[-1] < 0:
            raise ValueError("these mines are not a layout")
        tables = entry.size
        held, number = [0] * tables, [0] * tables
        for box, (mines, way) in enumerate(chosen):
            number[box] = way
            if self._rows.first.size:
                held[box] = int(self._rows.least[self._rows.first[box] + mines])
        first = self._plan.boxes + 1
        for join, (left, right) in enumerate(zip(self._left, self._right, strict=True)):
            result = first + join
            held[result] = held[left] + held[right]
            sums, choices = self._list_choices(join, int(entry[result]), held[result])
            parts = int(entry[left]), held[left], int(entry[right])
            index = next(i for i, choice in enumerate(choices) if choice[:3] == parts)
            number[result] = sums[index] + number[left] * choices[index].rest + number[right]
        return number[-1]

    def _list_choices(self, join: int, entry: int, mines: int) -> tuple[list[int], list[_Choice]]:
        """Return all ways to an entry, and how many layouts come before each."""
        key = join, entry, mines
        if key not in self._found:
            left, right, start = self._edges_of(join)
            ways: list[int] = []
            choices: list[_Choice] = []
            for edge in range(start[entry], start[entry + 1]):
                a, b = left[edge], right[edge]
                others = self._read_value(self._right[join], b)
                for held, layouts in self._read_value(self._left[join], a).items():
                    rest = others.get(mines - held)
                    if rest:
                        ways.append(layouts * rest)
                        choices.append(_Choice(a, held, b, mines - held, rest))
            self._found[key] = list(accumulate(ways, initial=0))[:-1], choices
        return self._found[key]

    def _read_value(self, table: int, entry: int) -> dict[int, int]:
        """Return the layouts of an entry by mines."""
        key = table, entry
        if key not in self._values:
            first, end, least = entry, entry + 1, 0
            if self._rows.first.size:
                first, end, least = self._rows.find_rows(table, entry)
            values = enumerate(to_integers(self._inside.read_table(table)[first:end]), least)
            self._values[key] = {mines: layouts for mines, layouts in values if layouts}
        return self._values[key]

    def _edges_of(self, join: int) -> tuple[list[int], list[int], list[int]]:
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
    found = np.full(plan.entries.size, -1, np.int32)
    found[:boxes] = mines
    found[boxes] = 0
    scratch = scratch_of(plan)
    for join in range(plan.left.size):
        left, right = found[plan.left[join]], found[plan.right[join]]
        room = max(1, int(plan.entries[plan.right[join]]))
        row = np.empty((3, room), np.int32)
        if left < 0 or right < 0:
            break
        count, _ = write_edges(plan, join, left, np.empty(0, np.bool_), row, scratch)
        for edge in range(count):
            if row[0, edge] == left and row[1, edge] == right:
                found[boxes + 1 + join] = row[2, edge]
    return found
