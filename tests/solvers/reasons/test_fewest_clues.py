"""The fewest clues, against all subsets of the clues of small boards."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations
from math import inf, log2

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import draw, parse
from minecheck.solvers import Deadline, QuestionError, answer_question
from minecheck.solvers.composition import Composition, Keep, Leave, Symmetry
from minecheck.solvers.findings import Composed, Reveal
from minecheck.solvers.reasons import solvability
from minecheck.solvers.reasons.deduction import LEVELS, Level
from minecheck.solvers.reasons.difficulty import Difficulty
from minecheck.solvers.reasons.fewest_clues import compose_clues
from minecheck.solvers.tasks.compose import Compose, ComposeAnswer
from minecheck.solvers.tasks.count import Count
from tests import oracle
from tests.boards import boards_with_totals, layout_boards
from tests.examples import examples
from tests.oracle import Cell, neighbours

Enough = Callable[[frozenset[Cell]], bool]
Bounds = dict[frozenset[Cell], tuple[int, int]]

_TURNS: dict[Symmetry, Callable[[int, int, int, int], Cell]] = {
    Symmetry.NONE: lambda row, col, height, width: (row, col),
    Symmetry.HALF_TURN: lambda row, col, height, width: (height - 1 - row, width - 1 - col),
    Symmetry.QUARTER_TURN: lambda row, col, height, width: (col, height - 1 - row),
    Symmetry.LEFT_RIGHT: lambda row, col, height, width: (row, width - 1 - col),
    Symmetry.TOP_BOTTOM: lambda row, col, height, width: (height - 1 - row, col),
}


@st.composite
def full_boards(draw: st.DrawFn, cells: int = 12, side: int = 4) -> Board:
    """Boards that show every cell."""
    height = draw(st.integers(1, side))
    width = draw(st.integers(1, min(side, cells // height)))
    size = height * width
    mines = draw(st.lists(st.sampled_from([False, False, True]), min_size=size, max_size=size))
    return Board(Layout(np.array(mines).reshape(height, width)).to_codes())


def cells_with(board: Board, codes: Collection[int]) -> list[Cell]:
    return [(row, col) for row, col in np.argwhere(np.isin(board.cells, list(codes))).tolist()]


def showing(base: Board, board: Board, cells: Iterable[Cell]) -> Board:
    """A board without clues, with some of those of another."""
    return base.with_codes({cell: int(board.cells[cell]) for cell in cells})


def without_clues(board: Board, keep: Keep, leave: Leave) -> Board:
    hidden = UNKNOWN if leave is Leave.UNKNOWN else SAFE
    codes = board.cells.copy()
    codes[codes <= 8] = hidden
    if keep is not Keep.FORCED:
        codes[codes == MINE] = UNKNOWN
    return Board(codes)


def by_layouts(board: Board, mines: int | None, keep: Keep, leave: Leave) -> Enough:
    """Return a test of clues by all layouts of the board without them."""
    base, every = without_clues(board, keep, leave), oracle.answer(board, mines)
    clues = cells_with(board, range(9))
    held = set(cells_with(board, [MINE])) | every.forced_mines
    free = set(clues) | set(cells_with(board, [SAFE])) | every.forced_safe

    def otherwise(layout: frozenset[Cell]) -> bool:
        return not every.consistent or not held <= layout or bool(free & layout)

    against = set()
    for layout in filter(otherwise, oracle.answer(base, mines).layouts):
        against.add(
            frozenset(
                clue
                for clue in clues
                if clue in layout
                or len(layout.intersection(neighbours(clue, *board.shape))) != board.cells[clue]
            )
        )
    return lambda chosen: all(chosen & broken for broken in against)


def find_decided(
    board: Board, layout: frozenset[Cell], level: Level, mines: int | None
) -> set[Cell]:
    """Cells that rules up to a level decide, in plain Python: intervals over sets of cells."""
    unknown = set(cells_with(board, [UNKNOWN]))
    known: set[Cell] = set()
    while True:
        before = len(known)
        rules = _list_clue_bounds(board, layout, unknown - known)
        while (found := _close(rules, Level.TRIVIAL)) - known:
            known |= found
            rules = _list_clue_bounds(board, layout, unknown - known)
        if level >= Level.SUBSET:
            known |= _close(rules, min(level, Level.BOUNDS))
        if level >= Level.LOOK_AHEAD and len(known) == before:
            for cell in unknown - known:
                value = int(cell not in layout)
                supposed = dict(rules) | {frozenset([cell]): (value, value)}
                if any(low > high for low, high in _closed(supposed, Level.BOUNDS).values()):
                    known.add(cell)
                    break
        if level >= Level.GLOBAL and len(known) == before and mines is not None:
            left = unknown - known
            if len(layout & left) in (0, len(left)):
                known |= left
        if len(known) == before:
            return known


def _list_clue_bounds(board: Board, layout: frozenset[Cell], unknown: set[Cell]) -> Bounds:
    """Return the bounds of clues on unknown cells, all others being as in the layout."""
    rules: Bounds = {}
    for clue in cells_with(board, range(9)):
        around = unknown.intersection(neighbours(clue, *board.shape))
        if around:
            need = len(layout & around)
            rules[frozenset(around)] = (need, need)
    return rules


def _close(rules: Bounds, level: Level) -> set[Cell]:
    closed = _closed(rules, level)
    return set().union(
        *[cells for cells, (low, high) in closed.items() if high == 0 or low == len(cells)]
    )


def _closed(rules: Bounds, level: Level) -> Bounds:
    known = dict(rules)
    fresh = level > Level.TRIVIAL
    while fresh:
        fresh = False
        for one, other in combinations(list(known), 2):
            for cells, low, high in _from(known, one, other, level):
                old = known.get(cells, (0, len(cells)))
                new = max(old[0], low), min(old[1], high)
                if cells and new != old:
                    known[cells], fresh = new, True
                elif (not cells and low > 0) or high < 0:
                    known[cells] = low, high
                if new[0] > new[1]:
                    return known
    return known


def _from(
    known: Bounds, one: frozenset[Cell], other: frozenset[Cell], level: Level
) -> Iterable[tuple[frozenset[Cell], int, int]]:
    shared = one & other
    if not shared or (level is Level.SUBSET and shared not in (one, other)):
        return
    bounds = []
    for cells, beside in ((one, other), (other, one)):
        low, high = known[cells]
        low_b, high_b = known[beside]
        most = min(high_b, len(shared))
        least = max(0, low_b - len(beside - shared))
        if level is not Level.SUBSET or shared == beside:
            yield cells - shared, low - most, high - least
        bounds.append((low - len(cells - shared), high))
    if level is Level.BOUNDS:
        yield shared, max(low for low, _ in bounds), min(high for _, high in bounds)


def by_rules(board: Board, mines: int | None, leave: Leave, level: Level) -> Enough:
    base = without_clues(board, Keep.SOLVABLE, leave)
    layout = frozenset(cells_with(board, [MINE]))

    @cache
    def enough(chosen: frozenset[Cell]) -> bool:
        shown = showing(base, board, chosen)
        return find_decided(shown, layout, level, mines) == set(cells_with(shown, [UNKNOWN]))

    return enough


def orbits_of(board: Board, symmetry: Symmetry) -> list[frozenset[Cell]]:
    turn, clues = _TURNS[symmetry], set(cells_with(board, range(9)))
    found = set()
    for cell in clues:
        orbit = [cell]
        while (image := turn(*orbit[-1], *board.shape)) != cell:
            orbit.append(image)
        found.add(frozenset(orbit))
    return [orbit for orbit in found if orbit <= clues]


def fewest(orbits: list[frozenset[Cell]], enough: Enough) -> int | None:
    """The number of clues in the smallest set of orbits that is enough, by trying all."""
    sets = [
        frozenset().union(*chosen)
        for size in range(len(orbits) + 1)
        for chosen in combinations(orbits, size)
    ]
    return next((len(one) for one in sorted(sets, key=len) if enough(one)), None)


def check(found: Composed, board: Board, composition: Composition, enough: Enough) -> None:
    """Compare all fields of the answer with all subsets of the board's orbits."""
    orbits = orbits_of(board, composition.symmetry)
    every = frozenset().union(*orbits)
    assert set(found.offered) == every
    assert found.enough == enough(every)
    if not found.enough:
        assert found.kept is None
        assert found.board is None
        return
    assert found.optimal
    assert found.kept is not None
    assert found.board is not None
    assert len(found.kept) == fewest(orbits, enough)
    assert enough(frozenset(found.kept))
    base = without_clues(board, composition.keep, composition.leave)
    assert found.board == showing(base, board, found.kept)
    spare = [orbit for orbit in orbits if enough(every - orbit)]
    assert found.redundant == sorted(frozenset().union(*spare))


