"""Kadlac's machine against her table, and the repaired answers against her failures."""

import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import kadlac, make_strip
from minecheck.automata.kadlac_errors import TYPES, Inconsistency
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from tests.reference.kadlac_layouts import guessing as guessing_machine
from tests.reference.kadlac_layouts import layout as layout_of
from tests.reference.runs import Runs, accepts

DATA = Path(__file__).parent / "data"
PAPER = json.loads((DATA / "kadlac.json").read_text())
APPENDIX_B = json.loads((DATA / "kadlac_appendix_b.json").read_text())

#: The errors of Appendix B: window -> as printed, and as Table 3 and its own rules have it.
WRONG_WINDOWS = {
    "000B": (("Be", "12XX"), ("Be", "0BXX")),
    "0021": (("2e", "12XX"), ("2e", "02XX")),
    "0022": (("2e", "22XX"), ("2e", "02XX")),
    "102B": ((None, "02XX"), ("2e", "02XX")),
    "102?": ((None, "02XX"), ("2e", "02XX")),
    "?011": ((None, None), ("1e", "011X")),
}

#: Subtypes that Appendix B prints otherwise than Table 3.
MISPRINTS = {"0?11": "11?0", "0?2x": "0?2X"}

long_rows = st.integers(0, 2**32 - 1).map(lambda seed: random_row(seed, 300))


@cache
def fitting(length: int) -> dict[str, set[str]]:
    """Every consistent row of this length with its layouts, found from the layouts."""
    found: dict[str, set[str]] = {}
    for mines in map("".join, product("0B", repeat=length)):
        around = [mines[max(index - 1, 0) : index + 2].count("B") for index in range(length)]
        shown = ["B" if mine == "B" else str(n) for mine, n in zip(mines, around, strict=True)]
        for row in map("".join, product(*([symbol, "?"] for symbol in shown))):
            found.setdefault(row, set()).add(mines)
    return found


def completable(piece: str) -> bool:
    """True if a piece can stand in some board; e is an end of the board, other ends are open."""
    left = "" if piece.startswith("e") else "?"
    right = "" if piece.endswith("e") else "?"
    row = left + piece.strip("e") + right
    return row in fitting(len(row))


def contradictory_pieces(row: str) -> list[tuple[int, int, bool, bool]]:
    """All that cannot be completed although they can without their first or last symbol."""
    word = f"e{row}e"
    return [
        (max(start - 1, 0), min(stop - 1, len(row)), start == 0, stop == len(word))
        for start in range(len(word))
        for stop in range(start + 2, len(word) + 1)
        if completable(word[start + 1 : stop])
        and completable(word[start : stop - 1])
        and not completable(word[start:stop])
    ]


def random_row(seed: int, length: int) -> str:
    """A row of a random layout, with half of its squares unknown and at most one changed."""
    rng = np.random.default_rng(seed)
    mines = rng.random(length) < 0.4
    symbols = list(Layout(mines[np.newaxis]).rows()[0])
    for index in np.flatnonzero(rng.random(length) < 0.5):
        symbols[index] = "?"
    if rng.random() < 0.5:
        symbols[rng.integers(length)] = str(rng.choice(list("012B")))
    return "".join(symbols)


def rows_of(length: int) -> list[str]:
    return ["".join(symbols) for symbols in product("012B?", repeat=length)]


def layouts(row: str) -> list[str]:
    return [layout.rows()[0] for layout in make_strip(parse([row])).iterate_layouts()]


def test_kadlac_machine_has_the_states_of_table_1() -> None:
    machine = kadlac.build_machine()
    assert list(machine.states) == PAPER["states"]
    assert machine.start == PAPER["start"]
    assert machine.accepting == set(PAPER["states_with_end_marker_not_error"])
    assert set(PAPER["alphabet"]) < set(machine.symbols)


def test_kadlac_machine_has_every_transition_of_table_1() -> None:
    machine = kadlac.build_machine()
    for state, symbol in product(PAPER["states"], PAPER["alphabet"]):
        assert machine.moves[state][symbol] == (PAPER["delta"][state][symbol],)


@pytest.mark.parametrize("clue", list("345678"))
def test_kadlac_machine_enters_the_error_state_on_clues_above_two(clue: str) -> None:
    machine = kadlac.build_machine()
    assert all(machine.moves[state][clue] == ("Er",) for state in machine.states)


