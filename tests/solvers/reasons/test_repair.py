"""The fewest changes of clues, and all of them, against all layouts of small boards."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minecheck.minefield.board import MINE, Board
from minecheck.minefield.notation import parse
from minecheck.minefield.rules import Puzzle, Rule, Rules
from minecheck.solvers import check
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Correction, Corrections
from minecheck.solvers.reasons.repair import Thresholds, find_repairs
from tests import oracle
from tests.boards import (
    changed_boards,
    hidden_layout,
    layout_boards,
    mines_totals,
    random_boards,
    rule_sets,
)
from tests.examples import examples

#: What may stand for a clue: the cells, low, high, known mines beside them, its cell and number.
Clues = Sequence[tuple[frozenset[object], int, int, int, tuple[int, int], int | None]]
Expected = tuple[int | None, list[list[Correction]]]

LIMIT = 40


def smallest(clues: Clues, names: Sequence[object], left: int | None) -> Expected:
    """The least number of changes and all repairs of that size, by trying all sets of mines.

    ``left`` is the size of the set.
    """
    bit = {name: 1 << index for index, name in enumerate(names)}
    masked = [
        (sum(bit[cell] for cell in cells), low, high, known, at, was)
        for cells, low, high, known, at, was in clues
    ]
    found: dict[int, set[tuple[Correction, ...]]] = {}
    for chosen in range(1 << len(names)):
        if left in (None, chosen.bit_count()):
            changes = []
            for cells, low, high, known, at, was in masked:
                seen = (chosen & cells).bit_count()
                if not low <= seen <= high:
                    changes.append(Correction(at, was, seen + known))
            found.setdefault(len(changes), set()).add(tuple(changes))
    return (min(found), [list(c) for c in sorted(found[min(found)])]) if found else (None, [])


def smallest_of_board(board: Board, mines: int | None) -> Expected:
    cells = [(row, col) for row in range(board.height) for col in range(board.width)]
    unknown = [cell for cell in cells if board.unknown[cell]]
    known = {cell for cell in cells if board.cells[cell] == MINE}
    clues = []
    for cell in cells:
        digit = int(board.cells[cell])
        if digit <= 8:
            around = set(oracle.neighbours(cell, board.height, board.width))
            need = digit - len(around & known)
            near = frozenset(around & set(unknown))
            clues.append((near, need, need, len(around & known), cell, digit))
    return smallest(clues, unknown, None if mines is None else mines - len(known))


def assert_smallest(found: Corrections, expected: Expected, limit: int = LIMIT) -> None:
    changes, everything = expected
    assert found.changes == changes
    assert found.possible == (changes is not None)
    assert found.more == (len(everything) > limit)
    assert found.sets == [one for one in everything if one in found.sets]
    assert len(found.sets) == min(limit, len(everything))


def corrections_of(board: Board, *numbers: int) -> list[Correction]:
    """Other numbers for the first clues."""
    cells = clues_of(board)[: len(numbers)]
    return [
        Correction(cell, int(board.cells[cell]), number)
        for cell, number in zip(cells, numbers, strict=True)
    ]


@st.composite
def boards_to_repair(draw: st.DrawFn, always: bool = False) -> tuple[Board, int | None]:
    """Small boards, many inconsistent, with a total of mines ``always`` or now and then."""
    board = draw(changed_boards() | random_boards() | layout_boards())
    totals = mines_totals(board)
    return board, draw(totals if always else st.none() | totals)


def clues_of(board: Board) -> list[tuple[int, int]]:
    return [(row, col) for row, col in np.argwhere(board.cells <= 8).tolist()]


def apply_corrections(puzzle: Puzzle, changes: Sequence[Correction]) -> Puzzle:
    """The puzzle with the changes made."""
    if isinstance(puzzle, Rules):
        rules = list(puzzle.rules)
        for change in changes:
            _, rule = change.clue
            rules[rule] = Rule(rules[rule].cells, change.number, change.number)
        return Rules(tuple(rules), puzzle.total_cells)
    cells = puzzle.cells.copy()
    for change in changes:
        assert change.was == cells[change.clue]
        cells[change.clue] = change.number
    return Board(cells)


@examples(500)
@given(boards_to_repair())
@example((parse("?8?"), None))
@example((parse("8S"), None))
@example((parse(["B?", "?0"]), 2))
def test_find_repairs_returns_all_smallest_repairs_of_boards(
    case: tuple[Board, int | None],
) -> None:
    assert_smallest(find_repairs(*case, Deadline(), LIMIT), smallest_of_board(*case))


@examples(500)
@given(rule_sets())
def test_find_repairs_returns_all_smallest_repairs_of_rules(
    case: tuple[list[Rule], int, int | None],
) -> None:
    rules, count, mines = case
    puzzle = Rules(tuple(rules), max(count, len({name for rule in rules for name in rule.cells})))
    clues = [
        (frozenset(rule.cells), rule.low, rule.high, 0, (0, index), None)
        for index, rule in enumerate(rules)
    ]
    expected = smallest(clues, range(count), mines)
    assert_smallest(find_repairs(puzzle, mines, Deadline(), LIMIT), expected)


@pytest.mark.parametrize("thresholds", [Thresholds(misses=-1), Thresholds(transitions=-1)])
@examples(150)
@given(case=boards_to_repair(always=True))
def test_find_repairs_agrees_with_the_total_as_a_constraint(
    thresholds: Thresholds, case: tuple[Board, int | None]
) -> None:
    found = find_repairs(*case, Deadline(), LIMIT, thresholds=thresholds)
    assert_smallest(found, smallest_of_board(*case))


@pytest.mark.parametrize("misses", range(-1, 7))
def test_find_repairs_returns_no_repair_twice(
    misses: int,
) -> None:
    # Of the nine repairs without a total three fit it, some before and some after the others.
    board = parse("?8?S?8?")
    expected = [corrections_of(board, a, 2 - a) for a in range(3)]
    found = find_repairs(board, 2, Deadline(), thresholds=Thresholds(misses=misses))
    assert found == Corrections(2, expected, True, False)


@examples(150)
@given(boards_to_repair())
def test_repaired_board_is_consistent(case: tuple[Board, int | None]) -> None:
    board, mines = case
    for changes in find_repairs(board, mines, Deadline(), 3).sets:
        assert check(apply_corrections(board, changes), mines).consistent


@examples(150)
@given(rule_sets())
def test_repaired_rules_are_consistent(case: tuple[list[Rule], int, int | None]) -> None:
    rules, count, mines = case
    puzzle = Rules(tuple(rules), count)
    for changes in find_repairs(puzzle, mines, Deadline(), 3).sets:
        assert check(apply_corrections(puzzle, changes), mines).consistent


def test_find_repairs_repairs_rules_over_many_cells() -> None:
    names = tuple(range(40))
    rules = Rules((Rule(names, 20, 25), Rule(names[:20], 0, 3), Rule(names[20:], 0, 5)))
    found = find_repairs(rules, None, Deadline(), 100)
    # With 5 mines in the second half there are 15 or more in the first; with 3 in that, 17 here.
    numbers = {0: range(9), 1: range(15, 21), 2: range(17, 21)}
    expected = [
        [Correction((0, rule), None, number)] for rule in numbers for number in numbers[rule]
    ]
    assert found == Corrections(1, expected, True, False)


def test_find_repairs_combines_the_repairs_of_components() -> None:
    board = parse("?8?S?8?S?1?")
    expected = [corrections_of(board, a, b) for a, b in product(range(3), range(3))]
    assert find_repairs(board, None, Deadline()) == Corrections(2, expected, True, False)


@pytest.mark.parametrize("limit", [0, 1, 4, 8, 9, 10])
def test_find_repairs_returns_no_more_repairs_than_the_limit(limit: int) -> None:
    found = find_repairs(parse("?8?S?8?"), None, Deadline(), limit)
    assert (found.changes, len(found.sets), found.more) == (2, min(limit, 9), limit < 9)


def test_find_repairs_returns_one_empty_repair_for_a_consistent_board() -> None:
    assert find_repairs(parse("?1?"), None, Deadline()) == Corrections(0, [[]], True, False)
    assert find_repairs(parse("?1?"), 1, Deadline()) == Corrections(0, [[]], True, False)
    assert find_repairs(parse("???"), None, Deadline()) == Corrections(0, [[]], True, False)


@pytest.mark.parametrize("mines", [-1, 0, 4, 10**30])
def test_find_repairs_finds_none_for_a_total_out_of_reach(mines: int) -> None:
    assert find_repairs(parse("B1??"), mines, Deadline()) == Corrections(None, [], False, False)


def test_find_repairs_counts_known_mines_in_new_clues() -> None:
    # Both see the known mine, so the one unknown cell makes them 1 or 2.
    board = parse(["B?", "11"])
    assert find_repairs(board, 2, Deadline()).sets == [corrections_of(board, 2, 2)]


def test_find_repairs_can_need_more_changes_because_of_the_total() -> None:
    board = parse("1?1S??")
    assert find_repairs(board, None, Deadline()).changes == 0
    assert find_repairs(board, 0, Deadline()).sets == [corrections_of(board, 0, 0)]


def test_find_repairs_past_the_deadline_makes_no_claim() -> None:
    past = Deadline(-inf)
    assert find_repairs(parse("?8?"), None, past) == Corrections(None, [], True, True)
    assert find_repairs(parse("?8?"), 1, past) == Corrections(None, [], True, True)


class Looks(Deadline):
    """Passes after it was looked at so many times."""

    looks: int

    def __init__(self, looks: int) -> None:
        super().__init__()
        object.__setattr__(self, "looks", looks)

    def check(self) -> None:
        object.__setattr__(self, "looks", self.looks - 1)
        if self.looks < 0:
            raise DeadlinePassed


@pytest.mark.parametrize("mines", [None, 3])
def test_find_repairs_is_right_whenever_the_deadline_passes(mines: int | None) -> None:
    board = parse("?8?S?8?S?8?")
    whole = find_repairs(board, mines, Deadline(), 100)
    assert not whole.more
    known = set()
    for looks in range(1000):
        found = find_repairs(board, mines, Looks(looks), 100)
        assert found.changes in (None, whole.changes)
        assert all(one in whole.sets for one in found.sets)
        assert bool(found.sets) == (found.changes is not None)
        known.add(len(found.sets))
        if not found.more:
            assert found == whole
            break
    assert {0, 1, 2, len(whole.sets)} <= known


def test_find_repairs_reports_every_improvement() -> None:
    kept: list[Corrections] = []
    found = find_repairs(
        parse("?8?S?8?"),
        None,
        Deadline(),
        keep=lambda known: kept.append(replace(known, sets=list(known.sets))),
    )
    assert [len(known.sets) for known in kept] == list(range(1, 10))
    assert all(known.changes == 2 and known.more for known in kept)
    assert kept[-1].sets == found.sets


@pytest.mark.parametrize("total", [False, True])
def test_find_repairs_finds_an_altered_clue_of_a_large_board(total: bool) -> None:
    board = hidden_layout(60, 60, 0.4, seed=3)
    cells = board.cells.copy()
    row, col = clues_of(board)[500]
    cells[row, col] = (cells[row, col] + 4) % 9
    altered = Board(cells)
    mines = None
    if total:
        witness = check(board).witness
        assert witness is not None
        mines = int(witness.mines.sum())
    assert not check(altered, mines).consistent
    found = find_repairs(altered, mines, Deadline())
    assert found.changes == 1
    was, number = int(cells[row, col]), int(board.cells[row, col])
    assert [Correction((row, col), was, number)] in found.sets
    assert not found.more
    for changes in found.sets:
        assert check(apply_corrections(altered, changes), mines).consistent
