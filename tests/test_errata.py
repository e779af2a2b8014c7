"""Each entry of docs/errata.md, shown on a small board."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from minecheck.automata import Window, cut_window, hu_lin, kadlac
from minecheck.automata.kadlac_errors import TYPES
from minecheck.automata.profiles import Profiles, read_word
from minecheck.automata.runs import trace_word
from minecheck.minefield.notation import parse
from tests import oracle
from tests.oracle import Cell
from tests.reference.sizes import sizes

ROOT = Path(__file__).parent.parent
ERRATA = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")

#: Entries about references and print only: there is nothing to run.
OF_PRINT = {"K11", "H14"}

#: Kadlac's alphabet, and Hu and Lin's.
SQUARES = "012B?"
CELLS = "012345B?"


@cache
def answer(*rows: str, mines: int | None = None) -> oracle.Answer:
    return oracle.answer(parse(rows), mines)


def count(*rows: str) -> int:
    return answer(*rows).count


def rows_of(length: int) -> Iterator[str]:
    return map("".join, product(SQUARES, repeat=length))


def completable(piece: str) -> bool:
    """True if a piece stands in some consistent row; e is an end of the board."""
    left = "" if piece.startswith("e") else "?"
    right = "" if piece.endswith("e") else "?"
    row = left + piece.strip("e") + right
    return not row or count(row) > 0


def contradictory(piece: str) -> bool:
    """True if a piece cannot be completed, but can without its first or its last symbol."""
    return not completable(piece) and completable(piece[1:]) and completable(piece[:-1])


def columns(*rows: str) -> list[str]:
    """A board of two rows as Hu and Lin's sequence."""
    return [hu_lin.encode_column(*cells) for cells in zip(*rows, strict=True)]


def runs(*sequence: str) -> list[list[str]]:
    """Every run of Hu and Lin's machine as far as it goes: the states after s0."""
    found, waiting = [], [["s0"]]
    while waiting:
        run = waiting.pop()
        index = len(run) - 1
        targets = (
            hu_lin.build_machine().follow(run[-1], sequence[index]) if sequence[index:] else ()
        )
        waiting += [[*run, target] for target in targets]
        if not targets:
            found.append(run[1:])
    return found


def trace_states(*sequence: str) -> set[str]:
    return set(trace_word(hu_lin.build_machine(), sequence).steps[-1].reached)


# Kadlac


def output_is_a_layout(row: str) -> bool:
    mines = {(0, col) for col, letter in enumerate(kadlac.run_machine(row).output) if letter == "B"}
    return mines in answer(row).layouts


def test_k1_the_output_map_is_wrong_on_an_unknown_before_a_zero() -> None:
    assert kadlac.run_machine("?0").output == "B0"
    assert answer("?0").layouts == [set()]
    wrong = [
        [row for row in rows_of(length) if count(row) and not output_is_a_layout(row)]
        for length in range(1, 5)
    ]
    assert wrong[:2] == [[], ["?0"]]
    assert {"?1?", "B?0"} < set(wrong[2])
    assert [len(rows) for rows in wrong] == [0, 1, 6, 29]


def test_k1_by_definition_7_3_the_theorem_holds() -> None:
    consistent = [row for length in range(1, 5) for row in rows_of(length) if count(row)]
    assert not any("X" in kadlac.run_machine(row).output for row in consistent)


def test_k1_no_machine_that_writes_as_it_reads_can_be_right() -> None:
    # The first letter must be written before the second square is read.
    assert answer("?0").layouts == [set()]
    assert answer("?10").layouts == [{(0, 0)}]


def test_k2_six_contradictions_take_five_squares() -> None:
    five = {piece for piece in rows_of(5) if contradictory(piece)}
    assert five == {"01?1B", "0?1?0", "11?1B", "2?1?2", "B1?10", "B1?11"}


@pytest.mark.parametrize("turns", range(10))
def test_k2_no_window_is_wide_enough(turns: int) -> None:
    assert contradictory("01" + "?1" * turns + ("B" if turns % 2 else "0"))