def test_guessing_machine_differs_only_where_table_1_is_undecided() -> None:
    deciding, guessing = kadlac.build_machine(), guessing_machine()
    for state, symbol in product(guessing.states, guessing.symbols):
        once = deciding.moves[state][symbol]
        assert guessing.moves[state][symbol] == (("?o", "?b") if once == ("??",) else once)
    assert guessing.accepting == deciding.accepting & set(guessing.states)


def test_guessing_machine_never_enters_the_states_that_are_left_out() -> None:
    machine = guessing_machine()
    entered = {
        target for moves in machine.moves.values() for end in moves.values() for target in end
    }
    assert entered <= set(machine.states)
    assert set(kadlac.build_machine().states) - set(machine.states) == {"??", "1?"}


@pytest.mark.parametrize("length", range(1, 6))
def test_accepting_runs_of_the_guessing_machine_are_exactly_the_layouts(length: int) -> None:
    for row in map("".join, product("012B?", repeat=length)):
        board = parse([row])
        candidates = product([False, True], repeat=length)
        fitting = [mines for mines in candidates if Layout(np.array([mines])).fits_board(board)]
        accepted = list(Runs(guessing_machine(), row).layouts())
        assert [tuple(cells[:, 0]) for cells in accepted] == fitting
        assert (
            accepts(kadlac.build_machine(), row)
            == accepts(guessing_machine(), row)
            == bool(fitting)
        )


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
def test_row_layouts_are_right_where_the_printed_output_map_is_wrong(
    row: str, expected: list[str]
) -> None:
    assert layouts(row) == expected
    assert all(
        layout.fits_board(parse([row])) for layout in make_strip(parse([row])).iterate_layouts()
    )


def test_row_whose_last_clue_lacks_its_mine_is_inconsistent() -> None:
    assert not make_strip(parse(["1"])).is_consistent()
    assert make_strip(parse(["1B"])).is_consistent()


def test_row_can_be_inconsistent_though_its_windows_are_consistent() -> None:
    assert not make_strip(parse(["?01?1B?"])).is_consistent()
    assert make_strip(parse(["?01?1?"])).is_consistent()
    assert make_strip(parse(["?1?1B?"])).is_consistent()


def test_kadlac_outputs_are_those_of_table_2() -> None:
    assert dict(kadlac.OUTPUTS) == PAPER["beta"]
    assert dict(kadlac.list_end_states()) == {
        state: row["e"] for state, row in PAPER["delta"].items()
    }


def test_automata_guide_shows_the_tables_of_kadlac() -> None:
    text = (Path(__file__).parents[2] / "docs" / "automata.md").read_text()
    shown = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in text.partition("| state |")[2].partition("\n\n")[0].splitlines()[2:]
    ]
    assert shown == [
        [state, *(PAPER["delta"][state][symbol] for symbol in "012B?e"), letter]
        for state, letter in PAPER["beta"].items()
    ]


@given(st.text("012B?378", min_size=1, max_size=12))
def test_kadlac_run_follows_both_tables_and_says_where_it_fails(row: str) -> None:
    run = kadlac.run_machine(row)
    assert run.states[0] == "so"
    assert len(run.states) == len(row) + 2
    for (state, target), symbol in zip(pairwise(run.states), row + "e", strict=True):
        assert target == PAPER["delta"][state].get(symbol, "Er")
    assert list(run.output) == [PAPER["beta"][state] for state in run.states[1:-1]]
    assert run.accepted == accepts(kadlac.build_machine(), row) == ("Er" not in run.states)
    assert run.failed_at == (None if run.accepted else run.states.index("Er") - 1)


def test_kadlac_run_can_fail_at_the_end_of_the_board() -> None:
    run = kadlac.run_machine("?01")
    assert run.states == ("so", "??", "0", "1o", "Er")
    assert run.output == "B00"
    assert run.failed_at == 3
    assert run.inconsistency == Inconsistency("1e", None, 1, 3, at_end=True)


@given(st.text("012B?7", min_size=1, max_size=12))
def test_kadlac_run_fails_on_the_first_of_the_errors(row: str) -> None:
    run, errors = kadlac.run_machine(row), kadlac.find_errors(row)
    assert run.inconsistency == (errors[0] if errors else None)
    if errors:
        assert run.failed_at == errors[0].stop - (not errors[0].at_end)
    else:
        assert run.failed_at is None


