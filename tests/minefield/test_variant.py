"""Boards under other rules: what they are, and what they are not."""

import pickle

import numpy as np
import pytest
from hypothesis import given

from minecheck.minefield import (
    Board,
    Clue,
    Constraints,
    Shape,
    Topology,
    Variant,
    VariantError,
    parse,
)
from minecheck.minefield.layout import Layout, MultiMineLayout
from tests.boards import small_boards
from tests.variants import variants

ALL = {"sets": True, "piles": True, "lies": True}


def test_clue_says_which_numbers_of_mines_it_allows() -> None:
    assert [str(Clue(2, 2)), str(Clue(1, 3)), str(Clue.one_of([4, 1, 2]))] == [
        "2",
        "1 to 3",
        "1, 2 or 4",
    ]
    assert Clue.one_of([2, 1]) == Clue(1, 2)
    assert [mines for mines in range(9) if Clue.one_of([1, 4]).allows_mines(mines)] == [1, 4]


@given(variants(kinds=ALL))
def test_pickled_variant_is_equal(variant: Variant) -> None:
    again = pickle.loads(pickle.dumps(variant))
    assert again == variant
    assert (hash(again), repr(again)) == (hash(variant), repr(variant))


def test_variants_with_different_boards_or_rules_are_unequal() -> None:
    board = parse(["S?", "??"])
    several = [
        Variant(board),
        Variant(parse(["S???"])),
        Variant(board, Topology(Shape.TORUS)),
        Variant(board, Topology(layers=2)),
        Variant(board, Topology(offsets=((0, 1),))),
        Variant(board, differences={(0, 0): Clue(1, 3)}),
        Variant(board, differences={(0, 0): Clue.one_of([1, 3])}),
        Variant(board, most=2),
        Variant(board, lies=(0, 1)),
        Variant(board, lies=(1, 1)),
    ]
    assert len(set(several)) == len(set(map(repr, several))) == len(several)
    assert several[0] != board


def test_variant_repr_does_not_depend_on_the_order_of_clues() -> None:
    board = parse(["SS"])
    clues = {(0, 0): Clue(0, 1), (0, 1): Clue(1, 2)}
    other = dict(reversed(clues.items()))
    assert repr(Variant(board, differences=clues)) == repr(Variant(board, differences=other))


@given(small_boards())
def test_rectangle_variant_has_the_constraints_of_the_board(board: Board) -> None:
    plane, variant = Constraints.from_position(board), Constraints.from_position(Variant(board))
    for name in ("known", "start", "members", "low", "high", "origin"):
        assert getattr(plane, name).tolist() == getattr(variant, name).tolist()
        assert getattr(plane, name).dtype == getattr(variant, name).dtype


@given(small_boards())
def test_rectangle_variant_has_the_contradictions_of_the_board(board: Board) -> None:
    layout = Layout(np.indices(board.shape).sum(axis=0) % 2 == 0)
    assert sorted(Variant(board).list_contradictions(layout.mines)) == layout.list_contradictions(
        board
    )


@pytest.mark.parametrize(
    ("rows", "clues", "most", "lies", "field"),
    [
        (["?S"], {(0, 0): Clue(1, 2)}, 1, (0, 0), "clues"),
        (["1S"], {(0, 0): Clue(1, 2)}, 1, (0, 0), "clues"),
        (["BS"], {(0, 0): Clue(1, 2)}, 1, (0, 0), "clues"),
        (["?S"], {(0, 2): Clue(1, 2)}, 1, (0, 0), "clues"),
        (["?S"], {(1, 0): Clue(1, 2)}, 1, (0, 0), "clues"),
        (["?S"], {}, 0, (0, 0), "mines_per_cell"),
        (["?S"], {}, 10, (0, 0), "mines_per_cell"),
        (["?S"], {}, 1, (2, 1), "lies"),
        (["?S"], {}, 1, (-1, 1), "lies"),
    ],
)
def test_variant_rejects_invalid_arguments_and_names_the_field(
    rows: list[str],
    clues: dict[tuple[int, int], Clue],
    most: int,
    lies: tuple[int, int],
    field: str,
) -> None:
    with pytest.raises(VariantError) as error:
        Variant(parse(rows), differences=clues, most=most, lies=lies)
    assert error.value.field == field
    assert str(error.value)


def test_variant_names_the_field_that_goes_beyond_intervals() -> None:
    board = parse(["S?"])
    for variant, field in (
        (Variant(board, differences={(0, 0): Clue.one_of([0, 2])}), "clues"),
        (Variant(board, most=2), "mines_per_cell"),
        (Variant(board, lies=(1, 1)), "lies"),
        (Variant(board, lies=(0, 1)), "most_lies"),
    ):
        assert variant.beyond == field
        with pytest.raises(ValueError, match=field):
            Constraints.from_position(variant)


def test_piled_layout_has_total_mines_and_amounts() -> None:
    piled = MultiMineLayout(np.array([[0, 2], [1, 0]]))
    assert piled.total == 3
    assert piled.mines.tolist() == [[False, True], [True, False]]
    assert pickle.loads(pickle.dumps(piled)) == piled
    assert piled != MultiMineLayout(np.array([[0, 1], [1, 0]]))
    assert hash(piled) == hash(MultiMineLayout(np.array([[0, 2], [1, 0]])))
    assert Layout(piled.mines).mine_counts.tolist() == [[0, 1], [1, 0]]
