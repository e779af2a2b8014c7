"""Tables of a component of boxes, and how two become one.

The state of a table says how many mines each of its *open* clues has among the boxes joined so far:
these are the clues that ask for other boxes, too. Its ways are the layouts of the boxes that come
to this state: a box of n cells has C(n, m) with m mines. Two tables are of different boxes, so that
their ways multiply, and different states are of different layouts, so that these add up. A state is
left out if some clue has too many mines by then, or can no longer get enough.

Ways by number of mines are polynomials, the coefficients of which stand in one integer, each in
`JoinTables.width` bits. All together they are numbers, with no bits at all.

Tested in tests/solvers/reasons/test_tables.py.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import add
from typing import TypeAlias

from minecheck.minefield.certificates.boxes import Boxes
from minecheck.minefield.certificates.meter import Meter, count_longest_bits

State: TypeAlias = tuple[int, ...]


class TableTooLong(Exception):
    """A join has more entries than it may have; ``join`` is its position."""

    def __init__(self, join: int) -> None:
        super().__init__(join)
        self.join = join


@dataclass(frozen=True, slots=True)
class Table:
    """Ways by state; ``seen`` are the cells joined so far of each of the open ``clues``."""

    clues: tuple[int, ...]
    seen: tuple[int, ...]
    ways: dict[State, int]

    @property
    def bits(self) -> int:
        """The length of the longest number, in bits."""
        return count_longest_bits(self.ways.values())


class JoinTables:
    """The tables of some boxes, by number, to which `join` adds more.

    ``width`` is 0 for ways all together.
    """

    def __init__(self, boxes: Boxes, numbers: Sequence[int], width: int, meter: Meter) -> None:
        self.boxes, self.numbers, self.width, self.meter = boxes, numbers, width, meter
        #: One entry a box: (mines, state, ways).
        self.leaves = [list(self._iterate_leaf(box)) for box in numbers]
        self.tables = [self._build_leaf(index) for index in range(len(numbers))]
        self.joins: list[tuple[int, int]] = []

    @classmethod
    def build_tables(
        cls,
        boxes: Boxes,
        numbers: Sequence[int],
        joins: Sequence[tuple[int, int]] | None,
        meter: Meter,
        most: Sequence[int] | None = None,
    ) -> "JoinTables":
        """Return tables of boxes with ways all together, or wide enough for ways by mines.

        For ways by mines the joins are done with ways all together first, to learn how wide
        coefficients are: none is larger than these. The tables returned have not been joined.

        Args:
            boxes: the boxes of the puzzle.
            numbers: numbers of the boxes of the component, one leaf each.
            joins: the two tables of each join to come; None for ways all together.
            meter: the work that may be done.
            most: the entries that each join may have, None for any number.

        Raises:
            TableTooLong: a join has more entries than ``most`` allows.
            TooMuchWork: the joins take more work than the meter allows.
        """
        together = cls(boxes, numbers, 0, meter)
        if joins is None:
            return together
        for index, (left, right) in enumerate(joins):
            together.join(left, right, None if most is None else most[index])
        bits = max(table.bits for table in together.tables)
        return cls(boxes, numbers, (bits // 8 + 1) * 8, meter)

    def _iterate_leaf(self, box: int) -> Iterator[tuple[int, State, int]]:
        size, clues = len(self.boxes.cells[box]), self.boxes.clues[box]
        self.meter.spend_products(size, size, size + self.width * size)
        sums = [self.boxes.clue[number] for number in clues]
        opened = sum(clue.cells > size for clue in sums)
        ways = 1
        for mines in range(size + 1):
            if all(clue.low - clue.cells + size <= mines <= clue.high for clue in sums):
                yield mines, (mines,) * opened, ways << self.width * mines
            ways = ways * (size - mines) // (mines + 1)

    def _build_leaf(self, index: int) -> Table:
        """Return the table of one box."""
        box = self.numbers[index]
        size = len(self.boxes.cells[box])
        clues = tuple(n for n in self.boxes.clues[box] if self.boxes.clue[n].cells > size)
        ways_of_state = Counter[State]()
        for _, state, ways in self.leaves[index]:
            ways_of_state[state] += ways
        return Table(clues, (size,) * len(clues), ways_of_state)

    def join(self, left: int, right: int, most: int | None = None) -> Table:
        """Join two tables, and return the result, which gets the next number.

        Args:
            left: number of the one table.
            right: number of the other.
            most: the entries that the result may have, None for any number.

        Raises:
            TableTooLong: it has more than ``most`` entries.
            TooMuchWork: it takes more work than the meter allows.
        """
        one, other = self.tables[left], self.tables[right]
        self.meter.spend_products(len(one.ways) * len(other.ways), one.bits, other.bits)
        ways_of_state = Counter[State]()
        for first, second, state in self.iterate_pairs(one, other):
            ways_of_state[state] += one.ways[first] * other.ways[second]
            if most is not None and len(ways_of_state) > most:
                raise TableTooLong(len(self.joins))
        table = Table(*self._find_open_clues(one, other), ways_of_state)
        self.tables.append(table)
        self.joins.append((left, right))
        return table

    def unpack_coefficients(self, packed: int) -> dict[int, int]:
        """Return ways by number of mines without those of 0; ways all together are at 0."""
        if not self.width:
            return {0: packed} if packed else {}
        step = self.width // 8
        text = packed.to_bytes((packed.bit_length() + 7) // 8, "little")
        coefficients = (
            int.from_bytes(text[start : start + step], "little")
            for start in range(0, len(text), step)
        )
        return {mines: ways for mines, ways in enumerate(coefficients) if ways}

    def _find_open_clues(self, one: Table, other: Table) -> tuple[State, State]:
        """Return the clues that stay open in a join, those of ``one`` first, and their cells."""
        seen = dict(zip(one.clues, one.seen, strict=True))
        for clue, cells in zip(other.clues, other.seen, strict=True):
            seen[clue] = seen.get(clue, 0) + cells
        still = [number for number, cells in seen.items() if cells < self.boxes.clue[number].cells]
        return tuple(still), tuple(seen[number] for number in still)

    def iterate_pairs(self, one: Table, other: Table) -> Iterator[tuple[State, State, State]]:
        """Yield the entries of two tables that go together, and the state that they come to.

        Pairs that give a clue too many mines, or leave too few cells for it, are left out.

        Args:
            one: the left table of the join.
            other: the right table.

        Yields:
            The state in ``one``, the state in ``other``, and the state in their join.
        """
        index_of = {number: at for at, number in enumerate(one.clues)}
        own = [number not in index_of for number in other.clues]
        still = set(self._find_open_clues(one, other)[0])
        keep = [number in still for number in one.clues]
        bounds = []
        for number, cells in zip(other.clues, other.seen, strict=True):
            if number in index_of:
                clue, at = self.boxes.clue[number], index_of[number]
                left = clue.cells - cells - one.seen[at]
                bounds.append((at, clue.low - left, clue.high))
        shifts = []
        for second in other.ways:
            shift = [0] * len(index_of)
            for number, mines in zip(other.clues, second, strict=True):
                if number in index_of:
                    shift[index_of[number]] = mines
            shifts.append((second, shift, tuple(compress(second, own))))
        for first in one.ways:
            self.meter.tick(len(shifts))
            for second, shift, rest in shifts:
                held = tuple(map(add, first, shift))
                for at, low, high in bounds:
                    if not low <= held[at] <= high:
                        break
                else:
                    yield first, second, (*compress(held, keep), *rest)
