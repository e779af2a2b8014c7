"""Kadlac's machine against her table, and the repaired answers against her failures."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from automata import kadlac, strip
from automata.runs import Runs, accepts
from minefield.layout import Layout
from minefield.notation import parse

PAPER = json.loads((Path(__file__).parent / "data" / "kadlac.json").read_text())


def layouts(row: str) -> list[str]:
    return [layout.rows()[0] for layout in strip(parse([row])).layouts()]


def test_states_and_acceptance_are_those_of_table_1() -> None:
    machine = kadlac.deciding()
    assert list(machine.states) == PAPER["states"]
    assert machine.start == PAPER["start"]
    assert machine.accepting == set(PAPER["states_with_end_marker_not_error"])
    assert set(PAPER["alphabet"]) < set(machine.symbols)


def test_every_transition_of_table_1() -> None:
    machine = kadlac.deciding()
    for state, symbol in product(PAPER["states"], PAPER["alphabet"]):
        assert machine.moves[state][symbol] == (PAPER["delta"][state][symbol],)


@pytest.mark.parametrize("clue", list("345678"))
def test_a_clue_above_two_is_an_error_in_one_row(clue: str) -> None:
    machine = kadlac.deciding()
    assert all(machine.moves[state][clue] == ("Er",) for state in machine.states)


def test_the_guessing_machine_differs_only_where_table_1_is_undecided() -> None:
    deciding, guessing = kadlac.deciding(), kadlac.guessing()
    for state, symbol in product(guessing.states, guessing.symbols):
        once = deciding.moves[state][symbol]
        assert guessing.moves[state][symbol] == (("?o", "?b") if once == ("??",) else once)
    assert guessing.accepting == deciding.accepting & set(guessing.states)


def test_the_states_left_out_of_the_guessing_machine_are_never_entered() -> None:
    machine = kadlac.guessing()
    entered = {
        target for moves in machine.moves.values() for end in moves.values() for target in end
    }
    assert entered <= set(machine.states)
    assert set(kadlac.deciding().states) - set(machine.states) == {"??", "1?"}


@pytest.mark.parametrize("length", range(1, 6))
def test_accepting_guesses_are_exactly_the_layouts(length: int) -> None:
    for row in map("".join, product("012B?", repeat=length)):
        board = parse([row])
        candidates = product([False, True], repeat=length)
        fitting = [mines for mines in candidates if Layout(np.array([mines])).fits(board)]
        accepted = list(Runs(kadlac.guessing(), row).layouts())
        assert [tuple(cells[:, 0]) for cells in accepted] == fitting
        assert accepts(kadlac.deciding(), row) == accepts(kadlac.guessing(), row) == bool(fitting)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("?0", ["00"]),
        ("?10", ["B10"]),
        ("?1?", ["01B", "B10"]),
        ("B?0", ["B10"]),
        ("?1B", ["01B"]),
        ("??0", ["000", "B10"]),
    ],
)
def test_boards_that_the_printed_output_map_gets_wrong(row: str, expected: list[str]) -> None:
    assert layouts(row) == expected
    assert all(layout.fits(parse([row])) for layout in strip(parse([row])).layouts())


def test_a_last_clue_still_waiting_for_its_mine_is_rejected() -> None:
    assert not strip(parse(["1"])).consistent()
    assert strip(parse(["1B"])).consistent()


def test_inconsistencies_wider_than_any_window() -> None:
    assert not strip(parse(["?01?1B?"])).consistent()
    assert strip(parse(["?01?1?"])).consistent()
    assert strip(parse(["?1?1B?"])).consistent()
