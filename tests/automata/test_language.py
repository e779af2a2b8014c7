"""Languages: counts, orders, numbers and draws, against all boards of small sizes."""

from bisect import bisect_left
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata.language import MOST_ROWS, build_language
from minecheck.automata.recurrence import Rational, find_rational
from minecheck.minefield import Board, draw, parse
from minecheck.solvers import Backend, answer_question
from minecheck.solvers.tasks.check import Check
from tests import oracle
from tests.automata.known_sizes import CONSISTENT, SIZES
from tests.examples import examples

CELLS = "012345678?BS"


def expand_series(function: Rational, length: int) -> list[int]:
    """Return the first coefficients of the power series of a quotient."""
    coefficients: list[int] = []
    for power in range(length):
        coefficient = function.numerator[power] if power < len(function.numerator) else 0
        earlier_factors = enumerate(function.denominator[1 : power + 1], 1)
        coefficients.append(
            coefficient
            - sum(factor * coefficients[power - step] for step, factor in earlier_factors)
        )
    return coefficients


def columns(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return the key that boards are sorted by."""
    return tuple(tuple(map(CELLS.index, column)) for column in zip(*draw(board), strict=True))


@cache
def every(rows: int, length: int, cells: str) -> list[Board]:
    """All boards of a size, sorted."""
    found = []
    for symbols in product(product(cells, repeat=rows), repeat=length):
        found.append(parse(["".join(row) for row in zip(*symbols, strict=True)]))
    assert found == sorted(found, key=columns)
    return found


@pytest.mark.parametrize(("rows", "safe"), CONSISTENT)
def test_language_counts_are_those_of_other_programs(rows: int, safe: bool) -> None:
    found = build_language(rows, safe)
    assert [found.boards_of_length(length).count for length in range(7)] == [
        1,
        *CONSISTENT[rows, safe][:6],
    ]
    assert found.states == SIZES[rows, safe].minimal


@pytest.mark.parametrize(
    ("rows", "length", "safe"),
    [(1, 1, True), (1, 3, False), (1, 3, True), (2, 1, True), (2, 2, False), (3, 1, True)],
)
def test_language_lists_consistent_boards_in_order_and_ranks_all_boards(
    rows: int, length: int, safe: bool
) -> None:
    boards = build_language(rows, safe).boards_of_length(length)
    given = every(rows, length, CELLS if safe else CELLS[:-1])
    right = [board for board in given if oracle.answer(board).consistent]
    assert boards.count == len(right)
    assert [boards.unrank(number) for number in range(boards.count)] == right
    keys = [columns(board) for board in right]
    known = set(right)
    for board in given:
        assert boards.rank(board) == (bisect_left(keys, columns(board)), board in known)


@st.composite
def numbered_boards(data: st.DrawFn) -> tuple[int, int, bool, int]:
    rows = data(st.integers(1, MOST_ROWS))
    length = data(st.integers(1, {1: 14, 2: 7, 3: 5}[rows]))
    safe = data(st.booleans())
    count = build_language(rows, safe).boards_of_length(length).count
    return rows, length, safe, data(st.integers(0, count - 1))


@given(numbered_boards())
@examples(200)
def test_language_unrank_gives_a_consistent_board_of_that_rank(
    case: tuple[int, int, bool, int],
) -> None:
    """By a SAT solver."""
    rows, length, safe, number = case
    boards = build_language(rows, safe).boards_of_length(length)
    board = boards.unrank(number)
    assert board.shape == (rows, length)
    assert boards.rank(board) == (number, True)
    assert answer_question(Check(board, backend=Backend.SAT)).consistent
    if number:
        assert columns(boards.unrank(number - 1)) < columns(board)


@given(st.data())
@examples(200)
def test_language_ranks_any_board_between_its_consistent_neighbours(data: st.DataObject) -> None:
    """Between the consistent boards before it and after it, whether it is consistent or not."""
    rows, length = data.draw(st.sampled_from([(1, 9), (2, 5), (3, 3)]))
    text = st.text("0123???BBS", min_size=length, max_size=length)
    board = parse(data.draw(st.lists(text, min_size=rows, max_size=rows)))
    boards = build_language(rows, safe=True).boards_of_length(length)
    number, consistent = boards.rank(board)
    assert consistent == oracle.answer(board).consistent
    if number:
        assert columns(boards.unrank(number - 1)) < columns(board)
    if number < boards.count:
        assert (boards.unrank(number) == board) == consistent
        assert columns(boards.unrank(number)) >= columns(board)


def test_language_ranks_a_flag_as_unknown() -> None:
    boards = build_language(1).boards_of_length(2)
    assert boards.rank(parse("1F")) == boards.rank(parse("1?"))


class Drawn(Random):
    """Draws one number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def randrange(self, start: int, *_: object) -> int:
        assert 0 <= self.number < start
        return self.number


def test_language_samples_every_board_with_the_same_chance() -> None:
    boards = build_language(2).boards_of_length(2)
    drawn = {boards.sample(Drawn(number)) for number in range(boards.count)}
    assert len(drawn) == boards.count == 157
    again = [boards.sample(Random(7)) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("rows", [1, 2])
def test_generating_function_counts_boards_of_all_lengths(rows: int, safe: bool) -> None:
    function = build_language(rows, safe).generating_function()
    assert function is not None
    length = 120
    assert expand_series(function, length) == [
        build_language(rows, safe).boards_of_length(n).count for n in range(length)
    ]
    assert len(common(function.numerator, function.denominator)) == 1
    assert function.denominator[0] == 1
    assert len(function.denominator) <= build_language(rows, safe).states


def test_generating_function_of_one_row_is_the_known_fraction() -> None:
    """f(n) = 3 f(n - 1) + 2 f(n - 2) - f(n - 3)."""
    assert build_language(1).generating_function() == Rational([1], [1, -3, -2, 1])


def test_generating_function_of_three_rows_is_missing() -> None:
    assert build_language(3).generating_function() is None


def common(one: list[int], other: list[int]) -> list[Fraction]:
    """The greatest common divisor of two polynomials, by Euclid."""
    first, second = [[Fraction(c) for c in given] for given in (one, other)]
    while second:
        while len(first) >= len(second):
            factor = first[-1] / second[-1]
            for power in range(1, len(second) + 1):
                first[-power] -= factor * second[-power]
            while first and not first[-1]:
                first.pop()
        first, second = second, first
    return first


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=4),
    st.lists(st.integers(-5, 5), min_size=0, max_size=4),
)
@examples(200)
def test_find_rational_returns_the_quotient_in_lowest_terms(
    top: list[int], below: list[int]
) -> None:
    terms = expand_series(Rational(top, [1, *below]), 20)
    found = find_rational(terms)
    assert expand_series(found, 20) == terms
    assert len(found.denominator) <= len(below) + 1
    if found.numerator:
        assert len(common(found.numerator, found.denominator)) == 1


@pytest.mark.parametrize("rows", [0, 4])
def test_build_language_rejects_unsupported_numbers_of_rows(rows: int) -> None:
    with pytest.raises(ValueError, match=f"1 to 3 rows, not {rows}"):
        build_language(rows)


@pytest.mark.parametrize("board", ["???", "1S"])
def test_language_rejects_ranking_boards_of_another_shape(board: str) -> None:
    with pytest.raises(ValueError, match=r"columns|no board"):
        build_language(1).boards_of_length(2).rank(parse(board))


def test_language_ends_with_the_exception_of_its_callback() -> None:
    def tick() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        build_language(1).boards_of_length(5, tick)
