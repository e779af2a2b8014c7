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


def generate_game(options: BoardOptions) -> Game:
    game = generate_board(options).game
    assert game is not None
    return game


def without_guess(game: Game, solver: Solver) -> bool:
    """True if this solver opens all safe cells."""
    return can_play_through(game.layout.rows(), game.first, solver)


def by_oracle(game: Game) -> bool:
    """True if the game needs no guess, by enumeration of all layouts."""
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
def test_plain_solver_agrees_with_enumeration_about_guesses(shape: tuple[int, int, int]) -> None:
    for game, free in small_games(*shape, (0, 0)).items():
        assert without_guess(game, everything) == free


# No guess is needed.


@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 4, 3), (3, 5, 2)])
def test_generator_finds_exactly_the_games_without_guesses(shape: tuple[int, int, int]) -> None:
    free = {game for game, good in small_games(*shape, (0, 0)).items() if good}
    games = {
        generate_game(make_options(*shape, seed, first=(0, 0))) for seed in range(40 * len(free))
    }
    assert games == free


@pytest.mark.parametrize(
    ("height", "width", "mines", "boards"),
    [(9, 9, 10, 20), (9, 9, 22, 10), (16, 16, 40, 8), (16, 16, 62, 3), (4, 30, 22, 5)],
)
def test_generated_boards_can_be_played_without_a_guess(
    height: int, width: int, mines: int, boards: int
) -> None:
    for seed in range(boards):
        game = generate_game(make_options(height, width, mines, seed))
        assert game.layout.total == mines
        assert game.codes[game.first] == 0
        assert without_guess(game, everything)


@given(st.integers(1, 6), st.integers(1, 6), st.data())
@examples(40)
def test_generated_games_on_small_boards_need_no_guess(
    height: int, width: int, data: st.DataObject
) -> None:
    first = data.draw(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)))
    room = height * width - 1 - len(neighbours(first, height, width))
    mines = data.draw(st.integers(0, room))
    options = make_options(height, width, mines, data.draw(st.integers(0, 99)), first=first)
    game = generate_board(options, Looks(most=200)).game
    assert game is None or without_guess(game, everything)


def test_generator_finds_no_board_where_all_need_a_guess() -> None:
    # Of two cells in a column beside clues that count both, either may be the mine.
    assert not any(small_games(2, 5, 1, (0, 0)).values())
    answer = generate_board(make_options(2, 5, 1, first=(0, 0)), Looks(most=1000))
    assert answer.game is None
    assert answer.difficulty is None
    assert not answer.complete
    assert answer.tries > 10


def test_generator_ends_at_a_past_deadline() -> None:
    answer = generate_board(make_options(16, 30, 99), Deadline(0.0))
    assert (answer.game, answer.complete) == (None, False)


# A changed layout is played on from where the change is first seen.


@given(st.integers(0, 10_000), st.sampled_from([Level.TRIVIAL, Level.SUBSET, Level.SEARCH]))
@examples(40)
def test_generator_play_after_a_change_ends_as_play_from_the_start(seed: int, level: Level) -> None:
    options = make_options(8, 8, 16, seed, level)
    draws = np.random.PCG64(seed)
    play = generator._start_play(options, draws, Deadline())
    for _ in range(5):
        if play.play_on():
            return
        layout = generator._change_layout(options, play, draws)
        assert layout.sum() == 16
        play = play.with_layout(layout)
        again = (
            proved_play.Play(play.game, Deadline())
            if level is Level.SEARCH
            else proved_play.GradedPlay(play.game, Deadline(), level)
        )
        assert play.play_on() == again.play_on()
        assert np.array_equal(play.cells, again.cells)


def test_generator_change_does_not_alter_the_earlier_play() -> None:
    options = make_options(8, 8, 20, 1)
    draws = np.random.PCG64(1)
    play = generator._start_play(options, draws, Deadline())
    assert not play.play_on()
    before = play.cells.copy(), play.when.copy(), play.game, play.round
    play.with_layout(generator._change_layout(options, play, draws)).play_on()
    assert np.array_equal(play.cells, before[0])
    assert np.array_equal(play.when, before[1])
    assert (play.game, play.round) == before[2:]


