"""Strips against trying every layout, in every orientation, and at full length."""

from collections.abc import Iterator
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from automata import NotAStrip, Strip, strip
from minefield.board import FLAG, MINE, UNKNOWN, Board, coordinates
from minefield.layout import Layout
from minefield.notation import parse

LONG = 100_000


def every_layout(board: Board) -> list[Layout]:
    """All layouts of a small board, by trying every one."""
    places = coordinates(board.unknown)
    found = []
    for held in product([False, True], repeat=len(places)):
        mines = board.cells == MINE
        for place, mine in zip(places, held, strict=True):
            mines[place] = mine
        layout = Layout(mines)
        if layout.fits(board):
            found.append(layout)
    return found


def orientations(board: Board, layouts: list[Layout]) -> Iterator[tuple[Board, list[Layout]]]:
    """The board and its layouts under the four quarter turns."""
    for turns in range(4):
        yield (
            Board(np.rot90(board.cells, turns)),
            [Layout(np.rot90(layout.mines, turns)) for layout in layouts],
        )


def agrees(read: Strip, board: Board, layouts: list[Layout]) -> None:
    """Every answer about ``board`` is the one that follows from all its layouts."""
    found = list(read.layouts())
    assert len(found) == len(layouts)
    assert set(found) == set(layouts)
    assert read.consistent() is bool(layouts)
    assert read.count() == len(layouts)
    assert read.witness() == (found[0] if found else None)
    assert all(layout.fits(board) for layout in found)
    if layouts:
        held = np.array([layout.mines for layout in layouts])
        expected = held.all(axis=0) & board.unknown, ~held.any(axis=0) & board.unknown
    else:
        expected = np.zeros(board.shape, np.bool_), np.zeros(board.shape, np.bool_)
    mines, safe = read.forced()
    assert np.array_equal(mines, expected[0])
    assert np.array_equal(safe, expected[1])
    for offset in {1, len(found) // 2, len(found) - 1, len(found), len(found) + 1} - {-1}:
        assert list(read.layouts(offset)) == found[offset:]


def agrees_in_every_orientation(board: Board) -> None:
    for turned, layouts in orientations(board, every_layout(board)):
        agrees(strip(turned), turned, layouts)


@pytest.mark.parametrize("length", range(1, 6))
def test_every_row_up_to_five_cells(length: int) -> None:
    for row in map("".join, product("012B?", repeat=length)):
        agrees_in_every_orientation(parse([row]))


@pytest.mark.parametrize("clue", range(3, 9))
def test_a_row_with_a_clue_above_two_is_inconsistent(clue: int) -> None:
    for row in (f"{clue}", f"?{clue}?", f"B{clue}B", f"??{clue}"):
        agrees_in_every_orientation(parse([row]))


def test_every_column_of_two_cells_by_either_machine() -> None:
    for column in product("012345678B?", repeat=2):
        board = parse(list(column))
        layouts = every_layout(board)
        agrees_in_every_orientation(board)
        agrees(Strip(board, turned=False), board, layouts)


@pytest.mark.parametrize("top_left", "012345678B?")
def test_every_two_by_two(top_left: str) -> None:
    for rest in map("".join, product("012345678B?", repeat=3)):
        agrees_in_every_orientation(parse([top_left + rest[0], rest[1:]]))


@st.composite
def boards(draw: st.DrawFn, height: int) -> Board:
    """Boards that tend to be consistent: a layout with cells covered, then at times one altered."""
    width = draw(st.integers(1, 14 if height == 1 else 8))
    size = height * width
    mines = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    layout = Layout(np.array(mines).reshape(height, width))
    cells = np.where(layout.mines, np.int8(MINE), layout.numbers())
    covers = st.sampled_from([None, None, UNKNOWN, UNKNOWN, FLAG])
    for place in np.ndindex(height, width):
        cover = draw(covers)
        cells[place] = cells[place] if cover is None else cover
    if draw(st.booleans()):
        cells[draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))] = draw(
            st.integers(0, MINE)
        )
    return Board(cells)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([1, 2]).flatmap(boards))
def test_random_boards(board: Board) -> None:
    assume(np.count_nonzero(board.unknown) <= 10)
    agrees_in_every_orientation(board)


@pytest.mark.parametrize("rows", [["??1???1??"], ["?2???", "??2??"], ["1??2", "???B"]])
def test_layouts_come_in_lexicographic_order_along_the_strip(rows: list[str]) -> None:
    board = parse(rows)
    along = [layout.mines.T.ravel().tolist() for layout in strip(board).layouts()]
    turned = [layout.mines.ravel().tolist() for layout in strip(board.turned()).layouts()]
    assert len(along) > 1
    assert along == turned == sorted(along)