def test_k3_an_inconsistent_board_can_become_consistent() -> None:
    assert (count("1"), count("1B")) == (0, 1)
    assert (count("0001"), count("0001B")) == (0, 1)


def test_k4_an_error_at_an_end_can_take_any_number_of_squares() -> None:
    at_start = [
        ["e" + row for row in rows_of(length) if completable(row) and contradictory("e" + row)]
        for length in range(1, 6)
    ]
    assert at_start == [["e2"], ["e10", "e11"], ["e1?0"], ["e1?1B"], ["e1?1?2"]]
    assert contradictory("e" + "1?" * 5 + "0")


def test_k4_two_boards_of_four_squares_have_no_error_in_any_four_symbols() -> None:
    def fine(row: str) -> bool:
        ends = f"e{row}e"
        starts = range(max(1, len(ends) - 3))
        return all(completable(ends[start : start + 4]) for start in starts)

    hidden = [
        row for length in range(1, 5) for row in rows_of(length) if fine(row) and not count(row)
    ]
    assert hidden == ["1?1B", "B1?1"]


@pytest.mark.parametrize("piece", ["01?1B", "0?1?0", "11?1B", "2?1B", "B1?10", "B1?11"])
def test_k5_pieces_that_the_cases_omit_are_contradictory(piece: str) -> None:
    assert contradictory(piece)


def test_k6_without_the_end_marker_a_last_one_is_accepted() -> None:
    wrong = [
        [
            row
            for row in rows_of(length)
            if (kadlac.run_machine(row).states[-2] != "Er") is not (count(row) > 0)
        ]
        for length in range(1, 5)
    ]
    assert wrong[0] == ["1"]
    assert kadlac.run_machine("1").states == ("so", "1o", "Er")
    assert [len(rows) for rows in wrong] == [1, 3, 11, 38]


def test_k7_start_state_writes_x_and_the_end_marker_leads_from_so_to_er() -> None:
    assert {state for state, letter in kadlac.OUTPUTS.items() if letter == "X"} == {"so", "Er"}
    end_from_start = kadlac.TABLE.split("\nso", 1)[1].split("\n", 1)[0].split()[-1]
    assert end_from_start == "Er"
    assert not kadlac.build_machine().is_accepting("so")


def test_k8_safe_squares_are_written_with_a_letter_outside_the_output_alphabet() -> None:
    assert set(kadlac.OUTPUTS.values()) - set("-BX") == {"0"}


@pytest.mark.parametrize(
    ("window", "printed", "right"),
    [
        ("?011", None, "011X"),
        ("000B", "12XX", "0BXX"),
        ("0021", "12XX", "02XX"),
        ("0022", "22XX", "02XX"),
    ],
)
def test_k9_entries_of_appendix_b_have_a_wrong_subtype(
    window: str, printed: str | None, right: str
) -> None:
    assert not completable(window)
    assert kadlac.find_errors(f"?{window}?")[0].subtype == right != printed


@pytest.mark.parametrize("window", ["102B", "102?"])
def test_k9_entries_of_appendix_b_lack_their_type(window: str) -> None:
    first = kadlac.find_errors(f"?{window}?")[0]
    assert (first.type, first.subtype) == ("2e", "02XX")


def test_k9_totals_of_appendix_b_are_off_by_one() -> None:
    printed_consistent = 221
    assert Counter(map(completable, rows_of(4))) == {True: printed_consistent - 1, False: 405}


@pytest.mark.parametrize(
    ("printed", "lost", "consistent"),
    [
        ("B12", "2B?", False),
        ("B22", "012B?", False),
        ("B2?", "12B?", True),
        ("?00", "01?", True),
        ("?B1", "?", True),
    ],
)
def test_k10_cut_strings_have_the_right_verdict(printed: str, lost: str, consistent: bool) -> None:
    assert {completable(printed + symbol) for symbol in lost} == {consistent}


