"""Counts that the checker works out itself, where a certificate leaves something open.

The boxes and the joins are those of `minefield.certificates.counting`; only the order of the joins
is chosen here. It decides how large the tables are, and nothing else: what takes more work than
the meter allows is given up.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeAlias

from minecheck.minefield.certificates.boxes import Boxes, Sum
from minecheck.minefield.certificates.counting import Counted
from minecheck.minefield.certificates.joining import JoinTables
from minecheck.minefield.certificates.meter import Meter
from minecheck.minefield.rules import Plain

#: Boxes of a component, and the numbers of the tables of each join.
_Plan: TypeAlias = tuple[list[int], list[tuple[int, int]]]


def recount_layouts(puzzle: Plain, mines: int | None, meter: Meter) -> Counted:
    """Count the layouts of a puzzle by mines, for a total or (None) for any.

    Args:
        puzzle: the board or the rules.
        mines: the total of mines, None for any.
        meter: the work that may be done.

    Raises:
        TooMuchWork: that takes more work than the meter allows.
    """
    height, width = puzzle.shape
    meter.spend_products(height * width >> 4)
    boxes = Boxes.list_puzzle_boxes(puzzle, meter)
    return Counted(boxes, list(_join_all(boxes, meter)), mines, polynomial=True, meter=meter)


def has_layout(clues: Sequence[Sum], others: int, mines: int | None, meter: Meter) -> bool:
    """Return whether clues can hold together.

    Args:
        clues: cells, least and most mines of each clue; cells have any numbers.
        others: how many unknown cells none of them asks for.
        mines: the total of mines in all of these cells, None for any.
        meter: the work that may be done.

    Raises:
        TooMuchWork: that takes more work than the meter allows.
    """
    meter.spend_products(1 + sum(len(cells) for cells, _, _ in clues))
    cells = sorted({cell for members, _, _ in clues for cell in members})
    boxes = Boxes.list_clue_boxes(clues, cells, 0, meter)
    if boxes.conflict:
        return False
    # Bit m says that the cells without the free ones can hold m mines.
    held = 1 << boxes.mines
    for part in _join_all(boxes, meter):
        mine_counts = list(part.unpack_coefficients(part.tables[-1].ways.get((), 0)))
        meter.spend_products(len(mine_counts))
        before, held = held, 0
        for mines_of_part in mine_counts:
            held |= before << mines_of_part
    if mines is None or not held:
        return bool(held)
    free = len(boxes.loose) + others
    least, most = max(mines - free, 0), min(mines, held.bit_length())
    return least <= most and bool(held >> least & ((1 << most - least + 1) - 1))


def find_span(counted: Counted) -> tuple[int, int] | None:
    """Return the least and the most mines of any layout, whatever the total; None if none has any.

    ``counted`` has to be by mines.
    """
    if counted.boxes.conflict or not all(counted.by_part):
        return None
    sure_mines, loose = counted.boxes.mines, len(counted.boxes.loose)
    least = sure_mines + sum(map(min, counted.by_part))
    return least, sure_mines + sum(map(max, counted.by_part)) + loose


def _join_all(boxes: Boxes, meter: Meter) -> Iterator[JoinTables]:
    """Yield the tables by mines of each component, joined to one."""
    for numbers, joins in _plan_joins(boxes, meter):
        tables = JoinTables.build_tables(boxes, numbers, joins, meter)
        for left, right in joins:
            tables.join(left, right)
        yield tables


def _plan_joins(boxes: Boxes, meter: Meter) -> Iterator[_Plan]:
    """Yield for each component its boxes, and the joins that make one table of them.

    The clue is closed next whose boxes, joined, leave the fewest clues open.
    """
    for numbers in _iterate_components(boxes):
        planned = _Planned.build_box_tables(numbers, boxes.clues)
        waiting = [(planned.count_clues(clue), clue) for clue in planned.holders]
        heapify(waiting)
        while waiting:
            cost, clue = heappop(waiting)
            if len(planned.holders[clue]) < 2:
                continue
            open_clues = planned.count_clues(clue)
            meter.spend_products(1 + open_clues)
            if open_clues > cost:
                heappush(waiting, (open_clues, clue))
                continue
            for other in planned.close_clue(clue):
                heappush(waiting, (planned.count_clues(other), other))
        yield numbers, planned.joins


@dataclass(slots=True)
class _Planned:
    """Joins so far; ``opened`` are the clues of each table that other tables have, too.

    ``holders`` are the tables of each clue.
    """

    opened: list[set[int]]
    holders: dict[int, set[int]]
    joins: list[tuple[int, int]]

    @classmethod
    def build_box_tables(cls, numbers: Iterable[int], clues: Sequence[Iterable[int]]) -> "_Planned":
        """Return the tables of boxes, before any join."""
        opened = [set(clues[number]) for number in numbers]
        holders: dict[int, set[int]] = {}
        for table, own in enumerate(opened):
            for clue in own:
                holders.setdefault(clue, set()).add(table)
        for own in opened:
            own -= {clue for clue in own if len(holders[clue]) < 2}
        return cls(opened, holders, [])

    def count_clues(self, clue: int) -> int:
        """Return the number of different clues in its tables."""
        return len(set[int]().union(*(self.opened[table] for table in self.holders[clue])))

    def close_clue(self, clue: int) -> set[int]:
        """Join all tables of a clue; the clues that these leave open."""
        first, *rest = sorted(self.holders[clue], key=lambda table: len(self.opened[table]))
        for other in rest:
            self.joins.append((first, other))
            joined = self.opened[first] | self.opened[other]
            new = len(self.opened)
            for opened in joined:
                self.holders[opened] = self.holders[opened] - {first, other} | {new}
            self.opened.append({opened for opened in joined if len(self.holders[opened]) > 1})
            first = new
        return self.opened[first]


def _iterate_components(boxes: Boxes) -> Iterator[list[int]]:
    """Yield the numbers of boxes that are joined by clues, ascending."""
    leader = list(range(len(boxes.cells)))

    def find_root(number: int) -> int:
        while leader[number] != number:
            leader[number] = number = leader[leader[number]]
        return number

    of_clue: dict[int, list[int]] = {}
    for number, clues in enumerate(boxes.clues):
        for clue in clues:
            of_clue.setdefault(clue, []).append(number)
    for numbers in of_clue.values():
        for one, other in pairwise(numbers):
            leader[find_root(other)] = find_root(one)
    components: dict[int, list[int]] = {}
    for number in range(len(leader)):
        components.setdefault(find_root(number), []).append(number)
    yield from components.values()
