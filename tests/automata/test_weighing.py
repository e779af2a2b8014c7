"""Weights and chances of strips, against the oracle, the frontier and numbers by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import EVEN, Odds, TooLong, long_parts, parts
from minecheck.automata.odds import round_ratio
from minecheck.automata.weighing import Weighing
from minecheck.minefield.board import MINE, UNKNOWN, Board
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import NONE
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline
from tests import boards, oracle
from tests.examples import examples
from tests.rule_constraints import reduce_board

TWO = st.integers(1, 2)
ODDS = [EVEN, Odds(1, 4), Odds(3, 2), Odds(1929, 13696), Odds(10**9 + 7, 10**30), Odds(1, 10**200)]
odds = st.sampled_from(ODDS)


def agrees_with_the_frontier(board: Board, odds: Odds, **limits: int) -> None:
    """Every number, to the last digit."""
    reduction = reduce_board(board, None)
    if reduction.conflict != NONE:
        return
    tally = BoardTally(reduction, Budget(10**12, Deadline()))
    if not tally.count:
        return
    density = None if odds == EVEN else odds.chance
    weighed = Weighing(board.cells, odds, **limits)  # type: ignore[arg-type]
    unknown = [(row, col) for row, col in np.argwhere(board.unknown).tolist()]
    expected = tally.compute_chances(density)
    exact = expected.to_fractions(tally.budget).reshape(board.shape)
    rounded = np.where(board.unknown, weighed.chances, np.nan)
    assert np.array_equal(rounded.ravel(), expected.round_chances(), equal_nan=True)
    assert [Fraction(*ratio) for ratio in weighed.compute_ratios(unknown)] == [
        exact[p] for p in unknown
    ]
    likelihood = tally.compute_likelihood(odds.chance)
    everything = sum(odds) ** len(unknown)
    assert weighed.whole * likelihood.whole == likelihood.part * everything
    if odds == EVEN:
        assert weighed.whole == tally.count
        assert weighed.by_mines() == tally.by_mines
        assert list(weighed.by_mines()) == sorted(weighed.by_mines())


@given(boards.strip_boards(TWO, cells=20), odds)
def test_weighing_agrees_with_the_oracle(board: Board, odds: Odds) -> None:
    expected = oracle.answer(board)
    if not expected.consistent:
        return
    weighed = Weighing(board.cells, odds)
    mine = Fraction(odds.mine, odds.safe)
    weights = {layout: mine ** len(layout) for layout in expected.layouts}
    whole = sum(weights.values())
    for cell in np.ndindex(*board.shape):
        held = sum(weight for layout, weight in weights.items() if cell in layout) / whole
        (ratio,) = weighed.compute_ratios([cell])
        assert Fraction(*ratio) == held
        assert weighed.chances[cell] == round_ratio(*held.as_integer_ratio())
    if odds == EVEN:
        assert weighed.whole == expected.count
        assert weighed.by_mines() == expected.by_mines


@given(boards.strip_boards(TWO, cells=160, unknown=140), odds)
def test_weighing_agrees_with_the_frontier_on_many_layouts(board: Board, odds: Odds) -> None:
    agrees_with_the_frontier(board, odds)


@pytest.mark.parametrize("odds", ODDS[:4], ids=str)
@pytest.mark.parametrize("height", [1, 2])
def test_weighing_agrees_with_the_frontier_on_long_strips(height: int, odds: Odds) -> None:
    agrees_with_the_frontier(boards.hidden_layout(height, 700, 0.7, seed=height), odds)


@examples(50)
@given(boards.strip_boards(TWO, cells=100, unknown=90), odds, st.booleans())
def test_weighing_methods_agree_for_short_and_long_parts(
    board: Board, odds: Odds, doubtful: bool
) -> None:
    """Settings make every part long, and every chance doubtful."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "fill_part_chances", lambda _, spans, *__: np.full(len(spans), np.inf))
        if doubtful:
            patch.setattr(long_parts, "fill_long_part", fill_with_doubt)
        agrees_with_the_frontier(board, odds, longest=0)


def fill_with_doubt(
    _: object, span: np.ndarray, __: object, ___: object, chances: np.ndarray
) -> None:
    chances[:, span[0] : span[1]] = np.nan


