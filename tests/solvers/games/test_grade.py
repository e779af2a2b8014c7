"""Grades of games, against solvers in plain Python."""

from typing import Final
from unittest.mock import patch

import numpy as np
from hypothesis import example, given

from minecheck.minefield import draw, parse
from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import count_least_clicks
from minecheck.solvers import Answer, Deadline
from minecheck.solvers.games.grade import Grade, grade_game
from minecheck.solvers.reasons.deduction import Level
from tests import oracle
from tests.deduction import Solver, can_play_through, everything, single, subsets
from tests.examples import examples
from tests.solvers.games.strategies import games
from tests.solvers.play.expectimax import Expectimax


def grade_rows(*rows: str, first: tuple[int, int] = (0, 0)) -> Grade:
    return grade_game(Game(Layout(parse(list(rows)).cells == 10), first), 5)


#: What proves everything that a step up to a level does.
SOLVERS: dict[Level, Solver] = {
    Level.TRIVIAL: single,
    Level.SUBSET: subsets,
}


# A difference of clues proves a mine here, without which other clues are nested.
_MINE_BETWEEN: Final = ["0001000", "0000000", "0000000", "1101000", "0101000", "0100000", "0000000"]


@example(Game(Layout(np.array([list(row) for row in _MINE_BETWEEN]) == "1"), (0, 0)))
@given(games())
@examples(150)
def test_grade_says_a_guess_is_needed_where_a_plain_solver_guesses(game: Game) -> None:
    # The best moves where proofs end are another question, which may take long.
    with patch("minecheck.solvers.games.grade.answer_question", return_value=Answer()):
        found = grade_game(game, 3)
    rows = game.layout.rows()
    assert found.complete
    assert found.guess_free == can_play_through(rows, game.first, everything)
    if found.guess_free:
        assert found.stuck is None
        clicks = sum(found.steps.values())
        assert clicks >= found.clicks - 1
        hardest = max((level for level, many in found.steps.items() if many), default=Level.TRIVIAL)
        assert found.difficulty == hardest
        if found.difficulty in (Level.TRIVIAL, Level.SUBSET):
            assert can_play_through(rows, game.first, SOLVERS[found.difficulty])


@given(games(4))
@examples(60)
def test_grade_is_stuck_where_no_cell_is_safe_with_the_chance_of_best_play(game: Game) -> None:
    found = grade_game(game, 3)
    if found.stuck is None:
        return
    board, mines = found.stuck.board, game.layout.total
    assert game.layout.fits_board(board, mines)
    known = oracle.answer(board, mines)
    assert not known.forced_safe
    if len(known.layouts) > 60:
        return
    moves = found.stuck.answer.moves
    assert moves is not None
    best = Expectimax(board, mines)
    assert moves.low == moves.high == best.value(best.layouts) / len(best.layouts)


def test_grade_of_a_board_without_mines_has_no_steps() -> None:
    found = grade_rows("000", "000")
    assert found.guess_free
    assert (found.openings, found.clicks) == (1, 1)
    assert sum(found.steps.values()) == 0


def test_grade_counts_clicks_by_the_level_of_their_proof() -> None:
    beyond_a_mine = grade_rows("01B1", "0111", "0000", first=(2, 0))
    assert beyond_a_mine.guess_free
    assert clicks(beyond_a_mine) == {Level.TRIVIAL: 1}
    # The three 1s see one of two cells, of three, and of two.
    between_two_mines = grade_rows("01B", "022", "01B")
    assert between_two_mines.guess_free
    assert clicks(between_two_mines) == {Level.SUBSET: 1}
    # The only mine is around the first click: what is not is safe.
    pair = grade_rows("1B1", "111", first=(1, 0))
    assert clicks(pair) == {Level.GLOBAL: 2, Level.SUBSET: 1}
    assert pair.difficulty is Level.GLOBAL
    assert pair.stuck is not None
    assert draw(pair.stuck.board) == ["1?1", "1?1"]


def clicks(found: Grade) -> dict[Level, int]:
    return {level: many for level, many in found.steps.items() if many}


def test_grade_past_the_deadline_is_incomplete() -> None:
    mines = np.random.default_rng(1).random((16, 30)) < 0.15
    mines[:2, :2] = False
    found = grade_game(Game(Layout(mines), (0, 0)), 3, Deadline(0.0))
    assert found.guess_free is None
    assert not found.complete
    assert found.clicks == count_least_clicks(found.game.layout)
