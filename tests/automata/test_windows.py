"""Windows against every way to fill them and the cells outside that their clues see."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from minecheck.automata import (
    Cut,
    DiagramTooLarge,
    Loosened,
    Window,
    WindowError,
    cut_window,
    draw_layout,
    hu_lin,
    kadlac,
    make_strip,
)
from minecheck.automata.columns import Columns
from minecheck.automata.diagram import Diagram
from minecheck.automata.machine import Reader
from minecheck.automata.profiles import Profiles
from minecheck.automata.runs import trace_word
from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, list_coordinates
from minecheck.minefield.notation import parse
from tests import boards, oracle
from tests.automata.board_windows import cells_of, windows
from tests.examples import examples
from tests.oracle import Cell


def layouts_inside(board: Board, window: Window) -> set[frozenset[Cell]]:
    """The mines in the window, for every way to fill the whole board that its clues allow."""
    inside = cells_of(window)
    codes = board.cells.tolist()
    clues = [(row, col) for row, col in inside if codes[row][col] <= 8]
    known = set(list_coordinates(board.cells == MINE))
    around = {clue: set(oracle.neighbours(clue, *board.shape)) for clue in clues}
    seen = set(inside).union(*around.values())
    unknown = [cell for cell in list_coordinates(board.unknown) if cell in seen]
    rules = []
    for row, col in clues:
        left = codes[row][col] - len(around[row, col] & known)
        rules.append((around[row, col].intersection(unknown), left, left))
    held = oracle.sets_of(rules, unknown)
    return {(mines | known).intersection(inside) for mines in held}


def cells_on_board(window: Window, mask: np.ndarray) -> frozenset[Cell]:
    """The true cells of an array shaped as the window, in coordinates of the board."""
    assert mask.shape == (window.rows, window.cols)
    return frozenset((window.row + row, window.col + col) for row, col in list_coordinates(mask))


@given(windows())
def test_window_layouts_are_those_that_some_filling_of_the_outside_allows(
    case: tuple[Board, Window],
) -> None:
    board, window = case
    expected = layouts_inside(board, window)
    cutting = cut_window(board, window)
    found = [cells_on_board(window, layout) for layout in cutting.iterate_layouts()]
    assert len(found) == len(expected)
    assert set(found) == expected
    assert cutting.count() == len(expected)
    assert cutting.is_consistent() is bool(expected)
    for offset in {1, len(found) // 2, len(found)}:
        rest = [cells_on_board(window, layout) for layout in cutting.iterate_layouts(offset)]
        assert rest == found[offset:]


def reader(name: str) -> Reader:
    papers = {"kadlac": kadlac.build_machine, "hu-lin": hu_lin.build_machine}
    return papers[name]() if name in papers else Profiles(int(name.removeprefix("strip-")))


@given(windows())
def test_window_machines_accept_exactly_the_windows_with_layouts(
    case: tuple[Board, Window],
) -> None:
    board, window = case
    consistent = bool(layouts_inside(board, window))
    cutting = cut_window(board, window)
    frame, rows = cutting.frame, cutting.symbols
    assert (len(rows), {len(row) for row in rows}) == (frame.rows, {frame.cols})
    assert set(cells_of(frame)) >= set(cells_of(window))
    assert cutting.machine in cutting.machines
    for name in cutting.machines:
        machine = reader(name)
        breadth = {"kadlac": 1, "hu-lin": 2}.get(name) or len(machine.start)
        upright = len(rows) == breadth
        columns = ["".join(column) for column in zip(*rows, strict=True)] if upright else rows
        if name == "hu-lin":
            columns = ["".join(sorted(column)) for column in columns]
        assert trace_word(machine, columns).accepted is consistent, name


@given(windows())
def test_window_frame_covers_the_unknown_cells_that_its_clues_see(
    case: tuple[Board, Window],
) -> None:
    board, window = case
    cutting = cut_window(board, window)
    inside = set(cells_of(window))
    clues = [cell for cell in inside if board.cells[cell] <= 8]
    seen = {near for clue in clues for near in oracle.neighbours(clue, *board.shape)} - inside
    unknown = {cell for cell in seen if board.unknown[cell]}
    read = cells_of(cutting.frame)
    rows, cols = zip(*(inside | unknown), strict=True)
    assert read[0] == (min(rows), min(cols))
    assert read[-1] == (max(rows), max(cols))
    for cell, symbol in zip(read, "".join(cutting.symbols), strict=True):
        code = int(board.cells[cell])
        if cell in clues:
            near = set(oracle.neighbours(cell, *board.shape)) - inside
            left = code - sum(board.cells[other] == MINE for other in near)
            assert symbol == (str(left) if left >= 0 else "!")
        elif cell in inside:
            assert symbol == {UNKNOWN: "?", FLAG: "?", MINE: "B", SAFE: "S"}[code]
        else:
            assert symbol == ("?" if cell in unknown else "S")


@pytest.mark.parametrize(
    ("rows", "window", "names"),
    [
        (["1?", "??"], Window(0, 0, 2, 2), ["hu-lin", "strip-2"]),
        (["1?B", "??B"], Window(0, 0, 2, 2), ["hu-lin", "strip-2"]),
        (["1?S", "???"], Window(0, 0, 1, 3), ["strip-2", "strip-3"]),
        (["???", "?2B"], Window(0, 0, 1, 3), ["kadlac", "strip-1", "strip-3"]),
        (["0?", "B?"], Window(0, 0, 1, 2), ["strip-2"]),
        (["0?", "B0"], Window(0, 0, 1, 2), ["strip-1", "strip-2"]),
        (["?" * 13] * 12, Window(0, 0, 12, 13), ["strip-12"]),
    ],
)
def test_window_names_the_machines_that_read_it(
    rows: list[str], window: Window, names: list[str]
) -> None:
    assert cut_window(parse(rows), window).machines == names


@given(windows())
def test_window_forced_cells_and_chances_are_those_of_all_layouts(
    case: tuple[Board, Window],
) -> None:
    board, window = case
    layouts = layouts_inside(board, window)
    cutting = cut_window(board, window)
    mines, safe = (cells_on_board(window, mask) for mask in cutting.find_forced())
    chances = cutting.compute_chances()
    if layouts:
        unknown = set(list_coordinates(board.unknown)).intersection(cells_of(window))
        assert mines == unknown.intersection(*layouts)
        assert safe == unknown.difference(*layouts)
        for chance, cell in zip(chances.ravel(), cells_of(window), strict=True):
            share = sum(cell in layout for layout in layouts) / len(layouts)
            assert chance == pytest.approx(share)
            if cell in mines | safe:
                assert chance == share
    else:
        assert not mines | safe
        assert np.isnan(chances).all()
        assert chances.shape == (window.rows, window.cols)


@given(windows())
def test_window_clues_that_see_unknown_cells_outside_become_intervals(
    case: tuple[Board, Window],
) -> None:
    board, window = case
    expected = []
    for row, col in cells_of(window):
        outside = set(oracle.neighbours((row, col), *board.shape)).difference(cells_of(window))
        codes = [int(board.cells[cell]) for cell in outside]
        unknown = codes.count(UNKNOWN) + codes.count(FLAG)
        number = int(board.cells[row, col])
        left = number - codes.count(MINE)
        if number <= 8 and unknown and left > 0:
            expected.append(Loosened(row, col, number, max(0, left - unknown), left))
    assert cut_window(board, window).loosened == expected


@given(windows())
def test_draw_layout_shows_the_numbers_of_the_window_clues(case: tuple[Board, Window]) -> None:
    board, window = case
    cutting = cut_window(board, window)
    for layout in list(cutting.iterate_layouts())[:3]:
        mines = cells_on_board(window, layout)
        symbols = [
            "B" if cell in mines else str(board.cells[cell]) if board.cells[cell] <= 8 else "S"
            for cell in cells_of(window)
        ]
        rows = draw_layout(board, window, layout)
        assert "".join(rows) == "".join(symbols)
        assert len(rows) == window.rows


@given(windows())
def test_window_of_a_transposed_board_has_transposed_answers(case: tuple[Board, Window]) -> None:
    board, window = case
    one = cut_window(board, window)
    other = cut_window(board.transpose(), Window(window.col, window.row, window.cols, window.rows))
    assert one.count() == other.count()
    assert np.array_equal(one.compute_chances(), other.compute_chances().T, equal_nan=True)
    for mask, turned in zip(one.find_forced(), other.find_forced(), strict=True):
        assert np.array_equal(mask, turned.T)
    turned_back = [
        Loosened(clue.col, clue.row, clue.number, clue.low, clue.high) for clue in other.loosened
    ]
    assert sorted(turned_back, key=lambda clue: (clue.row, clue.col)) == one.loosened


@examples(100)
@given(boards.small_boards() | boards.strip_boards(unknown=30, cells=40))
def test_window_of_the_whole_board_answers_as_the_strip(board: Board) -> None:
    cutting = cut_window(board, Window(0, 0, board.height, board.width))
    read = make_strip(board)
    assert cutting.loosened == []
    assert cutting.is_consistent() is read.is_consistent()
    assert cutting.count() == read.count()
    assert np.array_equal(cutting.compute_chances(), read.compute_chances(), equal_nan=True)
    for mask, same in zip(cutting.find_forced(), read.find_forced(), strict=True):
        assert np.array_equal(mask, same)
    for rank in {0, read.count() // 2, read.count() - 1} if read.count() else ():
        assert np.array_equal(next(cutting.iterate_layouts(rank)), read.unrank(rank).mines)


# The student project's cases.

FIGURE_3 = parse(["???", "222", "1F1"])
FIGURE_4 = ["??2", "11?"]
TOP_ROWS = Window(0, 0, 2, 3)


def test_window_of_figure_3_treats_flags_outside_as_unknown() -> None:
    """Figure 3: each 2 says one or two mines, but together they say where the mine is."""
    cutting = cut_window(FIGURE_3, TOP_ROWS)
    assert cutting.loosened == [Loosened(1, col, number=2, low=1, high=2) for col in range(3)]
    assert cutting.count() == 1
    assert draw_layout(FIGURE_3, TOP_ROWS, next(cutting.iterate_layouts())) == ["SBS", "222"]


def test_window_subtracts_trusted_flags_outside_from_clues() -> None:
    """Figure 3, as the project reads it: the tape ?1, ?1, ?1."""
    cutting = cut_window(FIGURE_3.with_flags_as_mines(), TOP_ROWS)
    lowered = make_strip(parse(["???", "111"]))
    assert cutting.loosened == []
    assert cutting.count() == lowered.count() == 1
    for mask, same in zip(cutting.find_forced(), lowered.find_forced(), strict=True):
        assert np.array_equal(mask, same)
    assert not make_strip(parse(["???", "222"])).is_consistent()


def test_strip_of_figure_4_alone_is_inconsistent_for_any_orientation() -> None:
    """Figure 4 is inconsistent by itself, not because its last column cannot be read."""
    assert not make_strip(parse(FIGURE_4)).is_consistent()
    assert (
        make_strip(parse(["??1", "11?"])).count() == make_strip(parse(["???", "111"])).count() == 1
    )


@pytest.mark.parametrize(
    ("rows", "row", "loosened"),
    [
        (["???", *FIGURE_4], 1, [(1, 2, 0, 2)]),
        (["??2?", "11??"], 0, [(0, 2, 0, 2)]),
        ([*FIGURE_4, "???"], 0, [(1, 0, 0, 1), (1, 1, 0, 1)]),
    ],
    ids=["above", "right", "below"],
)
def test_window_of_figure_4_needs_a_mine_outside_that_touches_the_two(
    rows: list[str], row: int, loosened: list[tuple[int, int, int, int]]
) -> None:
    """Figure 4, as a window: unknown cells above or on the right help, cells below do not."""
    cutting = cut_window(parse(rows), Window(row, 0, 2, 3))
    found = [(clue.row, clue.col, clue.low, clue.high) for clue in cutting.loosened]
    assert found == loosened
    touches = (row, 2, 0, 2) in loosened
    assert cutting.is_consistent() is touches
    assert bool(layouts_inside(parse(rows), cutting.window)) is touches


# Clues that share a cell outside.


def count_with_intervals_alone(board: Board, window: Window) -> int:
    """Layouts of the window if each clue could fill up what is outside by itself.

    No mine is known outside.
    """
    columns = Columns.from_cells(
        np.ascontiguousarray(board.cells[window.row_slice, window.col_slice].T)
    )
    for clue in cut_window(board, window).loosened:
        columns.low[clue.col - window.col, clue.row - window.row] = clue.low
        columns.high[clue.col - window.col, clue.row - window.row] = clue.high
    return Diagram(columns).count()


def test_window_of_two_cells_is_inconsistent_where_intervals_allow_a_layout() -> None:
    """The unknown cell is safe for the 0 and a mine for the 1."""
    board, window = parse(["01", "?S"]), Window(0, 0, 1, 2)
    assert [(clue.low, clue.high) for clue in cut_window(board, window).loosened] == [(0, 1)]
    assert count_with_intervals_alone(board, window) == 1
    assert cut_window(board, window).count() == 0


def test_windows_of_three_cells_in_a_row_are_counted_by_intervals_alone() -> None:
    """Two clues and the unknown cell that both see make three, but not in a row."""
    for codes, start, length in product(product("012?S", repeat=3), range(3), range(1, 4)):
        if start + length <= 3:
            board, window = parse(["".join(codes)]), Window(0, start, 1, length)
            assert count_with_intervals_alone(board, window) == cut_window(board, window).count()


def test_window_of_figure_3_has_fewer_layouts_than_intervals_alone_allow() -> None:
    """With intervals of their own they would allow four layouts."""
    assert count_with_intervals_alone(FIGURE_3, TOP_ROWS) == 4
    assert cut_window(FIGURE_3, TOP_ROWS).count() == 1


def test_window_finds_a_forced_cell_that_intervals_alone_miss() -> None:
    """The 2 sees one unknown cell more than the 1, which must be a mine."""
    cutting = cut_window(parse(["12?", "?SS", "SSS"]), Window(0, 0, 1, 3))
    mines, safe = cutting.find_forced()
    assert mines.tolist() == [[False, False, True]]
    assert not safe.any()


# What is looked at.


def test_window_ignores_clues_outside() -> None:
    cutting = cut_window(parse(["??", "0?"]), Window(0, 0, 1, 2))
    assert cutting.count() == 4
    assert not np.any(cutting.find_forced())


def test_window_clues_are_lowered_by_known_mines_outside() -> None:
    for rows, mine in ((["?1", "SB"], False), (["?2", "SB"], True)):
        (layout,) = cut_window(parse(rows), Window(0, 0, 1, 2)).iterate_layouts()
        assert layout.tolist() == [[mine, False]]


def test_window_with_more_mines_outside_than_a_clue_says_is_inconsistent() -> None:
    cutting = cut_window(parse(["1?", "BB", "??"]), Window(0, 0, 1, 2))
    assert not cutting.is_consistent()
    assert cutting.loosened == []


def test_window_takes_flags_inside_as_unknown() -> None:
    cutting = cut_window(parse("F1?"), Window(0, 0, 1, 2))
    assert cutting.count() == 2
    assert cutting.unknown.tolist() == [[True, False]]


def test_window_counts_a_layout_once_for_all_fillings_of_the_outside() -> None:
    """Two mines for the clue: inside there is one cell for them or none, outside three."""
    cutting = cut_window(parse(["?2", "??", "??"]), Window(0, 0, 1, 2))
    assert cutting.count() == 2
    assert cutting.compute_chances().tolist() == [[0.5, 0]]


@pytest.mark.parametrize(
    ("rows", "window", "machine"),
    [
        (["?1?", "?S?", "???"], Window(0, 0, 1, 3), "strip-2"),
        (["?1?", "BSB", "???"], Window(0, 0, 1, 3), "strip-1"),
        (["???", "?1?", "???"], Window(1, 0, 1, 3), "strip-3"),
        (["???", "?1?", "???"], Window(0, 1, 3, 1), "strip-3"),
        (["???", "?1?", "???"], Window(1, 1, 1, 1), "strip-3"),
    ],
)
def test_window_machine_reads_rows_outside_where_clues_see_unknown_cells(
    rows: list[str], window: Window, machine: str
) -> None:
    assert cut_window(parse(rows), window).machine == machine


def test_window_of_ten_thousand_columns_is_read_with_the_rows_beside_it() -> None:
    """Two rows of a game, ten thousand columns long, are read with the rows beside them."""
    board = boards.hidden_layout(6, 10_000, 0.4, seed=1)
    cutting = cut_window(board, Window(2, 0, 2, board.width))
    assert cutting.machine == "strip-4"
    assert cutting.is_consistent()
    mines, safe = cutting.find_forced()
    everything = np.full(board.shape, UNKNOWN, np.int8)
    everything[2:4] = board.cells[2:4]
    for row in (1, 4):
        known = ~board.unknown[row]
        everything[row, known] = np.where(board.cells[row, known] == MINE, MINE, SAFE)
    # With the two rows outside as part of the board, but without their clues.
    more_mines, more_safe = make_strip(Board(everything[1:5])).find_forced()
    assert mines.any()
    assert np.array_equal(mines, more_mines[1:3])
    assert np.array_equal(safe, more_safe[1:3])


def test_window_contains_its_cells() -> None:
    window = Window(1, 2, 2, 3)
    inside = [cell for cell in np.ndindex(6, 6) if cell in window]
    assert inside == cells_of(window)
    assert (window.row_slice, window.col_slice) == (slice(1, 3), slice(2, 5))


# Errors.


@pytest.mark.parametrize(
    ("window", "field"),
    [
        (Window(-1, 0, 1, 1), "row"),
        (Window(3, 0, 1, 1), "row"),
        (Window(0, -1, 1, 1), "col"),
        (Window(0, 4, 1, 1), "col"),
        (Window(0, 0, 0, 1), "rows"),
        (Window(1, 0, 3, 1), "rows"),
        (Window(0, 0, 1, 0), "cols"),
        (Window(0, 2, 1, 3), "cols"),
        (Window(0, 0, -1, 1), "rows"),
        (Window(9, 9, 9, 9), "row"),
    ],
)
def test_cut_window_rejects_windows_outside_the_board_and_names_the_field(
    window: Window, field: str
) -> None:
    with pytest.raises(WindowError) as caught:
        cut_window(parse(["????"] * 3), window)
    assert caught.value.field == field
    assert str(caught.value) == f"{caught.value.detail} {caught.value.fix}"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.field) == (str(caught.value), field)


@pytest.mark.parametrize(
    ("window", "fix"),
    [
        (Window(-1, 0, 1, 1), "0 to 2"),
        (Window(1, 0, 3, 1), "at most 2 rows"),
        (Window(0, 4, 1, 1), "0 to 3"),
        (Window(0, 2, 1, 3), "at most 2 columns"),
    ],
)
def test_window_error_names_windows_that_fit_the_board(window: Window, fix: str) -> None:
    with pytest.raises(WindowError) as caught:
        cut_window(parse(["????"] * 3), window)
    assert fix in caught.value.fix


def test_cut_window_rejects_a_window_that_is_too_wide() -> None:
    unknown = Board(np.full((20, 20), UNKNOWN))
    assert cut_window(unknown, Window(0, 0, 12, 20)).count() == 1 << 240
    for window, field in ((Window(0, 0, 13, 20), "rows"), (Window(0, 0, 20, 13), "cols")):
        with pytest.raises(WindowError, match="13 cells across") as caught:
            cut_window(unknown, window)
        assert caught.value.field == field


def test_cut_window_counts_cells_outside_that_clues_see_as_width() -> None:
    cells = np.full((14, 20), UNKNOWN)
    cells[12, 3] = 1
    window = Window(1, 0, 12, 20)
    with pytest.raises(WindowError, match="13 cells across") as caught:
        cut_window(Board(cells), window)
    assert caught.value.field == "rows"
    cells[13, 2:5] = MINE
    assert cut_window(Board(cells), window).machine == "strip-12"


def test_window_passes_limits_and_checks_on() -> None:
    class Enough(Exception):
        pass

    def check() -> None:
        raise Enough

    board = boards.hidden_layout(6, 100, 0.6, seed=3)
    with pytest.raises(DiagramTooLarge):
        cut_window(board, Window(2, 0, 2, 100), most_nodes=100).is_consistent()
    with pytest.raises(Enough):
        cut_window(board, Window(2, 0, 2, 100), check=check).count()


@pytest.mark.parametrize("rows", [["1"], ["?1", "0B"]])
def test_inconsistent_window_has_no_layouts_and_no_forced_cells(rows: list[str]) -> None:
    board = parse(rows)
    cutting: Cut = cut_window(board, Window(0, 0, board.height, board.width))
    assert list(cutting.iterate_layouts()) == []
    assert not np.any(cutting.find_forced())


def test_window_rejects_a_negative_layout_rank() -> None:
    cutting = cut_window(parse("???"), Window(0, 0, 1, 2))
    assert len(list(cutting.iterate_layouts(1))) == 3
    with pytest.raises(ValueError, match="no rank -1"):
        cutting.iterate_layouts(-1)