SYMMETRIES = st.sampled_from(Symmetry)
LEAVES = st.sampled_from([Leave.UNKNOWN, Leave.UNKNOWN, Leave.SAFE])


def compose_board(board: Board, mines: int | None, composition: Composition) -> Composed:
    question = Compose(board, mines, **composition.options)
    found: ComposeAnswer = answer_question(question)
    assert found.complete
    assert found.composed is not None
    return found.composed


@pytest.mark.slow
@examples(200)
@given(full_boards(), st.booleans(), SYMMETRIES, LEAVES)
def test_compose_finds_the_fewest_clues_that_leave_one_layout(
    board: Board, with_total: bool, symmetry: Symmetry, leave: Leave
) -> None:
    assume(symmetry is not Symmetry.QUARTER_TURN or board.height == board.width)
    mines = int((board.cells == MINE).sum()) if with_total else None
    composition = Composition(Keep.LAYOUT, symmetry=symmetry, leave=leave)
    check(
        compose_board(board, mines, composition),
        board,
        composition,
        by_layouts(board, mines, composition.keep, leave),
    )


@pytest.mark.slow
@examples(200)
@given(boards_with_totals(), SYMMETRIES, LEAVES)
def test_compose_finds_the_fewest_clues_that_keep_forced_cells_or_a_conflict(
    given: tuple[Board, int | None], symmetry: Symmetry, leave: Leave
) -> None:
    board, mines = given
    codes = board.cells.copy()
    codes[codes > MINE + 1] = UNKNOWN
    board = Board(codes)
    clues = len(cells_with(board, range(9)))
    unknown = int(board.unknown.sum()) + (clues if leave is Leave.UNKNOWN else 0)
    assume(clues <= 10 and unknown <= oracle.MOST_UNKNOWN)
    assume(mines is None or mines <= board.cells.size)
    assume(symmetry is not Symmetry.QUARTER_TURN or board.height == board.width)
    composition = Composition(Keep.FORCED, symmetry=symmetry, leave=leave)
    check(
        compose_board(board, mines, composition),
        board,
        composition,
        by_layouts(board, mines, composition.keep, leave),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", LEVELS)
@examples(60)
@given(full_boards(9, 4), st.booleans(), SYMMETRIES, LEAVES)
def test_compose_finds_the_fewest_clues_that_people_can_solve(
    name: str, board: Board, with_total: bool, symmetry: Symmetry, leave: Leave
) -> None:
    assume(symmetry is not Symmetry.QUARTER_TURN or board.height == board.width)
    level = LEVELS[name]
    mines = int((board.cells == MINE).sum()) if with_total or level is Level.GLOBAL else None
    composition = Composition(Keep.SOLVABLE, name, symmetry, leave)
    enough = (
        by_layouts(board, mines, composition.keep, leave)
        if level is Level.SEARCH
        else by_rules(board, mines, leave, level)
    )
    check(compose_board(board, mines, composition), board, composition, enough)


@dataclass(frozen=True)
class Patience(Deadline):
    """A deadline that is over once it was looked at so often."""

    looks: list[int] = field(default_factory=list)

    @property
    def left(self) -> float:
        self.looks[0] -= 1
        return inf if self.looks[0] > 0 else -1.0


BOARD = parse(["1221", "2BB2", "2BB2", "1221"])


@pytest.mark.parametrize("keep", [Keep.LAYOUT, Keep.SOLVABLE])
@pytest.mark.parametrize(
    "looks",
    [
        *(1, 10, 60, 100_000),
        *(
            pytest.param(looks, marks=pytest.mark.slow)
            for looks in (2, 5, 20, 30, 40, 80, 120, 200)
        ),
    ],
)
def test_compose_at_the_deadline_gives_the_best_clues_and_a_bound(looks: int, keep: Keep) -> None:
    enough = by_layouts(BOARD, 4, Keep.LAYOUT, Leave.UNKNOWN)
    sizes_and_bounds: list[tuple[int, int]] = []

    def report(found: Composed) -> None:
        sizes_and_bounds.append((len(found.kept or found.offered), found.lower_bound))

    composition = Composition(keep, "global" if keep is Keep.SOLVABLE else None)
    found = compose_clues(BOARD, 4, composition, None, Patience(looks=[looks]), report)
    best = fewest(orbits_of(BOARD, Symmetry.NONE), enough)
    if keep is Keep.LAYOUT:
        assert best is not None
        assert found.lower_bound <= best
        assert found.kept is None or len(found.kept) >= best
        assert found.optimal is (found.kept is not None and found.lower_bound == len(found.kept))
    assert found.kept is None or enough(frozenset(found.kept))
    assert [size for size, _ in sizes_and_bounds] == sorted(
        (size for size, _ in sizes_and_bounds), reverse=True
    )
    assert [bound for _, bound in sizes_and_bounds] == sorted(
        bound for _, bound in sizes_and_bounds
    )
    assert found.optimal or looks < 100_000


def test_compose_without_a_decision_is_not_called_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvability, "Difficulty", partial(Difficulty, most_sets=1))
    found = compose_clues(BOARD, 4, Composition(Keep.SOLVABLE, "bounds"), None, Deadline())
    assert not found.optimal
    assert found.enough is not False