def test_k10_labels_of_appendix_b_are_missing_in_table_3() -> None:
    labels = {label for subtypes in TYPES.values() for label in subtypes}
    assert labels.isdisjoint({"0?11", "0?2x"})
    found = {
        window: kadlac.find_errors(f"?{window}?")[0].subtype for window in ("0?11", "11?0", "10?2")
    }
    assert found == {"0?11": "11?0", "11?0": "11?0", "10?2": "0?2X"}


def test_k12_a_grid_of_one_zero_fails_the_printed_condition() -> None:
    def holds_as_printed(number: int, mines: int, unknown: int) -> bool:
        return number <= mines and number > mines + unknown

    def holds_as_meant(number: int, mines: int, unknown: int) -> bool:
        return mines <= number <= mines + unknown

    assert count("0") == 1
    assert not holds_as_printed(0, 0, 0)
    assert holds_as_meant(0, 0, 0)
    assert not any(holds_as_printed(*numbers) for numbers in product(range(9), repeat=3))


def test_k13_three_to_the_sixtieth_microseconds_are_13_trillion_centuries() -> None:
    century = 100 * 365.25 * 24 * 60 * 60
    assert 3**60 / 1e6 / century == pytest.approx(1.34e13, rel=0.01)


def kadlac_search(unknown: int) -> int:
    """Layouts that Appendix A's search prints for a board of unknown cells.

    A grid on the frontier is known by how many unknown cells follow its last mine.
    """
    printed, frontier = 0, [unknown]
    while 0 < sum(after + 1 for after in frontier) < 1000:
        printed += len(frontier) + sum(after > 0 for after in frontier)
        frontier = [rest for after in frontier for rest in range(1, after)]
    return printed


def test_k14_twelve_unknown_cells_are_too_many_for_the_fixed_frontier() -> None:
    assert [kadlac_search(unknown) for unknown in range(1, 12)] == [2**n for n in range(1, 12)]
    assert (kadlac_search(12), 2**12) == (464, 4096)


def test_k15_the_proof_walks_through_twelve_of_the_twenty_pieces() -> None:
    walked = {"010", "011", "111", "01?0", "0?11", "02", "0?2", "12", "22", "0B", "B1B", "B1?2"}
    left_out = {"110", "0?10", "11?0", "20", "21", "2?0", "B0", "2?1B"}
    pieces = {piece for length in (2, 3, 4) for piece in rows_of(length) if contradictory(piece)}
    assert pieces == walked | left_out
    machine = kadlac.build_machine()
    for piece, state in product(pieces, machine.states):
        for symbol in piece:
            (state,) = machine.follow(state, symbol)
        assert state == "Er"


def test_k15_mirror_images_are_found_in_different_ways() -> None:
    assert kadlac.run_machine("?B1?2").states[2:6] == ("B", "1b", "?o", "Er")
    assert kadlac.run_machine("?2?1B").states[2:6] == ("2", "?b", "1b", "Er")


# Hu and Lin


def test_h1_a_path_may_end_in_a_state_that_rejects() -> None:
    machine = hu_lin.build_machine()
    misled = [
        symbol
        for symbol in machine.symbols
        if count(*symbol) and not all(machine.is_accepting(run[-1]) for run in runs(symbol))
    ]
    assert misled == ["1?"]
    assert sorted(runs("1?")) == [["10?0"], ["11?B"]]
    assert count("1", "?") == 1


def test_h1_a_path_may_get_stuck() -> None:
    assert count("?0", "?0") == 1
    assert sorted(runs("??", "00")) == [["?0?0", "0000"], ["?0?B"], ["?B?B"]]
    figure_2 = columns("B1??B?B3B1", "11??2?2B21")
    assert sorted(len(run) for run in runs(*figure_2)) == [4, 7, 10]


FIGURE_6 = ("2?", "??", "4?", "?B", "2?")


