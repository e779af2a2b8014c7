"""Certificates of counts, for `minefield.certificates.counting` to verify.

The tables are those of `minefield.certificates.joining`, joined in the order that the counter would
take (`solvers.counting.elimination`): that decides how large they are. The count itself is that of
the counter, which shares no code with them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from minecheck.minefield.certificates.boxes import Boxes
from minecheck.minefield.certificates.counting import Counted
from minecheck.minefield.certificates.document import Certificate, CertificateError, Claim
from minecheck.minefield.certificates.joining import JoinTables
from minecheck.minefield.certificates.meter import MOST_WORK, Meter
from minecheck.minefield.certificates.tables import CountProof, Join, Part, format_digits
from minecheck.minefield.numerals import format_integer
from minecheck.minefield.rules import Plain
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting.elimination import plan_joins
from minecheck.solvers.reasons.lemmas import Unproved

#: Units of `solvers.budget.Budget` that a cell, a box and a product of two entries take.
_CELL: Final = 3000
_BOX: Final = 10_000
_PRODUCT: Final = 1000
#: Certificates of more decimal digits are not written.
MOST_DIGITS: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class _Plan:
    """Boxes of a component, and which tables are joined: numbers in `JoinTables`."""

    boxes: list[int]
    joins: list[tuple[int, int]]


def certify_count(
    puzzle: Plain,
    mines: int | None,
    by_mines: bool,
    layouts: int,
    budget: Budget,
    most_digits: int = MOST_DIGITS,
) -> Certificate:
    """Certify a number of layouts.

    Args:
        puzzle: the board or rules.
        mines: the total of mines, None for any.
        by_mines: whether to certify layouts by mines even without a total.
        layouts: the number that is certified.
        budget: what the tables may take.
        most_digits: the most digits of all numbers in the tables.

    Raises:
        TooWide: the tables are too large, or take more than the budget.
        DeadlinePassed: it was not done in time.
        Unproved: there are not so many.
    """
    budget.spend(puzzle.shape[0] * puzzle.shape[1] * _CELL, 0)
    meter = Meter(budget.deadline.check)
    boxes = Boxes.list_puzzle_boxes(puzzle, meter)
    budget.spend(len(boxes.cells) * _BOX, 0)
    plans = list(_iterate_plans(boxes, budget))
    written = _Written(boxes, by_mines or mines is not None, meter, most_digits)
    try:
        for plan in plans:
            written.add_component(plan)
        counted = Counted(boxes, written.tables, mines, written.by_mines, written.meter)
        count = CountProof(
            format_integer(counted.count),
            None if counted.by_mines is None else format_digits(counted.by_mines),
            tuple(written.parts),
        )
    except CertificateError:
        # There is more to it than the judge would do.
        raise TooWide from None
    if counted.count != layouts:
        raise Unproved(f"the tables count {count.count[:100]}")
    return Certificate(Claim.COUNT, puzzle, mines, count=count)


@dataclass(slots=True)
class _Written:
    """Components, and as they are written."""

    boxes: Boxes
    by_mines: bool
    meter: Meter
    #: The number of digits that may still be written.
    left: int
    tables: list[JoinTables] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def add_component(self, plan: _Plan) -> None:
        """Add the tables of a component; raise `TooWide` where they are too long."""
        joined = plan.joins if self.by_mines else None
        tables = JoinTables.build_tables(self.boxes, plan.boxes, joined, self.meter)
        joins = []
        for one, other in plan.joins:
            ways_of_state = tables.join(one, other).ways
            entries = {
                state: format_digits(tables.unpack_coefficients(ways))
                for state, ways in ways_of_state.items()
            }
            self.left -= sum(len(text) for ways in entries.values() for text in ways.values())
            self.left -= sum(1 + len(state) for state in entries)
            if self.left < 0:
                raise TooWide
            joins.append(Join(one, other, tuple(entries.items())))
        self.tables.append(tables)
        self.parts.append(Part(tuple(self.boxes.cells[box][0] for box in plan.boxes), tuple(joins)))


def _iterate_plans(boxes: Boxes, budget: Budget) -> Iterator[_Plan]:
    """Yield the joins of each component. Raises `TooWide` before the first one."""
    work = 0.0
    for numbers in _iterate_components(boxes):
        plan, products = _plan_component(boxes, numbers)
        work += products
        if work > MOST_WORK:
            raise TooWide
        budget.spend(int(products) * _PRODUCT, 0)
        yield plan


def _plan_component(boxes: Boxes, numbers: list[int]) -> tuple[_Plan, float]:
    """Return the joins of a component, and a bound on the products of entries they take."""
    clues = sorted({clue for box in numbers for clue in boxes.clues[box]})
    index_of = {clue: at for at, clue in enumerate(clues)}
    touching: list[list[int]] = [[] for _ in clues]
    for at, box in enumerate(numbers):
        for clue in boxes.clues[box]:
            touching[index_of[clue]].append(at)
    bounds = [boxes.clue[clue] for clue in clues]
    tree = plan_joins(
        np.array([len(boxes.cells[box]) for box in numbers], np.int32),
        np.cumsum([0, *map(len, touching)], dtype=np.int32),
        np.array([at for row in touching for at in row], np.int32),
        np.array([max(clue.low, 0) for clue in bounds], np.int32),
        np.array([min(clue.high, clue.cells) for clue in bounds], np.int32),
    )
    unit = len(numbers)
    # Our tables by theirs, which have one for nothing.
    known = dict(zip(range(unit), range(unit), strict=True))
    joins: list[tuple[int, int]] = []
    for join, pair in enumerate(zip(tree.left.tolist(), tree.right.tolist(), strict=True)):
        inner = [known[table] for table in pair if table != unit]
        if len(inner) == 2:
            known[unit + 1 + join] = unit + len(joins)
            joins.append((inner[0], inner[1]))
        else:
            known[unit + 1 + join] = inner[0]
    return _Plan(numbers, joins), tree.cost


def _iterate_components(boxes: Boxes) -> Iterator[list[int]]:
    """Yield the boxes of each component, ascending."""
    touching: dict[int, list[int]] = {}
    for box, clues in enumerate(boxes.clues):
        for clue in clues:
            touching.setdefault(clue, []).append(box)
    is_reached = [False] * len(boxes.cells)
    for start in range(len(boxes.cells)):
        if is_reached[start]:
            continue
        is_reached[start] = True
        reached = [start]
        for box in reached:
            for clue in boxes.clues[box]:
                for other in touching.pop(clue, ()):
                    if not is_reached[other]:
                        is_reached[other] = True
                        reached.append(other)
        yield sorted(reached)