@examples(100)
@example(parse(["?2?", "???"]), False, False)
@given(layout_boards(3), st.booleans(), st.booleans())
def test_compose_reveals_agree_with_all_layouts(
    board: Board, with_total: bool, known: bool
) -> None:
    unknown = cells_with(board, [UNKNOWN, MINE + 2])
    assume(len(unknown) <= 8)
    every = oracle.answer(board)
    mines = min(every.by_mines) if with_total else None
    every = oracle.answer(board, mines)
    chosen = every.layouts[0]
    mask = np.zeros(board.shape, np.bool_)
    mask[tuple(zip(*chosen, strict=True))] = bool(chosen)
    composition = Composition(Keep.FORCED, reveals=99, layout=Layout(mask) if known else None)
    question = Compose(board, mines, **composition.options)
    found: ComposeAnswer = answer_question(question)
    assert found.complete
    assert found.composed is not None
    assert found.composed.reveals is not None
    expected = {}
    for cell in [*unknown, *cells_with(board, [SAFE])]:
        layouts = [one for one in ([chosen] if known else every.layouts) if cell not in one]
        if layouts:
            outcomes = [_shown(board, mines, every, cell, layout) for layout in layouts]
            forced, bits = zip(*outcomes, strict=True)
            expected[cell] = sum(forced) / len(layouts), sum(bits) / len(layouts)
    told_of: list[Reveal] = found.composed.reveals
    assert {
        one.cell: (pytest.approx(one.forced), pytest.approx(one.bits)) for one in told_of
    } == expected
    assert [-one.forced for one in told_of] == sorted(-one.forced for one in told_of)