def chain(pieces: int) -> Board:
    """Either all columns at 0, 4, ... have a mine, or all columns at 2, 6, ...; never both.

    The former have two ways to place it, the latter one. In the second half of
    the board it is the other way round.
    """
    half = np.tile(parse(["?1?1", "?SSS"]).cells, pieces)
    return Board(np.hstack([half, np.roll(half, 2, axis=1)])[:, :-1])


@pytest.mark.parametrize("pieces", [1, 10, 64, 200, 2000])
def test_weighing_gives_the_chances_of_a_chain(pieces: int) -> None:
    """On the way weights are up to 2 ** pieces apart; both halves together are equal again."""
    board = chain(pieces)
    chances = Weighing(board.cells).chances
    two_open = board.unknown.all(axis=0)
    assert (chances[:, two_open] == 0.25).all()
    assert (chances[0, board.unknown[0] & ~two_open] == 0.5).all()
    assert not chances[~board.unknown].any()


@pytest.mark.parametrize("columns", [9, 107, 109, 1025, 20_001])
def test_weighing_is_exact_for_one_layout_among_very_many(columns: int) -> None:
    """Full and empty columns take turns, in two ways; or all have one mine, in very many."""
    cells = np.full((2, columns), UNKNOWN, np.int8)
    cells[:, 1::2] = 2
    half = (columns + 1) // 2
    weighed = Weighing(cells)
    assert weighed.whole == 2**half + 2
    assert (weighed.chances[:, ::2] == 0.5).all()
    cells[1, 0] = MINE
    weighed = Weighing(cells)
    assert weighed.whole == 2 ** (half - 1) + 1
    expected = round_ratio(1, 2 ** (half - 1) + 1)
    assert weighed.chances[0, 0] == expected
    assert weighed.compute_ratios([(0, 0)]) == [(1, 2 ** (half - 1) + 1)]


def test_weighing_rounds_ties_to_even() -> None:
    """Half way between two doubles no precision is enough."""
    # Next to a free cell is one with a mine in 2 ** 53 + 1 of 2 ** 54 cases, by weight.
    for half in (2**53 + 1, 2**53 + 3):
        odds = Odds(half, 2**54 - half)
        cells = parse(["?1?"]).cells
        agrees_with_the_frontier(Board(cells), odds)
        assert (Weighing(parse(["?"]).cells, odds).chances == half / 2**54).all()


def test_weighing_handles_a_long_chain_of_two_layouts() -> None:
    board = parse(["?1" * 3000])
    weighed = Weighing(board.cells)
    assert weighed.whole == 1
    assert set(weighed.chances[board.unknown].tolist()) == {0.0, 1.0}
    loose = Weighing(parse(["?1" * 3000 + "?"]).cells)
    assert loose.by_mines() == {1500: 1, 1501: 1}


@pytest.mark.slow
def test_weighing_gives_free_cells_the_chance_of_the_density() -> None:
    odds = Odds(10**20 + 39, 10**25)
    weighed = Weighing(np.full((2, 100_000), UNKNOWN, np.int8), odds)
    assert (weighed.chances == float(odds.chance)).all()
    assert weighed.find_large() is None
    assert weighed.compute_ratios([(1, 7)]) == [odds.chance.as_integer_ratio()]
    assert weighed.whole == sum(odds) ** 200_000


def test_weighing_finds_the_parts_whose_doubles_can_mislead() -> None:
    """The chances on the left are 1 / (2 ** 30 + 1) and more, on the right 1 / 3 and 1 / 2."""
    board = parse(["?2" * 60 + "?SS?1?SS", "B2" + "?2" * 59 + "?SS??1SS"])
    weighed = Weighing(board.cells)
    large = weighed.find_large()
    assert large is not None
    assert large[:121].all()
    assert not large[121:].any()
    agrees_with_the_frontier(board, EVEN)


def test_weighing_rejects_ratios_with_too_many_digits() -> None:
    cells = np.full((2, 2001), UNKNOWN, np.int8)
    cells[:, 1::2] = 2
    weighed = Weighing(cells, most_digits=1000)
    assert (weighed.chances[:, ::2] == 0.5).all()
    with pytest.raises(TooLong, match="digits"):
        weighed.compute_ratios([(0, column) for column in range(0, 2001, 2)])


def test_weighing_ends_with_the_exception_that_check_raises() -> None:
    class Enough(Exception):
        pass

    def check() -> None:
        raise Enough

    cells = np.full((2, 2001), UNKNOWN, np.int8)
    cells[:, 1::2] = 2
    with pytest.raises(Enough):
        _ = Weighing(cells, EVEN, check).whole
