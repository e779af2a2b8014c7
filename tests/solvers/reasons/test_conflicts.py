"""All minimal conflicts, against every set of clues of small boards."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import MINE, Board
from minecheck.minefield.notation import parse
from minecheck.minefield.rules import Rule, Rules
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.reasons import conflicts as module
from minecheck.solvers.reasons.conflicts import find_conflicts
from tests import oracle
from tests.boards import mines_totals, random_boards

#: More clues, or unknown cells, would take too long here.
MOST = 8


def enumerate_conflicts(board: Board, mines: int | None) -> list[set[Coordinates | str]]:
    """All minimal sets, from what each set of mines satisfies."""
    cells = [(row, col) for row in range(board.height) for col in range(board.width)]
    unknown = [cell for cell in cells if board.unknown[cell]]
    known = {cell for cell in cells if board.cells[cell] == MINE}
    clues = [cell for cell in cells if board.cells[cell] <= 8]
    held: set[frozenset[Coordinates | str]] = set()
    for size in range(len(unknown) + 1):
        for chosen in combinations(unknown, size):
            laid = known | set(chosen)
            met: set[Coordinates | str] = {
                clue
                for clue in clues
                if len(laid & set(oracle.neighbours(clue, board.height, board.width)))
                == board.cells[clue]
            }
            if mines == len(laid):
                met.add("total")
            held.add(frozenset(met))
    sources: list[Coordinates | str] = [*clues, *(["total"] if mines is not None else [])]
    minimal: list[set[Coordinates | str]] = []
    for size in range(len(sources) + 1):
        for some in combinations(sources, size):
            if not any(set(some) <= met for met in held) and not any(
                smaller <= set(some) for smaller in minimal
            ):
                minimal.append(set(some))
    return minimal


@given(random_boards(), st.data())
def test_find_conflicts_lists_all_conflicts_smallest_first(
    board: Board, data: st.DataObject
) -> None:
    mines = data.draw(st.none() | mines_totals(board))
    clues = int(np.count_nonzero(board.cells <= 8))
    if clues > MOST or np.count_nonzero(board.unknown) > MOST:
        return
    found = find_conflicts(board, mines, Deadline.in_seconds(20), limit=1000)
    assert not found.more
    sets = [{*conflict.clues, *(["total"] if conflict.mines else [])} for conflict in found.sets]
    expected = enumerate_conflicts(board, mines)
    assert sorted(repr(sorted_names(names)) for names in sets) == sorted(
        repr(sorted_names(names)) for names in expected
    )
    sizes = [len(names) for names in sets]
    assert sizes == sorted(sizes)
    assert [one.smallest for one in found.sets] == [size == sizes[0] for size in sizes]
    assert all(one.minimal for one in found.sets)


def sorted_names(names: Iterable[object]) -> list[str]:
    return sorted(map(str, names))


def test_find_conflicts_lists_every_reason_of_kadlacs_row() -> None:
    board = parse("13B?2")
    found = find_conflicts(board, None, Deadline.in_seconds(20))
    reasons = [conflict.clues for conflict in found.sets]
    assert [{*reason} for reason in reasons] == [*enumerate_conflicts(board, None)]


def test_find_conflicts_names_rules_by_position() -> None:
    rules = Rules((Rule(("a", "b"), 1, 1), Rule(("a",), 0, 0), Rule(("b",), 0, 0)))
    (found,) = find_conflicts(rules, None, Deadline.in_seconds(20)).sets
    assert found.clues == [(0, 0), (0, 1), (0, 2)]


def test_find_conflicts_reports_more_beyond_the_limit() -> None:
    board = parse("1??1??1\n2??2??2")
    assert len(find_conflicts(board, None, Deadline.in_seconds(20)).sets) == 3
    few = find_conflicts(board, None, Deadline.in_seconds(20), limit=2)
    assert (len(few.sets), few.more) == (2, True)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_find_conflicts_keeps_conflicts_found_before_the_deadline(
    after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = parse("1??1??1\n2??2??2")
    kept: list[int] = []
    deadline = Deadline.in_seconds(20)
    cores = module._iterate_cores

    def late(*arguments: object) -> object:
        for number, core in enumerate(cores(*arguments)):  # type: ignore[arg-type]
            if number == after:
                raise DeadlinePassed
            yield core

    monkeypatch.setattr(module, "_iterate_cores", late)
    found = find_conflicts(board, None, deadline, keep=lambda one: kept.append(len(one.sets)))
    assert (len(found.sets), found.more, kept) == (after, True, list(range(1, after + 1)))
