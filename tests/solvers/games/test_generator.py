"""Boards to play keep their promises, by solvers in plain Python that share nothing with ours."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import Layout
from minecheck.minefield.game import Game
from minecheck.solvers import Deadline, QuestionError
from minecheck.solvers.games import generator, proved_play
from minecheck.solvers.games.generator import BoardOptions, Guarantee, generate_board
from minecheck.solvers.games.proved_play import grade_steps
from minecheck.solvers.reasons.deduction import Level
from tests import oracle
from tests.clocks import Looks
from tests.deduction import Solver, can_play_through, clues_alone, everything, single, subsets
from tests.examples import examples
from tests.oracle import Cell, neighbours


def make_options(
    height: int,
    width: int,
    mines: int,
    seed: int = 0,
    hardest: Level = Level.SEARCH,
    first: Cell | None = None,
    kind: Guarantee = Guarantee.GUESS_FREE,
) -> BoardOptions:
    return BoardOptions(
        height, width, mines, kind, first or (height // 2, width // 2), seed, hardest
    )


def generate_game(asked: BoardOptions) -> Game:
    game = generate_board(asked).game
    assert game is not None
    return game


def without_guess(game: Game, solver: Solver) -> bool:
    """Whether this solver shows all safe cells."""
    return can_play_through(game.layout.rows(), game.first, solver)


def by_oracle(game: Game) -> bool:
    """Whether the game needs no guess, by enumeration of all layouts."""
    board = game.opened
    while not game.is_won(board):
        safe = oracle.answer(board, game.layout.total).forced_safe
        if not safe:
            return False
        board = game.open_cells(board, safe)
    return True


@cache
def small_games(height: int, width: int, mines: int, first: Cell) -> dict[Game, bool]:
    """All games with an opening, and whether they need no guess."""
    free = {first, *neighbours(first, height, width)}
    cells = [(row, col) for row in range(height) for col in range(width)]
    games = {}
    for held in combinations([cell for cell in cells if cell not in free], mines):
        game = Game(
            Layout(np.array([cell in held for cell in cells]).reshape(height, width)), first
        )
        games[game] = by_oracle(game)
    return games


@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 4, 3), (2, 6, 3), (3, 5, 2)])
def test_the_solver_of_these_tests_agrees_with_enumeration(shape: tuple[int, int, int]) -> None:
    for game, free in small_games(*shape, (0, 0)).items():
        assert without_guess(game, everything) == free


# No guess is needed.


@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 4, 3), (3, 5, 2)])
def test_exactly_the_games_without_guesses_are_found(shape: tuple[int, int, int]) -> None:
    free = {game for game, good in small_games(*shape, (0, 0)).items() if good}
    games = {
        generate_game(make_options(*shape, seed, first=(0, 0))) for seed in range(40 * len(free))
    }
    assert games == free


@pytest.mark.parametrize(
    ("height", "width", "mines", "boards"),
    [(9, 9, 10, 20), (9, 9, 22, 10), (16, 16, 40, 8), (16, 16, 62, 3), (4, 30, 22, 5)],
)
def test_boards_can_be_played_without_a_guess(
    height: int, width: int, mines: int, boards: int
) -> None:
    for seed in range(boards):
        game = generate_game(make_options(height, width, mines, seed))
        assert game.layout.total == mines
        assert game.codes[game.first] == 0
        assert without_guess(game, everything)


@given(st.integers(1, 6), st.integers(1, 6), st.data())
@examples(40)
def test_what_is_found_on_any_small_board_needs_no_guess(
    height: int, width: int, data: st.DataObject
) -> None:
    first = data.draw(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)))
    room = height * width - 1 - len(neighbours(first, height, width))
    mines = data.draw(st.integers(0, room))
    asked = make_options(height, width, mines, data.draw(st.integers(0, 99)), first=first)
    game = generate_board(asked, Looks(most=200)).game
    assert game is None or without_guess(game, everything)


def test_where_all_boards_need_a_guess_none_is_found() -> None:
    # Of two cells in a column beside clues that count both, either may be the mine.
    assert not any(small_games(2, 5, 1, (0, 0)).values())
    answer = generate_board(make_options(2, 5, 1, first=(0, 0)), Looks(most=1000))
    assert answer.game is None
    assert answer.difficulty is None
    assert not answer.complete
    assert answer.tries > 10


def test_a_deadline_that_is_past_ends_the_search() -> None:
    answer = generate_board(make_options(16, 30, 99), Deadline(0.0))
    assert (answer.game, answer.complete) == (None, False)


# A changed layout is played on from where the change is first seen.


@given(st.integers(0, 10_000), st.sampled_from([Level.TRIVIAL, Level.SUBSET, Level.SEARCH]))
@examples(40)
def test_playing_on_after_a_change_ends_as_playing_from_the_start(seed: int, level: Level) -> None:
    asked = make_options(8, 8, 16, seed, level)
    draws = np.random.PCG64(seed)
    play = generator._start_play(asked, draws, Deadline())
    for _ in range(5):
        if play.play_on():
            return
        layout = generator._change_layout(asked, play, draws)
        assert layout.sum() == 16
        play = play.with_layout(layout)
        again = (
            proved_play.Play(play.game, Deadline())
            if level is Level.SEARCH
            else proved_play.GradedPlay(play.game, Deadline(), level)
        )
        assert play.play_on() == again.play_on()
        assert np.array_equal(play.cells, again.cells)


def test_a_change_leaves_the_play_that_it_changes_alone() -> None:
    asked = make_options(8, 8, 20, 1)
    draws = np.random.PCG64(1)
    play = generator._start_play(asked, draws, Deadline())
    assert not play.play_on()
    before = play.cells.copy(), play.when.copy(), play.game, play.round
    play.with_layout(generator._change_layout(asked, play, draws)).play_on()
    assert np.array_equal(play.cells, before[0])
    assert np.array_equal(play.when, before[1])
    assert (play.game, play.round) == before[2:]


# What is difficult.


@pytest.mark.parametrize("level", [Level.TRIVIAL, Level.SUBSET])
def test_easy_boards_can_be_played_by_easy_steps_alone(level: Level) -> None:
    solver = single if level is Level.TRIVIAL else subsets
    for seed in range(6):
        answer = generate_board(make_options(9, 9, 14, seed, level))
        assert answer.game is not None
        assert answer.difficulty is not None
        assert answer.difficulty <= level
        assert without_guess(answer.game, solver)


@pytest.mark.parametrize("level", [Level.BOUNDS, Level.LOOK_AHEAD, Level.GLOBAL])
def test_no_step_is_harder_than_wanted(level: Level) -> None:
    for seed in range(6):
        answer = generate_board(make_options(9, 9, 20, seed, level))
        assert answer.game is not None
        assert answer.difficulty is not None
        assert answer.difficulty <= level
        assert without_guess(answer.game, everything if level is Level.GLOBAL else clues_alone)


def test_the_difficulty_is_that_of_the_hardest_step() -> None:
    seen = Counter[Level]()
    for seed in range(40):
        answer = generate_board(make_options(9, 9, 18, seed))
        assert answer.game is not None
        assert answer.difficulty is not None
        seen[answer.difficulty] += 1
        assert without_guess(answer.game, single) == (answer.difficulty is Level.TRIVIAL)
        assert without_guess(answer.game, subsets) == (answer.difficulty <= Level.SUBSET)
        if answer.difficulty is not Level.SEARCH:
            assert without_guess(answer.game, clues_alone) == (
                answer.difficulty is not Level.GLOBAL
            )
    assert len(seen) >= 4


@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 4, 3), (2, 6, 3)])
def test_games_that_need_a_guess_have_no_grade(shape: tuple[int, int, int]) -> None:
    for game, free in small_games(*shape, (0, 0)).items():
        assert (grade_steps(game) is not None) == free


# Chance and seeds.


def layouts_of(asked: Iterable[BoardOptions]) -> Counter[Layout]:
    return Counter(generate_game(one).layout for one in asked)


def alike(seen: Counter[Layout], kinds: int) -> bool:
    """Whether all kinds came, about equally often: chi-square within six deviations."""
    mean = seen.total() / kinds
    square = sum((many - mean) ** 2 / mean for many in seen.values())
    return len(seen) == kinds and square < kinds + 6 * (2 * kinds) ** 0.5


def test_random_boards_are_all_layouts_with_the_same_chance() -> None:
    asked = (make_options(2, 4, 3, seed, kind=Guarantee.RANDOM) for seed in range(3500))
    seen = layouts_of(asked)
    assert alike(seen, 35)
    assert not any(layout.mines[1, 2] for layout in seen)


def test_boards_with_an_opening_are_all_such_layouts_with_the_same_chance() -> None:
    asked = (
        make_options(3, 4, 3, seed, kind=Guarantee.OPENING, first=(0, 0)) for seed in range(5600)
    )
    seen = layouts_of(asked)
    assert alike(seen, 56)
    assert not any(layout.mines[:2, :2].any() for layout in seen)


def test_where_they_are_not_rare_boards_without_guesses_have_the_same_chance() -> None:
    free = sum(small_games(3, 4, 3, (0, 0)).values())
    seen = layouts_of(make_options(3, 4, 3, seed, first=(0, 0)) for seed in range(100 * free))
    assert alike(seen, free)


@pytest.mark.parametrize("kind", Guarantee)
def test_the_same_seed_gives_the_same_board(kind: Guarantee) -> None:
    asked = make_options(9, 9, 12, 2**62, kind=kind)
    assert generate_board(asked) == generate_board(asked, Deadline.in_seconds(60))
    assert generate_game(asked) != generate_game(make_options(9, 9, 12, 2**62 + 1, kind=kind))


def test_a_board_that_was_told_once_is_told_for_ever() -> None:
    rows = generate_game(make_options(5, 6, 6, 7)).layout.rows()
    assert rows == ["111BB1", "B11232", "22001B", "B10022", "11001B"]


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("height", {"height": 0}),
        ("width", {"width": -1}),
        ("mines", {"mines": -1}),
        ("mines", {"mines": 73}),
        ("mines", {"mines": 81, "kind": Guarantee.RANDOM}),
        ("mines", {"mines": 78, "first": (0, 0)}),
        ("first", {"first": (9, 0)}),
        ("first", {"first": (0, -1)}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 2**63}),
        ("difficulty", {"kind": Guarantee.OPENING, "hardest": Level.SUBSET}),
    ],
)
def test_what_cannot_be_is_refused(field: str, changed: dict[str, object]) -> None:
    usual: dict[str, object] = {"height": 9, "width": 9, "mines": 10}
    with pytest.raises(QuestionError) as refusal:
        make_options(**(usual | changed))  # type: ignore[arg-type]
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("mines", "changed"), [(72, {}), (80, {"kind": Guarantee.RANDOM}), (77, {"first": (0, 0)})]
)
def test_as_many_mines_as_there_is_room_for_are_laid(
    mines: int, changed: dict[str, object]
) -> None:
    game = generate_game(make_options(9, 9, mines, **changed))  # type: ignore[arg-type]
    assert game.layout.total == mines
    assert np.count_nonzero(game.codes <= 8) == 81 - mines
