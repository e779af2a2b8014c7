"""Best moves, against an expectimax in plain Python over all layouts of small boards."""

from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield import Board, parse
from minecheck.minefield.board import FLAG, MINE, UNKNOWN
from minecheck.minefield.layout import Layout
from minecheck.solvers import (
    BOUNDED,
    INLINE,
    Deadline,
    NeedsMoreEffort,
    Question,
    QuestionError,
    answer_question,
)
from minecheck.solvers import deadline as deadlines
from minecheck.solvers.findings import Guess, Move, RankedMoves, Win
from minecheck.solvers.play import endgame
from minecheck.solvers.play.endgame import Endgame
from minecheck.solvers.play.endgame_search import Search
from minecheck.solvers.play.moves import Adviser
from minecheck.solvers.positions.solve import solve_position
from minecheck.solvers.tasks.moves import Moves as MovesQuestion
from tests.examples import examples
from tests.oracle import Cell
from tests.solvers.play.expectimax import Expectimax
from tests.solvers.play.small_games import positions


def moves(board: Board, mines: int, limit: int = 100, effort: int = 10**9) -> RankedMoves:
    found = solve_position(board, mines)
    assert found is not None
    return Adviser(board, mines, found.chances, found, effort, Deadline()).rank_moves(limit)


def check(board: Board, mines: int, found: RankedMoves, *, exact: bool) -> None:
    """Compare all fields of the answer."""
    slow = Expectimax(board, mines)
    total = len(slow.layouts)
    value = Fraction(slow.value(slow.layouts), total)
    assert found.low <= float(value) <= found.high
    if exact:
        assert found.low == found.high == float(value)
    assert found.guesses is None or float(value) <= prod(one.chance for one in found.guesses)
    open_to = {cell for cell in slow.closed if slow.after(slow.layouts, cell)}
    assert {move.cell for move in found.moves} <= open_to
    for move in found.moves:
        check_move(slow, move, exact=exact)
    assert [move.safe for move in found.moves] == sorted(
        (move.safe for move in found.moves), reverse=True
    )
    if exact and found.moves:
        assert found.moves[0].win == float(value)


def check_move(slow: Expectimax, move: Move, *, exact: bool) -> None:
    total = len(slow.layouts)
    left = slow.after(slow.layouts, move.cell)
    hits = total - sum(map(len, left.values()))
    assert move.mine == hits / total
    assert move.safe == (hits == 0)
    assert move.numbers == [len(left.get(number, ())) / total for number in range(9)]
    assert move.dead == (len(left) == 1)
    risks = {number: slow.risk(some, {move.cell}) for number, some in left.items()}
    progress = sum(len(some) for number, some in left.items() if risks[number] == 0)
    assert move.progress == progress / total
    assert move.survival == (total - hits - sum(risks.values())) / total
    if exact:
        assert move.win == slow.opened(slow.layouts, move.cell) / total


@given(positions())
def test_moves_of_small_games_are_those_of_expectimax(given: tuple[Board, int]) -> None:
    board, mines = given
    assume(np.count_nonzero(board.cells > 8) > 0)
    found = moves(board, mines)
    check(board, mines, found, exact=True)


@pytest.mark.slow
@given(positions())
def test_moves_without_a_search_are_bounded(given: tuple[Board, int]) -> None:
    board, mines = given
    found = moves(board, mines, effort=0)
    check(board, mines, found, exact=False)
    assert all(move.win is None for move in found.moves)


@given(positions(), st.integers(1, 3))
def test_moves_limit_keeps_the_best_moves(given: tuple[Board, int], limit: int) -> None:
    board, mines = given
    best, some = moves(board, mines).moves, moves(board, mines, limit).moves
    assert [move.win for move in some] == [move.win for move in best[:limit]]


@pytest.mark.parametrize(("height", "width"), [(3, 3), pytest.param(3, 4, marks=pytest.mark.slow)])
def test_moves_of_every_first_click_of_a_small_board_are_exact(height: int, width: int) -> None:
    board = Board(np.full((height, width), UNKNOWN, np.int8))
    for mines in range(height * width + 1):
        check(board, mines, moves(board, mines), exact=True)


def test_moves_rank_a_riskier_cell_above_the_safest_for_the_win() -> None:
    best, *others = moves(parse(["1?2?", "????", "????", "3???"]), 6).moves
    safest = min(others, key=lambda move: move.mine)
    assert (best.cell, best.mine, best.win) == ((2, 2), 2 / 9, 13 / 27)
    assert (safest.cell, safest.mine, safest.win) == ((1, 0), 1 / 9, 10 / 27)


