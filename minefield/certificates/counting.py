"""Verification of certificates of counts.

The boxes are read off the board (`minefield.certificates.boxes`). Every table of the certificate is
compared with the join of the two before it (`minefield.certificates.joining`). What else follows
from the same tables, chances and forced cells, is in `minefield.certificates.chances`.

Tested in tests/solvers/reasons/test_tables.py.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod

from minecheck.minefield.certificates.boxes import Boxes
from minecheck.minefield.certificates.fields import CertificateError
from minecheck.minefield.certificates.joining import JoinTables, Table, TableTooLong
from minecheck.minefield.certificates.meter import Meter, count_longest_bits
from minecheck.minefield.certificates.tables import CountProof, Join, Part, format_digits
from minecheck.minefield.numerals import format_integer
from minecheck.minefield.rules import Plain


def verify_count(
    puzzle: Plain, mines: int | None, proof: CountProof, pause: Callable[[], None] = lambda: None
) -> "Counted":
    """Return the counts that a certificate shows, after verifying its tables.

    Args:
        puzzle: the board or rules that the certificate is about.
        mines: the total of mines, None for any.
        proof: the certificate.
        pause: a function called now and then; an exception from it ends the verification.

    Raises:
        CertificateError: it does not show what it claims, or takes more work than may be done.
    """
    if mines is not None and proof.by_mines is None:
        raise CertificateError("by_mines", "Where there is a total, it cannot be null.")
    meter = Meter(pause)
    boxes = Boxes.list_puzzle_boxes(puzzle, meter)
    first = {cells[0]: number for number, cells in enumerate(boxes.cells)}
    parts = []
    for entry, part in enumerate(proof.components):
        numbers = []
        for index, cell in enumerate(part.boxes):
            number = first.pop(cell, None)
            if number is None:
                detail = "It is not the first cell of a box, or the box was there before."
                raise CertificateError("components", detail, (entry, index))
            numbers.append(number)
        _check_joins(part, entry)
        parts.append(_read_tables(boxes, numbers, part, entry, proof.by_mines is not None, meter))
    if first:
        detail = f"There is no box with the cell number {min(first.values())}."
        raise CertificateError("components", detail)
    counted = Counted(boxes, parts, mines, proof.by_mines is not None, meter)
    if format_integer(counted.count) != proof.count:
        raise CertificateError("count", "It is not what follows from the tables.")
    if (None if counted.by_mines is None else format_digits(counted.by_mines)) != proof.by_mines:
        raise CertificateError("by_mines", "It is not what follows from the tables.")
    return counted


def _check_joins(part: Part, entry: int) -> None:
    """Reject joins that do not combine all boxes into one table."""
    used = [False] * len(part.boxes)
    for index, join in enumerate(part.joins):
        for table in (join.left, join.right):
            if table >= len(used) or used[table]:
                detail = f"There is no table {table}, or it was joined before."
                raise CertificateError("components", detail[:100], (entry, index))
            used[table] = True
        used.append(False)
    if used.count(False) != 1:
        detail = f"Its joins leave {used.count(False)} tables, not one."
        raise CertificateError("components", detail, (entry,))


def _read_tables(
    boxes: Boxes, numbers: Sequence[int], part: Part, entry: int, by_mines: bool, meter: Meter
) -> JoinTables:
    """Return the tables of a component after comparing each with the join of two before it.

    None of them gets more entries than the certificate has, which so bounds the memory, too.
    """
    joins = [(join.left, join.right) for join in part.joins]
    most = [len(join.table) for join in part.joins]
    try:
        tables = JoinTables.build_tables(boxes, numbers, joins if by_mines else None, meter, most)
        for index, join in enumerate(part.joins):
            joined = tables.join(join.left, join.right, most[index])
            _compare_table(tables, joined, join, (entry, index))
    except TableTooLong as error:
        detail = f"The table has {most[error.join]} entries, and needs more."
        raise CertificateError("components", detail, (entry, error.join)) from None
    if tables.tables[-1].clues:
        detail = "Some clues have other boxes, too, which belong to the same component."
        raise CertificateError("components", detail, (entry,))
    return tables


def _compare_table(tables: JoinTables, joined: Table, join: Join, entry: tuple[int, ...]) -> None:
    if len(join.table) != len(joined.ways):
        detail = f"The table has {len(join.table)} entries, not {len(joined.ways)}."
        raise CertificateError("components", detail, entry)
    stated = dict(join.table)
    for state, ways in joined.ways.items():
        if state not in stated:
            raise CertificateError("components", f"There is no state {[*state]}.", entry)
        if format_digits(tables.unpack_coefficients(ways)) != stated[state]:
            detail = f"The ways of state {[*state]} are not those of the tables joined."
            raise CertificateError("components", detail, entry)


@dataclass(frozen=True, eq=False)
class Counted:
    """The consequences of tables that have been verified.

    ``mines`` is the total of the whole board, None for any. ``polynomial`` tells whether the tables
    are by mines, which they have to be with a total.
    """

    boxes: Boxes
    parts: Sequence[JoinTables]
    mines: int | None
    polynomial: bool
    meter: Meter

    @cached_property
    def count(self) -> int:
        """Number of layouts."""
        if self.boxes.conflict:
            return 0
        if self.mines is None:
            ways = prod(sum(part.values()) for part in self.by_part)
            return ways << len(self.boxes.loose)
        return sum(ways * self.others[mines] for mines, ways in self.before[-1].items())

    @cached_property
    def by_mines(self) -> dict[int, int] | None:
        """Layouts by mines of the whole board, ascending; None if the tables are not by mines."""
        if not self.polynomial:
            return None
        if not self.count:
            return {}
        if self.mines is not None:
            return {self.mines: self.count}
        decided, loose = self.boxes.mines, len(self.boxes.loose)
        self.meter.spend_products(loose, loose, loose)
        free, ways = {}, 1
        for mines in range(loose + 1):
            free[mines] = ways
            ways = ways * (loose - mines) // (mines + 1)
        layouts = self._multiply_ways(self.before[-1], free)
        return {decided + mines: layouts[mines] for mines in sorted(layouts)}

    @cached_property
    def by_part(self) -> list[dict[int, int]]:
        """Ways of each component by mines."""
        return [part.unpack_coefficients(part.tables[-1].ways.get((), 0)) for part in self.parts]

    @cached_property
    def others(self) -> dict[int, int]:
        """Ways of the loose cells to have what is left of the total, by mines of all components."""
        assert self.mines is not None, "without a total they have any number"
        loose, left = len(self.boxes.loose), self.mines - self.boxes.mines
        self.meter.spend_products(len(self.before[-1]), loose, loose)
        return {mines: count_choices(loose, left - mines) for mines in self.before[-1]}

    @cached_property
    def before(self) -> list[dict[int, int]]:
        """Ways by mines of the components before each one, and of all."""
        products = [{0: 1}]
        for ways in self.by_part:
            products.append(self._multiply_ways(products[-1], ways))
        return products

    def _multiply_ways(self, one: Mapping[int, int], other: Mapping[int, int]) -> dict[int, int]:
        self.spend_products(one, other)
        product = Counter[int]()
        for mines, ways in one.items():
            for more, by in other.items():
                product[mines + more] += ways * by
        return product

    def spend_products(self, one: Mapping[int, int], other: Mapping[int, int]) -> None:
        """Account for the products of all ways of two components.

        Args:
            one: ways of the one component by number of mines.
            other: ways of the other.

        Raises:
            TooMuchWork: that is more than may be done.
        """
        bits = count_longest_bits(one.values()), count_longest_bits(other.values())
        self.meter.spend_products(len(one) * len(other), *bits)


def count_choices(cells: int, mines: int) -> int:
    """Return C(cells, mines), the ways to choose ``mines`` of the cells; 0 if it is negative."""
    return comb(cells, mines) if mines >= 0 else 0
