"""Hu and Lin's machines against their tables and figures, and the boards their search fails on."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minecheck.automata import hu_lin, make_strip
from minecheck.automata.machine import Machine
from minecheck.automata.runs import trace_word
from minecheck.minefield.board import list_coordinates
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from tests.reference.comparing import distinguishing_word
from tests.reference.runs import Runs, accepts

PAPER = json.loads((Path(__file__).parent / "data" / "hu_lin.json").read_text())


COLUMNS = list(product([False, True], repeat=2))


@cache
def layouts_showing(length: int) -> Counter[tuple[str, ...]]:
    """Number of layouts of each word over pairs of cells, top first; a word not there has none.

    Every layout is drawn in every way: each cell shows its mine or its number, or is covered.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    for layout in product(COLUMNS, repeat=length):
        mines = [0, *map(sum, layout), 0]
        looks = []
        for index, column in enumerate(layout):
            number = sum(mines[index : index + 3])
            cells = ["?B" if mine else f"?{number}" for mine in column]
            looks.append(["".join(pair) for pair in product(*cells)])
        counts.update(product(*looks))
    return counts


def mine_columns(cells: str) -> Machine:
    """The exact machine for two rows: its states are two columns of mines, the second guessed."""

    def fits(symbol: str, column: tuple[bool, ...], seen: int) -> bool:
        return all(
            cell == "?" or cell == ("B" if mine else str(seen))
            for cell, mine in zip(symbol, column, strict=True)
        )

    symbols = tuple(map("".join, product(cells, repeat=2)))
    moves: dict[str, dict[str, tuple[str, ...]]] = {
        str((here, ahead)): {
            symbol: tuple(
                str((ahead, after))
                for after in COLUMNS
                if fits(symbol, ahead, sum(here) + sum(ahead) + sum(after))
            )
            for symbol in symbols
        }
        for here, ahead in product(COLUMNS, repeat=2)
    }
    first = [moves[str((COLUMNS[0], ahead))] for ahead in COLUMNS]
    moves["start"] = {
        symbol: tuple(target for targets in first for target in targets[symbol])
        for symbol in symbols
    }
    return Machine(
        name="mine-columns",
        rows=2,
        states=tuple(moves),
        symbols=symbols,
        start="start",
        accepting=frozenset({"start", *(str((here, COLUMNS[0])) for here in COLUMNS)}),
        moves=moves,
        columns={},
    )


def over_pairs(machine: Machine, cells: str) -> Machine:
    """A machine over `hu_lin.SYMBOLS` that takes any two cells in either order."""
    pairs = list(product(cells, repeat=2))
    possible = {
        "".join(pair): hu_lin.encode_column(*pair) for pair in pairs if symbol_or_none(*pair)
    }
    return replace(
        machine,
        symbols=tuple(map("".join, pairs)),
        moves={
            state: {pair: machine.follow(state, symbol) for pair, symbol in possible.items()}
            for state in machine.states
        },
    )


def symbol_or_none(top: str, bottom: str) -> str | None:
    """The symbol of a column, or None where it is impossible."""
    try:
        return hu_lin.encode_column(top, bottom)
    except hu_lin.ImpossibleColumnError:
        return None


def runs_over(machine: Machine, columns: Sequence[str]) -> Iterator[list[str]]:
    """Every run as far as it goes, as the list of its states."""
    waiting = [[machine.start]]
    while waiting:
        run = waiting.pop(0)
        index = len(run) - 1
        targets = machine.follow(run[-1], columns[index]) if index < len(columns) else ()
        if not targets:
            yield run
        waiting[:0] = [[*run, target] for target in targets]


def words(rows: Sequence[str]) -> list[str]:
    return ["".join(sorted(column)) for column in zip(*rows, strict=True)]


def test_hu_lin_machine_has_the_states_and_symbols_of_the_paper() -> None:
    machine = hu_lin.build_machine()
    assert len(machine.states) == 43
    assert set(machine.states) == set(PAPER["states"])
    assert machine.start == PAPER["start"]
    assert sorted(machine.symbols) == sorted(PAPER["symbols"])
    assert machine.accepting == set(PAPER["accepting"])


def test_hu_lin_machine_has_every_transition_of_table_4() -> None:
    machine = hu_lin.build_machine()
    for state, symbol in product(PAPER["states"], PAPER["symbols"]):
        expected = PAPER["delta"][state].get(symbol, [])
        assert sorted(machine.moves[state].get(symbol, ())) == sorted(expected)
    targets = [
        target for moves in machine.moves.values() for end in moves.values() for target in end
    ]
    assert len(targets) == 342


