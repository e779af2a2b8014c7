"""Certificates of counts, for `minefield.certificates.counting` to verify.

The tables are those of `minefield.certificates.joining`, joined in the order that the counter would
take (`solvers.counting.elimination`): that decides how large they are. The count itself is that of
the counter, which shares no code with them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from minefield.amounts import digits
from minefield.certificates.boxes import Boxes
from minefield.certificates.counting import Counted
from minefield.certificates.document import Certificate, CertificateError, Claim
from minefield.certificates.joining import Tables
from minefield.certificates.meter import MOST_WORK, Meter
from minefield.certificates.tables import Count, Join, Part, in_digits
from minefield.rules import Plain
from solvers.budget import Budget, TooWide
from solvers.counting.elimination import eliminate
from solvers.reasons.lemmas import Unproved

#: Units of `solvers.budget.Budget` that a cell, a box and a product of two entries take.
_CELL: Final = 3000
_BOX: Final = 10_000
_PRODUCT: Final = 1000
#: Certificates of more decimal digits are not written.
MOST_DIGITS: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class _Plan:
    """Boxes of a component, and which tables are joined: numbers of `Tables`."""

    boxes: list[int]
    joins: list[tuple[int, int]]


def counted(
    puzzle: Plain, mines: int | None, by_mines: bool, layouts: int, budget: Budget
) -> Certificate:
    """The certificate that there are so many layouts; with a total or ``by_mines`` also by mines.

    Raises:
        TooWide: the tables are too large, or take more than the budget.
        DeadlinePassed: it was not done in time.
        Unproved: there are not so many.
    """
    budget.spend(puzzle.shape[0] * puzzle.shape[1] * _CELL, 0)
    meter = Meter(budget.deadline.check)
    boxes = Boxes.of(puzzle, meter)
    budget.spend(len(boxes.cells) * _BOX, 0)
    plans = list(_plans(boxes, budget))
    written = _Written(boxes, by_mines or mines is not None, meter, MOST_DIGITS)
    try:
        for plan in plans:
            written.add(plan)
        found = Counted(boxes, written.tables, mines, written.by_mines, written.meter)
        count = Count(
            digits(found.count),
            None if found.by_mines is None else in_digits(found.by_mines),
            tuple(written.parts),
        )
    except CertificateError:
        # There is more to it than the judge would do.
        raise TooWide from None
    if found.count != layouts:
        raise Unproved(f"the tables count {count.count[:100]}")
    return Certificate(Claim.COUNT, puzzle, mines, count=count)


@dataclass(slots=True)
class _Written:
    """Components, and as they are written."""

    boxes: Boxes
    by_mines: bool
    meter: Meter
    #: How many digits more may be written.
    left: int
    tables: list[Tables] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def add(self, plan: _Plan) -> None:
        """The tables of a component; raises `TooWide` where they are too long."""
        joined = plan.joins if self.by_mines else None
        tables = Tables.of(self.boxes, plan.boxes, joined, self.meter)
        joins = []
        for one, other in plan.joins:
            found = tables.join(one, other).ways
            entries = {state: in_digits(tables.coefficients(ways)) for state, ways in found.items()}
            self.left -= sum(len(text) for ways in entries.values() for text in ways.values())
            self.left -= sum(1 + len(state) for state in entries)
            if self.left < 0:
                raise TooWide
            joins.append(Join(one, other, tuple(entries.items())))
        self.tables.append(tables)
        self.parts.append(Part(tuple(self.boxes.cells[box][0] for box in plan.boxes), tuple(joins)))


def _plans(boxes: Boxes, budget: Budget) -> Iterator[_Plan]:
    """How each component is joined. Raises `TooWide` before any is."""
    work = 0.0
    for numbers in _components(boxes):
        plan, products = _plan(boxes, numbers)
        work += products
        if work > MOST_WORK:
            raise TooWide
        budget.spend(int(products) * _PRODUCT, 0)
        yield plan


def _plan(boxes: Boxes, numbers: list[int]) -> tuple[_Plan, float]:
    """How a component is joined, and how many products of entries that takes at most."""
    clues = sorted({clue for box in numbers for clue in boxes.clues[box]})
    place = {clue: at for at, clue in enumerate(clues)}
    touching: list[list[int]] = [[] for _ in clues]
    for at, box in enumerate(numbers):
        for clue in boxes.clues[box]:
            touching[place[clue]].append(at)
    asked = [boxes.clue[clue] for clue in clues]
    tree = eliminate(
        np.array([len(boxes.cells[box]) for box in numbers], np.int32),
        np.cumsum([0, *map(len, touching)], dtype=np.int32),
        np.array([at for row in touching for at in row], np.int32),
        np.array([max(clue.low, 0) for clue in asked], np.int32),
        np.array([min(clue.high, clue.cells) for clue in asked], np.int32),
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


def _components(boxes: Boxes) -> Iterator[list[int]]:
    """The boxes of each component, ascending."""
    touching: dict[int, list[int]] = {}
    for box, clues in enumerate(boxes.clues):
        for clue in clues:
            touching.setdefault(clue, []).append(box)
    found = [False] * len(boxes.cells)
    for start in range(len(boxes.cells)):
        if found[start]:
            continue
        found[start] = True
        reached = [start]
        for box in reached:
            for clue in boxes.clues[box]:
                for other in touching.pop(clue, ()):
                    if not found[other]:
                        found[other] = True
                        reached.append(other)
        yield sorted(reached)
