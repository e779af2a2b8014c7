"""Column profiles against every layout, and against the machines of the papers."""

from collections import Counter
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from minecheck.automata import hu_lin, kadlac
from minecheck.automata.machine import Machine
from minecheck.automata.profiles import CELLS, Profiles, read_word
from minecheck.minefield.board import Board, list_coordinates
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from tests import boards, oracle
from tests.examples import examples
from tests.oracle import Cell

#: Width -> (states, accepting states).
STATES = {1: (4, 3), 2: (19, 9), 3: (94, 27), 4: (452, 81)}


def runs(reader: Profiles, symbols: list[str]) -> list[frozenset[Cell]]:
    """The mines of every accepting run."""
    open_runs: list[tuple[str, frozenset[Cell]]] = [(reader.start, frozenset())]
    for col, symbol in enumerate(symbols):
        open_runs = [
            (target, mines | {(row, col) for row, mine in enumerate(column) if mine})
            for state, mines in open_runs
            for target in reader.follow(state, symbol)
            for column in reader.list_columns(target)
        ]
    return [mines for state, mines in open_runs if reader.is_accepting(state)]


def layouts_by_word(width: int, length: int) -> Counter[tuple[str, ...]]:
    """Every consistent board with the number of its layouts: each layout is hidden in every way."""
    cells = list(product(range(width), range(length)))
    found: Counter[tuple[str, ...]] = Counter()
    for held in product([False, True], repeat=len(cells)):
        mines = {cell for cell, mine in zip(cells, held, strict=True) if mine}
        looks = {
            cell: "?B"
            if cell in mines
            else f"?S{len(mines.intersection(oracle.neighbours(cell, width, length)))}"
            for cell in cells
        }
        columns = [
            list(map("".join, product(*(looks[row, col] for row in range(width)))))
            for col in range(length)
        ]
        found.update(product(*columns))
    return found


def runs_by_word(machine: Machine, length: int) -> Counter[tuple[str, ...]]:
    """Every accepted word with the number of its accepting runs."""
    ends: Counter[tuple[tuple[str, ...], str]] = Counter({((), machine.start): 1})
    for _ in range(length):
        longer: Counter[tuple[tuple[str, ...], str]] = Counter()
        for (read, state), count in ends.items():
            for symbol, targets in machine.moves[state].items():
                for target in targets:
                    longer[(*read, symbol), target] += count
        ends = longer
    found: Counter[tuple[str, ...]] = Counter()
    for (read, state), count in ends.items():
        if state in machine.accepting:
            found[read] += count
    return found


def same_boards(one: Machine, other: Machine, symbols: Iterable[tuple[str, str]]) -> int:
    """Check that two machines accept the same words of every length from one up.

    ``symbols`` pairs a symbol of one with that of the other. Walks through all
    pairs of sets of states that some word leads to, and returns their number.
    """
    pairs = list(symbols)
    first = frozenset([one.start]), frozenset([other.start])
    seen = set()
    ahead = [first]
    while ahead:
        left, right = ahead.pop()
        for symbol, same in pairs:
            reached = (
                frozenset(end for state in left for end in one.moves[state].get(symbol, ())),
                frozenset(end for state in right for end in other.moves[state].get(same, ())),
            )
            if reached not in seen:
                assert reached[0].isdisjoint(one.accepting) == reached[1].isdisjoint(
                    other.accepting
                )
                seen.add(reached)
                ahead.append(reached)
    return len(seen)


@pytest.mark.parametrize("width", STATES)
def test_profiles_have_the_known_number_of_states(width: int) -> None:
    """From the start, each profile can be reached by one column."""
    profiles = Profiles(width)
    states = {
        state
        for symbol in map("".join, product(CELLS, repeat=width))
        for state in profiles.follow(profiles.start, symbol)
    }
    assert profiles.start in states
    assert (len(states), sum(map(profiles.is_accepting, states))) == STATES[width]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_profile_table_has_the_moves_of_the_reader(width: int) -> None:
    profiles = Profiles(width)
    machine = profiles.build_machine()
    assert (len(machine.states), len(machine.accepting)) == STATES[width]
    assert machine.start == profiles.start == machine.states[0]
    assert machine.symbols == tuple(map("".join, product(CELLS, repeat=width)))
    for state in machine.states:
        assert (state in machine.accepting) is profiles.is_accepting(state)
        assert machine.columns[state] == profiles.list_columns(state)
        assert set(machine.moves[state]) <= set(machine.symbols)
        for symbol in machine.symbols:
            assert machine.moves[state].get(symbol, ()) == profiles.follow(state, symbol)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_next_states_of_a_profile_have_different_columns(width: int) -> None:
    machine = Profiles(width).build_machine()
    for state, symbol in product(machine.states, machine.symbols):
        entered = [machine.columns[end] for end in machine.moves[state].get(symbol, ())]
        assert len(entered) == len(set(entered))
        assert entered == sorted(entered)


@pytest.mark.parametrize(
    ("width", "length"), [(1, 1), (1, 2), (1, 3), (1, 6), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)]
)
def test_profile_runs_of_every_small_board_are_its_layouts(width: int, length: int) -> None:
    assert runs_by_word(Profiles(width).build_machine(), length) == layouts_by_word(width, length)