def test_moves_take_flags_as_unknown_and_safe_cells_as_closed() -> None:
    flagged, plain = parse(["F1?", "???"]), parse(["?1?", "???"])
    assert moves(flagged, 1) == moves(plain, 1)
    assert flagged.cells[0, 0] == FLAG
    (given,) = moves(parse(["SB"]), 1).moves
    assert given.safe
    assert given.cell == (0, 0)


@pytest.mark.parametrize(
    ("rows", "mines", "cells", "chance"),
    [
        # A pair between two ways.
        (["2???", "2???", "1??2"], 5, [(0, 2), (0, 3)], 1 / 2),
        # Two pairs that depend on each other.
        (["??42", "????", "3?42", "??10"], 7, [(1, 0), (2, 1), (3, 0), (3, 1)], 1 / 2),
        # One of three cells in a row, of which the middle one tells nothing.
        (["?101?", "2323?", "?4??2", "????2"], 8, [(3, 0), (3, 1), (3, 2)], 1 / 3),
        (["??2", "24?", "???"], 4, [(0, 0), (2, 0), (2, 1)], 2 / 3),
    ],
)
def test_moves_list_guesses_that_cannot_be_avoided(
    rows: list[str], mines: int, cells: list[Cell], chance: float
) -> None:
    assert Guess(cells, chance) in (moves(parse(rows), mines).guesses or ())


def ask(board: Board, mines: Any, **options: Any) -> Question:
    return MovesQuestion(board, mines, **options)


def test_moves_of_a_finished_game_are_empty() -> None:
    found = answer_question(ask(parse(["1B"]), 1)).moves
    assert found == RankedMoves([], 1.0, 1.0, [])


def test_moves_of_an_inconsistent_board_are_empty() -> None:
    found = answer_question(ask(parse(["?8?"]), 1))
    assert found.consistent is False
    assert (found.moves.moves, found.moves.win, found.moves.guesses) == ([], None, [])
    assert found.conflict is not None


def test_moves_past_the_deadline_are_proved_or_without_a_value() -> None:
    found = answer_question(ask(parse(["1??", "???"]), 1), Deadline(0.0)).moves
    assert found is None or all(move.safe or move.win is None for move in found.moves)


def test_moves_search_of_an_endgame_ends_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each search takes a second for as much as a slice, by a clock that only searches move."""
    seconds = [0.0]
    parts = []

    def searched(search: Search, cell: int, part: int, enough: int) -> tuple[int, int]:
        parts.append(part / end.slice_effort)
        seconds[0] += parts[-1]
        search.effort[0] = 0
        return 0, 1

    for module in (endgame, deadlines):
        monkeypatch.setattr(module, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(endgame, "bound_endgame_value", searched)
    end = Endgame(np.zeros((1, 1), np.uint8), np.zeros(1, np.int32), 1, 10**10)
    assert end.bound_value(Deadline(10.5)) == (0, 1)
    assert parts == [1, 2, 4, 3.5]


def test_moves_are_looked_at_ahead_when_the_search_of_an_endgame_took_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = [0.0]

    def searched(end: Endgame, deadline: Deadline) -> tuple[int, int]:
        seconds[0] += deadline.left
        return 0, end.layouts

    monkeypatch.setattr(deadlines, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(Endgame, "bound_value", searched)
    board = parse(["?????", "?2???", "?????"])
    known = solve_position(board, 4)
    assert known is not None
    found = Adviser(board, 4, known.chances, known, 10**9, Deadline(10.0)).rank_moves(3)
    assert [move.numbers is not None for move in found.moves] == [True] * 3
    assert not found.complete


def test_moves_of_an_endgame_of_many_parts_are_played_out() -> None:
    # Each part has its mine in the middle, or two outside; all but one of 32 are of the first kind.
    parts, wall = "B".join(["?7?7?"] * 4), "B" * 23
    board = parse([wall, *[parts, wall] * 8])
    mines = int(np.count_nonzero(board.cells == MINE)) + 33
    found = moves(board, mines, limit=1, effort=INLINE.transitions)
    assert (found.low, found.high, found.complete) == (1 / 32, 1 / 32, True)


def test_moves_of_an_endgame_that_is_not_listed_are_incomplete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endgame, "list_endgame_numbers", lambda *given: (False, None, None))
    found = moves(parse(["????"] * 4), 3)
    assert not found.complete
    assert found.moves[0].win is None


def test_moves_of_an_endgame_keep_the_best_first_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There is time to find out which cell is worth most, and not what others are worth."""
    real = Endgame.bound_after_opening

    def bounded(end: Endgame, index: int, deadline: Deadline, enough: int = 0) -> tuple[int, int]:
        is_known = enough > 0 or index == best
        return real(end, index, deadline, enough) if is_known else (0, end.layouts)

    best = 1
    monkeypatch.setattr(Endgame, "bound_after_opening", bounded)
    found = moves(parse(["????"] * 4), 4)
    assert not found.complete
    assert (found.moves[0].cell, found.moves[0].win) == ((0, 1), 961 / 1820)
    assert all(move.win is None for move in found.moves[1:])
    # Of a requested cell, this is said as well.
    monkeypatch.setattr(Endgame, "bound_after_opening", real)
    board = parse(["????"] * 4)
    known = solve_position(board, 4)
    assert known is not None
    adviser = Adviser(board, 4, known.chances, known, 10**9, Deadline())
    assert adviser.rank_moves(1).complete
    monkeypatch.setattr(Endgame, "bound_after_opening", bounded)
    found = adviser.rank_moves(1, (0, 0))
    assert [move.win for move in found.moves] == [961 / 1820, None]
    assert not found.complete


