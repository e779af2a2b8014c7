"""Counts in parts are the counts: by components, and by what a few boxes hold."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.board import MINE, Board
from minecheck.minefield.reduction.constraints import NONE, Constraints
from minecheck.minefield.rules import Rule
from minecheck.solvers import FULL, answer_question
from minecheck.solvers.backends import auto
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.cutset import (
    Split,
    SplitLimits,
    isolate_component,
    split_component,
    spread_count,
)
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import Share
from minecheck.solvers.tasks.count import Count
from tests import oracle
from tests.boards import boards_with_totals, lattice, layout_boards
from tests.rule_constraints import build_constraints, reduce_board


def each(
    work: Callable[[Any, Deadline], Any], items: Sequence[Any], deadline: Deadline
) -> list[Any]:
    """Others who work in their own order."""
    found = {index: work(items[index], deadline) for index in reversed(range(len(items)))}
    return [found[index] for index in range(len(items))]


#: Small boards are split, too, by at most two boxes.
EAGER = SplitLimits(piece_work=0, most_boxes=2, planning_share=10.0**9)


@given(layout_boards(), st.data(), st.booleans())
def test_cutset_pieces_of_a_component_add_up_to_its_count(
    board: Board, data: st.DataObject, by_mines: bool
) -> None:
    # As it is: what propagation decides leaves few components on small boards.
    reduction = Constraints.from_board(board).parts
    assume(reduction.components)
    component = data.draw(st.integers(0, reduction.components - 1))
    first, last = reduction.component_boxes[component : component + 2].tolist()
    chosen = data.draw(st.lists(st.integers(first, last - 1), unique=True, max_size=3))
    start = reduction.box_start - reduction.box_start[first]
    boxes = tuple(np.arange(start[box], start[box + 1], dtype=np.int32) for box in chosen)
    whole = Split(isolate_component(reduction, component), boxes, by_mines)
    total: Counter[int] = Counter()
    for held in whole.pieces:
        total.update(whole.count(held, Deadline()))
    # The component, by trying everything.
    cells = reduction.box_cells[reduction.box_start[first] : reduction.box_start[last]].tolist()
    clues = range(*reduction.component_clues[component : component + 2].tolist())
    rules = []
    for clue in clues:
        of_clue = reduction.clue_boxes[slice(*reduction.clue_start[clue : clue + 2])].tolist()
        members = [
            cell
            for box in of_clue
            for cell in reduction.box_cells[slice(*reduction.box_start[box : box + 2])].tolist()
        ]
        rules.append((members, int(reduction.low[clue]), int(reduction.high[clue])))
    layouts = Counter(len(mines) for mines in oracle.sets_of(rules, cells))
    assert +total == (layouts if by_mines else +Counter({0: layouts.total()}))


def test_piece_without_layouts_adds_nothing_to_a_count_by_mines() -> None:
    # Without x an odd cycle is left, which propagation alone does not reject.
    cycle = [Rule(("a", "b", "x"), 1, 1), Rule(("b", "c"), 1, 1), Rule(("a", "c"), 1, 1)]
    constraints, _ = build_constraints([*cycle, Rule((*range(12), "x"), 6, 6)])
    reduction = constraints.parts
    (boxes,) = np.diff(reduction.component_boxes)
    component = isolate_component(reduction, 0)
    for box in range(boxes):
        cells = np.arange(*reduction.box_start[box : box + 2], dtype=np.int32)
        split = Split(component, (cells,), True)
        total: Counter[int] = Counter()
        for held in split.pieces:
            total.update(split.count(held, Deadline()))
        assert +total == {7: comb(12, 5)}, box


def test_count_of_a_costly_component_shares_its_pieces() -> None:
    taken: list[int] = []

    def count_items(work: Any, items: Sequence[Any], deadline: Deadline) -> list[Any]:
        taken.append(len(items))
        return each(work, items, deadline)

    # Two lattices behind a wall of mines, by mines dearer than that.
    one = lattice(11).cells
    board = Board(np.hstack([one, np.full((11, 3), MINE, np.int8), one]))
    question = Count(board, by_mines=True)
    share = Share(count_items, 2, least_work=100_000_000)
    found = answer_question(question, effort=replace(FULL, share=share))
    plain = answer_question(question)
    assert taken == [2]
    assert (found.count, found.by_mines) == (plain.count, plain.by_mines)
    assert found.complete


def test_count_of_a_cheap_component_shares_nothing() -> None:
    def never(*_: object) -> list[Any]:
        raise AssertionError

    question = Count(lattice(9))
    found = answer_question(question, effort=replace(FULL, share=Share(never, 4)))
    assert found.complete


def test_split_component_does_not_split_where_pieces_take_longer() -> None:
    component = isolate_component(reduce_board(lattice(11)), 0)
    assert not split_component(component, False, 1, Deadline()).boxes


class TestDear:
    """Limits are set so that every piece is shared."""

    @given(boards_with_totals())
    def test_shared_counts_of_a_board_agree_with_the_oracle(
        self, case: tuple[Board, int | None]
    ) -> None:
        board, mines = case
        assume(mines is None or mines <= board.cells.size)
        expected = oracle.answer(board, mines)
        reduction = reduce_board(board, mines)
        if reduction.conflict != NONE:
            assert not expected.count
            return
        tally = BoardTally(reduction, Budget(10**9, Deadline()))
        share = Share(each, 4, least_work=1)
        spread_count(tally, share, Deadline(), by_mines=mines is not None, limits=EAGER)
        assert tally.count == expected.count
        if mines is None:
            again = BoardTally(reduction, Budget(10**9, Deadline()))
            spread_count(again, share, Deadline(), by_mines=True, limits=EAGER)
            assert again.by_mines == expected.by_mines

    @pytest.mark.parametrize("mines", [None, 22])
    def test_wide_component_is_split_until_its_pieces_fit(self, mines: int | None) -> None:
        reduction = reduce_board(lattice(9), mines)
        pieces: list[int] = []

        def count_items(work: Any, items: Sequence[Any], deadline: Deadline) -> list[Any]:
            pieces.append(len(items))
            return each(work, items, deadline)

        limits = EAGER._replace(most_boxes=8, most_limbs=2**15 if mines else 2**10)
        tally = BoardTally(reduction, Budget(10**10, Deadline()))
        share = Share(count_items, 4, least_work=1)
        spread_count(tally, share, Deadline(), by_mines=mines is not None, limits=limits)
        assert pieces
        assert pieces[0] > 2
        assert tally.count == BoardTally(reduction, Budget(10**10, Deadline())).count

    def test_shared_count_takes_each_component_as_a_piece(self) -> None:
        cells = np.full((9, 21), 0, dtype=np.int8)
        one = lattice(9).cells
        # A wall of mines between them, which no clue sees.
        cells[:, :9] = cells[:, 12:] = one
        cells[:, 9:12] = MINE
        cells[1::2, [7, 13]] = 3
        reduction = reduce_board(Board(cells))
        taken: list[set[int]] = []

        def count_items(work: Any, items: Sequence[Any], deadline: Deadline) -> list[Any]:
            taken.append({index for index, _ in items})
            return each(work, items, deadline)

        tally = BoardTally(reduction, Budget(10**10, Deadline()))
        alone_tally = BoardTally(reduction, Budget(10**10, Deadline()))
        share = Share(count_items, 1, least_work=1)
        spread_count(tally, share, Deadline(), by_mines=False, limits=EAGER)
        assert reduction.components == 2
        assert taken == [{0, 1}]
        assert tally.count == alone_tally.count

    def test_count_omits_pieces_that_are_not_finished_in_time(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def late(*_: object) -> list[Any]:
            raise DeadlinePassed

        monkeypatch.setattr(auto, "spread_count", partial(spread_count, limits=EAGER))
        share = Share(late, 10**6, least_work=1)
        found = answer_question(Count(lattice(11)), effort=replace(FULL, share=share))
        assert found.consistent
        assert found.count is None
        assert not found.complete
