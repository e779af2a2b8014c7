"""Strips against all layouts written out, in every orientation, and at full length."""

from collections.abc import Callable
from fractions import Fraction
from itertools import islice, pairwise, product
from operator import methodcaller
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import EVEN, DiagramTooLarge, NotAStrip, Odds, Strip, TooLong, make_strip
from minecheck.automata.odds import round_ratio
from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, list_coordinates
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.solvers import Backend, answer_question
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.forced import ForcedCells
from tests import boards, oracle
from tests.examples import examples
from tests.transfer import Transfer

LONG = 100_000


def along(board: Board, layout: Layout) -> list[bool]:
    """The cells of a layout in the order in which the strip is read."""
    turned = board.height > board.width
    return (layout.mines if turned else layout.mines.T).ravel().tolist()


def written_out(board: Board, mines: int | None = None) -> list[Layout]:
    """All layouts in the order of the strip."""
    found = []
    for cells in oracle.answer(board, mines).layouts:
        held = np.zeros(board.shape, np.bool_)
        for cell in cells:
            held[cell] = True
        found.append(Layout(held))
    return sorted(found, key=lambda layout: along(board, layout))


def agrees(board: Board, mines: int | None = None) -> None:
    """Every answer about ``board`` is the one that follows from all its layouts."""
    read = make_strip(board, mines)
    layouts = written_out(board, mines)
    expected = oracle.answer(board, mines)
    assert read.is_consistent() is expected.consistent
    assert read.find_witness() == next(iter(layouts), None)
    assert read.count() == expected.count
    assert read.by_mines() == expected.by_mines
    assert list(read.iterate_layouts()) == layouts
    assert [read.unrank(rank) for rank in range(len(layouts))] == layouts
    assert [read.rank(layout) for layout in layouts] == list(range(len(layouts)))
    forced_mines, forced_safe = read.find_forced()
    assert set(list_coordinates(forced_mines)) == expected.forced_mines
    assert set(list_coordinates(forced_safe)) == expected.forced_safe
    coordinates = list(np.ndindex(*board.shape))
    for odds in (EVEN, Odds(3, 10), Odds(10**20, 1)):
        chances = read.compute_chances(odds)
        assert forced_mines.shape == forced_safe.shape == chances.shape == board.shape
        if layouts:
            mine = Fraction(odds.mine, odds.safe)
            weights = [mine**layout.total for layout in layouts]
            held = {
                cell: sum(n for n, one in zip(weights, layouts, strict=True) if one.mines[cell])
                for cell in coordinates
            }
            for cell, ratio in zip(
                coordinates, read.compute_ratios(coordinates, odds), strict=True
            ):
                assert Fraction(*ratio) == held[cell] / sum(weights)
                assert chances[cell] == round_ratio(*ratio)
            assert read.sample(Random(0), odds) in layouts
        else:
            assert np.isnan(chances).all()


@examples(100)
@given(boards.boards_with_totals())
def test_strip_answers_small_boards_in_every_orientation(
    given_board: tuple[Board, int | None],
) -> None:
    board, mines = given_board
    for turns in range(4):
        agrees(Board(np.rot90(board.cells, turns)), mines)


@examples(100)
@given(st.data(), boards.strip_boards(st.integers(1, 9), unknown=8))
def test_strip_answers_boards_up_to_nine_wide(data: st.DataObject, board: Board) -> None:
    agrees(board, data.draw(st.none() | boards.mines_totals(board)))


@pytest.mark.parametrize("length", range(1, 5))
def test_strip_answers_every_row_up_to_four_cells(length: int) -> None:
    for row in map("".join, product("012B?S", repeat=length)):
        agrees(parse([row]))


def test_strip_answers_every_board_of_two_cells() -> None:
    for codes in product(range(FLAG + 1), repeat=2):
        agrees(Board(np.array([codes])))
        agrees(Board(np.array([codes]).T))


@pytest.mark.parametrize("case", boards.SMALL_CASES, ids=str)
def test_strip_answers_the_boards_of_the_papers(case: boards.Case) -> None:
    read = make_strip(parse(case.rows))
    assert read.count() == case.layouts
    assert read.by_mines() == case.by_mines
    forced_mines, forced_safe = map(list_coordinates, read.find_forced())
    assert set(forced_mines) == case.forced_mines
    assert set(forced_safe) == case.forced_safe