# What is difficult.


@pytest.mark.parametrize("level", [Level.TRIVIAL, Level.SUBSET])
def test_generated_easy_boards_can_be_played_by_easy_steps(level: Level) -> None:
    solver = single if level is Level.TRIVIAL else subsets
    for seed in range(6):
        answer = generate_board(make_options(9, 9, 14, seed, level))
        assert answer.game is not None
        assert answer.difficulty is not None
        assert answer.difficulty <= level
        assert without_guess(answer.game, solver)


@pytest.mark.parametrize("level", [Level.BOUNDS, Level.LOOK_AHEAD, Level.GLOBAL])
def test_generated_boards_need_no_step_harder_than_the_level(level: Level) -> None:
    for seed in range(6):
        answer = generate_board(make_options(9, 9, 20, seed, level))
        assert answer.game is not None
        assert answer.difficulty is not None
        assert answer.difficulty <= level
        assert without_guess(answer.game, everything if level is Level.GLOBAL else clues_alone)


def test_generated_difficulty_is_that_of_the_hardest_step() -> None:
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
def test_grade_steps_gives_no_grade_to_games_that_need_a_guess(shape: tuple[int, int, int]) -> None:
    for game, free in small_games(*shape, (0, 0)).items():
        assert (grade_steps(game) is not None) == free


# Chance and seeds.


def layouts_of(options: Iterable[BoardOptions]) -> Counter[Layout]:
    return Counter(generate_game(one).layout for one in options)


def alike(seen: Counter[Layout], kinds: int) -> bool:
    """True if all kinds came about equally often: chi-square within six deviations."""
    mean = seen.total() / kinds
    square = sum((many - mean) ** 2 / mean for many in seen.values())
    return len(seen) == kinds and square < kinds + 6 * (2 * kinds) ** 0.5


def test_generated_random_boards_are_equally_likely() -> None:
    options = (make_options(2, 4, 3, seed, kind=Guarantee.RANDOM) for seed in range(3500))
    seen = layouts_of(options)
    assert alike(seen, 35)
    assert not any(layout.mines[1, 2] for layout in seen)


def test_generated_boards_with_an_opening_are_equally_likely() -> None:
    options = (
        make_options(3, 4, 3, seed, kind=Guarantee.OPENING, first=(0, 0)) for seed in range(5600)
    )
    seen = layouts_of(options)
    assert alike(seen, 56)
    assert not any(layout.mines[:2, :2].any() for layout in seen)


@pytest.mark.slow
def test_generated_guess_free_boards_are_equally_likely_if_not_rare() -> None:
    free = sum(small_games(3, 4, 3, (0, 0)).values())
    seen = layouts_of(make_options(3, 4, 3, seed, first=(0, 0)) for seed in range(100 * free))
    assert alike(seen, free)


@pytest.mark.parametrize("kind", Guarantee)
def test_generator_gives_equal_boards_for_equal_seeds(kind: Guarantee) -> None:
    options = make_options(9, 9, 12, 2**62, kind=kind)
    assert generate_board(options) == generate_board(options, Deadline.in_seconds(60))
    assert generate_game(options) != generate_game(make_options(9, 9, 12, 2**62 + 1, kind=kind))


def test_generated_board_of_a_fixed_seed_never_changes() -> None:
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
def test_generator_options_reject_impossible_values(field: str, changed: dict[str, object]) -> None:
    usual: dict[str, object] = {"height": 9, "width": 9, "mines": 10}
    with pytest.raises(QuestionError) as error:
        make_options(**(usual | changed))  # type: ignore[arg-type]
    assert error.value.field == field


@pytest.mark.parametrize(
    ("mines", "changed"), [(72, {}), (80, {"kind": Guarantee.RANDOM}), (77, {"first": (0, 0)})]
)
def test_generator_lays_as_many_mines_as_there_is_room_for(
    mines: int, changed: dict[str, object]
) -> None:
    game = generate_game(make_options(9, 9, mines, **changed))  # type: ignore[arg-type]
    assert game.layout.total == mines
    assert np.count_nonzero(game.codes <= 8) == 81 - mines