def test_h2_figure_6_has_three_accepting_runs_and_four_layouts() -> None:
    ends = [run[-1] for run in runs(*FIGURE_6)]
    assert all(len(run) == len(FIGURE_6) for run in runs(*FIGURE_6))
    assert sorted(ends) == ["21?0", "22?0", "22?0", "22?B"]
    assert [end for end in ends if not hu_lin.build_machine().is_accepting(end)] == ["21?0"]
    assert count("2?4??", "???B2") == 4
    assert len(hu_lin.build_machine().columns["?0?B"]) == 2


def test_h3_states_after_an_unknown_over_a_mine_show_the_mine() -> None:
    assert hu_lin.build_machine().follow("42?0", "?B") == ("?BBB",)
    assert hu_lin.build_machine().follow("42?B", "?B") == ("?BBB",)
    assert hu_lin.build_machine().follow("43?B", "?B") == ("?0BB",)


def test_h4_figure_6_has_five_columns() -> None:
    assert columns("2?4??", "???B2") == list(FIGURE_6)


def test_h5_run_of_figure_5_ends_in_a_state_that_rejects() -> None:
    assert columns("?2", "B?") == ["?B", "2?"]
    assert set(hu_lin.build_machine().follow("?0BB", "2?")) == {"21?0", "22?B"}
    assert not hu_lin.build_machine().is_accepting("21?0")


def test_h6_states_count_the_mines_of_their_own_column() -> None:
    sets = hu_lin.list_classes()
    assert trace_states("BB", "??") & set(sets["q1"]) == {"?0?0"}
    assert trace_states("BB", "BB") <= set(sets["q2"])
    assert trace_states("BB", "?B") & set(sets["q3"]) == {"?0BB"}


def test_h6_sets_of_two_numbers_have_columns_with_one() -> None:
    sets = hu_lin.list_classes()
    assert {"00?0"} == trace_states("0?") < set(sets["q4"])
    assert "10?0" in trace_states("1?") & set(sets["q5"])
    assert "20?0" in trace_states("2?") & set(sets["q8"])
    assert {"31BB"} == trace_states("3B") < set(sets["q8"])


def test_h7_two_of_the_nine_sets_are_equivalent() -> None:
    machine = hu_lin.build_merged_machine()
    assert len(machine.states) == 9
    kinds = {state: int(machine.is_accepting(state)) for state in machine.states}
    for _ in machine.states:
        looks = {
            state: (
                kinds[state],
                *(
                    frozenset(kinds[end] for end in machine.follow(state, s))
                    for s in machine.symbols
                ),
            )
            for state in machine.states
        }
        order = list(dict.fromkeys(looks.values()))
        kinds = {state: order.index(look) for state, look in looks.items()}
    alike = [pair for pair in combinations(machine.states, 2) if kinds[pair[0]] == kinds[pair[1]]]
    assert alike == [("q0", "q1")]


@pytest.mark.parametrize(("missing", "printed"), [("22BB", "22?B"), ("33BB", "33?B")])
def test_h8_rows_of_table_4_are_printed_under_another_name(missing: str, printed: str) -> None:
    machine = hu_lin.build_machine()
    assert missing in machine.states
    assert machine.moves[missing] == machine.moves[printed]


def possible(*pair: str) -> bool:
    try:
        hu_lin.encode_column(*pair)
    except hu_lin.ImpossibleColumnError:
        return False
    return True


def test_h9_table_1_prints_63_of_the_64_pairs() -> None:
    pairs = set(product(CELLS, repeat=2))
    printed = (pairs - {("B", "B")}) | {("B", "5")}
    assert (len(pairs), len(printed)) == (64, 63)
    usable = [pair for pair in pairs if possible(*pair)]
    assert len(usable) == 31
    assert len({hu_lin.encode_column(*pair) for pair in usable}) == 19
    assert hu_lin.encode_column("B", "B") == "BB"


def test_h10_a_transition_has_several_targets() -> None:
    assert hu_lin.build_machine().follow("s0", "??") == ("?0?0", "?0?B", "?B?B")