@pytest.mark.parametrize("ask", [kadlac.run_machine, layout_of, kadlac.find_errors])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "at least one square"),
        ("01S?", "square 2 is safe with its number not known"),
        ("2 ", "square 1 is ' '"),
        ("9", "square 0 is '9'"),
        ("1e", "square 1 is 'e'"),
    ],
)
def test_kadlac_functions_reject_text_that_is_not_a_row(
    ask: object, row: str, message: str
) -> None:
    assert callable(ask)
    with pytest.raises(ValueError, match=message):
        ask(row)


@pytest.mark.parametrize(
    ("length", "failures", "consistent"),
    [
        (1, 0, 3),
        (2, 1, 11),
        (3, 6, 38),
        (4, 29, 133),
        (5, 127, 464),
        (6, 527, 1620),
        (7, 2111, 5655),
        (8, 8249, 19741),
    ],
)
def test_layout_of_finds_a_layout_for_every_consistent_row(
    length: int, failures: int, consistent: int
) -> None:
    rows = fitting(length)
    assert len(rows) == consistent
    assert (
        sum(kadlac.run_machine(row).output not in layouts for row, layouts in rows.items())
        == failures
    )
    assert [row for row, layouts in rows.items() if layout_of(row) not in layouts] == []


@pytest.mark.parametrize("length", range(1, 8))
def test_layout_of_finds_no_layout_for_inconsistent_rows(length: int) -> None:
    found = [row for row in rows_of(length) if layout_of(row) is not None]
    assert set(found) == set(fitting(length))


@given(long_rows)
def test_layout_of_long_rows_fits_and_changes_only_undecided_outputs_of_table_2(
    row: str,
) -> None:
    layout, run = layout_of(row), kadlac.run_machine(row)
    assert (layout is not None) == run.accepted == make_strip(parse([row])).is_consistent()
    if layout is not None:
        assert Layout(np.array([[letter == "B" for letter in layout]])).fits_board(parse([row]))
        changed = zip(layout, run.output, run.states[1:-1], strict=True)
        assert all(mine == letter or state == "??" for mine, letter, state in changed)


def test_layout_letters_depend_on_later_symbols_of_the_row() -> None:
    assert fitting(2)["?0"] == {"00"}
    assert fitting(3)["?10"] == {"B00"}
    assert (layout_of("?0"), layout_of("?10")) == ("00", "B00")


@pytest.mark.parametrize("length", range(1, 7))
def test_find_errors_returns_all_the_smallest_contradictory_pieces(length: int) -> None:
    for row in rows_of(length):
        errors = kadlac.find_errors(row)
        found = [(error.start, error.stop, error.at_start, error.at_end) for error in errors]
        assert found == contradictory_pieces(row), row
        assert bool(errors) == (row not in fitting(length))


def test_table_3_has_exactly_the_pieces_of_up_to_four_squares_inside_a_board() -> None:
    pieces = {
        (row[error.start : error.stop], error.type, error.subtype)
        for row in rows_of(5)
        for error in kadlac.find_errors(row)
        if not (error.at_start or error.at_end)
    }
    expected = set()
    for error, subtypes in TYPES.items():
        for subtype in subtypes:
            piece = subtype.rstrip("X")
            expected |= {(piece, error, subtype), (piece[::-1], error, subtype)}
    assert {piece for piece in pieces if len(piece[0]) < 5} == expected
    assert {subtype for piece, _, subtype in pieces if len(piece) == 5} == {None}


