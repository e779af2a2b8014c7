"""Kadlac's breadth-first search."""

from math import comb, inf

import numpy as np
import pytest
from hypothesis import given

from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backends import exhaustive
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from tests import oracle
from tests.boards import BOARD_1_LAYOUTS, CASE, boards_with_totals

BoardCase = tuple[Board, int | None]


def mines_of(layout: Layout) -> list[oracle.Cell]:
    """The mines in reading order."""
    return list(zip(*(axis.tolist() for axis in np.nonzero(layout.mines)), strict=True))


@pytest.mark.parametrize(
    ("board", "layouts"), [("1", 16), ("2", 512), ("3", 66), ("4", 1), ("5", 1), ("6", 1)]
)
def test_exhaustive_search_finds_all_layouts_of_the_papers_boards(board: str, layouts: int) -> None:
    found = list(exhaustive.iterate_layouts(parse(CASE[f"kadlac-board-{board}"].rows)))
    assert len(found) == len(set(found)) == layouts


def test_exhaustive_search_finds_the_layouts_that_the_paper_prints() -> None:
    found = exhaustive.iterate_layouts(parse("??\n??"))
    assert {tuple(layout.rows()) for layout in found} == set(BOARD_1_LAYOUTS)


def test_exhaustive_layouts_are_sorted_by_mines_and_reading_order() -> None:
    found = [mines_of(layout) for layout in exhaustive.iterate_layouts(parse("???\n?2?\n???"))]
    assert found == sorted(found, key=lambda mines: (len(mines), mines))


@given(boards_with_totals())
def test_exhaustive_search_lists_each_layout_once_in_order(case: BoardCase) -> None:
    found = [mines_of(layout) for layout in exhaustive.iterate_layouts(*case)]
    keys = [(len(mines), mines) for mines in found]
    assert keys == sorted(keys)
    assert len({tuple(mines) for mines in found}) == len(found)


@given(boards_with_totals())
def test_exhaustive_layouts_are_those_of_the_oracle(case: BoardCase) -> None:
    found = {frozenset(mines_of(layout)) for layout in exhaustive.iterate_layouts(*case)}
    assert found == set(oracle.answer(*case).layouts)


@pytest.mark.parametrize("mines", range(10))
def test_exhaustive_search_with_a_total_lists_the_layouts_with_that_many_mines(mines: int) -> None:
    board = parse("???\n???\n???")
    assert len(list(exhaustive.iterate_layouts(board, mines))) == comb(9, mines)


@pytest.mark.parametrize("limit", [1, 10, 100])
def test_exhaustive_search_raises_when_its_frontier_is_too_large(limit: int) -> None:
    with pytest.raises(BackendError, match=f"more than {limit} grids"):
        list(exhaustive.iterate_layouts(parse(["????"] * 4), limit=limit))


def test_exhaustive_limit_is_the_largest_frontier() -> None:
    board = parse("???\n???")
    assert len(list(exhaustive.iterate_layouts(board, limit=20))) == 64
    with pytest.raises(BackendError, match="more than"):
        list(exhaustive.iterate_layouts(board, limit=19))


def test_exhaustive_search_yields_layouts_before_its_frontier_is_too_large() -> None:
    search = exhaustive.iterate_layouts(parse(["????"] * 4), limit=20)
    found = [next(search) for _ in range(1 + 16)]
    assert max(layout.total for layout in found) == 1
    with pytest.raises(BackendError, match="more than"):
        next(search)


@pytest.mark.parametrize("mines", [0, 25])
def test_exhaustive_search_rejects_an_impossible_total_without_searching(mines: int) -> None:
    # There is a mine, and there is a cell without one.
    board = parse(["?????"] * 4 + ["???BS"])
    assert list(exhaustive.iterate_layouts(board, mines, limit=100)) == []


def test_exhaustive_search_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        list(exhaustive.iterate_layouts(parse("???"), deadline=Deadline(-inf)))
