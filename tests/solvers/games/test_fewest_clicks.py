"""The fewest clicks with flags and chords, against all plays of small maps."""

from collections import deque
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minecheck.minefield import Layout
from minecheck.minefield.openings import count_least_clicks
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.games.click_graph import ClickGraph, PlannedClick
from minecheck.solvers.games.fewest_clicks import FewestClicks, find_fewest_clicks
from minecheck.solvers.games.zini import play_greedily
from tests.examples import examples

MAPS: Final = hnp.arrays(
    np.bool_, st.tuples(st.integers(1, 3), st.integers(1, 5)), elements=st.sampled_from([0, 0, 1])
).map(Layout)
LARGE_MAPS: Final = hnp.arrays(
    np.bool_,
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    elements=st.sampled_from([0, 0, 0, 0, 1]),
).map(Layout)


class Game:
    """A map as a program of Minesweeper plays it, cell by cell: the state of each is a bit."""

    def __init__(self, layout: Layout) -> None:
        height, width = layout.mines.shape
        self.mines = layout.mines.ravel().tolist()
        self.around = [
            [
                r * width + c
                for r in range(max(0, cell // width - 1), min(height, cell // width + 2))
                for c in range(max(0, cell % width - 1), min(width, cell % width + 2))
                if r * width + c != cell
            ]
            for cell in range(height * width)
        ]
        self.width = width

    def number(self, cell: int) -> int:
        return sum(self.mines[other] for other in self.around[cell])

    def click_on(self, shown: int, flags: int, cells: list[int]) -> int | None:
        """Return what is shown after a click on cells, None if one is a mine."""
        waiting = list(cells)
        while waiting:
            cell = waiting.pop()
            if (shown | flags) >> cell & 1:
                continue
            if self.mines[cell]:
                return None
            shown |= 1 << cell
            if self.number(cell) == 0:
                waiting += self.around[cell]
        return shown

    def chord_on(self, shown: int, flags: int, cell: int) -> int | None:
        """Return what is shown after a chord, which does nothing without the right flags."""
        flagged = sum(flags >> other & 1 for other in self.around[cell])
        if not shown >> cell & 1 or flagged != self.number(cell):
            return shown
        return self.click_on(shown, flags, self.around[cell])

    def count_fewest_clicks(self) -> int:
        """Return the length of the shortest play, of all that there are."""
        whole = sum(1 << cell for cell, mine in enumerate(self.mines) if not mine)
        seen = {(0, 0): 0}
        waiting = deque(seen)
        while waiting:
            shown, flags = state = waiting.popleft()
            if shown == whole:
                return seen[state]
            for cell, mine in enumerate(self.mines):
                opened = None if mine else self.click_on(shown, flags, [cell])
                flagged = flags | 1 << cell if mine else flags
                for after in (
                    (opened, flags),
                    (shown, flagged),
                    (self.chord_on(shown, flags, cell), flags),
                ):
                    if after[0] is not None and after not in seen:
                        seen[after] = seen[state] + 1  # type: ignore[index]
                        waiting.append(after)  # type: ignore[arg-type]
        raise AssertionError("each map can be opened")

    def follow(self, clicks: list[PlannedClick]) -> bool:
        """Return True if clicks open all safe cells and no mine, each by itself."""
        shown = flags = 0
        for kind, (row, col) in clicks:
            cell = row * self.width + col
            after: int | None = shown
            if kind == "flag":
                assert not flags >> cell & 1
                flags |= 1 << cell
            elif kind == "open":
                after = self.click_on(shown, flags, [cell])
            else:
                after = self.chord_on(shown, flags, cell)
            if after is None or (kind != "flag" and after == shown):
                return False
            shown = after
        return shown == sum(1 << cell for cell, mine in enumerate(self.mines) if not mine)


@given(layout=MAPS)
def test_fewest_clicks_are_those_of_the_shortest_play(layout: Layout) -> None:
    found = find_fewest_clicks(layout)
    assert found.exact
    assert found.low == Game(layout).count_fewest_clicks()
    assert Game(layout).follow(list(found.plan))


@pytest.mark.slow
@examples(10)
@given(
    layout=hnp.arrays(np.bool_, st.just((3, 6)), elements=st.sampled_from([0, 0, 1])).map(Layout)
)
def test_fewest_clicks_of_larger_maps_are_those_of_the_shortest_play(layout: Layout) -> None:
    assert find_fewest_clicks(layout).low == Game(layout).count_fewest_clicks()


@pytest.mark.parametrize("openings_first", [False, True])
@given(layout=LARGE_MAPS)
def test_greedy_plays_open_the_map_with_no_more_clicks_than_without_flags(
    openings_first: bool, layout: Layout
) -> None:
    graph = ClickGraph(layout)
    clicks = play_greedily(graph, Deadline(), openings_first=openings_first).clicks
    assert Game(layout).follow(clicks)
    assert len(clicks) <= count_least_clicks(layout)


@given(layout=LARGE_MAPS)
def test_fewest_clicks_lie_between_their_bounds(layout: Layout) -> None:
    found = find_fewest_clicks(layout, Deadline.in_seconds(60))
    assert 0 <= found.low <= len(found.plan) <= min(found.zini, found.human_zini)
    assert Game(layout).follow(list(found.plan))


def test_fewest_clicks_of_a_large_map_have_a_bound_without_a_search() -> None:
    mines = np.random.default_rng(0).random((60, 60)) < 0.2
    found = find_fewest_clicks(Layout(mines))
    assert 200 < found.low < len(found.plan) == found.zini < count_least_clicks(Layout(mines))


def test_fewest_clicks_without_time_are_not_found() -> None:
    with pytest.raises(DeadlinePassed):
        find_fewest_clicks(Layout(np.zeros((3, 3), np.bool_)), Deadline.in_seconds(0))


def test_fewest_clicks_of_a_map_of_mines_are_none() -> None:
    assert find_fewest_clicks(Layout(np.ones((2, 2), np.bool_))) == FewestClicks(0, (), 0, 0)


def test_chords_around_a_mine_save_clicks() -> None:
    layout = Layout(np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], np.bool_))
    found = find_fewest_clicks(layout)
    assert (found.low, found.zini, count_least_clicks(layout)) == (5, 5, 8)
    assert found.plan[:3] == (("open", (0, 1)), ("flag", (1, 1)), ("chord", (0, 1)))