def test_a_square_board_is_not_turned() -> None:
    third = next(strip(parse(["??", "??"])).layouts(2))
    assert coordinates(third.mines) == [(0, 1)]


def test_every_offset_is_the_same_as_skipping() -> None:
    board = parse(["?1???2??", "????3???"])
    layouts = list(strip(board).layouts())
    for offset in range(len(layouts) + 2):
        assert list(strip(board).layouts(offset)) == layouts[offset:]


@pytest.mark.parametrize("width", [4095, 4096, 4097, 9000])
def test_offset_is_the_same_as_skipping_at_any_length(width: int) -> None:
    board = Board(np.full((2, width), UNKNOWN))
    skipped = list(islice(strip(board).layouts(), 1000, 1003))
    assert list(islice(strip(board).layouts(1000), 3)) == skipped


def test_the_last_layout_can_be_asked_for_by_rank() -> None:
    width = 300
    unknown = strip(Board(np.full((2, width), UNKNOWN)))
    (last,) = unknown.layouts(4**width - 1)
    assert last.total == 2 * width
    assert list(unknown.layouts(4**width)) == []


def test_layouts_are_lazy() -> None:
    first = next(strip(Board(np.full((2, LONG), UNKNOWN))).layouts())
    assert first.total == 0


def test_the_count_of_a_long_strip_is_exact() -> None:
    assert strip(Board(np.full((1, LONG), UNKNOWN))).count() == 2**LONG


def test_flags_count_as_unknown() -> None:
    flagged = strip(parse(["F1F"]))
    assert list(flagged.layouts()) == list(strip(parse(["?1?"])).layouts())
    mines, safe = strip(parse(["0F"])).forced()
    assert not mines.any()
    assert safe.tolist() == [[False, True]]


@pytest.mark.parametrize(
    ("rows", "machine"),
    [
        (["??"], "kadlac"),
        (["?", "?"], "kadlac"),
        (["?"], "kadlac"),
        (["??", "??"], "hu-lin"),
        (["???", "???"], "hu-lin"),
        (["??", "??", "??"], "hu-lin"),
    ],
)
def test_the_narrower_side_picks_the_machine(rows: list[str], machine: str) -> None:
    assert strip(parse(rows)).machine == machine


def test_a_board_three_cells_wide_is_not_a_strip() -> None:
    with pytest.raises(NotAStrip, match="3x4"):
        strip(Board(np.full((3, 4), UNKNOWN)))


@pytest.mark.parametrize("turned", [False, True])
def test_a_safe_cell_is_in_neither_alphabet(turned: bool) -> None:
    board = parse(["???", "?1S"])
    where = "row 2, column 1" if turned else "row 1, column 2"
    with pytest.raises(NotAStrip, match=where):
        strip(board.turned() if turned else board)


def test_a_negative_offset_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="-1"):
        strip(parse(["?"])).layouts(-1)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rows", [["?1"], ["?1", "??"]])
def test_a_hundred_thousand_columns(rows: list[str], turned: bool) -> None:
    repeated = np.tile(parse(rows).cells, LONG // 2)
    board = Board(repeated.T if turned else repeated)
    long = strip(board)
    witness = long.witness()
    assert long.consistent()
    assert witness is not None
    assert witness.fits(board)
    assert long.count() >= 1
    assert all(mask.shape == board.shape for mask in long.forced())


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rows", [["?1"], ["11", "??"]])
def test_a_contradiction_in_the_last_of_a_hundred_thousand_columns(
    rows: list[str], turned: bool
) -> None:
    cells = np.tile(parse(rows).cells, LONG // 2)
    cells[0, -1] = 8
    long = strip(Board(cells.T if turned else cells))
    assert not long.consistent()
    assert long.witness() is None
    assert long.count() == 0
    assert not np.any(long.forced())
    assert strip(Board(cells[:, :-1])).consistent()


def test_forced_cells_follow_from_the_far_end_of_a_long_strip() -> None:
    cells = np.tile(parse(["?1"]).cells, LONG // 2 - 1)
    board = Board(np.hstack([cells, parse(["?1B"]).cells]))
    mines, safe = strip(board).forced()
    assert np.array_equal(mines | safe, board.unknown)
    assert not safe[mines].any()
    assert Layout(mines | (board.cells == MINE)).fits(board)
