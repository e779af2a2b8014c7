"""Drills need their technique: counting layouts in plain Python finds no easier step in them."""

from collections.abc import Collection, Iterator
from functools import reduce
from itertools import combinations

import pytest

from minecheck.minefield.board import MINE, UNKNOWN
from minecheck.solvers import QuestionError
from minecheck.solvers.findings import WalkStep
from minecheck.solvers.games.drills import TECHNIQUES, Drill, DrillOptions, find_drill
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.games.proved_play import grade_steps
from minecheck.solvers.reasons.deduction import Level
from tests.clocks import Looks
from tests.deduction import Clue, close_subsets, components, sums
from tests.oracle import Cell, neighbours

#: Techniques and how many seeds are tried; a search is needed too rarely.
SEEDS = {name: 8 if name == "look-ahead" else 25 for name in TECHNIQUES if name != "search"}
#: A set of cells, and the fewest and the most mines among them.
Bounds = dict[frozenset[Cell], tuple[int, int]]


class Position:
    """A drill as a player sees it: unknown cells, and the mines that each clue lacks."""

    def __init__(self, drill: Drill) -> None:
        codes = drill.board.cells
        height, width = codes.shape
        cells = [(row, col) for row in range(height) for col in range(width)]
        self.hidden = {cell for cell in cells if codes[cell] == UNKNOWN}
        marked = {cell for cell in cells if codes[cell] == MINE}
        self.left = drill.game.layout.total - len(marked)
        self.clues: dict[Cell, Clue] = {}
        for cell in cells:
            around = frozenset(neighbours(cell, height, width))
            if codes[cell] <= 8 and around & self.hidden:
                self.clues[cell] = around & self.hidden, int(codes[cell]) - len(around & marked)

    def can_hold(self, clues: Collection[Clue], *, total: bool) -> bool:
        """True if some layout satisfies clues, and perhaps the total."""
        parts = [totals_in(part) for part in components(set(clues))]
        counted = {cell for cells, _ in clues for cell in cells}
        loose = (1 << len(self.hidden - counted) + 1) - 1
        found = reduce(sums, parts, 1)
        return bool(sums(found, loose) >> self.left & 1) if total else found != 0

    def decided(
        self, clues: Collection[Clue], cells: Collection[Cell], *, total: bool = False
    ) -> dict[Cell, bool]:
        """Return the cells that clues decide: True for mines."""
        return {
            cell: mine
            for cell in cells
            for mine in (False, True)
            if not self.can_hold([*clues, (frozenset([cell]), 1 - mine)], total=total)
        }

    def decided_by(self, *at: Cell) -> dict[Cell, bool]:
        """Return the cells that the clues of some cells decide."""
        clues = [self.clues[one] for one in at]
        return self.decided(clues, {cell for cells, _ in clues for cell in cells})

    def lines(self, technique: str) -> Iterator[frozenset[Cell]]:
        """Clues side by side that lack what a pattern says, in either direction."""
        needs = [int(need) for need in technique.split("-")]
        for row, col in self.clues:
            for down, across in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                line = [(row + down * one, col + across * one) for one in range(len(needs))]
                lacks = [self.clues[cell][1] for cell in line if cell in self.clues]
                if lacks == needs:
                    yield frozenset(line)


def totals_in(clues: list[Clue]) -> int:
    """Return the numbers of mines that layouts of a component have, as bits."""
    left = [len(cells) for cells, _ in clues]
    ways = {tuple(need for _, need in clues): 1}
    for cell in dict.fromkeys(cell for cells, _ in clues for cell in sorted(cells)):
        near = [cell in cells for cells, _ in clues]
        left = [many - here for many, here in zip(left, near, strict=True)]
        after: dict[tuple[int, ...], int] = {}
        for needs, totals in ways.items():
            for mine in (0, 1):
                rest = tuple(need - mine * here for need, here in zip(needs, near, strict=True))
                if all(0 <= need <= many for need, many in zip(rest, left, strict=True)):
                    after[rest] = after.get(rest, 0) | totals << mine
        ways = after
    return sum(ways.values())


def find(technique: str, seed: int, kind: Guarantee = Guarantee.OPENING) -> Drill:
    options = DrillOptions(7, 7, 9, kind, (3, 3), seed, technique=technique)
    found = find_drill(options)
    assert found.drill is not None
    assert found.complete
    return found.drill


def check_steps(position: Position, steps: list[WalkStep]) -> None:
    """Each step follows from its clues, needs them all, and decides something new."""
    seen: set[Cell] = set()
    for step in steps:
        says = dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True)
        assert says.keys() - seen
        seen |= says.keys()
        clues = [position.clues[cell] for cell in step.clues]
        assert position.decided(clues, says, total=step.total) == says
        for clue in clues:
            others = [one for one in clues if one is not clue]
            assert position.decided(others, says, total=step.total) != says
        if step.total:
            assert position.decided(clues, says) != says
        assert not step.uses


def close_bounds(clues: Collection[Clue]) -> Bounds:
    """All intersections and differences, as long as there are new sets or closer bounds."""
    known: Bounds = {cells: (need, need) for cells, need in clues}
    while True:
        before = dict(known)
        for one, other in combinations(before, 2):
            both = one & other
            if not both:
                continue
            for cells, outside, (low, high) in (
                (one, one - other, known[one]),
                (other, other - one, known[other]),
            ):
                tighten(known, both, low - len(outside), high)
                least, most = known[both]
                if outside:
                    tighten(known, outside, low - most, high - least)
                assert cells
        if known == before:
            return known


