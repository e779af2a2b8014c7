"""Kadlac's breadth-first search."""

from math import comb, inf

import numpy as np
import pytest
from hypothesis import given

from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.solvers.backends import exhaustive
from minecheck.solvers.backends.exhaustive import FrontierTooLarge
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
def test_boards_of_the_paper(board: str, layouts: int) -> None:
    found = list(exhaustive.iterate_layouts(parse(CASE[f"kadlac-board-{board}"].rows)))
    assert len(found) == len(set(found)) == layouts


def test_the_first_board_has_the_layouts_that_the_paper_prints() -> None:
    found = exhaustive.iterate_layouts(parse("??\n??"))
    assert {tuple(layout.rows()) for layout in found} == set(BOARD_1_LAYOUTS)


def test_few_mines_come_first_and_then_reading_order() -> None:
    found = [mines_of(layout) for layout in exhaustive.iterate_layouts(parse("???\n?2?\n???"))]
    assert found == sorted(found, key=lambda mines: (len(mines), mines))


@given(boards_with_totals())
def test_layouts_come_in_order_each_once(case: BoardCase) -> None:
    found = [mines_of(layout) for layout in exhaustive.iterate_layouts(*case)]
    keys = [(len(mines), mines) for mines in found]
    assert keys == sorted(keys)
    assert len({tuple(mines) for mines in found}) == len(found)


@given(boards_with_totals())
def test_layouts_are_those_of_the_oracle(case: BoardCase) -> None:
    found = {frozenset(mines_of(layout)) for layout in exhaustive.iterate_layouts(*case)}
    assert found == set(oracle.answer(*case).layouts)


@pytest.mark.parametrize("mines", range(10))
def test_a_total_picks_the_layouts_with_so_many_mines(mines: int) -> None:
    board = parse("???\n???\n???")
    assert len(list(exhaustive.iterate_layouts(board, mines))) == comb(9, mines)


@pytest.mark.parametrize("limit", [1, 10, 100])
def test_too_large_a_search_frontier_is_told(limit: int) -> None:
    with pytest.raises(FrontierTooLarge) as refusal:
        list(exhaustive.iterate_layouts(parse(["????"] * 4), limit=limit))
    assert refusal.value.limit == limit


def test_the_largest_frontier_is_the_limit() -> None:
    board = parse("???\n???")
    assert len(list(exhaustive.iterate_layouts(board, limit=20))) == 64
    with pytest.raises(FrontierTooLarge):
        list(exhaustive.iterate_layouts(board, limit=19))


def test_layouts_found_before_the_frontier_outgrew_its_limit_are_given() -> None:
    search = exhaustive.iterate_layouts(parse(["????"] * 4), limit=20)
    found = [next(search) for _ in range(1 + 16)]
    assert max(layout.total for layout in found) == 1
    with pytest.raises(FrontierTooLarge):
        next(search)


@pytest.mark.parametrize("mines", [0, 25])
def test_an_impossible_total_is_seen_without_a_search(mines: int) -> None:
    # There is a mine, and there is a cell without one.
    board = parse(["?????"] * 4 + ["???BS"])
    assert list(exhaustive.iterate_layouts(board, mines, limit=100)) == []


def test_past_the_deadline_it_stops() -> None:
    with pytest.raises(DeadlinePassed):
        list(exhaustive.iterate_layouts(parse("???"), deadline=Deadline(-inf)))