def test_h11_there_is_an_automaton_for_every_fixed_width() -> None:
    figure_1 = {
        ("0???", "?14?", "12?B", "B222"): True,
        ("233", "?B?", "222"): False,
    }
    for rows, consistent in figure_1.items():
        assert trace_word(Profiles(len(rows)), read_word(parse(rows))).accepted is consistent
        assert bool(count(*rows)) is consistent
    assert [sizes(width, safe_symbol=False).minimal for width in (1, 2, 3)] == [6, 23, 2783]


def test_h12_figure_1c_has_a_second_fault() -> None:
    assert [count(*rows) for rows in (("233", "?B?", "222"), ("232", "?B?", "222"))] == [0, 0]
    assert count("232", "?B?", "232") == 1


def completable_columns(sequence: list[str]) -> bool:
    return count(*map("".join, zip(*["??", *sequence, "??"], strict=True))) > 0


@pytest.mark.parametrize("turns", [1, 3])
def test_h13_no_window_is_wide_enough_in_two_rows_either(turns: int) -> None:
    sequence = ["00", "11", *["??", "11"] * turns, "?B"]
    assert not completable_columns(sequence)
    assert completable_columns(sequence[1:])
    assert completable_columns(sequence[:-1])


# The student project


def test_s1_reading_rows_and_columns_one_by_one_does_not_decide_a_grid() -> None:
    lines = ["0?", "?B"]
    assert all(kadlac.run_machine(line).accepted for line in lines)
    assert count(*lines) == 0
    assert not kadlac.run_machine("11").accepted
    assert count("11", "BB") == 0 < count("11", "B?")


def test_s2_figure_1_has_one_layout() -> None:
    assert count("???", "122") == 1
    assert (count("B?B", "122"), count("?BB", "122")) == (0, 1)
    run = ["11?B", "21?0", "21?B"]
    assert run in runs("1?", "2?", "2?")
    assert not hu_lin.build_machine().is_accepting(run[-1])


def test_s3_each_column_may_be_turned_over_by_itself() -> None:
    assert count("?1", "1?") == count("??", "11") == 2
    for a, b, c, d in product(SQUARES, repeat=4):
        assert count(a + b, c + d) == count(a + d, c + b)


def test_s4_figure_4_is_no_board_of_its_own() -> None:
    assert columns("??2", "11?") == ["1?", "1?", "2?"]
    assert count("??2", "11?") == 0
    whole = ("???", "??2", "11?")
    assert cut_window(parse(whole), Window(row=1, col=0, rows=2, cols=3)).is_consistent()
    assert answer(*whole).layouts
    assert all(layout & {(0, 1), (0, 2)} for layout in answer(*whole).layouts)


def test_s5_figure_3_needs_its_row_of_covered_cells_on_top() -> None:
    assert count("???", "222", "1B1") == count("???", "111") == 1
    assert count("222", "???", "1B1") == 0


def test_s6_the_only_layout_of_a_section_is_not_that_of_the_board() -> None:
    assert answer("?", "1").layouts == [{(0, 0)}]
    whole = ("?", "1", "?")
    assert not answer(*whole).forced_mines
    section = cut_window(parse(whole), Window(row=0, col=0, rows=2, cols=1))
    assert section.count() == 2
    assert not any(cells.any() for cells in section.find_forced())


# Probst


def find_missed(row: str, mines: int) -> set[Cell]:
    """Cells that a total decides and the exhaustive method, which has none, leaves open."""
    with_total, without_total = answer(row, mines=mines), answer(row)
    return {*with_total.forced_mines, *with_total.forced_safe} - {
        *without_total.forced_mines,
        *without_total.forced_safe,
    }


def test_p1_a_total_can_decide_more_than_the_exhaustive_method() -> None:
    with_a_number = [row for length in (1, 2) for row in rows_of(length) if set(row) & set("012")]
    assert not any(find_missed(row, mines) for row in with_a_number for mines in range(3))
    assert find_missed("1??", 1) == {(0, 2)}
    assert find_missed("?1?1?", 1) == {(0, 0), (0, 2), (0, 4)}


Fields = frozenset[Cell]
Bounds = tuple[int, int]


