"""Subset construction, minimisation and comparison, on the papers' machines and on random ones."""

from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import hu_lin, kadlac
from minecheck.automata.determinising import determinise, minimise
from minecheck.automata.machine import Machine
from tests.reference.comparing import distinguishing_word
from tests.reference.kadlac_layouts import guessing


def accepted_by_some_run(machine: Machine, word: tuple[str, ...]) -> bool:
    """Tries every run, one after the other."""

    def ends_well(state: str, index: int) -> bool:
        if index == len(word):
            return machine.is_accepting(state)
        return any(ends_well(target, index + 1) for target in machine.follow(state, word[index]))

    return ends_well(machine.start, 0)


def words(machine: Machine, longest: int) -> list[tuple[str, ...]]:
    """All words up to a length, shorter ones first."""
    return [
        word for length in range(longest + 1) for word in product(machine.symbols, repeat=length)
    ]


def is_deterministic_and_complete(machine: Machine) -> bool:
    return all(
        len(machine.follow(state, symbol)) == 1
        for state, symbol in product(machine.states, machine.symbols)
    )


@st.composite
def machines(draw: st.DrawFn, most: int) -> Machine:
    """Nondeterministic machines with up to ``most`` states over two symbols."""
    states = tuple("pqrs"[: draw(st.integers(1, most))])
    some = st.lists(st.sampled_from(states), unique=True)
    return Machine(
        name="random",
        rows=1,
        states=states,
        symbols=("0", "1"),
        start=draw(st.sampled_from(states)),
        accepting=frozenset(draw(some)),
        moves={state: {symbol: tuple(draw(some)) for symbol in "01"} for state in states},
        columns={},
    )


@pytest.mark.parametrize(
    ("machine", "subsets", "smallest", "accepting"),
    [
        (hu_lin.build_machine(), 77, 23, 15),
        (hu_lin.build_merged_machine(), 27, 23, 15),
        # Table 1 rejects the empty board, which costs one state more.
        (kadlac.build_machine(), 11, 7, 4),
    ],
    ids=["hu-lin", "hu-lin-merged", "kadlac"],
)
def test_determinised_and_minimal_machines_have_the_known_sizes(
    machine: Machine, subsets: int, smallest: int, accepting: int
) -> None:
    assert len(determinise(machine).states) == subsets
    minimal = minimise(determinise(machine))
    assert (len(minimal.states), len(minimal.accepting)) == (smallest, accepting)


def test_minimal_machine_for_one_row_that_accepts_the_empty_board_has_six_states() -> None:
    table = kadlac.build_machine()
    machine = replace(table, accepting=table.accepting | {table.start})
    assert len(minimise(machine).states) == 6
    assert distinguishing_word(table, machine) == []


def test_full_and_merged_machines_of_hu_and_lin_have_one_minimal_machine() -> None:
    full, merged = (
        minimise(determinise(m)) for m in (hu_lin.build_machine(), hu_lin.build_merged_machine())
    )
    assert (full.moves, full.accepting) == (merged.moves, merged.accepting)


def test_deciding_and_guessing_machines_accept_the_same_rows() -> None:
    assert distinguishing_word(kadlac.build_machine(), guessing()) is None


def test_determinised_states_are_named_by_their_members_and_the_dead_state_is_empty() -> None:
    machine = determinise(hu_lin.build_merged_machine())
    assert machine.start == "{q0}"
    assert machine.follow("{q0}", "1?") == ("{q5,q7}",)
    assert machine.follow("{q0}", "44") == machine.follow("{}", "??") == ("{}",)
    assert not machine.is_accepting("{}")
    assert determinise(hu_lin.build_machine()).follow("{s0}", "2?") == ("{20?0,21?B}",)


@given(machines(most=4))
def test_determinised_machine_accepts_the_words_of_the_original(machine: Machine) -> None:
    subsets = determinise(machine)
    assert is_deterministic_and_complete(subsets)
    assert len(set(subsets.states)) == len(subsets.states) == len(subsets.moves)
    for word in words(machine, 5):
        assert accepted_by_some_run(subsets, word) is accepted_by_some_run(machine, word)


@given(machines(most=4))
def test_minimised_machine_accepts_the_original_words_without_equivalent_states(
    machine: Machine,
) -> None:
    minimal = minimise(determinise(machine))
    assert is_deterministic_and_complete(minimal)
    for word in words(machine, 5):
        assert accepted_by_some_run(minimal, word) is accepted_by_some_run(machine, word)
    for one, other in combinations(minimal.states, 2):
        found = distinguishing_word(replace(minimal, start=one), replace(minimal, start=other))
        assert found is not None
    assert minimise(minimal).moves == minimal.moves


@given(machines(most=4))
def test_minimised_states_are_numbered_in_the_order_words_reach_them(machine: Machine) -> None:
    minimal = minimise(determinise(machine))
    met = [minimal.start]
    for state in met:
        for symbol in minimal.symbols:
            met += [target for target in minimal.follow(state, symbol) if target not in met]
    assert list(minimal.states) == met == [str(number) for number in range(len(met))]


@given(machines(most=2), machines(most=2))
def test_distinguishing_word_is_among_the_shortest(one: Machine, other: Machine) -> None:
    # Each has at most four sets of states, so the first difference comes within six symbols.
    differing = [
        word
        for word in words(one, 6)
        if accepted_by_some_run(one, word) is not accepted_by_some_run(other, word)
    ]
    found = distinguishing_word(one, other)
    if found is None:
        assert not differing
    else:
        assert len(found) == len(differing[0])
        assert tuple(found) in differing


def test_distinguishing_word_uses_the_symbols_of_both_machines() -> None:
    table = kadlac.build_machine()
    narrow = replace(
        table,
        symbols=("0",),
        moves={state: {"0": ends["0"]} for state, ends in table.moves.items()},
    )
    assert distinguishing_word(narrow, table) == distinguishing_word(table, narrow) == ["B"]


@pytest.mark.parametrize(
    ("machine", "fault"),
    [
        (hu_lin.build_machine(), "s0 of hu-lin has 0 moves on 33"),
        (guessing(), r"so of kadlac-guessing has 2 moves on \?"),
    ],
)
def test_minimise_rejects_machines_that_are_not_deterministic_and_complete(
    machine: Machine, fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        minimise(machine)
