"""Hu and Lin's machine against their table and figures, and the boards their search fails on."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from automata import Strip, hu_lin
from automata.runs import Runs, accepts
from minefield.board import coordinates
from minefield.notation import parse

PAPER = json.loads((Path(__file__).parent / "data" / "hu_lin.json").read_text())


def reached(columns: list[str]) -> list[set[str]]:
    """The states the machine can be in before the first column and after each."""
    machine = hu_lin.machine()
    sets = [{machine.start}]
    for symbol in columns:
        sets.append(
            {target for state in sets[-1] for target in machine.moves[state].get(symbol, ())}
        )
    return sets


def runs_to_the_end(columns: list[str]) -> list[str]:
    """The last state of every run that is not stuck on the way."""
    machine = hu_lin.machine()
    ends = [machine.start]
    for symbol in columns:
        ends = [target for state in ends for target in machine.moves[state].get(symbol, ())]
    return ends


def words(rows: list[str]) -> list[str]:
    return ["".join(sorted(column)) for column in zip(*rows, strict=True)]


def test_states_symbols_and_acceptance_are_those_of_the_paper() -> None:
    machine = hu_lin.machine()
    assert len(machine.states) == 43
    assert set(machine.states) == set(PAPER["states"])
    assert machine.start == PAPER["start"]
    assert sorted(machine.symbols) == sorted(PAPER["symbols"])
    assert machine.accepting == set(PAPER["accepting"])


def test_every_transition_of_table_4() -> None:
    machine = hu_lin.machine()
    for state, symbol in product(PAPER["states"], PAPER["symbols"]):
        expected = PAPER["delta"][state].get(symbol, [])
        assert sorted(machine.moves[state].get(symbol, ())) == sorted(expected)
    targets = [
        target for moves in machine.moves.values() for end in moves.values() for target in end
    ]
    assert len(targets) == 342


def test_only_the_state_for_either_order_holds_two_columns() -> None:
    machine = hu_lin.machine()
    double = {state for state, columns in machine.columns.items() if len(columns) > 1}
    assert double == {"?0?B"}
    assert machine.columns["?0?B"] == ((False, True), (True, False))
    assert machine.columns["s0"] == ()


@pytest.mark.parametrize("figure", PAPER["figures"], ids=lambda figure: figure["id"])
def test_figures_of_the_paper(figure: dict[str, Any]) -> None:
    board = parse(figure["rows"])
    read = Strip(board, turned=False)
    found = [[list(place) for place in coordinates(x.mines)] for x in read.layouts()]
    assert sorted(found) == sorted(figure["mine_sets"])
    assert read.consistent() is figure["accepted"]
    assert read.count() == figure["layouts"]
    assert words(figure["rows"]) == figure["columns"]
    assert reached(figure["columns"]) == [set(states) for states in figure["state_sets"]]
    ends = runs_to_the_end(figure["columns"])
    accepting = [state for state in ends if state in hu_lin.machine().accepting]
    assert len(ends) == figure["full_length_runs"]
    assert len(accepting) == figure["accepting_runs"]


@pytest.mark.parametrize(
    ("rows", "witness"),
    [(["1", "?"], ["1", "B"]), (["?0", "?0"], ["00", "00"])],
    ids=["rejecting leaf", "stuck"],
)
def test_a_walk_down_any_path_would_miss_the_layout(rows: list[str], witness: list[str]) -> None:
    read = Strip(parse(rows), turned=False)
    assert [layout.rows() for layout in read.layouts()] == [witness]


@pytest.mark.parametrize("copies", [1, 2, 3, 6])
def test_family_with_exponentially_many_dead_ends(copies: int) -> None:
    read = Strip(parse(family(copies)), turned=False)
    layouts = list(read.layouts())
    assert read.count() == len(layouts) == len(set(layouts)) == 2 ** (copies + 1)


def test_family_with_exponentially_many_dead_ends_is_walked_without_entering_one() -> None:
    board = parse(family(2000))
    read = Strip(board, turned=False)
    witness = read.witness()
    assert witness is not None
    assert witness.fits(board)
    assert read.count() == 2**2001
    last = next(read.layouts(2**2001 - 1))
    assert last.fits(board)
    assert next(read.layouts(2**2001), None) is None


def family(copies: int) -> list[str]:
    columns = ["??", *["1?", "1?", "??"] * copies, "11"]
    return ["".join(cells) for cells in zip(*columns, strict=True)]


@pytest.mark.parametrize("symbol", ["01", "0B", "12", "66", "6?", "7?", "8B"])
def test_columns_outside_the_alphabet_are_rejected_wherever_they_stand(symbol: str) -> None:
    for before, after in product(["", "??"], repeat=2):
        word = [column for column in (before, symbol, after) if column]
        assert not accepts(hu_lin.machine(), word)
        runs = Runs(hu_lin.machine(), word)
        assert runs.count() == 0
        assert list(runs.layouts()) == list(runs.layouts(5)) == []
        assert not np.any(runs.forced())
