"""Boards and sets of premises to deduce from."""

from collections.abc import Sequence
from typing import cast

from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.reduction.constraints import TOTAL
from minecheck.minefield.rules import Rule
from minecheck.solvers.reasons.deduction import Premise
from tests.replay import list_statements

#: The third problem in the README of M. Probst's minedetector.
PROBLEM_3 = ("++4-2", "--++-", "+6--3", "++22+")


def premises(board: Board, mines: int | None = None) -> list[Premise]:
    """List the premises of a board's clues, numbered in reading order, and of the total."""
    return [
        Premise(
            TOTAL if one.clue == TOTAL else number,
            tuple(row * board.width + col for row, col in one.cells),
            one.low,
            one.high,
        )
        for number, one in enumerate(list_statements(board, mines))
    ]


def from_rules(rules: Sequence[Rule], cells: int, mines: int | None) -> list[Premise]:
    """The same for rules over cells 0, 1, ..."""
    found = [
        Premise(clue, cast("tuple[int, ...]", rule.cells), rule.low, rule.high)
        for clue, rule in enumerate(rules)
    ]
    total = [] if mines is None else [Premise(TOTAL, tuple(range(cells)), mines, mines)]
    return found + total


@st.composite
def tangles(draw: st.DrawFn) -> list[Premise]:
    """Many small overlapping sets, with intervals and maybe a total; most of them can hold."""
    count = draw(st.integers(2, 8))
    mines = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    chosen = st.lists(st.integers(0, count - 1), min_size=1, max_size=4, unique=True)
    slack = st.sampled_from([(0, 0), (0, 0), (0, 0), (1, 0), (0, 1), (1, 1), (-1, 1)])
    rules = []
    for cells in draw(st.lists(chosen, min_size=2, max_size=10)):
        held = sum(mines[cell] for cell in cells)
        below, above = draw(slack)
        rules.append(Rule(tuple(cells), held - below, held + above))
    return from_rules(rules, count, draw(st.none() | st.just(sum(mines))))


FACING = ("+33+", "---+")

#: 1 and 2 overlap, and neither has all the cells of the other.
ASTRIDE = ("----", " 12 ")

#: That cell 6 is safe is seen by a supposition within another only.
NESTED = from_rules(
    [
        Rule((8, 2), 1, 2),
        Rule((11, 6, 0, 7), 0, 1),
        Rule((9, 10), 1, 1),
        Rule((2, 0, 1), 2, 2),
        Rule((8, 5, 9, 1), 3, 3),
        Rule((4, 8, 3, 7), 1, 2),
        Rule((10, 5, 3, 2), 2, 2),
        Rule((3, 10, 8), 1, 2),
        Rule((3, 5, 6, 9), 1, 2),
        Rule((4, 8, 6), 1, 2),
    ],
    12,
    None,
)