def test_only_the_hu_lin_state_for_either_order_holds_two_columns() -> None:
    machine = hu_lin.build_machine()
    double = {state for state, columns in machine.columns.items() if len(columns) > 1}
    assert double == {"?0?B"}
    assert machine.columns["?0?B"] == ((False, True), (True, False))
    assert machine.columns["s0"] == ()


def test_merged_hu_lin_sets_are_those_of_the_paper() -> None:
    assert {name: set(states) for name, states in hu_lin.list_classes().items()} == {
        name: set(states) for name, states in PAPER["classes"].items()
    }
    assert list(hu_lin.list_classes()) == list(hu_lin.build_merged_machine().states)
    assert hu_lin.build_merged_machine().start == PAPER["class_start"]
    assert hu_lin.build_merged_machine().accepting == set(PAPER["class_accepting"])
    assert hu_lin.build_merged_machine().columns == {}


def test_merged_hu_lin_machine_has_every_transition_of_table_5() -> None:
    machine = hu_lin.build_merged_machine()
    for state, column in product(PAPER["classes"], PAPER["symbols"]):
        expected = PAPER["class_delta"][state].get(column, [])
        assert sorted(machine.follow(state, column)) == sorted(expected)
    assert sum(len(end) for moves in machine.moves.values() for end in moves.values()) == 105


def test_all_states_of_a_merged_hu_lin_set_move_alike() -> None:
    merged = {state: name for name, states in hu_lin.list_classes().items() for state in states}
    for state, column in product(hu_lin.build_machine().states, hu_lin.SYMBOLS):
        targets = {merged[target] for target in hu_lin.build_machine().follow(state, column)}
        assert targets == set(hu_lin.build_merged_machine().follow(merged[state], column))
        assert hu_lin.build_machine().is_accepting(
            state
        ) is hu_lin.build_merged_machine().is_accepting(merged[state])


def test_merging_hu_lin_states_keeps_the_language() -> None:
    assert distinguishing_word(hu_lin.build_machine(), hu_lin.build_merged_machine()) is None


@pytest.mark.parametrize("cells", ["012345B?", "012345678B?"], ids=["64 pairs", "121 pairs"])
def test_both_hu_lin_machines_decide_every_board_of_every_length(cells: str) -> None:
    exact = mine_columns(cells)
    assert distinguishing_word(exact, over_pairs(hu_lin.build_machine(), cells)) is None
    assert distinguishing_word(exact, over_pairs(hu_lin.build_merged_machine(), cells)) is None


@pytest.mark.parametrize(
    ("length", "consistent"), [(0, 1), (1, 7), (2, 66), (3, 580), (4, 5122)], ids=str
)
def test_hu_lin_machines_accept_exactly_the_words_that_layouts_show(
    length: int, consistent: int
) -> None:
    layouts = layouts_showing(length)
    accepted = 0
    for word in product(hu_lin.SYMBOLS, repeat=length):
        fits = word in layouts
        accepted += fits
        assert (
            accepts(hu_lin.build_machine(), word)
            is accepts(hu_lin.build_merged_machine(), word)
            is fits
        )
        if fits:
            assert Runs(hu_lin.build_machine(), word).count() == layouts[word]
    assert accepted == consistent


@pytest.mark.parametrize(("length", "consistent"), [(1, 11), (2, 157), (3, 2159)])
def test_hu_lin_pairs_form_accepted_words_exactly_where_layouts_show_them(
    length: int, consistent: int
) -> None:
    layouts = layouts_showing(length)
    symbols = {
        "".join(pair): found
        for pair in product("012345B?", repeat=2)
        if (found := symbol_or_none(*pair)) is not None
    }
    # So no word with an impossible pair is consistent.
    assert {pair for word in layouts for pair in word} <= set(symbols)
    for word in product(symbols, repeat=length):
        assert accepts(hu_lin.build_machine(), [symbols[pair] for pair in word]) is (
            word in layouts
        )
    assert len(layouts) == consistent


def test_hu_lin_symbols_of_the_64_pairs_are_those_of_the_paper() -> None:
    found = {"".join(pair): symbol_or_none(*pair) for pair in product("012345B?", repeat=2)}
    assert found == PAPER["symbol_of"]
    assert sum(column is None for column in found.values()) == 33
    assert set(found.values()) - {None} == set(hu_lin.SYMBOLS)


