"""Sizes of deterministic automata, and the boards they accept, counted."""

from collections import deque
from itertools import product

import numpy as np
import pytest

from minecheck.automata.profiles import Profiles
from tests.automata.known_sizes import CONSISTENT, SIZES
from tests.reference.sizes import Deterministic, sizes, subset_automaton


def consistent(width: int, length: int, cells: str) -> int:
    """Number of consistent boards: the union, over all layouts, of the boards each one fits."""
    boards: set[tuple[str, ...]] = set()
    squares = list(product(range(width), range(length)))
    for held in product([False, True], repeat=len(squares)):
        mines = {square for square, mine in zip(squares, held, strict=True) if mine}
        looks = []
        for row, col in squares:
            number = sum(abs(r - row) <= 1 and abs(c - col) <= 1 for r, c in mines)
            look = "?B" if (row, col) in mines else f"?S{number}"
            looks.append([cell for cell in look if cell in cells])
        boards.update(product(*looks))
    return len(boards)


def count_accepted(width: int, length: int) -> int:
    """Number of boards that the column profiles accept."""
    machine = Profiles(width).build_machine()
    words = {frozenset([machine.start]): 1}
    for _ in range(length):
        longer: dict[frozenset[str], int] = {}
        for states, count in words.items():
            for symbol in set().union(*(machine.moves[state] for state in states)):
                moves = (machine.moves[state].get(symbol, ()) for state in states)
                ends = frozenset().union(*moves)
                longer[ends] = longer.get(ends, 0) + count
        words = longer
    return sum(count for states, count in words.items() if states & machine.accepting)


def different(automaton: Deterministic) -> int:
    """Number of states that no word shows to be the same, by marking pairs that differ."""
    before: dict[tuple[int, int], set[tuple[int, int]]] = {}
    moves = automaton.moves.tolist()
    states = range(len(moves))
    for one, other in product(states, states):
        for pair in zip(moves[one], moves[other], strict=True):
            before.setdefault(pair, set()).add((one, other))
    differ = {
        (one, other)
        for one, other in product(states, states)
        if automaton.accepting[one] != automaton.accepting[other]
    }
    ahead = deque(differ)
    while ahead:
        new = before.get(ahead.popleft(), set()) - differ
        differ |= new
        ahead.extend(new)
    return len({min(other for other in states if (one, other) not in differ) for one in states})


@pytest.mark.parametrize(("width", "safe_symbol"), SIZES)
def test_automata_have_the_known_sizes(width: int, safe_symbol: bool) -> None:
    assert sizes(width, safe_symbol=safe_symbol) == SIZES[width, safe_symbol]


@pytest.mark.parametrize(("width", "safe_symbol"), CONSISTENT)
def test_minimal_automaton_counts_the_known_numbers_of_boards(
    width: int, safe_symbol: bool
) -> None:
    automaton = subset_automaton(width, safe_symbol=safe_symbol).minimal()
    expected = CONSISTENT[width, safe_symbol]
    assert [automaton.boards(length) for length in range(len(expected) + 1)] == [1, *expected]


@pytest.mark.parametrize("safe_symbol", [False, True])
@pytest.mark.parametrize(("width", "length"), [(1, 5), (2, 3), (3, 2)])
def test_subset_automaton_counts_the_boards_that_layouts_show(
    width: int, length: int, safe_symbol: bool
) -> None:
    cells = "012345678?B" + "S" * safe_symbol
    found = subset_automaton(width, safe_symbol=safe_symbol).boards(length)
    assert found == consistent(width, length, cells)


@pytest.mark.parametrize(("width", "safe_symbol"), [key for key in SIZES if key[0] < 3])
def test_minimal_automaton_has_no_equivalent_states(width: int, safe_symbol: bool) -> None:
    subset = subset_automaton(width, safe_symbol=safe_symbol)
    minimal = subset.minimal()
    assert different(subset) == different(minimal) == len(minimal)


def test_minimal_automaton_keeps_states_that_only_a_long_word_distinguishes() -> None:
    """Each round of the refinement splits off one state of a chain."""
    chain = Deterministic(
        start=0,
        accepting=np.arange(9) == 8,
        moves=np.array([[1], [2], [3], [4], [5], [6], [7], [8], [8]]),
        multiplicity=np.array([1]),
    )
    assert len(chain.minimal()) == 9


@pytest.mark.parametrize(("width", "safe_symbol"), SIZES)
def test_minimal_automaton_reaches_every_state_and_has_one_dead_state(
    width: int, safe_symbol: bool
) -> None:
    minimal = subset_automaton(width, safe_symbol=safe_symbol).minimal()
    reached = np.zeros(len(minimal), np.bool_)
    reached[minimal.start] = True
    while not reached[minimal.moves[reached]].all():
        reached[minimal.moves[reached]] = True
    assert reached.all()
    dead = (minimal.moves == np.arange(len(minimal))[:, np.newaxis]).all(axis=1)
    assert np.count_nonzero(dead) == 1
    assert not minimal.accepting[dead].any()


@pytest.mark.parametrize(("width", "safe_symbol"), SIZES)
def test_subset_automaton_counts_every_column_as_one_symbol(width: int, safe_symbol: bool) -> None:
    automaton = subset_automaton(width, safe_symbol=safe_symbol)
    assert automaton.multiplicity.sum() == (12 if safe_symbol else 11) ** width
    assert len(automaton.multiplicity) == automaton.moves.shape[1]


@pytest.mark.parametrize(("width", "length"), [(1, 8), (2, 4), (3, 3)])
def test_profiles_accept_the_known_numbers_of_boards(width: int, length: int) -> None:
    assert count_accepted(width, length) == CONSISTENT[width, True][length - 1]


def test_number_of_boards_is_exact_beyond_64_bits() -> None:
    count = subset_automaton(1, safe_symbol=True).boards(60)
    assert count == count_accepted(1, 60) > 2**64


@pytest.mark.parametrize("width", [0, 4])
def test_sizes_rejects_unsupported_widths(width: int) -> None:
    with pytest.raises(ValueError, match=f"1 to 3, not {width}"):
        sizes(width, safe_symbol=True)