def clue_sets(*rows: str) -> list[tuple[Fields, Bounds]]:
    """For each number the unknown fields around it, and the mines it still misses."""
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    sets = []
    for field, cell in cells.items():
        near = oracle.neighbours(field, len(rows), len(rows[0]))
        fields = frozenset(other for other in near if cells[other] == "?")
        if cell.isdigit() and fields:
            missing = int(cell) - sum(cells[other] == "B" for other in near)
            sets.append((fields, (missing, missing)))
    return sets


def difference(n: tuple[Fields, Bounds], m: tuple[Fields, Bounds]) -> tuple[Fields, Bounds]:
    """N - M with its bounds, as the README has them."""
    (n_fields, (n_low, n_high)), (m_fields, (m_low, m_high)) = n, m
    both = n_fields & m_fields
    low = max(n_low - len(n_fields - both), m_low - len(m_fields - both), 0)
    high = min(n_high, m_high, len(both))
    rest = n_fields - both
    return rest, (max(n_low - high, 0), min(n_high - low, len(rest)))


def deduce_list(*rows: str, corrected: bool) -> dict[Fields, Bounds]:
    """Return the list D; corrected, a set taken from Q joins D and a new difference joins Q."""
    waiting, done = clue_sets(*rows), dict[Fields, Bounds]()
    while waiting:
        taken, bounds = waiting.pop(0)
        if corrected:
            done[taken] = bounds = tighten_bounds(done, taken, bounds)
        for other in list(done.items()):
            for fields, found in (
                difference((taken, bounds), other),
                difference(other, (taken, bounds)),
            ):
                better = tighten_bounds(done, fields, found)
                if not fields or better == done.get(fields):
                    continue
                if fields in done or corrected:
                    done.pop(fields, None)
                    waiting.append((fields, better))
                else:
                    done[fields] = better
    return done


def tighten_bounds(done: dict[Fields, Bounds], fields: Fields, bounds: Bounds) -> Bounds:
    low, high = done.get(fields, bounds)
    return max(low, bounds[0]), min(high, bounds[1])


def test_p2_list_of_sets_stays_empty_in_the_algorithm_as_written() -> None:
    for rows in [("1?",), ("B33B", "???B")]:
        assert deduce_list(*rows, corrected=False) == {}
        assert answer(*rows).forced_mines
    assert deduce_list("1?", corrected=True) == {frozenset({(0, 1)}): (1, 1)}


def test_p2_algorithm_that_keeps_the_sets_solves_both_examples() -> None:
    assert deduce_list("B33B", "???B", corrected=True)[frozenset({(1, 0)})] == (1, 1)
    unsolved = ("BB4?2", "??BB?", "B6??3", "BB22B")
    assert deduce_list(*unsolved, corrected=True)[frozenset({(1, 1)})] == (0, 1)
    assert (1, 1) in answer(*unsolved).forced_mines


# The document


def entries() -> dict[str, str]:
    """Id -> text of each entry."""
    parts = re.split(r"^###? (?:([KHSP]\d+)\. )?", ERRATA, flags=re.MULTILINE)
    return {id_: text for id_, text in zip(parts[1::2], parts[2::2], strict=True) if id_}


def named_tests(text: str) -> set[str]:
    return set(re.findall(r"`tests/test_errata\.py::(test_\w+)`", text))


def test_entries_and_tests_name_each_other() -> None:
    tests = {name for name in globals() if name.startswith("test_")}
    assert named_tests(ERRATA) == tests
    for id_, text in entries().items():
        own = {name for name in tests if name.startswith(f"test_{id_.lower()}_")}
        assert named_tests(text) == own
        assert bool(own) is (id_ not in OF_PRINT)


def test_entries_are_numbered_without_gaps() -> None:
    for letter in "KHSP":
        numbers = [int(id_[1:]) for id_ in entries() if id_[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))


def test_other_tests_that_are_named_exist() -> None:
    for path, name in re.findall(r"`(tests/\S+\.py)(?:::(test_\w+))?`", ERRATA):
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")
