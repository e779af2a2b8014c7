"""A reduced board as boxes and clues over them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given

from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import IS_MINE, NONE, reduce
from minecheck.minefield.rules import Rule
from minecheck.solvers.search.problem import BoxProblem
from tests.boards import boards_with_totals
from tests.rule_constraints import build_constraints, reduce_board


def problem_of(rows: str, mines: int | None = None) -> BoxProblem:
    return BoxProblem.from_reduction(reduce_board(parse(rows), mines))


def clue_boxes(problem: BoxProblem) -> list[list[int]]:
    boxes, start = problem.clue_boxes.tolist(), problem.clue_start.tolist()
    return [boxes[first:last] for first, last in pairwise(start)]


def test_box_problem_without_a_total_omits_loose_cells() -> None:
    problem = problem_of("?1???")
    assert problem.size.tolist() == [2]
    assert (clue_boxes(problem), problem.low.tolist(), problem.high.tolist()) == ([[0]], [1], [1])
    assert problem.components == 1


def test_box_problem_has_the_total_as_a_clue_and_loose_cells_as_a_box() -> None:
    problem = problem_of("?1???", mines=2)
    assert problem.size.tolist() == [2, 2]
    assert [sorted(boxes) for boxes in clue_boxes(problem)] == [[0], [0, 1]]
    assert (problem.low.tolist(), problem.high.tolist()) == ([1, 2], [1, 2])


def test_box_problem_total_counts_only_undecided_mines() -> None:
    problem = problem_of("?1B?1???", mines=4)
    assert problem.low[-1] == 4 - problem.reduction.mines_decided


def test_box_problem_total_joins_all_components() -> None:
    assert problem_of("?1???1?").components == 2
    assert problem_of("?1???1?", mines=2).components == 1


@pytest.mark.parametrize(("rows", "mines"), [("0", None), ("B", 1), ("0?", 0), ("0?", None)])
def test_box_problem_of_a_decided_board_has_no_cells(rows: str, mines: int | None) -> None:
    assert problem_of(rows, mines).size.sum() == 0


def test_box_problem_has_the_loose_cells_in_the_last_box() -> None:
    problem = problem_of("?1???", mines=2)
    assert problem.cells_of(0).tolist() == [0, 2]
    assert problem.cells_of(1).tolist() == [3, 4]


def test_box_problem_lists_the_clues_of_each_box() -> None:
    start, clues = problem_of("????\nS12S\n????", mines=4).clues_of_box
    lists = [clues[first:last].tolist() for first, last in pairwise(start)]
    assert lists == [[0, 2], [0, 1, 2], [1, 2], [2]]


@pytest.mark.parametrize(
    ("mines", "placed"), [([0, 0], []), ([1, 0], [0]), ([2, 1], [0, 2, 3]), ([1, 2], [0, 3, 4])]
)
def test_place_mines_fills_the_first_cells_of_a_box(mines: list[int], placed: list[int]) -> None:
    problem = problem_of("?1???", mines=2)
    cells = problem.place_mines(np.array(mines, dtype=np.int32))
    assert np.flatnonzero(cells).tolist() == placed


def test_place_mines_places_decided_mines_and_leaves_loose_cells_safe() -> None:
    problem = problem_of("B??2?")
    assert np.flatnonzero(problem.place_mines(np.zeros(0, dtype=np.int32))).tolist() == [0, 2, 4]


def test_place_mines_does_not_change_the_reduction() -> None:
    problem = problem_of("?1???", mines=2)
    problem.place_mines(np.array([1, 1], dtype=np.int32))
    assert not (problem.reduction.state == IS_MINE).any()


def test_box_problem_of_rules_has_boxes() -> None:
    rules = [Rule(("a", "b", "c"), 1, 2), Rule(("c", "d"), 0, 1)]
    problem = BoxProblem.from_reduction(reduce(build_constraints(rules)[0]))
    assert problem.size.tolist() == [2, 1, 1]
    assert (problem.low.tolist(), problem.high.tolist()) == ([1, 0], [2, 1])


@given(boards_with_totals())
def test_box_problem_boxes_hold_as_many_cells_as_their_size(case: tuple[Board, int | None]) -> None:
    reduction = reduce_board(*case)
    assume(reduction.conflict == NONE)
    problem = BoxProblem.from_reduction(reduction)
    cells = [problem.cells_of(box).size for box in range(problem.size.size)]
    assert cells == problem.size.tolist()
    assert problem.component_boxes[-1] == problem.size.size
    assert problem.component_clues[-1] == problem.low.size


@given(boards_with_totals())
def test_place_mines_places_the_mines_of_each_box(case: tuple[Board, int | None]) -> None:
    reduction = reduce_board(*case)
    assume(reduction.conflict == NONE)
    problem = BoxProblem.from_reduction(reduction)
    mines = (problem.size + 1) // 2
    placed = problem.place_mines(mines.astype(np.int32))
    held = [int(placed[problem.cells_of(box)].sum()) for box in range(problem.size.size)]
    assert held == mines.tolist()
    assert placed.sum() == mines.sum() + reduction.mines_decided


@given(boards_with_totals())
def test_take_component_keeps_clues_and_sizes_of_the_component(
    case: tuple[Board, int | None],
) -> None:
    reduction = reduce_board(*case)
    assume(reduction.conflict == NONE)
    problem = BoxProblem.from_reduction(reduction)
    for index in range(problem.components):
        first, last = problem.component_boxes[index : index + 2].tolist()
        clues = slice(*problem.component_clues[index : index + 2].tolist())
        alone = problem.take_component(index)
        assert alone.components == 1
        assert alone.size.tolist() == problem.size[first:last].tolist()
        assert alone.low.tolist() == problem.low[clues].tolist()
        assert alone.high.tolist() == problem.high[clues].tolist()
        assert [[box + first for box in boxes] for boxes in clue_boxes(alone)] == clue_boxes(
            problem
        )[clues]
