"""Cells forced outside a window, against every way to fill it and the cells that it sees."""

import pytest
from hypothesis import given

from minecheck.automata import Beyond, Outside, Window, cut_window
from minecheck.minefield.board import MINE, Board, list_coordinates
from minecheck.minefield.notation import parse
from tests import oracle
from tests.automata.board_windows import cells_of, windows
from tests.oracle import Cell


def enumerate_outside(board: Board, window: Window) -> Outside | None:
    """By all ways to lay mines in the unknown cells that the clues of the window see."""
    inside = set(cells_of(window))
    codes = board.cells.tolist()
    clues = [(row, col) for row, col in cells_of(window) if codes[row][col] <= 8]
    known = set(list_coordinates(board.cells == MINE))
    unknown = set(list_coordinates(board.unknown))
    around = {clue: set(oracle.neighbours(clue, *board.shape)) for clue in clues}
    seen = sorted(unknown.intersection(*[set().union(*around.values())] if clues else [set()]))
    rules = []
    for row, col in clues:
        left = codes[row][col] - len(around[row, col] & known)
        rules.append((around[row, col] & unknown, left, left))
    ways = oracle.sets_of(rules, seen)
    if not ways:
        return None
    outer = [cell for cell in seen if cell not in inside]
    found: list[tuple[Cell, tuple[Cell, ...], int, int]] = []
    for clue in clues:
        cells = tuple(cell for cell in outer if cell in around[clue])
        counts = [len(mines.intersection(cells)) for mines in ways]
        if cells:
            found.append((clue, cells, min(counts), max(counts)))
    return make_outside(
        [cell for cell in outer if all(cell in mines for mines in ways)],
        [cell for cell in outer if not any(cell in mines for mines in ways)],
        found,
    )


def make_outside(
    mines: list[Cell],
    safe: list[Cell],
    clues: list[tuple[Cell, tuple[Cell, ...], int, int]],
) -> Outside:
    return Outside(
        tuple(mines),
        tuple(safe),
        tuple(Beyond(row, col, cells, low, high) for (row, col), cells, low, high in clues),
    )


@given(windows())
def test_find_outside_returns_the_cells_that_all_fillings_share(case: tuple[Board, Window]) -> None:
    board, window = case
    assert cut_window(board, window).find_outside() == enumerate_outside(board, window)


@pytest.mark.parametrize(
    ("rows", "window", "outside"),
    [
        # The student's figure 4: there must be a mine above the 2.
        (
            ["???", "??2", "11?"],
            Window(1, 0, 2, 3),
            make_outside([], [], [((1, 2), ((0, 1), (0, 2)), 1, 2)]),
        ),
        # Its figure 3: a flag below that is a mine leaves one for each 2, none need be outside.
        (["???", "222", "1B1"], Window(0, 0, 2, 3), make_outside([], [], [])),
        (["??", "3S"], Window(1, 0, 1, 2), None),
        (
            ["???", "S2S"],
            Window(1, 0, 1, 3),
            make_outside([], [], [((1, 1), ((0, 0), (0, 1), (0, 2)), 2, 2)]),
        ),
        (
            ["??", "2S"],
            Window(1, 0, 1, 2),
            make_outside([(0, 0), (0, 1)], [], [((1, 0), ((0, 0), (0, 1)), 2, 2)]),
        ),
        (
            ["??", "0S"],
            Window(1, 0, 1, 2),
            make_outside([], [(0, 0), (0, 1)], [((1, 0), ((0, 0), (0, 1)), 0, 0)]),
        ),
        (["B?", "1S"], Window(1, 0, 1, 2), make_outside([], [(0, 1)], [((1, 0), ((0, 1),), 0, 0)])),
        (["B?", "0S"], Window(1, 0, 1, 2), None),
        (["??"], Window(0, 0, 1, 1), make_outside([], [], [])),
    ],
)
def test_find_outside_returns_the_expected_cells_of_examples(
    rows: list[str], window: Window, outside: Outside | None
) -> None:
    assert enumerate_outside(parse(rows), window) == outside
    assert cut_window(parse(rows), window).find_outside() == outside
    turned = parse(["".join(cells) for cells in zip(*rows, strict=True)])
    found = cut_window(
        turned, Window(window.col, window.row, window.cols, window.rows)
    ).find_outside()
    if outside is None:
        assert found is None
    else:
        assert found is not None
        assert {(row, col) for col, row in found.mines} == set(outside.mines)
        assert {(row, col) for col, row in found.safe} == set(outside.safe)


def test_find_outside_handles_a_window_of_thousands_of_rows() -> None:
    length = 3_000
    rows = ["?" * length, "2" + "3" * (length - 2) + "2"]
    found = cut_window(parse(rows), Window(1, 0, 1, length)).find_outside()
    assert found is not None
    assert len(found.mines) == length
    assert {(one.low, one.high) for one in found.clues[1:-1]} == {(3, 3)}