@given(boards.small_boards())
def test_profile_runs_are_the_layouts_of_the_oracle(board: Board) -> None:
    found = runs(Profiles(board.height), read_word(board))
    assert len(found) == len(set(found))
    assert set(found) == set(oracle.answer(board).layouts)


@examples(40)
@given(boards.layout_boards(8))
def test_profile_runs_are_as_many_as_layouts_on_boards_up_to_eight_rows(board: Board) -> None:
    expected = oracle.answer(board)
    assert len(runs(Profiles(board.height), read_word(board))) == expected.count
    assert len(runs(Profiles(board.width), read_word(board.transpose()))) == expected.count


@pytest.mark.parametrize("case", boards.SMALL_CASES, ids=str)
def test_profile_runs_of_the_papers_boards_are_as_many_as_layouts(case: boards.Case) -> None:
    assert len(runs(Profiles(len(case.rows)), read_word(parse(case.rows)))) == case.layouts


def test_profiles_of_one_row_accept_the_language_of_kadlac() -> None:
    deciding = kadlac.build_machine()
    symbols = [(cell, cell) for cell in "012345678?B"]
    assert {symbol for symbol, _ in symbols} == set(deciding.symbols)
    assert same_boards(Profiles(1).build_machine(), deciding, symbols) > 6


def test_profiles_of_two_rows_accept_the_language_of_hu_and_lin() -> None:
    symbols = [
        (symbol, "".join(sorted(symbol)))
        for symbol in map("".join, product("012345678?B", repeat=2))
    ]
    assert {in_order for _, in_order in symbols} > set(hu_lin.SYMBOLS)
    assert same_boards(Profiles(2).build_machine(), hu_lin.build_machine(), symbols) > 23


def test_profiles_accept_the_empty_board_as_hu_and_lin_do_and_kadlac_does_not() -> None:
    assert Profiles(1).is_accepting(Profiles(1).start)
    assert hu_lin.build_machine().start in hu_lin.build_machine().accepting
    assert kadlac.build_machine().start not in kadlac.build_machine().accepting


@pytest.mark.parametrize(
    ("width", "cells", "sets"),
    [(1, "012345678?B", 7), (1, CELLS, 7), (2, "012345678?B", 63), (2, CELLS, 67)],
)
def test_profile_subsets_have_the_known_number(width: int, cells: str, sets: int) -> None:
    machine = Profiles(width).build_machine(cells)
    symbols = [(symbol, symbol) for symbol in machine.symbols]
    assert same_boards(machine, machine, symbols) == sets


@pytest.mark.parametrize("width", [1, 2, 3])
def test_profiles_over_a_smaller_alphabet_keep_the_moves_with_its_symbols(width: int) -> None:
    small = Profiles(width).build_machine("01?B")
    machine = Profiles(width).build_machine()
    assert small.symbols == tuple(map("".join, product("01?B", repeat=width)))
    assert set(small.states) <= set(machine.states)
    for state, moves in small.moves.items():
        kept = {symbol for symbol in machine.moves[state] if set(symbol) <= set("01?B")}
        assert moves == {symbol: machine.moves[state][symbol] for symbol in kept}


def test_profile_names_say_the_mines_and_the_mines_still_due() -> None:
    profiles = Profiles(3)
    assert profiles.start == "---"
    assert profiles.list_columns("B1-") == ((True, False, False),)
    assert profiles.follow("---", "?2S") == ("-2-", "B1-")
    assert profiles.follow("-2-", "???") == ("-BB", "B-B", "BB-")
    assert profiles.is_accepting("B0-")
    assert not profiles.is_accepting("B1-")


def test_profiles_omit_states_whose_dues_no_column_meets() -> None:
    assert Profiles(2).follow("--", "12") == ()
    assert Profiles(3).follow("---", "202") == ()
    assert Profiles(3).follow("---", "131") == ()
    assert Profiles(4).follow("----", "0S03") == ()
    assert Profiles(3).follow("---", "232") == ("232",)


@pytest.mark.parametrize("symbol", ["", "?", "???", "F?", "?F", "x?", "9?"])
def test_profiles_have_no_moves_for_columns_outside_the_alphabet(symbol: str) -> None:
    assert Profiles(2).follow("--", symbol) == ()


def test_read_word_reads_a_board_column_by_column() -> None:
    assert read_word(parse(["0?B", "SF8"])) == ["0S", "??", "B8"]


def test_profiles_let_any_column_of_mines_follow_a_column_without_clues() -> None:
    columns = Profiles(8).follow("-" * 8, "?" * 8)
    assert columns == tuple(map("".join, product("-B", repeat=8)))


def test_profiles_read_a_long_board_of_eight_rows() -> None:
    """There are far more states than could be listed, but a board meets few of them."""
    mines = np.random.default_rng(8).random((8, 60)) < 0.2
    board = parse([row.replace("B", "?") for row in Layout(mines).rows()])
    assert runs(Profiles(8), read_word(board)) == [frozenset(list_coordinates(mines))]


@pytest.mark.parametrize("width", [0, -1])
def test_profiles_reject_boards_without_rows(width: int) -> None:
    with pytest.raises(ValueError, match=str(width)):
        Profiles(width)


def test_profiles_of_width_four_reject_building_a_table() -> None:
    with pytest.raises(ValueError, match="width 3, not 4"):
        Profiles(4).build_machine()