def test_strip_count_stays_when_cells_of_a_column_of_two_are_swapped() -> None:
    """A machine that knows `?2` but not `2?` needs each column turned by itself, not all."""
    assert make_strip(parse(["?1", "1?"])).count() == make_strip(parse(["??", "11"])).count() == 2
    for rows in (["?12?", "1??1"], ["1??2", "???B"]):
        swapped = parse(rows).cells.copy()
        swapped[:, ::2] = swapped[::-1, ::2]
        assert make_strip(Board(swapped)).count() == make_strip(parse(rows)).count() > 0


# The order of layouts.


@pytest.mark.parametrize("rows", [["??1???1??"], ["?2???", "??2??"], ["1??2", "???B", "????"]])
def test_strip_lists_layouts_in_lexicographic_order(rows: list[str]) -> None:
    board = parse(rows)
    for which in (board, board.transpose()):
        cells = [along(which, layout) for layout in make_strip(which).iterate_layouts()]
        assert len(cells) > 1
        assert all(one < other for one, other in pairwise(cells))


def test_strip_reads_a_square_board_without_turning() -> None:
    assert list_coordinates(make_strip(parse(["??", "??"])).unrank(2).mines) == [(0, 1)]


def test_strip_offset_skips_that_many_layouts() -> None:
    read = make_strip(parse(["?1???2??", "????3???"]))
    layouts = list(read.iterate_layouts())
    for offset in [*range(len(layouts) + 2), 10**40]:
        assert list(read.iterate_layouts(offset)) == layouts[offset:]


def test_strip_lists_layouts_lazily() -> None:
    first = next(make_strip(Board(np.full((2, LONG), UNKNOWN))).iterate_layouts())
    assert first.total == 0


def test_strip_rejects_a_negative_offset_at_once() -> None:
    with pytest.raises(ValueError, match="-1"):
        make_strip(parse("?")).iterate_layouts(-1)


@pytest.mark.parametrize("rank", [-1, 2, 3, 10**40])
def test_strip_rejects_ranks_beyond_the_last_layout(rank: int) -> None:
    with pytest.raises(IndexError, match=str(rank)):
        make_strip(parse("?1?")).unrank(rank)


@pytest.mark.parametrize("rows", ["B1B", "-1-", "-1", "B-", "B1-?"])
def test_strip_rejects_ranking_layouts_that_do_not_fit(rows: str) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        make_strip(parse("?1?")).rank(Layout(np.array([[symbol == "B" for symbol in rows]])))


def test_strip_rejects_ranking_a_turned_layout() -> None:
    read = make_strip(parse("?1?"))
    with pytest.raises(ValueError, match="does not fit"):
        read.rank(Layout(read.unrank(0).mines.T))


def test_strip_rejects_ranking_a_layout_with_another_total() -> None:
    one = Layout(np.array([[True, False]]))
    assert make_strip(parse("??"), mines=1).rank(one) == 1
    with pytest.raises(ValueError, match="does not fit"):
        make_strip(parse("??"), mines=2).rank(one)


def test_inconsistent_strip_cannot_be_sampled() -> None:
    with pytest.raises(IndexError):
        make_strip(parse("1")).sample(Random(0))


# Which machine, and which boards.


@pytest.mark.parametrize(
    ("rows", "mines", "machine"),
    [
        (["?"], None, "kadlac"),
        (["?F8B"], None, "kadlac"),
        (["?", "1"], None, "kadlac"),
        (["??", "??"], None, "hu-lin"),
        (["??", "2F", "B?"], None, "hu-lin"),
        # The papers' machines have no symbol for a safe cell, and count no mines.
        (["?S"], None, "strip-1"),
        (["?", "?"], 1, "strip-1"),
        (["S?", "??", "??"], None, "strip-2"),
        (["??", "??"], 1, "strip-2"),
        (["???"] * 4, None, "strip-3"),
        (["?" * 20] * 12, None, "strip-12"),
    ],
)
def test_strip_machine_depends_on_the_narrower_side(
    rows: list[str], mines: int | None, machine: str
) -> None:
    read = make_strip(parse(rows), mines)
    assert read.is_consistent() is (rows != ["?F8B"])
    assert read.machines == (machine,)