def tighten(known: Bounds, cells: frozenset[Cell], low: int, high: int) -> None:
    least, most = known.get(cells, (0, len(cells)))
    known[cells] = max(least, low), min(most, high)


@pytest.mark.slow
@pytest.mark.parametrize("technique", SEEDS)
def test_drill_needs_its_technique_and_no_harder_technique(technique: str) -> None:
    for seed in range(SEEDS[technique]):
        drill = find(technique, seed)
        position = Position(drill)
        assert drill.game.layout.fits_board(drill.board, drill.game.layout.total)
        assert drill.steps
        check_steps(position, drill.steps)
        clues = position.clues.values()
        decides = [clue for clue in position.clues if position.decided_by(clue)]
        if technique in ("trivial", "single clue"):
            assert all(step.pattern == "single clue" for step in drill.steps)
            assert decides
            continue
        assert not decides
        if technique in ("subset", "bounds", "look-ahead"):
            forced = {cell for step in drill.steps for cell in (*step.safe, *step.mines)}
            easy = [need in (0, len(cells)) for cells, need in close_subsets(clues)]
            assert any(easy) == (technique == "subset")
            if technique == "look-ahead":
                known = close_bounds(clues).items()
                assert not any(low == len(cells) or high == 0 for cells, (low, high) in known)
            assert not any(step.total for step in drill.steps)
            assert forced <= position.decided(clues, position.hidden).keys()
        elif technique in ("global", "mine counting"):
            assert not position.decided(clues, position.hidden)
            assert all(step.total for step in drill.steps)
        elif technique == "box":
            check_boxes(position, drill)
        else:
            check_pattern(position, drill, technique)


def check_boxes(position: Position, drill: Drill) -> None:
    """No clues side by side are enough; one clue of a step has the cells that it decides."""
    assert {step.pattern for step in drill.steps} == {"box"}
    sizes = {len(step.clues) for step in drill.steps}
    lines = {line for name in ("1-1", "1-2") for line in position.lines(name)}
    for pair in combinations(position.clues, 2):
        if position.clues[pair[0]][0] & position.clues[pair[1]][0] and position.decided_by(*pair):
            assert sizes == {2}
            assert frozenset(pair) not in lines
    for step in drill.steps:
        boxes = [position.clues[cell] for cell in step.clues]
        largest, need = max(boxes, key=lambda box: len(box[0]))
        others = [box for box in boxes if box[0] != largest]
        rest = largest.difference(*(cells for cells, _ in others))
        decided = {*step.safe, *step.mines}
        if len(boxes) > 2:
            assert decided == rest
            assert need - sum(lacking for _, lacking in others) == len(step.mines)
        else:
            assert decided <= boxes[0][0] ^ boxes[1][0]


def check_pattern(position: Position, drill: Drill, technique: str) -> None:
    """Two clues decide something only as a part of the pattern, which each step is."""
    lines = set(position.lines(technique))
    assert {frozenset(step.clues) for step in drill.steps} <= lines
    assert {step.pattern for step in drill.steps} == {technique}
    for pair in combinations(position.clues, 2):
        if position.clues[pair[0]][0] & position.clues[pair[1]][0] and position.decided_by(*pair):
            assert any(line.issuperset(pair) for line in lines)


@pytest.mark.parametrize("technique", ["subset", "1-2", "global"])
def test_find_drill_gives_equal_drills_for_equal_options(technique: str) -> None:
    first, again = find(technique, 5), find(technique, 5)
    assert (first.game, first.steps) == (again.game, again.steps)
    assert (first.board.cells == again.board.cells).all()
    assert find(technique, 6).game != first.game


def test_drills_of_guess_free_boards_come_from_guess_free_games() -> None:
    for seed in range(10):
        assert grade_steps(find("1-1", seed, Guarantee.GUESS_FREE).game) is not None


def test_find_drill_ends_at_the_deadline() -> None:
    options = DrillOptions(9, 9, 10, Guarantee.OPENING, (4, 4), 0, technique="search")
    found = find_drill(options, Looks(most=100))
    assert found.drill is None
    assert not found.complete
    assert found.tries > 0


def test_find_drill_gives_up_on_a_board_too_small_for_the_technique() -> None:
    options = DrillOptions(1, 4, 1, Guarantee.OPENING, (0, 0), 0, technique="1-2-2-1")
    found = find_drill(options, most_deals=10)
    assert (found.drill, found.tries) == (None, 10)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"technique": "guess"}, "technique"),
        ({"mines": 0}, "mines"),
        ({"hardest": Level.SUBSET}, "difficulty"),
        ({"height": 0}, "height"),
    ],
)
def test_drill_options_reject_impossible_values(changed: dict[str, object], field: str) -> None:
    usual = {
        "height": 9,
        "width": 9,
        "mines": 10,
        "kind": Guarantee.GUESS_FREE,
        "first": (4, 4),
        "seed": 0,
        "technique": "1-1",
    }
    with pytest.raises(QuestionError) as error:
        DrillOptions(**usual | changed)  # type: ignore[arg-type]
    assert error.value.field == field
