"""A slow and obviously right answer for boards under other rules, and such boards at random.

Whether two cells touch is found from the distance between them, not from a list of steps.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from minecheck.minefield import FLAG, MINE, UNKNOWN, Board, Clue, Shape, Topology, Variant, parse
from minecheck.solvers import FULL, answer_question
from minecheck.solvers.effort import VariantLimits
from minecheck.solvers.tasks.analyze import Analyze
from tests.oracle import Cell

Touch = Callable[[Cell, Cell], bool]


def _apart(one: int, other: int, size: int, joined: bool) -> int:
    """The distance on a line, or on a circle."""
    gap = abs(one - other)
    return min(gap, size - gap) if joined else gap


def touching(topology: Topology, height: int, width: int) -> Touch:
    """Return a function that says whether a clue counts the mines in another cell of a layer."""

    def is_adjacent(one: Cell, other: Cell) -> bool:
        down, right = other[0] - one[0], other[1] - one[1]
        round_rows = topology.shape is Shape.TORUS
        round_cols = topology.shape in (Shape.TORUS, Shape.CYLINDER)
        if topology.offsets is not None:
            return any(
                (down - dr == 0 or (round_rows and (down - dr) % height == 0))
                and (right - dc == 0 or (round_cols and (right - dc) % width == 0))
                for dr, dc in topology.offsets
            )
        if topology.shape is Shape.KNIGHT:
            return {abs(down), abs(right)} == {1, 2}
        if topology.shape is Shape.HEXAGONAL:
            # Along axes at 60 degrees to each other.
            slant = right - (other[0] // 2 - one[0] // 2)
            return max(abs(slant), abs(down), abs(slant + down)) == 1
        return (
            max(
                _apart(one[0], other[0], height, round_rows),
                _apart(one[1], other[1], width, round_cols),
            )
            <= 1
        )

    return is_adjacent


def neighbours(variant: Variant, cell: Cell) -> set[Cell]:
    """The cells whose mines a clue in this cell counts."""
    rows, width = variant.shape
    height = rows // variant.topology.layers
    beside = touching(variant.topology, height, width)
    found = set()
    for other in product(range(rows), range(width)):
        floors = abs(cell[0] // height - other[0] // height)
        one, two = (cell[0] % height, cell[1]), (other[0] % height, other[1])
        if other != cell and ((floors <= 1 and beside(one, two)) or (floors == 1 and one == two)):
            found.add(other)
    return found


@dataclass(frozen=True)
class Judged:
    """Every layout, as the mines in each cell; those of unknown cells that all have in common."""

    layouts: list[tuple[tuple[int, ...], ...]]
    liars: list[set[Cell]]
    by_mines: dict[int, int]
    forced_mines: set[Cell]
    forced_safe: set[Cell]
    chances: dict[Cell, Fraction]


def analyze_within(limits: VariantLimits, variant: Variant, total: int | None) -> Any:
    """The analysis of a variant where the ways to count it have these limits."""
    question = Analyze(variant, total, fractions=True)
    return answer_question(question, effort=replace(FULL, variants=limits))


def judge(variant: Variant, mines: int | None = None, density: Fraction | None = None) -> Judged:
    """All layouts of the variant."""
    codes = variant.cells.tolist()
    rows, width = variant.shape
    cells = list(product(range(rows), range(width)))
    numbers = range(variant.most + 1)
    choices: list[Collection[int]] = []
    clues: dict[Cell, Clue] = {}
    for row, col in cells:
        code = codes[row][col]
        choices.append(
            numbers if code in (UNKNOWN, FLAG) else numbers[1:] if code == MINE else numbers[:1]
        )
        if code <= 8:
            clues[row, col] = Clue(code, code)
    clues |= variant.differences
    around = {cell: neighbours(variant, cell) for cell in clues}
    layouts, liars = [], []
    for chosen in product(*choices):
        held = dict(zip(cells, chosen, strict=True))
        wrong = {
            cell
            for cell, clue in clues.items()
            if not _allows_mines(clue, sum(held[near] for near in around[cell]))
        }
        if variant.lies[0] <= len(wrong) <= variant.lies[1] and mines in (None, sum(chosen)):
            layouts.append(
                tuple(tuple(chosen[row * width : (row + 1) * width]) for row in range(rows))
            )
            liars.append(wrong)
    totals = [sum(map(sum, layout)) for layout in layouts]
    odds = Fraction(1) if density is None else density / (1 - density)
    weights = [odds**total for total in totals]
    unknown = [(row, col) for row, col in cells if codes[row][col] in (UNKNOWN, FLAG)]
    chances = {
        (row, col): sum(
            (weight for weight, one in zip(weights, layouts, strict=True) if one[row][col]),
            Fraction(0),
        )
        / sum(weights)
        for row, col in unknown
        if layouts
    }
    return Judged(
        layouts,
        liars,
        dict(sorted(Counter(totals).items())),
        {cell for cell, chance in chances.items() if chance == 1},
        {cell for cell, chance in chances.items() if chance == 0},
        chances,
    )


def _allows_mines(clue: Clue, mines: int) -> bool:
    return mines in (clue.values or range(clue.low, clue.high + 1))


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    """Any of them, most without layers."""
    shape = draw(st.sampled_from(list(Shape)))
    offsets = None
    if shape not in (Shape.HEXAGONAL, Shape.KNIGHT) and draw(st.booleans()):
        step = st.tuples(st.integers(-2, 2), st.integers(-2, 2)).filter(lambda one: one != (0, 0))
        offsets = tuple(draw(st.lists(step, min_size=1, max_size=5, unique=True)))
    return Topology(shape, offsets, draw(st.sampled_from([1, 1, 1, 2, 3])))


@st.composite
def variants(
    draw: st.DrawFn, most_unknown: int = 9, kinds: Mapping[str, bool] | None = None
) -> Variant:
    """Small boards: most of them have a layout, for their clues are near the truth.

    ``kinds`` says what there may be beside a topology and intervals: sets, piles, lies.
    """
    kinds = kinds or {}
    topology = draw(topologies())
    height, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    rows = height * topology.layers
    cells = list(product(range(rows), range(width)))
    most = draw(st.integers(1, 3)) if kinds.get("piles") else 1
    limit = most_unknown if most == 1 else most_unknown // 2 + 1
    unknown = set(draw(st.lists(st.sampled_from(cells), max_size=limit, unique=True)))
    held = {cell: draw(st.integers(0, most)) for cell in unknown}
    symbols = [["S"] * width for _ in range(rows)]
    beside: dict[Cell, Clue] = {}
    empty = Variant(Board(np.full((rows, width), UNKNOWN, np.int8)), topology)
    for row, col in cells:
        if (row, col) in unknown:
            known = held[row, col] > 0 and draw(st.integers(0, 5)) == 0
            symbols[row][col] = "B" if known else draw(st.sampled_from("???F"))
            continue
        truth = sum(held.get(near, 0) for near in neighbours(empty, (row, col)))
        number_shown = max(0, truth + draw(st.sampled_from([0, 0, 0, 0, 0, 1, -1])))
        kind = draw(st.sampled_from(["number", "number", "safe", "interval", "set"]))
        if kind == "number" and number_shown <= 8:
            symbols[row][col] = str(number_shown)
        elif kind == "interval":
            low = max(0, number_shown - draw(st.integers(0, 1)))
            beside[row, col] = Clue(low, number_shown + draw(st.integers(0, 2)))
        elif kind == "set" and kinds.get("sets"):
            values = draw(st.sets(st.integers(0, 6), min_size=1, max_size=3))
            beside[row, col] = Clue.one_of(values | {number_shown})
    board = parse(["".join(row) for row in symbols])
    clues = len(beside) + int((board.cells <= 8).sum())
    lies = (0, 0)
    if kinds.get("lies") and clues:
        high = draw(st.integers(0, 2))
        lies = draw(st.sampled_from([(0, high), (high, high)]))
    return Variant(board, topology, beside, most, lies)
