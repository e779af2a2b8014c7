"""The oracle gives the answers that were worked out for the papers' boards."""

import pytest
from hypothesis import given

from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from tests import oracle
from tests.boards import CASE, SMALL_CASES, Case, layout_boards


@pytest.mark.parametrize("case", SMALL_CASES, ids=str)
def test_oracle_answers_the_papers_boards(case: Case) -> None:
    answer = oracle.answer(parse(case.rows))
    assert answer.consistent == case.consistent
    assert (answer.count, answer.by_mines) == (case.layouts, case.by_mines)
    assert (answer.forced_mines, answer.forced_safe) == (case.forced_mines, case.forced_safe)


def test_oracle_keeps_only_layouts_with_the_total() -> None:
    answer = oracle.answer(parse("?1??"), mines=1)
    assert answer.layouts == [frozenset({(0, 0)}), frozenset({(0, 2)})]
    assert answer.forced_safe == {(0, 3)}


def test_oracle_rejects_boards_that_would_take_too_long() -> None:
    with pytest.raises(ValueError, match="too many"):
        oracle.answer(parse(CASE["probst-eights"].rows))


def test_oracle_joins_sets_of_rules() -> None:
    assert oracle.sets_of([("ab", 1, 1), ("bc", 2, 2)], "abc") == [frozenset("bc")]


@given(layout_boards())
def test_generated_boards_of_a_layout_are_consistent(board: Board) -> None:
    assert oracle.answer(board).consistent
