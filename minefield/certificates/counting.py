"""Whether a certificate shows how many layouts there are, and what else it shows.

The boxes are read off the board (`minefield.certificates.boxes`). Every table of the certificate is
compared with the join of the two before it (`minefield.certificates.joining`). Chances, and so the
forced cells, follow from the same tables, passed back from the last to the first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, prod

from minefield.amounts import digits
from minefield.certificates.boxes import Boxes
from minefield.certificates.fields import CertificateError
from minefield.certificates.joining import Meter, Table, Tables
from minefield.certificates.tables import Count, Join, Part, Ways
from minefield.rules import Plain


def verify_count(
    puzzle: Plain, mines: int | None, given: Count, pause: Callable[[], None] = lambda: None
) -> "Counted":
    """What a certificate of a count shows, for ``puzzle`` with so many mines (None: any).

    ``pause`` is called now and then; what it raises ends the verification.

    Raises:
        CertificateError: it does not show what it claims, or takes more work than may be done.
    """
    if mines is not None and given.by_mines is None:
        raise CertificateError("by_mines", None, "Where there is a total, it cannot be null.")
    meter = Meter(pause)
    boxes = Boxes.of(puzzle, pause)
    first = {cells[0]: number for number, cells in enumerate(boxes.cells)}
    parts = []
    for entry, part in enumerate(given.components):
        numbers = []
        for place, cell in enumerate(part.boxes):
            number = first.pop(cell, None)
            if number is None:
                detail = "It is not the first cell of a box, or the box was there before."
                raise CertificateError("components", None, detail, (entry, place))
            numbers.append(number)
        _check_joins(part, entry)
        if given.by_mines is None:
            tables = Tables(boxes, numbers, 0, meter)
        else:
            joins = [(join.left, join.right) for join in part.joins]
            tables = Tables.by_mines(boxes, numbers, joins, meter)
        _compare(tables, part, entry)
        parts.append(tables)
    if first:
        detail = f"There is no box with the cell number {min(first.values())}."
        raise CertificateError("components", None, detail)
    found = Counted.of(boxes, parts, mines, given.by_mines is not None, meter)
    if digits(found.count) != given.count:
        raise CertificateError("count", None, "It is not what follows from the tables.")
    if (None if found.by_mines is None else _in_digits(found.by_mines)) != given.by_mines:
        raise CertificateError("by_mines", None, "It is not what follows from the tables.")
    return found


def _check_joins(part: Part, entry: int) -> None:
    """Refuse joins that do not make one table of all boxes."""
    used = [False] * len(part.boxes)
    for place, join in enumerate(part.joins):
        for table in (join.left, join.right):
            if table >= len(used) or used[table]:
                detail = f"There is no table {table}, or it was joined before."
                raise CertificateError("components", None, detail[:100], (entry, place))
            used[table] = True
        used.append(False)
    if used.count(False) != 1:
        detail = f"Its joins leave {used.count(False)} tables, not one."
        raise CertificateError("components", None, detail, (entry,))


def _compare(tables: Tables, part: Part, entry: int) -> None:
    """Refuse tables that are not joins of those before, and some boxes of a component only."""
    for place, join in enumerate(part.joins):
        _compare_table(tables, tables.join(join.left, join.right), join, (entry, place))
    if tables.tables[-1].clues:
        detail = "Some clues have other boxes, too, which belong to the same component."
        raise CertificateError("components", None, detail, (entry,))


def _compare_table(tables: Tables, found: Table, join: Join, entry: tuple[int, ...]) -> None:
    if len(join.table) != len(found.ways):
        detail = f"The table has {len(join.table)} entries, not {len(found.ways)}."
        raise CertificateError("components", None, detail, entry)
    told = dict(join.table)
    for state, ways in found.ways.items():
        if state not in told:
            raise CertificateError("components", None, f"There is no state {[*state]}.", entry)
        if _in_digits(tables.coefficients(ways)) != told[state]:
            detail = f"The ways of state {[*state]} are not those of the tables joined."
            raise CertificateError("components", None, detail, entry)


def _in_digits(ways: Mapping[int, int]) -> Ways:
    return {mines: digits(number) for mines, number in ways.items()}


@dataclass(frozen=True, eq=False)
class Counted:
    """What follows from tables that are right.

    ``left`` are the mines of the undecided cells, None for any. ``polynomial`` tells whether the
    tables are by mines, which they have to be with a total.
    """

    boxes: Boxes
    parts: Sequence[Tables]
    left: int | None
    polynomial: bool
    meter: Meter

    @classmethod
    def of(
        cls,
        boxes: Boxes,
        parts: Sequence[Tables],
        mines: int | None,
        by_mines: bool,
        meter: Meter,
    ) -> "Counted":
        """What follows for a total of mines on the whole board, or any."""
        left = None if mines is None else mines - boxes.mines
        return cls(boxes, parts, left, by_mines, meter)

    @cached_property
    def count(self) -> int:
        """Number of layouts."""
        if self.boxes.conflict:
            return 0
        if self.left is None:
            ways = prod(sum(part.values()) for part in self._by_part)
            return ways << len(self.boxes.loose)
        return sum(ways * self._after[-1][mines] for mines, ways in self._before[-1].items())

    @cached_property
    def by_mines(self) -> dict[int, int] | None:
        """Layouts by mines of the whole board, ascending; None if the tables are not by mines."""
        if not self.polynomial:
            return None
        decided, loose = self.boxes.mines, len(self.boxes.loose)
        if not self.count:
            return {}
        if self.left is not None:
            return {decided + self.left: self.count}
        self.meter.spend(loose, loose, loose)
        free, ways = {}, 1
        for mines in range(loose + 1):
            free[mines] = ways
            ways = ways * (loose - mines) // (mines + 1)
        found = self._product(self._before[-1], free)
        return {decided + mines: found[mines] for mines in sorted(found)}

    @cached_property
    def chances(self) -> dict[int, Fraction]:
        """The chance of a mine in each unknown cell; empty if there is no layout."""
        if not self.count:
            return {}
        found = {cell: Fraction(mine) for cell, mine in self.boxes.decided.items()}
        for place in range(len(self.parts)):
            for box, chance in self._of_boxes(place):
                found |= dict.fromkeys(self.boxes.cells[box], chance)
        if self.boxes.loose:
            found |= dict.fromkeys(self.boxes.loose, self._loose_chance())
        return found

    def _of_boxes(self, place: int) -> Iterator[tuple[int, Fraction]]:
        """The chance of a mine in a cell of each box of a component."""
        part, weights = self.parts[place], self._weights(place)
        whole = sum(ways * weights[mines] for mines, ways in self._by_part[place].items())
        around = part.around()
        for at, (box, leaf) in enumerate(zip(part.numbers, part.leaves, strict=True)):
            held = 0
            for mines, state, ways in leaf:
                layouts = part.coefficients(ways * around[at].get(state, 0))
                held += mines * sum(n * weights[total] for total, n in layouts.items())
            yield box, Fraction(held, whole * len(self.boxes.cells[box]))

    def _loose_chance(self) -> Fraction:
        """The chance of a mine in a loose cell: that it is one, and the others hold the rest."""
        if self.left is None:
            return Fraction(1, 2)
        others, left = len(self.boxes.loose) - 1, self.left - 1
        ways = self._before[-1].items()
        return Fraction(sum(n * _choices(others, left - mines) for mines, n in ways), self.count)

    @property
    def forced(self) -> dict[int, bool]:
        """Unknown cells that are mines, or (False) safe, in every layout; none if there is none."""
        return {cell: chance == 1 for cell, chance in self.chances.items() if chance in (0, 1)}

    @cached_property
    def _by_part(self) -> list[dict[int, int]]:
        """Ways of each component by mines."""
        return [part.coefficients(part.tables[-1].ways.get((), 0)) for part in self.parts]

    @cached_property
    def _before(self) -> list[dict[int, int]]:
        """Ways by mines of the components before each one, and of all."""
        found = [{0: 1}]
        for ways in self._by_part:
            found.append(self._product(found[-1], ways))
        return found

    @cached_property
    def _after(self) -> list[dict[int, int]]:
        """Ways of the components from each one on and the loose cells, by mines before them."""
        loose = len(self.boxes.loose)
        assert self.left is not None, "without a total they do not depend on each other"
        self.meter.spend(len(self._before[-1]), loose, loose)
        found = [{mines: _choices(loose, self.left - mines) for mines in self._before[-1]}]
        for before, ways in zip(self._before[-2::-1], self._by_part[::-1], strict=True):
            after = found[-1]
            self._spend(before, ways)
            found.append(
                {held: sum(n * after[held + mines] for mines, n in ways.items()) for held in before}
            )
        return found[::-1]

    def _weights(self, place: int) -> dict[int, int]:
        """Ways of all but one component, by its mines."""
        ways = self._by_part[place]
        if self.left is None:
            return dict.fromkeys(ways, 1)
        before, after = self._before[place], self._after[place + 1]
        self._spend(before, ways)
        return {mines: sum(n * after[held + mines] for held, n in before.items()) for mines in ways}

    def _product(self, one: Mapping[int, int], other: Mapping[int, int]) -> dict[int, int]:
        self._spend(one, other)
        found: dict[int, int] = {}
        for mines, ways in one.items():
            for more, by in other.items():
                found[mines + more] = found.get(mines + more, 0) + ways * by
        return found

    def _spend(self, one: Mapping[int, int], other: Mapping[int, int]) -> None:
        bits = [max(map(int.bit_length, ways.values()), default=0) for ways in (one, other)]
        self.meter.spend(len(one) * len(other), *bits)


def _choices(cells: int, mines: int) -> int:
    """Ways to choose so many of the cells, also fewer than none."""
    return comb(cells, mines) if mines >= 0 else 0
