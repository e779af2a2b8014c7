"""What else a certificate of a count shows: the chance of a mine in each cell, and forced cells.

They follow from the same tables, passed back from the last to the first.

Tested in tests/solvers/reasons/test_tables.py.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from minecheck.minefield.certificates.counting import Counted, count_choices
from minecheck.minefield.certificates.joining import JoinTables, State
from minecheck.minefield.certificates.meter import count_longest_bits


def derive_chances(counted: Counted) -> dict[int, Fraction]:
    """Return the chance of a mine in each unknown cell; empty if there is no layout.

    Raises:
        CertificateError: that takes more work than may be done.
    """
    if not counted.count:
        return {}
    boxes = counted.boxes
    stated = {cell: Fraction(mine) for cell, mine in boxes.decided.items()}
    for part, weights in zip(counted.parts, _weigh_others(counted), strict=True):
        for box, chance in _iterate_box_chances(part, weights):
            stated |= dict.fromkeys(boxes.cells[box], chance)
    if boxes.loose:
        stated |= dict.fromkeys(boxes.loose, _compute_loose_chance(counted))
    return stated


def derive_forced(stated: Mapping[int, Fraction]) -> dict[int, bool]:
    """Return the cells that are mines (True) or safe (False) in every layout, by their chances."""
    return {cell: chance == 1 for cell, chance in stated.items() if chance in (0, 1)}


def _weigh_others(counted: Counted) -> list[dict[int, int]]:
    """Return for each component, by its number of mines, the ways of all other components."""
    if counted.mines is None:
        return [dict.fromkeys(ways, 1) for ways in counted.by_part]
    after, weights = counted.others, []
    for before, ways in zip(counted.before[-2::-1], counted.by_part[::-1], strict=True):
        counted.spend_products(before, ways)
        weights.append(
            {mines: sum(n * after[held + mines] for held, n in before.items()) for mines in ways}
        )
        counted.spend_products(before, ways)
        after = {held: sum(n * after[held + mines] for mines, n in ways.items()) for held in before}
    return weights[::-1]


def _iterate_box_chances(
    part: JoinTables, weights: Mapping[int, int]
) -> Iterator[tuple[int, Fraction]]:
    """Yield each box of a component with the chance of a mine in one of its cells."""
    for box, leaf, others in zip(part.numbers, part.leaves, count_other_boxes(part), strict=False):
        held = whole = 0
        for mines, state, ways in leaf:
            layouts = part.unpack_coefficients(ways * others.get(state, 0))
            weighed = sum(n * weights[total] for total, n in layouts.items())
            whole += weighed
            held += mines * weighed
        yield box, Fraction(held, whole * len(part.boxes.cells[box]))


def count_other_boxes(part: JoinTables) -> list[dict[State, int]]:
    """Return for each table (boxes first) and state the ways of the other boxes of the component.

    A product with the ways of the state is in how many layouts it occurs.
    """
    rest: list[dict[State, int]] = [{} for _ in part.tables]
    rest[-1] = {(): 1}
    for table, (left, right) in reversed([*enumerate(part.joins, len(part.numbers))]):
        outer, one, other = rest[table], part.tables[left], part.tables[right]
        bits = count_longest_bits(outer.values())
        part.meter.spend_products(len(one.ways) * len(other.ways), bits, one.bits + other.bits)
        for first, second, state in part.iterate_pairs(one, other):
            if state in outer:
                ways = outer[state]
                for child, here, by in (
                    (left, first, other.ways[second]),
                    (right, second, one.ways[first]),
                ):
                    rest[child][here] = rest[child].get(here, 0) + ways * by
        rest[table] = {}
    return rest


def _compute_loose_chance(counted: Counted) -> Fraction:
    """Return the chance that a loose cell is a mine: the share of layouts in which it is one."""
    if counted.mines is None:
        return Fraction(1, 2)
    other_loose, mines_left = len(counted.boxes.loose) - 1, counted.mines - counted.boxes.mines - 1
    ways = counted.before[-1].items()
    return Fraction(
        sum(n * count_choices(other_loose, mines_left - mines) for mines, n in ways), counted.count
    )