def test_table_3_names_a_type_for_a_mine_else_a_two_else_a_one() -> None:
    for error, subtypes in TYPES.items():
        for subtype in subtypes:
            assert error == next(f"{symbol}e" for symbol in "B21" if symbol in subtype)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("01?1B", [Inconsistency("Be", None, 0, 5)]),
        ("?01?1B?", [Inconsistency("Be", None, 1, 6)]),
        ("0?1?0", [Inconsistency("1e", None, 0, 5)]),
        ("?2?1?2?", [Inconsistency("2e", None, 1, 6)]),
        ("?1?1B", []),
        ("1?1B", [Inconsistency("Be", None, 0, 4, at_start=True)]),
        ("B1?1", [Inconsistency("Be", None, 0, 4, at_end=True)]),
        ("1", [Inconsistency("1e", None, 0, 1, at_start=True, at_end=True)]),
        (
            "2",
            [
                Inconsistency("2e", None, 0, 1, at_start=True),
                Inconsistency("2e", None, 0, 1, at_end=True),
            ],
        ),
        ("11?", [Inconsistency("1e", None, 0, 2, at_start=True)]),
        ("?01", [Inconsistency("1e", None, 1, 3, at_end=True)]),
        ("1?1", []),
        ("0110", [Inconsistency("1e", "011X", 0, 3), Inconsistency("1e", "011X", 1, 4)]),
        ("?210B", [Inconsistency("2e", "12XX", 1, 3), Inconsistency("Be", "0BXX", 3, 5)]),
        ("?37", [Inconsistency(None, None, 1, 2), Inconsistency(None, None, 2, 3)]),
        ("020", [Inconsistency("2e", "02XX", 0, 2), Inconsistency("2e", "02XX", 1, 3)]),
    ],
)
def test_find_errors_returns_the_expected_errors_of_a_row(
    row: str, expected: list[Inconsistency]
) -> None:
    assert list(kadlac.find_errors(row)) == expected


@pytest.mark.parametrize("times", [1, 2, 3, 10, 20_000, 20_001])
def test_find_errors_finds_contradictory_pieces_of_any_length(times: int) -> None:
    # The last 1 has its mine on the left when the number of turns is odd; else it waits for one.
    piece = "01" + "?1" * times + ("B" if times % 2 else "0")
    error = Inconsistency("Be" if times % 2 else "1e", None, 2, 2 + len(piece))
    assert kadlac.find_errors(f"??{piece}??") == (error,)
    assert layout_of(f"??{piece}??") is None
    for shorter in (piece[1:], piece[:-1]):
        assert kadlac.find_errors(f"??{shorter}??") == ()
        assert layout_of(f"??{shorter}??") is not None


@given(long_rows | st.text("012B?7", min_size=1, max_size=12))
def test_find_errors_mirrors_errors_for_a_mirrored_row(row: str) -> None:
    mirrored = [
        Inconsistency(
            error.type,
            error.subtype,
            len(row) - error.stop,
            len(row) - error.start,
            error.at_end,
            error.at_start,
        )
        for error in reversed(kadlac.find_errors(row[::-1]))
    ]
    assert list(kadlac.find_errors(row)) == mirrored


@pytest.mark.parametrize("length", range(1, 7))
def test_find_errors_returns_pieces_that_share_two_squares_at_most(
    length: int,
) -> None:
    for row in rows_of(length):
        errors = kadlac.find_errors(row)
        assert all(before.stop - after.start <= 2 for before, after in pairwise(errors))
        for error in errors:
            start, stop = error.start + (not error.at_start), error.stop - (not error.at_end)
            assert re.fullmatch(r"1?(\?1)*\??", row[start:stop]), row


def test_appendix_b_agrees_with_first_errors_except_for_six_entries() -> None:
    printed = {
        window: (group["type"], MISPRINTS.get(group["subtype"], group["subtype"]))
        for group in APPENDIX_B
        for window in group["windows"].split()
    }
    assert sorted(printed) == sorted(rows_of(4)) == sorted(kadlac.list_windows())
    computed = {window: first_error(window) for window in printed}
    wrong = {
        window: (named, computed[window])
        for window, named in printed.items()
        if named != computed[window]
    }
    assert wrong == WRONG_WINDOWS
    types = Counter(error for error, _ in computed.values())
    assert types == {"1e": 34, "2e": 252, "Be": 119, None: 220}
    subtypes = (
        "010X 8, 011X 15, 111X 7, 01?0 2, 11?0 2, 02XX 92, 12XX 102, 22XX 43, 0?2X 15, "
        "0BXX 108, B1BX 9, B1?2 2, None 220"
    )
    counted = Counter(str(subtype) for _, subtype in computed.values())
    assert counted == {name: int(n) for name, n in map(str.split, subtypes.split(","))}


def first_error(window: str) -> tuple[str | None, str | None]:
    """Type and subtype of the first error of a window inside a board."""
    errors = kadlac.find_errors(f"?{window}?")
    assert all(error.subtype and not (error.at_start or error.at_end) for error in errors)
    assert kadlac.list_windows()[window] == (errors[0] if errors else None)
    assert (not errors) == completable(window)
    return (errors[0].type, errors[0].subtype) if errors else (None, None)
