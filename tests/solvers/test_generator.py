"""Boards to play keep their promises, by solvers in plain Python that share nothing with ours."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minefield import Layout
from minefield.game import Game
from solvers import Deadline, QuestionError, generator
from solvers.bounds import Level
from solvers.generator import Kind, Wanted, generate, graded
from solvers.position import position
from tests import oracle
from tests.oracle import Cell, neighbours

#: A clue: its unknown cells, and the mines among them.
Clue = tuple[frozenset[Cell], int]
#: Which unknown cells are safe: from the clues, all unknown cells and the mines among them.
Solver = Callable[[set[Clue], set[Cell], int], set[Cell]]


def wanted(
    height: int,
    width: int,
    mines: int,
    seed: int = 0,
    hardest: Level = Level.SEARCH,
    first: Cell | None = None,
    kind: Kind = Kind.GUESS_FREE,
) -> Wanted:
    return Wanted(height, width, mines, kind, first or (height // 2, width // 2), seed, hardest)


def found(asked: Wanted) -> Game:
    game = generate(asked).game
    assert game is not None
    return game


# Solvers in plain Python.


def played(game: Game, solver: Solver) -> bool:
    """Whether this solver shows all safe cells; it may only name cells that are."""
    height, width = game.layout.mines.shape
    mines = {(row, col) for row, col in np.argwhere(game.layout.mines).tolist()}
    hidden = {(row, col) for row in range(height) for col in range(width)}
    around = {cell: frozenset(neighbours(cell, height, width)) for cell in hidden}
    shown: set[Cell] = set()
    safe = {game.first}
    while safe:
        assert not safe & mines
        shown |= safe
        hidden -= safe
        if hidden == mines:
            return True
        clues = {
            (around[cell] & hidden, len(around[cell] & mines))
            for cell in shown
            if around[cell] & hidden
        }
        safe = single(clues, hidden, len(mines)) or solver(clues, hidden, len(mines))
    return False


def single(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """What single clues say, again and again."""
    held: set[Cell] = set()
    while True:
        full = [cells for cells, need in clues if len(cells) == need]
        fresh = set().union(*full) - held
        held |= fresh
        safe = set().union(*[cells - held for cells, need in clues if need == len(cells & held)])
        if safe or not fresh:
            return safe
        clues = {(cells - held, need - len(cells & held)) for cells, need in clues}
        clues = {(cells, need) for cells, need in clues if cells}
        held = set()


def subsets(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """What clues say, and the differences of those that lie within each other."""
    known = set(clues)
    while True:
        new = {
            (cells - inside, need - less)
            for cells, need in known
            for inside, less in known
            if inside < cells
        }
        if new <= known:
            return single(known, hidden, mines)
        known |= new


def clues_alone(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """All that is safe by the clues, whatever the total."""
    return set().union(
        *[
            {cell for cell, totals in as_mine.items() if not totals}
            for _, as_mine in map(totals_of, components(clues))
        ]
    )


def everything(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """All that is safe."""
    safe = clues_alone(clues, hidden, mines)
    if safe:
        return safe
    parts = [totals_of(part) for part in components(clues)]
    loose = hidden - {cell for _, as_mine in parts for cell in as_mine}
    free = (1 << (len(loose) + 1)) - 1
    for place, (_, as_mine) in enumerate(parts):
        others = free
        for other, (totals, _) in enumerate(parts):
            others = others if other == place else sums(others, totals)
        safe |= {cell for cell, own in as_mine.items() if not sums(others, own) >> mines & 1}
    clued = 1
    for totals, _ in parts:
        clued = sums(clued, totals)
    if loose and not sums(clued, free & ~1) >> mines & 1:
        safe |= loose
    return safe


def sums(one: int, other: int) -> int:
    """Sets of numbers as bits: all sums of a number of each."""
    found = 0
    while one:
        low = one & -one
        found |= other * low
        one ^= low
    return found


def components(clues: set[Clue]) -> list[list[Clue]]:
    """The clues, those together that share cells."""
    rest = sorted(clues, key=lambda clue: sorted(clue[0]))
    parts = []
    while rest:
        part = [rest.pop()]
        for clue in part:
            part += [other for other in rest if other[0] & clue[0]]
            rest = [other for other in rest if not other[0] & clue[0]]
        parts.append(part)
    return parts


def totals_of(clues: list[Clue]) -> tuple[int, dict[Cell, int]]:
    """Which numbers of mines some layout of a component has, as bits; and where a cell is a mine.

    Cell by cell, over what each clue still needs: first forwards, then backwards.
    """
    cells = list(dict.fromkeys(cell for held, _ in clues for cell in sorted(held)))
    of_cell = [[place for place, (held, _) in enumerate(clues) if cell in held] for cell in cells]
    left = [len(held) for held, _ in clues]
    ways = {tuple(need for _, need in clues): 1}
    layers = []
    for cell, near in zip(cells, of_cell, strict=True):
        for clue in near:
            left[clue] -= 1
        steps = []
        after: dict[tuple[int, ...], int] = {}
        for needs, totals in ways.items():
            for value in (0, 1):
                rest = list(needs)
                for clue in near:
                    rest[clue] -= value
                if all(0 <= rest[clue] <= left[clue] for clue in near):
                    steps.append((needs, tuple(rest), value))
                    after[tuple(rest)] = after.get(tuple(rest), 0) | totals << value
        layers.append((cell, ways, steps))
        ways = after
    assert len(ways) == 1, "no layout"
    (end, totals), *_ = ways.items()
    behind = {end: 1}
    as_mine = {}
    for cell, before, steps in reversed(layers):
        as_mine[cell] = 0
        ahead: dict[tuple[int, ...], int] = {}
        for needs, rest_of, value in steps:
            if rest_of in behind:
                ahead[needs] = ahead.get(needs, 0) | behind[rest_of] << value
                if value:
                    as_mine[cell] |= sums(before[needs], behind[rest_of] << 1)
        behind = ahead
    return totals, as_mine


def by_oracle(game: Game) -> bool:
    """Whether the game needs no guess, by enumeration of all layouts."""
    board = game.opened
    while not game.won(board):
        safe = oracle.answer(board, game.layout.total).forced_safe
        if not safe:
            return False
        board = game.after(board, safe)
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
        assert played(game, everything) == free


# No guess is needed.


@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 4, 3), (3, 5, 2)])
def test_exactly_the_games_without_guesses_are_found(shape: tuple[int, int, int]) -> None:
    free = {game for game, good in small_games(*shape, (0, 0)).items() if good}
    games = {found(wanted(*shape, seed, first=(0, 0))) for seed in range(40 * len(free))}
    assert games == free


@pytest.mark.parametrize(
    ("height", "width", "mines", "boards"),
    [(9, 9, 10, 20), (9, 9, 22, 10), (16, 16, 40, 8), (16, 16, 62, 3), (4, 30, 22, 5)],
)
def test_boards_can_be_played_without_a_guess(
    height: int, width: int, mines: int, boards: int
) -> None:
    for seed in range(boards):
        game = found(wanted(height, width, mines, seed))
        assert game.layout.total == mines
        assert game.codes[game.first] == 0
        assert played(game, everything)


@given(st.integers(1, 6), st.integers(1, 6), st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_found_on_any_small_board_needs_no_guess(
    height: int, width: int, data: st.DataObject
) -> None:
    first = data.draw(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)))
    room = height * width - 1 - len(neighbours(first, height, width))
    mines = data.draw(st.integers(0, room))
    asked = wanted(height, width, mines, data.draw(st.integers(0, 99)), first=first)
    game = generate(asked, Deadline.after(0.1)).game
    assert game is None or played(game, everything)


def test_where_all_boards_need_a_guess_none_is_found() -> None:
    # Of two cells in a column beside clues that count both, either may be the mine.
    assert not any(small_games(2, 5, 1, (0, 0)).values())
    answer = generate(wanted(2, 5, 1, first=(0, 0)), Deadline.after(0.3))
    assert answer.game is None
    assert answer.difficulty is None
    assert not answer.complete
    assert answer.tries > 10


def test_a_deadline_that_is_past_ends_the_search() -> None:
    answer = generate(wanted(16, 30, 99), Deadline(0.0))
    assert (answer.game, answer.complete) == (None, False)


# A changed layout is played on from where the change is first seen.


@given(st.integers(0, 10_000), st.sampled_from([Level.TRIVIAL, Level.SUBSET, Level.SEARCH]))
@settings(max_examples=40, deadline=None)
def test_playing_on_after_a_change_ends_as_playing_from_the_start(seed: int, level: Level) -> None:
    asked = wanted(8, 8, 16, seed, level)
    draws = np.random.PCG64(seed)
    play = generator._fresh(asked, draws, Deadline())
    for _ in range(5):
        if play.finish():
            return
        layout = generator._relaid(asked, play, draws)
        assert layout.sum() == 16
        play = play.changed(layout)
        again = (
            generator._Play(play.game, Deadline())
            if level is Level.SEARCH
            else generator._Graded(play.game, Deadline(), level)
        )
        assert play.finish() == again.finish()
        assert np.array_equal(play.cells, again.cells)


def test_a_change_leaves_the_play_that_it_changes_alone() -> None:
    asked = wanted(8, 8, 20, 1)
    draws = np.random.PCG64(1)
    play = generator._fresh(asked, draws, Deadline())
    assert not play.finish()
    before = play.cells.copy(), play.when.copy(), play.game, play.round
    play.changed(generator._relaid(asked, play, draws)).finish()
    assert np.array_equal(play.cells, before[0])
    assert np.array_equal(play.when, before[1])
    assert (play.game, play.round) == before[2:]


# What is difficult.


@pytest.mark.parametrize("level", [Level.TRIVIAL, Level.SUBSET])
def test_easy_boards_can_be_played_by_easy_steps_alone(level: Level) -> None:
    solver = single if level is Level.TRIVIAL else subsets
    for seed in range(6):
        answer = generate(wanted(9, 9, 14, seed, level))
        assert answer.game is not None
        assert answer.difficulty is not None
        assert answer.difficulty <= level
        assert played(answer.game, solver)


@pytest.mark.parametrize("level", [Level.BOUNDS, Level.LOOK_AHEAD, Level.GLOBAL])
def test_no_step_is_harder_than_wanted(level: Level) -> None:
    for seed in range(6):
        answer = generate(wanted(9, 9, 20, seed, level))
        assert answer.game is not None
        assert answer.difficulty is not None
        assert answer.difficulty <= level
        assert played(answer.game, everything if level is Level.GLOBAL else clues_alone)


def test_the_difficulty_is_that_of_the_hardest_step() -> None:
    seen = Counter[Level]()
    for seed in range(40):
        answer = generate(wanted(9, 9, 18, seed))
        assert answer.game is not None
        assert answer.difficulty is not None
        seen[answer.difficulty] += 1
        assert played(answer.game, single) == (answer.difficulty is Level.TRIVIAL)
        assert played(answer.game, subsets) == (answer.difficulty <= Level.SUBSET)
        if answer.difficulty is not Level.SEARCH:
            assert played(answer.game, clues_alone) == (answer.difficulty is not Level.GLOBAL)
    assert len(seen) >= 4


@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 4, 3), (2, 6, 3)])
def test_games_that_need_a_guess_have_no_grade(shape: tuple[int, int, int]) -> None:
    for game, free in small_games(*shape, (0, 0)).items():
        assert (graded(game) is not None) == free


# Chance and seeds.


def layouts_of(asked: Iterable[Wanted]) -> Counter[Layout]:
    return Counter(found(one).layout for one in asked)


def alike(seen: Counter[Layout], kinds: int) -> bool:
    """Whether all kinds came, about equally often: chi-square within six deviations."""
    mean = seen.total() / kinds
    square = sum((many - mean) ** 2 / mean for many in seen.values())
    return len(seen) == kinds and square < kinds + 6 * (2 * kinds) ** 0.5


def test_random_boards_are_all_layouts_with_the_same_chance() -> None:
    asked = (wanted(2, 4, 3, seed, kind=Kind.RANDOM) for seed in range(3500))
    seen = layouts_of(asked)
    assert alike(seen, 35)
    assert not any(layout.mines[1, 2] for layout in seen)


def test_boards_with_an_opening_are_all_such_layouts_with_the_same_chance() -> None:
    asked = (wanted(3, 4, 3, seed, kind=Kind.OPENING, first=(0, 0)) for seed in range(5600))
    seen = layouts_of(asked)
    assert alike(seen, 56)
    assert not any(layout.mines[:2, :2].any() for layout in seen)


def test_where_they_are_not_rare_boards_without_guesses_have_the_same_chance() -> None:
    free = sum(small_games(3, 4, 3, (0, 0)).values())
    seen = layouts_of(wanted(3, 4, 3, seed, first=(0, 0)) for seed in range(100 * free))
    assert alike(seen, free)


@pytest.mark.parametrize("kind", Kind)
def test_the_same_seed_gives_the_same_board(kind: Kind) -> None:
    asked = wanted(9, 9, 12, 2**62, kind=kind)
    assert generate(asked) == generate(asked, Deadline.after(60))
    assert found(asked) != found(wanted(9, 9, 12, 2**62 + 1, kind=kind))


def test_a_board_that_was_told_once_is_told_for_ever() -> None:
    rows = found(wanted(5, 6, 6, 7)).layout.rows()
    assert rows == ["111BB1", "B11232", "22001B", "B10022", "11001B"]


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("height", {"height": 0}),
        ("width", {"width": -1}),
        ("mines", {"mines": -1}),
        ("mines", {"mines": 73}),
        ("mines", {"mines": 81, "kind": Kind.RANDOM}),
        ("mines", {"mines": 78, "first": (0, 0)}),
        ("first", {"first": (9, 0)}),
        ("first", {"first": (0, -1)}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 2**63}),
        ("difficulty", {"kind": Kind.OPENING, "hardest": Level.SUBSET}),
    ],
)
def test_what_cannot_be_is_refused(field: str, changed: dict[str, object]) -> None:
    usual: dict[str, object] = {"height": 9, "width": 9, "mines": 10}
    with pytest.raises(QuestionError) as refusal:
        wanted(**(usual | changed))  # type: ignore[arg-type]
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("mines", "changed"), [(72, {}), (80, {"kind": Kind.RANDOM}), (77, {"first": (0, 0)})]
)
def test_as_many_mines_as_there_is_room_for_are_laid(
    mines: int, changed: dict[str, object]
) -> None:
    game = found(wanted(9, 9, mines, **changed))  # type: ignore[arg-type]
    assert game.layout.total == mines
    assert np.count_nonzero(game.codes <= 8) == 81 - mines


def test_a_board_too_wide_for_the_compiled_count_is_played_all_the_same() -> None:
    game = found(wanted(190, 190, 3000, 1))
    assert position(game.opened, 3000) is None
    assert graded(game) is not None