def test_strip_names_its_machines_in_the_order_they_ran() -> None:
    read = make_strip(parse("?1?"))
    assert (read.find_witness() is not None, read.machines) == (True, ("kadlac", "strip-1"))
    assert (read.count(), read.find_forced(), read.machines)[::2] == (2, ("kadlac", "strip-1"))
    wrong = make_strip(parse(["?8", "??"]))
    assert (wrong.find_witness(), wrong.count(), wrong.machines) == (None, 0, ("hu-lin",))
    assert make_strip(parse("?1?")).machines == ("strip-1",)


def test_make_strip_rejects_a_board_thirteen_cells_wide_both_ways() -> None:
    assert make_strip(Board(np.full((12, 13), UNKNOWN))).count() == 1 << 156
    with pytest.raises(NotAStrip, match="13x14"):
        make_strip(Board(np.full((13, 14), UNKNOWN)))


def test_strip_takes_flags_as_unknown() -> None:
    assert list(make_strip(parse("F1F")).iterate_layouts()) == list(
        make_strip(parse("?1?")).iterate_layouts()
    )
    mines, safe = make_strip(parse("0F")).find_forced()
    assert not mines.any()
    assert safe.tolist() == [[False, True]]


@pytest.mark.parametrize("height", [1, 2, 3, 4, 8])
def test_strip_answers_agree_with_the_frontier(height: int) -> None:
    board = boards.hidden_layout(height, 300 // height, 0.8, seed=height)
    expected = answer_question(Analyze(board, backend=Backend.FRONTIER))
    read = make_strip(board)
    assert expected.count is not None
    assert expected.by_mines is not None
    assert expected.probabilities is not None
    assert read.count() == expected.count > 10**9
    assert read.by_mines() == expected.by_mines
    assert np.array_equal(
        read.compute_chances()[board.unknown], expected.probabilities[board.unknown]
    )
    sat = answer_question(ForcedCells(board, backend=Backend.SAT)).forced
    assert sat is not None
    assert tuple(map(list_coordinates, read.find_forced())) == (sat.mines, sat.safe)
    mines = max(expected.by_mines, key=expected.by_mines.__getitem__)
    assert make_strip(board, mines).count() == expected.by_mines[mines]


# Limits.


def test_strip_limits_hold_where_a_diagram_is_needed() -> None:
    board = boards.hidden_layout(2, 3000, 0.7, seed=0)
    small = make_strip(board, most_nodes=100)
    assert small.is_consistent()
    witness = small.find_witness()
    assert witness is not None
    assert witness.fits_board(board)
    for total in (small.count, small.by_mines, small.compute_chances):
        with pytest.raises(TooLong):
            total()
    for ask in (small.iterate_layouts, lambda: small.rank(witness)):
        with pytest.raises(DiagramTooLarge):
            ask()
    with pytest.raises(DiagramTooLarge):
        make_strip(boards.hidden_layout(3, 100, 0.7, seed=0), most_nodes=100).is_consistent()


@pytest.mark.parametrize(
    "ask", [methodcaller("count"), methodcaller("by_mines"), methodcaller("unrank", 0)]
)
def test_strip_ends_with_the_exception_that_check_raises(ask: Callable[[Strip], object]) -> None:
    class Enough(Exception):
        pass

    def check() -> None:
        raise Enough

    with pytest.raises(Enough):
        ask(make_strip(parse("?1?"), check=check))


# Long strips.


@pytest.mark.parametrize("turned", [False, True])
def test_strip_ranks_layouts_of_a_long_strip_exactly(turned: bool) -> None:
    board = boards.hidden_layout(2, 200, 0.9, seed=1)
    expected = Transfer(board)
    read = make_strip(board.transpose() if turned else board)
    count = read.count()
    assert count == expected.count() > 10**50
    for rank in (0, 10**50, count // 3, count - 1):
        layout = read.unrank(rank)
        upright = Layout(layout.mines.T) if turned else layout
        assert upright.fits_board(board)
        assert expected.rank(upright) == read.rank(layout) == rank
        assert next(read.iterate_layouts(rank)) == layout
    assert list(read.iterate_layouts(count - 1)) == [read.unrank(count - 1)]
    assert list(read.iterate_layouts(count)) == []


@pytest.mark.parametrize("width", [4095, 4096, 4097, 9000])
def test_strip_offset_skips_layouts_at_any_length(width: int) -> None:
    board = Board(np.full((2, width), UNKNOWN))
    skipped = list(islice(make_strip(board).iterate_layouts(), 1000, 1003))
    assert list(islice(make_strip(board).iterate_layouts(1000), 3)) == skipped


def test_strip_lists_the_last_layout_by_its_rank() -> None:
    width = 300
    unknown = make_strip(Board(np.full((2, width), UNKNOWN)))
    (last,) = unknown.iterate_layouts(4**width - 1)
    assert last.total == 2 * width
    assert list(unknown.iterate_layouts(4**width)) == []


def test_strip_count_is_exact_for_a_long_row() -> None:
    assert make_strip(Board(np.full((1, LONG), UNKNOWN))).count() == 2**LONG


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rows", [["?1"], ["?1", "??"], ["?1", "S?", "??"]])
def test_strip_answers_a_hundred_thousand_columns(rows: list[str], turned: bool) -> None:
    repeated = np.tile(parse(rows).cells, LONG // 2)
    board = Board(repeated.T if turned else repeated)
    long = make_strip(board)
    witness = long.find_witness()
    assert long.is_consistent()
    assert witness is not None
    assert witness.fits_board(board)
    assert all(mask.shape == board.shape for mask in long.find_forced())
    assert np.isfinite(long.compute_chances()).all()
    assert next(long.iterate_layouts()) == witness


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rows", [["?1"], ["11", "??"], ["11", "??", "SS"]])
def test_strip_finds_a_contradiction_in_the_last_of_a_hundred_thousand_columns(
    rows: list[str], turned: bool
) -> None:
    cells = np.tile(parse(rows).cells, LONG // 2)
    assert make_strip(Board(cells[:, :-1])).is_consistent()
    cells[0, -1] = 8
    long = make_strip(Board(cells.T if turned else cells))
    assert not long.is_consistent()
    assert long.find_witness() is None
    assert long.count() == 0
    assert not np.any(long.find_forced())
    assert np.isnan(long.compute_chances()).all()


def test_strip_finds_cells_forced_by_the_far_end_of_a_long_row() -> None:
    cells = np.tile(parse(["?1"]).cells, LONG // 2 - 1)
    board = Board(np.hstack([cells, parse(["?1B"]).cells]))
    mines, safe = make_strip(board).find_forced()
    assert np.array_equal(mines | safe, board.unknown)
    assert not safe[mines].any()
    assert Layout(mines | (board.cells == MINE)).fits_board(board)
    assert np.array_equal(make_strip(board).compute_chances(), mines | (board.cells == MINE))


# Chances.


def chain(pieces: int) -> Board:
    """Mines are in all columns 0, 4, 8, ... or in all columns 2, 6, 10, ..., as the board goes on.

    The former can be placed in two ways each and the latter in one; in the
    second half of the board it is the other way round, but for one column.
    """
    half = np.tile(parse(["?1?1", "?SSS"]).cells, pieces)
    cells = np.hstack([half, np.roll(half, 2, axis=1)])[:, :-1]
    cells[1, 0] = SAFE
    return Board(cells)


@pytest.mark.parametrize("turned", [False, True])
def test_strip_chances_are_right_where_float_sums_overflow(turned: bool) -> None:
    """Weights grow as far as 2 ** 1000 apart on the way, and in the end are one to two."""
    board = chain(1000)
    chances = make_strip(board.transpose() if turned else board).compute_chances()
    chances = chances.T if turned else chances
    count = make_strip(board).count()
    assert count == 2**1000 + 2**999
    for cell in [(0, 0), (0, 2), (0, 4), (1, 4), (0, 4000), (0, 4002), (1, 4002), (0, 7998)]:
        cells = board.cells.copy()
        cells[cell] = MINE
        assert chances[cell] == Transfer(Board(cells)).count() / count
    assert not chances[~board.unknown].any()


def test_strip_chances_of_forced_cells_are_exactly_0_and_1() -> None:
    """Floats that are summed up would miss them by a little."""
    for height in (1, 2, 3):
        board = boards.hidden_layout(height, 900, 0.7, seed=height)
        mines, safe = make_strip(board).find_forced()
        chances = make_strip(board).compute_chances()
        assert mines.sum() > 5 < safe.sum()
        assert (chances[mines] == 1.0).all()
        assert (chances[safe] == 0.0).all()
        assert (chances[board.cells == MINE] == 1).all()
        assert not chances[board.cells <= 8].any()