def test_hu_lin_pair_is_impossible_when_no_layout_of_three_columns_shows_it() -> None:
    shown = {pair for length in (1, 2, 3) for word in layouts_showing(length) for pair in word}
    pairs = set(product("012345678B?", repeat=2))
    assert {"".join(pair) for pair in pairs if symbol_or_none(*pair)} == shown
    assert (len(pairs), len(shown)) == (121, 31)


def reason(top: str, bottom: str) -> str:
    """A word or two that only the right explanation has."""
    numbers = [int(cell) for cell in (top, bottom) if cell.isdigit()]
    if max(numbers) > 5:
        return f"at most five neighbours, so none shows {max(numbers)}"
    if len(set(numbers)) == 2:
        return "must be equal"
    return "needs a mine in all five" if numbers == [5, 5] else "no mine around it"


def test_hu_lin_explains_impossible_columns_in_either_order() -> None:
    pairs = [pair for pair in product("012345678B?", repeat=2) if symbol_or_none(*pair) is None]
    assert len(pairs) == 90
    counted = Counter(reason(*pair).split()[0] for pair in pairs)
    assert counted == {"at": 57, "must": 30, "needs": 1, "no": 2}
    for top, bottom in pairs:
        with pytest.raises(hu_lin.ImpossibleColumnError) as raised:
            hu_lin.encode_column(top, bottom)
        assert f"{top} over {bottom}" in str(raised.value)
        assert reason(top, bottom) in str(raised.value)


@pytest.mark.parametrize("cell", ["S", "F", "9", "", "11"])
def test_hu_lin_cell_outside_the_alphabet_is_not_called_impossible(cell: str) -> None:
    for pair in [(cell, "1"), ("?", cell)]:
        with pytest.raises(ValueError, match="outside Hu and Lin's alphabet") as raised:
            hu_lin.encode_column(*pair)
        assert not isinstance(raised.value, hu_lin.ImpossibleColumnError)


@pytest.mark.parametrize("figure", PAPER["figures"], ids=lambda figure: figure["id"])
def test_boards_of_hu_and_lins_figures_have_the_layouts_of_the_paper(
    figure: dict[str, Any],
) -> None:
    board = parse(figure["rows"])
    read = make_strip(board)
    found = [[list(cell) for cell in list_coordinates(x.mines)] for x in read.iterate_layouts()]
    assert sorted(found) == sorted(figure["mine_sets"])
    assert read.is_consistent() is figure["accepted"]
    assert read.count() == figure["layouts"]
    assert words(figure["rows"]) == figure["columns"]


@pytest.mark.parametrize("figure", PAPER["figures"], ids=lambda figure: figure["id"])
def test_hu_lin_runs_over_the_figures_are_those_of_the_paper(figure: dict[str, Any]) -> None:
    runs = list(runs_over(hu_lin.build_machine(), figure["columns"]))
    full = [run for run in runs if len(run) == len(figure["columns"]) + 1]
    stuck = [run for run in runs if run not in full]
    accepting = [run for run in full if hu_lin.build_machine().is_accepting(run[-1])]
    assert sorted(full) == sorted(run["states"] for run in figure["runs"])
    assert sorted(accepting) == sorted(run["states"] for run in figure["runs"] if run["accepting"])
    assert sorted(stuck) == sorted(figure["runs_stuck_before_the_end"])
    assert len(full) == figure["full_length_runs"]
    assert len(accepting) == figure["accepting_runs"]


@pytest.mark.parametrize("figure", PAPER["figures"], ids=lambda figure: figure["id"])
def test_hu_lin_traces_of_the_figures_show_the_sets_of_the_paper(figure: dict[str, Any]) -> None:
    columns = figure["columns"]
    accepting = [run["states"] for run in figure["runs"] if run["accepting"]]
    read = trace_word(hu_lin.build_machine(), columns)
    assert [read.start, *(step.symbol for step in read.steps)] == ["s0", *columns]
    assert [{read.start}, *(step.reached for step in read.steps)] == [
        set(states) for states in figure["state_sets"]
    ]
    assert [step.live for step in read.steps] == [
        {run[index] for run in accepting} for index in range(1, len(columns) + 1)
    ]
    assert read.accepted is figure["accepted"]
    assert read.dies == (None if figure["accepted"] else len(columns))


