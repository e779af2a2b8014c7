"""The table of best play and the bound on it (docs/optimal.md), recomputed for small boards."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from benchmarks import optimal, play_bound
from benchmarks.optimal import Size, load_table
from minecheck.minefield.layout import Layout
from minecheck.solvers import Deadline
from tests.solvers.play.plain_end import PlainEnd

TABLE = load_table()


def size_of(name: str) -> Size:
    return Size(*map(int, name.split(",")))


def small_boards(most: int) -> list[str]:
    """Return the boards of at most 12 cells and so many layouts."""
    sizes = {name: size_of(name) for name in TABLE}
    return [
        name for name, size in sizes.items() if size.rows * size.cols <= 12 and size.layouts <= most
    ]


@pytest.mark.parametrize("name", small_boards(90))
def test_best_play_table_is_that_of_plain_expectimax(name: str) -> None:
    rows, cols, mines = size_of(name)
    end = PlainEnd(["?" * cols] * rows, mines)
    for cell, (row, col) in enumerate(end.closed):
        parts: dict[int, list[int]] = {}
        for number, layout in enumerate(end.layouts):
            parts.setdefault(layout[cell], []).append(number)
        parts.pop(-1, None)
        won = sum(end.value(frozenset(part)) for part in parts.values())
        assert TABLE[name][row][col] == won


def test_best_play_table_has_the_known_value_and_every_small_board() -> None:
    assert max(map(max, TABLE["4,4,4"])) == 961
    for rows, cols in [(1, 1), (2, 3), (3, 3), (3, 4), (4, 4)]:
        for mines in range(rows * cols + 1):
            assert np.shape(TABLE[f"{rows},{cols},{mines}"]) == (rows, cols)


@pytest.mark.parametrize("name", ["2,3,2", "3,3,4", "3,4,3", "4,4,12"])
def test_best_play_table_is_computed_again_with_equal_values(name: str) -> None:
    assert optimal.play_first_cells(size_of(name), Deadline()) == TABLE[name]


def all_layouts(size: Size) -> np.ndarray:
    found = np.zeros((size.layouts, size.rows * size.cols), np.bool_)
    for layout, mined in zip(
        found, combinations(range(size.rows * size.cols), size.mines), strict=True
    ):
        layout[list(mined)] = True
    return found.reshape(-1, size.rows, size.cols)


@pytest.mark.parametrize("name", ["2,2,2", "2,3,3", "3,3,4", "3,4,4", "3,4,6", "4,4,3", "4,4,12"])
def test_play_bound_is_not_below_best_play(name: str) -> None:
    size = size_of(name)
    room = np.ones((size.rows, size.cols), np.bool_)
    most = sum(map(Fraction, play_bound.weigh_layouts(all_layouts(size), room)))
    assert max(map(max, TABLE[name])) <= most


def test_play_bound_counts_rivals_of_equal_chance_in_each_class() -> None:
    size = Size(3, 4, 6)
    room = np.ones((size.rows, size.cols), np.bool_)
    layouts = all_layouts(size)
    weights = play_bound.weigh_layouts(layouts, room)
    assert min(weights) < 1
    # Classes are found again by boards that look alike: each has rivals enough.
    shown = [Layout(layout).to_codes().ravel() for layout in layouts]
    for number in np.flatnonzero(np.array(weights) < 1).tolist():
        rivals = [
            other
            for other in range(len(layouts))
            if other != number
            and weights[other] == weights[number]
            and _rivals(shown, number, other)
        ]
        assert len(rivals) + 1 >= 1 / weights[number]


def _rivals(shown: list[np.ndarray], one: int, other: int) -> bool:
    """True if no cell that is safe in both shows another number."""
    safe = (shown[one] <= 8) & (shown[other] <= 8)
    return bool(np.array_equal(shown[one][safe], shown[other][safe]))


def test_play_bound_of_beginner_boards_is_between_the_player_and_certainty() -> None:
    bound = play_bound.estimate_bound(9, 9, 10, 2000)
    assert bound.mean - bound.half > 0.9672
    assert bound.mean + bound.half < 1