def test_compose_reveals_weigh_any_number_of_layouts() -> None:
    board = parse(["?1?" + "?" * 200, "?" * 203])
    question = Compose(board, keep=Keep.FORCED, reveals=1)
    found = answer_question(question).composed
    assert found is not None
    assert found.reveals is not None
    assert found.reveals[0].bits is not None
    assert 300 < found.reveals[0].bits < 410


def _shown(
    board: Board, mines: int | None, every: oracle.Answer, cell: Cell, layout: frozenset[Cell]
) -> tuple[int, float]:
    """Other cells that a clue of a layout forces, and bits of the layouts that are left."""
    number = len(layout.intersection(neighbours(cell, *board.shape)))
    after = oracle.answer(board.with_codes({cell: number}), mines)
    new = (after.forced_mines | after.forced_safe) - every.forced_mines - every.forced_safe
    return len(new), log2(after.count)


@pytest.mark.parametrize(
    ("rows", "mines", "composition", "field", "cell"),
    [
        (["1?"], None, Composition(Keep.LAYOUT), "board", (0, 1)),
        (["1F"], None, Composition(Keep.SOLVABLE), "board", (0, 1)),
        (["2B"], None, Composition(Keep.LAYOUT), "board", (0, 0)),
        (["1B"], 2, Composition(Keep.LAYOUT), "mines", None),
        (["1B"], None, Composition(Keep.LAYOUT, symmetry=Symmetry.QUARTER_TURN), "symmetry", None),
        (["1B"], None, Composition(Keep.LAYOUT, difficulty="subset"), "difficulty", None),
        (["1B"], None, Composition(Keep.SOLVABLE, "global"), "mines", None),
        (
            ["1B"],
            None,
            Composition(Keep.LAYOUT, layout=Layout(np.array([[False, True]]))),
            "layout",
            None,
        ),
        (
            ["?1"],
            None,
            Composition(Keep.FORCED, reveals=1, layout=Layout(np.array([[False, False]]))),
            "layout",
            (0, 1),
        ),
        (["0" * 60] * 50, None, Composition(Keep.LAYOUT), "board", None),
    ],
)
def test_compose_rejects_boards_that_cannot_be_composed(
    rows: list[str], mines: int | None, composition: Composition, field: str, cell: Cell | None
) -> None:
    with pytest.raises(QuestionError) as caught:
        Compose(parse(rows), mines, **composition.options)
    assert (caught.value.field, caught.value.cell) == (field, cell)


def test_compose_finds_the_optimum_of_a_larger_board() -> None:
    rows = ["01B211", "12B4B2", "B23BB2", "112221", "000000", "000000"]
    board = parse(rows)
    layout = Layout(board.cells == MINE)
    board = Board(layout.to_codes())
    found = compose_board(board, layout.total, Composition(Keep.LAYOUT))
    assert found.board is not None
    assert answer_question(Count(found.board, layout.total)).count == 1
    for row in draw(found.board):
        assert "B" not in row