@pytest.mark.parametrize("figure", PAPER["figures"], ids=lambda figure: figure["id"])
def test_merged_hu_lin_traces_of_the_figures_show_the_sets_of_the_paper(
    figure: dict[str, Any],
) -> None:
    read = trace_word(hu_lin.build_merged_machine(), figure["columns"])
    assert [{read.start}, *(step.reached for step in read.steps)] == [
        set(states) for states in figure["class_sets"]
    ]
    assert read.accepted is figure["accepted"]


@pytest.mark.parametrize(
    ("rows", "witness"),
    [(["1", "?"], ["1", "B"]), (["?0", "?0"], ["00", "00"])],
    ids=["rejecting leaf", "stuck"],
)
def test_hu_lin_trace_finds_layouts_that_a_walk_down_any_path_would_miss(
    rows: list[str], witness: list[str]
) -> None:
    assert [Layout(mines.T).rows() for mines in trace_board(rows).layouts()] == [witness]


@pytest.mark.parametrize("copies", [1, 2, 3, 6])
def test_hu_lin_layouts_of_boards_with_many_dead_ends_are_listed_once(copies: int) -> None:
    read = trace_board(family(copies))
    layouts = {mines.tobytes() for mines in read.layouts()}
    assert read.count() == len(list(read.layouts())) == len(layouts) == 2 ** (copies + 1)


def test_hu_lin_layouts_are_found_without_entering_exponentially_many_dead_ends() -> None:
    board = parse(family(2000))
    read = trace_board(family(2000))
    assert Layout(next(read.layouts()).T).fits_board(board)
    assert read.count() == 2**2001
    assert Layout(next(read.layouts(2**2001 - 1)).T).fits_board(board)
    assert next(read.layouts(2**2001), None) is None


class CountedWord(Sequence[str]):
    """A word that counts how often its columns are read."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        self.reads = 0

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, index: Any) -> Any:
        self.reads += 1
        return self._columns[index]


@pytest.mark.parametrize("copies", [1, 10, 100, 1000])
def test_hu_lin_layouts_among_many_dead_ends_take_linear_time_each(copies: int) -> None:
    word = CountedWord(words(family(copies)))
    layouts = Runs(hu_lin.build_machine(), word).layouts()
    reads = [0]
    for _ in range(min(50, 2 ** (copies + 1))):
        next(layouts)
        reads.append(word.reads)
    # Twice to find the live states, once for the layout; then only columns that change.
    first, *others = [after - before for before, after in pairwise(reads)]
    assert first <= 3 * len(word) + 3
    assert max(others) <= len(word)


def nodes_until_accepted(machine: Machine, columns: Sequence[str]) -> int:
    """Nodes of the search tree that a plain depth-first search enters, in table order."""
    waiting = [(machine.start, 0)]
    for visited in range(1, 1 << 20):
        state, index = waiting.pop()
        if index == len(columns):
            if machine.is_accepting(state):
                return visited
        else:
            ahead = [(target, index + 1) for target in machine.follow(state, columns[index])]
            waiting += reversed(ahead)
    raise AssertionError("searched too long")


def test_plain_search_of_boards_with_many_dead_ends_takes_exponential_time() -> None:
    nodes = [nodes_until_accepted(hu_lin.build_machine(), words(family(k))) for k in range(1, 13)]
    assert nodes[:6] == [15, 32, 63, 122, 237, 464]
    assert all(after > 1.9 * before for before, after in pairwise(nodes))


def trace_board(rows: Sequence[str]) -> Runs:
    """The runs over a board; its columns are symbols as they stand."""
    return Runs(hu_lin.build_machine(), words(rows))


def family(copies: int) -> list[str]:
    columns = ["??", *["1?", "1?", "??"] * copies, "11"]
    return ["".join(cells) for cells in zip(*columns, strict=True)]


@pytest.mark.parametrize("symbol", ["01", "0B", "12", "66", "6?", "7?", "8B"])
def test_hu_lin_machine_rejects_columns_outside_the_alphabet_at_any_position(symbol: str) -> None:
    for before, after in product(["", "??"], repeat=2):
        word = [column for column in (before, symbol, after) if column]
        assert not accepts(hu_lin.build_machine(), word)
        runs = Runs(hu_lin.build_machine(), word)
        assert runs.count() == 0
        assert list(runs.layouts()) == list(runs.layouts(5)) == []
        assert not np.any(runs.forced())
