"""Diagrams against all layouts written out, transfer matrices, SAT and frontier counts."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.automata import diagram_passes
from minecheck.automata.columns import Columns
from minecheck.automata.diagram import MOST_KEYS, WIDEST, Diagram, DiagramTooLarge
from minecheck.automata.kernels import MAY_BE_MINE, MAY_BE_SAFE
from minecheck.automata.odds import EVEN, Odds, round_ratio
from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board, list_coordinates
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.solvers import Backend, answer_question
from tests import boards, oracle
from tests.examples import examples
from tests.tasks import Task, question_of
from tests.transfer import Transfer

OPEN = MAY_BE_SAFE | MAY_BE_MINE

#: Layouts, each a tuple of cells in the order of the strip.
Written = list[tuple[bool, ...]]


def columns_of(board: Board) -> Columns:
    return Columns.from_cells(np.ascontiguousarray(board.cells.T))


def written_out(columns: Columns, mines: int | None = None) -> Written:
    """All layouts in order, hidden cells safe, by trying every way to fill the open cells."""
    shape = columns.may.shape
    cells = list(np.ndindex(shape))
    unknown = [cell for cell in cells if columns.may[cell] == OPEN]
    known = {cell for cell in cells if columns.may[cell] == MAY_BE_MINE}
    rules = []
    for cell in cells:
        if columns.may[cell] == MAY_BE_SAFE:
            around = oracle.neighbours(cell, *shape)
            seen = len(known.intersection(around))
            covered = [near for near in around if near in unknown]
            rules.append((covered, int(columns.low[cell]) - seen, int(columns.high[cell]) - seen))
    total = None if mines is None else mines - len(known)
    found = oracle.sets_of(rules, unknown, total) if columns.may.all() else []
    return sorted(
        {
            tuple(cell in held | known and not columns.hidden[cell] for cell in cells)
            for held in found
        }
    )


def flat(layout: NDArray[np.bool_]) -> tuple[bool, ...]:
    return tuple(layout.ravel().tolist())


@st.composite
def loose_columns(draw: st.DrawFn, hidden: bool = True) -> Columns:
    """Strips some of whose clues are intervals, perhaps empty ones, and some cells hidden."""
    board = draw(boards.strip_boards(cells=16, unknown=9))
    columns = columns_of(board)
    looser = st.sampled_from([(0, 0), (0, 0), (1, 0), (0, 1), (1, 2), (0, -1), (-1, 1)])
    if draw(st.booleans()):
        for cell in np.argwhere(columns.high < 8):
            below, above = draw(looser)
            low, high = columns.low[*cell] - below, columns.high[*cell] + above
            columns.low[*cell], columns.high[*cell] = max(0, low), min(8, high)
    if hidden and draw(st.booleans()):
        looks = draw(st.lists(st.booleans(), min_size=board.cells.size, max_size=board.cells.size))
        columns.hidden[:] = np.reshape(looks, columns.hidden.shape)
    return columns


@given(loose_columns())
def test_diagram_lists_each_layout_once_in_order(columns: Columns) -> None:
    diagram = Diagram(columns)
    expected = written_out(columns)
    assert list(map(flat, diagram.iterate_layouts())) == expected
    assert diagram.count() == len(expected)
    assert diagram.empty is (not expected)


@given(st.data(), loose_columns(hidden=False))
def test_diagram_with_a_total_lists_the_layouts_with_that_many_mines(
    data: st.DataObject, columns: Columns
) -> None:
    mines = data.draw(st.integers(0, columns.may.size))
    diagram = Diagram(columns, mines)
    expected = written_out(columns, mines)
    assert list(map(flat, diagram.iterate_layouts())) == expected
    assert diagram.count() == len(expected)


@given(loose_columns(hidden=False))
def test_diagram_counts_layouts_by_mines(columns: Columns) -> None:
    expected = Counter(map(sum, written_out(columns)))
    diagram = Diagram(columns)
    assert diagram.by_mines() == expected
    assert list(diagram.by_mines()) == sorted(expected)
    assert diagram.count() == expected.total()
    for mines, ways in islice(expected.items(), 2):
        assert Diagram(columns, mines).by_mines() == {mines: ways}


@given(loose_columns())
def test_diagram_rank_and_unrank_are_inverse(columns: Columns) -> None:
    diagram = Diagram(columns)
    expected = written_out(columns)
    for rank, layout in enumerate(expected):
        found = diagram.unrank(rank)
        assert found.shape == columns.may.shape
        assert flat(found) == layout
        assert diagram.rank(found) == rank
    for rank in (-1, len(expected), len(expected) + 1, 10**30):
        with pytest.raises(IndexError, match=str(rank)):
            diagram.unrank(rank)


@given(loose_columns())
def test_diagram_lists_layouts_from_every_offset(columns: Columns) -> None:
    diagram = Diagram(columns)
    expected = written_out(columns)
    for offset in {0, 1, 2, len(expected) // 2, len(expected) - 1, len(expected), 10**30} - {-1}:
        assert list(map(flat, diagram.iterate_layouts(offset))) == expected[offset:]


@given(loose_columns())
def test_diagram_finds_which_cells_can_be_mines_or_safe(columns: Columns) -> None:
    cells = np.array(written_out(columns), np.bool_).reshape(-1, *columns.may.shape)
    may_be_safe, may_be_mine = Diagram(columns).find_possible()
    visible = ~columns.hidden
    assert np.array_equal(may_be_safe & visible, (~cells).any(axis=0) & visible)
    assert np.array_equal(may_be_mine & visible, cells.any(axis=0) & visible)


@given(loose_columns(), st.sampled_from([EVEN, Odds(1, 4), Odds(3, 1), Odds(1, 10**300)]))
def test_diagram_chances_are_shares_of_the_weight_of_all_layouts(
    columns: Columns, odds: Odds
) -> None:
    layouts = written_out(columns)
    diagram = Diagram(columns)
    chances = diagram.compute_chances(odds)
    assert chances.shape == columns.may.shape
    if not layouts:
        assert np.isnan(chances).all()
        return
    weights = [Fraction(odds.mine, odds.safe) ** sum(layout) for layout in layouts]
    cells = range(columns.may.size)
    for cell, ratio in zip(cells, diagram.compute_ratios(cells, odds), strict=True):
        held = sum(n for n, layout in zip(weights, layouts, strict=True) if layout[cell])
        assert Fraction(*ratio) == held / sum(weights)
        assert chances.flat[cell] == round_ratio(*ratio)


@given(st.data(), boards.strip_boards(unknown=8))
def test_diagram_chances_with_a_total_are_shares_of_the_layouts(
    data: st.DataObject, board: Board
) -> None:
    columns = columns_of(board)
    mines = data.draw(boards.mines_totals(board))
    layouts = written_out(columns, mines)
    if layouts:
        chances = Diagram(columns, mines).compute_chances(Odds(3, 4)).ravel()
        held = np.sum(layouts, axis=0)
        assert chances.tolist() == [round_ratio(n, len(layouts)) for n in held.tolist()]


def test_diagram_settles_chances_in_doubt_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    board = boards.hidden_layout(3, 20, 0.8, seed=3)
    expected = Diagram(columns_of(board)).compute_chances()
    monkeypatch.setattr(
        diagram_passes, "compute_chances", lambda edges, starts, *_: np.full(60, np.nan)
    )
    assert np.array_equal(Diagram(columns_of(board)).compute_chances(), expected)


@given(boards.random_boards())
def test_diagram_lists_the_layouts_of_the_oracle(board: Board) -> None:
    expected = oracle.answer(board)
    diagram = Diagram(columns_of(board))
    found = [frozenset(list_coordinates(layout.T)) for layout in diagram.iterate_layouts()]
    assert len(found) == diagram.count() == expected.count
    assert set(found) == set(expected.layouts)


@pytest.mark.parametrize("case", boards.SMALL_CASES, ids=str)
def test_diagram_answers_the_boards_of_the_papers(case: boards.Case) -> None:
    board = parse(case.rows)
    diagram = Diagram(columns_of(board))
    may_be_safe, may_be_mine = (cells.T & board.unknown for cells in diagram.find_possible())
    assert diagram.count() == case.layouts
    assert Diagram(columns_of(board)).by_mines() == case.by_mines
    assert set(list_coordinates(may_be_mine & ~may_be_safe)) == case.forced_mines
    assert set(list_coordinates(may_be_safe & ~may_be_mine)) == case.forced_safe


@pytest.mark.parametrize("may", [0, MAY_BE_SAFE, MAY_BE_MINE, OPEN])
@pytest.mark.parametrize("hidden", [False, True])
def test_diagram_of_one_cell_lists_its_layouts(may: int, hidden: bool) -> None:
    columns = columns_of(parse("?"))
    columns.may[:] = may
    columns.hidden[:] = hidden
    assert list(map(flat, Diagram(columns).iterate_layouts())) == written_out(columns)


# Beyond enumeration.


def solve_task(board: Board, task: Task, backend: Backend) -> Any:
    return answer_question(question_of(task, board, backend=backend))


@examples(60)
@given(boards.strip_boards(st.sampled_from([3, 4]), cells=48, unknown=40))
def test_diagram_finds_the_forced_cells_that_sat_finds(board: Board) -> None:
    diagram = Diagram(columns_of(board))
    expected = solve_task(board, Task.FORCED, Backend.SAT)
    assert diagram.empty is not expected.consistent
    if expected.forced is not None:
        may_be_safe, may_be_mine = (cells.T & board.unknown for cells in diagram.find_possible())
        assert list_coordinates(may_be_mine & ~may_be_safe) == expected.forced.mines
        assert list_coordinates(may_be_safe & ~may_be_mine) == expected.forced.safe


@examples(60)
@given(boards.strip_boards(st.sampled_from([3, 4, 5, 8]), cells=64, unknown=45))
def test_diagram_counts_and_chances_are_those_of_the_frontier(board: Board) -> None:
    diagram = Diagram(columns_of(board))
    expected = solve_task(board, Task.ANALYZE, Backend.FRONTIER)
    assert diagram.count() == expected.count
    if expected.consistent:
        assert Diagram(columns_of(board)).by_mines() == expected.by_mines
        chances = np.where(board.unknown, diagram.compute_chances().T, np.nan)
        assert expected.probabilities is not None
        assert np.array_equal(chances, expected.probabilities, equal_nan=True)


@examples(60)
@given(boards.strip_boards(st.integers(4, 6), cells=40, unknown=30))
def test_diagram_of_a_transposed_board_has_transposed_answers(board: Board) -> None:
    along, across = Diagram(columns_of(board)), Diagram(columns_of(board.transpose()))
    assert along.count() == across.count()
    assert np.array_equal(along.compute_chances().T, across.compute_chances(), equal_nan=True)
    for one, other in zip(along.find_possible(), across.find_possible(), strict=True):
        assert np.array_equal(one.T, other)


@examples(60)
@given(st.data(), boards.strip_boards(st.integers(1, 4), cells=80, unknown=70))
def test_diagram_ranks_layouts_of_long_strips_as_transfer_matrices_do(
    data: st.DataObject, board: Board
) -> None:
    diagram = Diagram(columns_of(board))
    expected = Transfer(board)
    count = diagram.count()
    assert count == expected.count()
    for rank in data.draw(st.lists(st.integers(0, count - 1), max_size=3)) if count else ():
        layout = Layout(diagram.unrank(rank).T)
        assert layout.fits_board(board)
        assert expected.rank(layout) == diagram.rank(layout.mines.T) == rank


@pytest.mark.parametrize("cells", [511, 512, 513, 1023, 1024, 1025])
@pytest.mark.parametrize("height", [1, 3])
def test_diagram_that_grows_in_several_steps_counts_all_layouts(height: int, cells: int) -> None:
    board = boards.hidden_layout(height, cells // height, 0.7, seed=cells)
    assert Diagram(columns_of(board)).count() == Transfer(board).count()


def test_diagram_counts_and_ranks_long_strips_by_products_of_pieces() -> None:
    board = boards.hidden_layout(2, 2000, 0.7, seed=1)
    expected = Transfer(board)
    diagram = Diagram(columns_of(board))
    count = diagram.count()
    assert count == expected.count() > 10**300
    for rank in (count // 3, count - 1):
        layout = diagram.unrank(rank)
        assert expected.rank(Layout(layout.T)) == diagram.rank(layout) == rank


@pytest.mark.parametrize(("height", "width"), [(1, 3000), (2, 100), (5, 70), (12, 20)])
def test_diagram_of_unknown_cells_counts_all_their_subsets(height: int, width: int) -> None:
    assert Diagram(columns_of(Board(np.full((height, width), UNKNOWN)))).count() == 1 << (
        height * width
    )


def test_diagram_with_a_total_is_wide_and_counts_exactly() -> None:
    """Layouts of different totals never meet, so the whole diagram is wide."""
    board = boards.hidden_layout(2, 300, 0.7, seed=4)
    expected = Transfer(board).count()
    narrow = Diagram(columns_of(board))
    assert narrow.count() == sum(narrow.by_mines().values()) == expected > 10**40
    mines, ways = max(narrow.by_mines().items(), key=lambda item: item[1])
    wide = Diagram(columns_of(board), mines)
    assert len(wide) > 20 * board.cells.size > 2 * len(narrow)
    assert wide.count() == ways
    assert wide.by_mines() == {mines: ways}


def test_diagram_counts_unknown_cells_by_mines_as_binomials() -> None:
    board = Board(np.full((2, 40), UNKNOWN))
    diagram = Diagram(columns_of(board))
    row = [1]
    for _ in range(board.cells.size):  # Pascal's
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    assert diagram.by_mines() == dict(enumerate(row))
    assert Diagram(columns_of(board), 40).count() == row[40]


def test_diagram_chances_keep_their_digits_on_a_long_strip() -> None:
    """Each of many equal parts has three layouts, whatever stands to its right."""
    board = Board(np.tile(parse(["?1S", "??S", "SSS"]).cells, 30_000))
    chances = Diagram(columns_of(board)).compute_chances().T
    assert (chances[board.unknown] == 1 / 3).all()


# Samples.


@pytest.mark.parametrize(
    "rows", [["?1???"], ["?2??", "?2??"], ["??", "2?", "??"], ["?F", "2?", "??", "?1"]]
)
def test_diagram_samples_all_layouts_with_equal_chances(rows: list[str]) -> None:
    diagram = Diagram(columns_of(parse(rows)))
    layouts = list(map(flat, diagram.iterate_layouts()))
    assert len(layouts) > 4
    random = Random(7)
    expected = 60
    found = Counter(flat(diagram.sample(random)) for _ in range(expected * len(layouts)))
    assert set(found) == set(layouts)
    spread = sum((found[layout] - expected) ** 2 / expected for layout in layouts)
    freedom = len(layouts) - 1
    # Chi-square has this mean and twice that variance.
    assert abs(spread - freedom) < 4 * (2 * freedom) ** 0.5


def test_diagram_without_layouts_cannot_be_sampled() -> None:
    with pytest.raises(IndexError):
        Diagram(columns_of(parse("1"))).sample(Random(0))


# Errors and limits.


@pytest.mark.parametrize("layout", ["B--B", "---B", "BB-B", "-B-B"])
def test_diagram_rejects_ranking_mines_that_are_not_a_layout(layout: str) -> None:
    diagram = Diagram(columns_of(parse("?1?0")))
    assert diagram.rank(np.array([[True], [False], [False], [False]])) == 0
    with pytest.raises(ValueError, match="not a layout"):
        diagram.rank(np.array([[symbol == "B"] for symbol in layout]))


def test_diagram_rank_names_the_first_cell_that_contradicts_the_strip() -> None:
    diagram = Diagram(columns_of(parse(["?1", "??", "??"])))
    with pytest.raises(ValueError, match="column 1, row 1"):
        diagram.rank(np.array([[True, False, False], [False, True, False]]))


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (2, 2), (0, 1)])
def test_diagram_rejects_ranking_layouts_of_another_size(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not a layout"):
        Diagram(columns_of(parse("??"))).rank(np.zeros(shape, np.bool_))


def test_diagram_of_an_inconsistent_strip_ranks_no_layout() -> None:
    with pytest.raises(ValueError, match="not a layout"):
        Diagram(columns_of(parse("1"))).rank(np.zeros((1, 1), np.bool_))


def test_diagram_limits_its_nodes_and_keys() -> None:
    columns = columns_of(boards.hidden_layout(5, 300, 0.7, seed=2))
    nodes = len(Diagram(columns))
    assert 300 < nodes < MOST_KEYS
    with pytest.raises(DiagramTooLarge, match="300 nodes"):
        Diagram(columns, most_nodes=300)
    with pytest.raises(DiagramTooLarge, match="or 3 keys after"):
        Diagram(columns, most_keys=3)


def test_diagram_counts_hidden_cells_as_keys() -> None:
    """Hidden cells of any number of keys leave one node."""
    columns = columns_of(parse(["?" * 8, "?2" * 4]))
    columns.hidden[:] = True
    assert len(Diagram(columns)) == columns.may.size + 1
    with pytest.raises(DiagramTooLarge):
        Diagram(columns, most_keys=2)


def between_ones(breadth: int, length: int) -> Columns:
    """A column of unknown cells between two of clues, and columns of mines behind them.

    All cells of a column have to be kept in mind, and one of the next.
    """
    cells = np.full((length, breadth), MINE)
    cells[[0, 2]], cells[1] = 1, UNKNOWN
    cells[3] = SAFE
    return Columns.from_cells(cells.astype(np.int8))


@pytest.mark.parametrize(("breadth", "too_wide"), [(14, False), (15, True)])
def test_diagram_rejects_strips_wider_than_the_widest(breadth: int, too_wide: bool) -> None:
    assert breadth > WIDEST
    columns = between_ones(breadth, 4)
    assert columns.cells_kept == breadth + 1
    if too_wide:
        with pytest.raises(DiagramTooLarge, match="too wide"):
            Diagram(columns)
    else:
        # Three cells in a row have one mine, wherever they are.
        assert Diagram(columns).count() == 2


def test_diagram_of_the_widest_strip_has_a_largest_total() -> None:
    """Eleven bits are left for it beside thirteen slots of four."""
    fits, too_long = (between_ones(WIDEST, length) for length in (170, 171))
    assert Diagram(fits, 166 * 12 + 4).by_mines() == Diagram(fits).by_mines() == {1996: 1}
    assert Diagram(too_long).count() == 1
    with pytest.raises(DiagramTooLarge, match="2047"):
        Diagram(too_long, mines=3)


def test_diagram_rejects_clues_of_more_mines_than_a_slot_holds() -> None:
    columns = columns_of(parse("0" + "?" * 20))
    columns.high[0], columns.low[0] = 16, 16
    columns = replace(columns, earlier=np.array([[-1]] + [[0]] * 20, np.int32))
    with pytest.raises(DiagramTooLarge, match="15 mines"):
        Diagram(columns)
    columns.high[0], columns.low[0] = 15, 15
    assert Diagram(columns).count() == 15504


def test_diagram_calls_check_as_it_grows() -> None:
    columns = columns_of(boards.hidden_layout(2, 3000, 0.7, seed=3))
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1

    Diagram(columns, check=check)
    assert calls > 5


def test_diagram_ends_with_the_exception_that_check_raises() -> None:
    class Enough(Exception):
        pass

    calls = iter([None, None])

    def check() -> None:
        if next(calls, Enough) is Enough:
            raise Enough

    with pytest.raises(Enough):
        Diagram(columns_of(boards.hidden_layout(2, 3000, 0.7, seed=3)), check=check)


def test_diagram_with_hidden_cells_rejects_a_total() -> None:
    columns = columns_of(parse("??"))
    columns.hidden[0] = True
    with pytest.raises(ValueError, match="hidden"):
        Diagram(columns, mines=1)


def test_diagram_rejects_ranking_a_transposed_layout() -> None:
    diagram = Diagram(columns_of(parse(["???", "???"])))
    layout = next(diagram.iterate_layouts())
    assert diagram.rank(layout) == 0
    with pytest.raises(ValueError, match="not a layout"):
        diagram.rank(layout.T)


def test_diagram_ends_counting_and_ranking_with_the_exception_of_check() -> None:
    class Late(Exception):
        pass

    late = False

    def check() -> None:
        if late:
            raise Late

    diagram = Diagram(columns_of(parse(["?1?" * 50])), check=check)
    layout = next(diagram.iterate_layouts())
    late = True
    with pytest.raises(Late):
        diagram.count()
    with pytest.raises(Late):
        diagram.unrank(1)
    with pytest.raises(Late):
        diagram.rank(layout)
