"""Replays chains of deductions: each step has to follow from the steps it names, by enumeration.

Nothing is taken from the code under test but the names of fields and rules.
Cells may be anything that can be hashed, so chains in JSON are replayed as well.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

from minecheck.minefield.board import FLAG, MINE, UNKNOWN, Board
from minecheck.minefield.reduction.constraints import TOTAL
from tests import oracle


class Premise(Protocol):
    """A clue, or the total (`TOTAL`): among the cells lie ``low`` to ``high`` mines."""

    @property
    def clue(self) -> Hashable: ...
    @property
    def cells(self) -> Sequence[Hashable]: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...


class Step(Premise, Protocol):
    """A `solvers.reasons.deduction.Deduction`, or one like it."""

    @property
    def rule(self) -> str: ...
    @property
    def sources(self) -> Sequence[int]: ...
    @property
    def under(self) -> Sequence[int]: ...


@dataclass(frozen=True)
class Said:
    """A premise of one's own."""

    clue: Any
    cells: tuple[Any, ...]
    low: int
    high: int


def list_statements(board: Board, mines: int | None = None) -> list[Said]:
    """List the premises of a board's clues and of the total; clues and cells are (row, col)."""
    cells = {
        (row, col): code
        for row, codes in enumerate(board.cells.tolist())
        for col, code in enumerate(codes)
    }

    def among(clue: Hashable, neighbours: Collection[oracle.Cell], mines: int) -> Said:
        left = mines - sum(cells[cell] == MINE for cell in neighbours)
        unknown = tuple(cell for cell in neighbours if cells[cell] in (UNKNOWN, FLAG))
        return Said(clue, unknown, left, left)

    found = [
        among(cell, oracle.neighbours(cell, board.height, board.width), code)
        for cell, code in cells.items()
        if code <= 8
    ]
    return found if mines is None else [*found, among(TOTAL, cells, mines)]


@dataclass(frozen=True)
class Line(Said):
    """A step as it stands in JSON."""

    rule: str
    sources: tuple[int, ...]
    under: tuple[int, ...]


def parse_steps(steps: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Steps from JSON; lists such as ``[row, col]`` become tuples."""
    return [
        Line(
            _hashable(step.get("clue")),
            tuple(map(_hashable, step["cells"])),
            step["low"],
            step["high"],
            step["rule"],
            tuple(step["sources"]),
            tuple(step["under"]),
        )
        for step in steps
    ]


def replay(steps: Sequence[Step], premises: Collection[Premise]) -> None:
    """Raise `AssertionError` unless the last step follows from the premises by the chain.

    A step of rule "clue" is the premise of its clue, one of rule "total" that of the total;
    their bounds may be cut to what the cells can hold. One of rule "search" has to follow from
    its sources as any other.
    """
    assert steps, "an empty chain shows nothing"
    for index in range(len(steps)):
        fault = _fault(steps, index, premises)
        assert fault is None, f"step {index} {fault}: {list(steps)}"
    assert not steps[-1].under, f"the last step rests on a supposition: {list(steps)}"


def idle(steps: Sequence[Step]) -> list[int]:
    """Indices of look-aheads that hold, but against something that nobody needs to suppose."""
    return [
        index
        for index, step in enumerate(steps)
        if step.rule == "look-ahead" and step.sources[0] not in steps[step.sources[1]].under
    ]


def ways_to_hold(cells: Collection[Hashable], statements: Sequence[Premise]) -> set[int]:
    """All numbers of mines among some cells in the assignments that satisfy the statements.

    Cells that the statements do not tell apart are filled together: only how many of them are
    mines matters. What a statement counts is forgotten with the last of its cells.
    """
    sets = [frozenset(cells), *(frozenset(one.cells) for one in statements)]
    bounds = [(0, len(cells)), *((one.low, one.high) for one in statements)]
    if any(not low <= 0 <= high for (low, high), one in zip(bounds, sets, strict=True) if not one):
        return set()
    alike = Counter(
        tuple(index for index, one in enumerate(sets) if cell in one)
        for cell in frozenset().union(*sets)
    )
    left = [len(one) for one in sets]
    ways = {(0,) * len(sets)}
    for inside, size in sorted(alike.items()):
        for index in inside:
            left[index] -= size
        grown = set()
        for way, mines in product(ways, range(size + 1)):
            held = list(way)
            for index in inside:
                held[index] += mines
            if all(bounds[p][0] - left[p] <= held[p] <= bounds[p][1] for p in inside):
                grown.add((held[0], *(n if left[p] else 0 for p, n in enumerate(held) if p)))
        ways = grown
    return {way[0] for way in ways}


def _fault(steps: Sequence[Step], index: int, premises: Collection[Premise]) -> str | None:
    """Return what is wrong with a step."""
    step = steps[index]
    if not all(0 <= source < index for source in step.sources):
        return "has sources that do not come before it"
    if len(set(step.cells)) != len(step.cells):
        return "has a cell twice"
    sources = [steps[source] for source in step.sources]
    under = {supposed for source in sources for supposed in source.under}
    match step.rule:
        case "clue" | "total":
            holds = not sources and any(_same(step, premise) for premise in premises)
        case "assume":
            holds = not sources and len(step.cells) == 1 and step.low == step.high in (0, 1)
            under = {index}
        case "look-ahead":
            holds = len(sources) == 2 and _negates_assumption(step, *sources)
            under.discard(step.sources[0])
        case "difference" | "intersection" | "union" | "search":
            held = ways_to_hold(step.cells, sources)
            holds = all(step.low <= mines <= step.high for mines in held)
        case _:
            return "has an unknown rule"
    if not holds:
        return "does not hold"
    return None if sorted(step.under) == sorted(under) else f"is under {sorted(under)}"


def _negates_assumption(step: Step, supposed: Step, against: Step) -> bool:
    """True if a step negates an assumption that leads to a contradiction."""
    opposite = (supposed.cells, 1 - supposed.high, 1 - supposed.low)
    return (
        supposed.rule == "assume"
        and against.low > against.high
        and (step.cells, step.low, step.high) == opposite
    )


def _same(step: Step, premise: Premise) -> bool:
    clue = TOTAL if step.rule == "total" else step.clue
    return (clue, set(step.cells), _clip_bounds(step)) == (
        premise.clue,
        set(premise.cells),
        _clip_bounds(premise),
    )


def _clip_bounds(one: Premise) -> tuple[int, int]:
    """Bounds; those beyond what the cells can hold are all alike."""
    return max(one.low, 0), min(one.high, len(one.cells))


def _hashable(value: Any) -> Hashable:
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value