def test_moves_of_an_endgame_with_many_layouts_need_a_worker() -> None:
    question = MovesQuestion(parse(["????"] * 4), 5)
    for effort in (INLINE, replace(BOUNDED, transitions=4_000_000)):
        with pytest.raises(NeedsMoreEffort):
            answer_question(question, effort=effort)
    answer = answer_question(question)
    assert answer.complete
    assert answer.moves is not None
    assert answer.moves.win == Win(0.33447802197802196, 0.33447802197802196, exact=True)
    # The least likely mine is not the best move here.
    assert answer.moves.moves[0].cell == (0, 1)


def test_moves_with_too_little_effort_for_an_endgame_need_a_worker() -> None:
    board = Board(np.full((7, 7), UNKNOWN, np.int8))
    with pytest.raises(NeedsMoreEffort):
        answer_question(ask(board, 3), effort=replace(BOUNDED, transitions=40_000_000))


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 4), st.integers(0, 5))
@examples(100)
def test_moves_include_the_given_cell_even_if_bad(
    seed: int, height: int, width: int, many: int
) -> None:
    draws = np.random.default_rng(seed)
    mined = np.zeros(height * width, np.bool_)
    mined[: min(many, mined.size - 1)] = True
    layout = Layout(draws.permutation(mined).reshape(height, width))
    shown = draws.random((height, width)) < 0.4
    board = Board(np.where(shown & ~layout.mines, layout.to_codes(), np.int8(UNKNOWN)))
    assume(np.any(board.unknown))
    everything = moves(board, layout.total)
    known = {move.cell: move for move in everything.moves}
    for row, col in np.argwhere(board.unknown).tolist():
        question = MovesQuestion(board, layout.total, limit=1, cell=(row, col))
        found = answer_question(question).moves
        assert found is not None
        best = everything.moves[:1]
        assert found.moves[: len(best)] == best
        last = found.moves[-1]
        if (row, col) in known:
            assert last == known[row, col]
        else:
            assert (last.cell, last.mine, last.win, last.survival) == ((row, col), 1.0, 0.0, 0.0)


def test_moves_reject_a_given_cell_that_is_not_closed() -> None:
    board = parse("1?S")
    for cell, message in (((0, 0), "known"), ((0, 3), "not on the board"), ((1, 0), "not on the")):
        with pytest.raises(QuestionError, match=message):
            MovesQuestion(board, 1, cell=cell)
    found = answer_question(MovesQuestion(board, 1, limit=1, cell=(0, 2))).moves
    assert found is not None
    assert [move.cell for move in found.moves] == [(0, 2)]


@pytest.mark.parametrize("effort", [1, 10**9])
def test_moves_rank_informative_safe_cells_first(effort: int) -> None:
    # The 1 has its mine, and the two cells beyond it see nothing else: only the last two columns
    # are not known.
    board = parse(["?1??????", "B1??????"])
    found = moves(board, 4, limit=3, effort=effort)
    assert [move.cell for move in found.moves if move.safe] == [(0, 2), (1, 2), (0, 0)]
    assert [move.dead for move in found.moves] == [False, False, True]
    assert not moves(board, 4, limit=1, effort=effort).moves[0].dead
