"""Boards are read and drawn in named dialects; what cannot be read is refused with its place."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minecheck.minefield.notation import DIALECTS, draw, parse, parse_place
from tests.boards import small_boards


def refusal(source: object, notation: str = "standard") -> BoardError:
    with pytest.raises(BoardError) as caught:
        parse(source, notation)
    return caught.value


@pytest.mark.parametrize(
    ("notation", "text", "codes"),
    [
        ("standard", "012345678", list(range(9))),
        ("standard", "?B*SF", [UNKNOWN, MINE, MINE, SAFE, FLAG]),
        ("probst", "012345678", list(range(9))),
        ("probst", "-+ ", [UNKNOWN, MINE, SAFE]),
        ("minesweepr", "012345678", list(range(9))),
        ("minesweepr", "x*.", [UNKNOWN, MINE, 0]),
    ],
)
def test_symbols_of_each_dialect(notation: str, text: str, codes: list[int]) -> None:
    assert parse(text, notation).cells.tolist() == [codes]


@pytest.mark.parametrize(
    "source",
    [
        "1?\nB0",
        "1?\nB0\n",
        "1?\r\nB0",
        "1?\r\nB0\r\n",
        "1?\r\nB0\n",
        ["1?", "B0"],
        ("1?", "B0"),
        [["1", "?"], ["B", "0"]],
        [[1, "?"], ["B", 0]],
        ((1, "?"), ("B", 0)),
        ["1?", ["B", 0]],
    ],
    ids=repr,
)
def test_every_form_of_a_board_is_read_alike(source: object) -> None:
    assert parse(source).cells.tolist() == [[1, UNKNOWN], [MINE, 0]]


@pytest.mark.parametrize(
    ("notation", "source"),
    [
        ("probst", "1-\r\n+ \r\n"),
        ("probst", ["1-", "+ "]),
        ("probst", [[1, "-"], ["+", " "]]),
        ("minesweepr", "1x\r\n*.\r\n"),
        ("minesweepr", ["1x", "*."]),
        ("minesweepr", [[1, "x"], ["*", 0]]),
    ],
)
def test_every_form_is_read_in_the_other_dialects(notation: str, source: object) -> None:
    last = SAFE if notation == "probst" else 0
    assert parse(source, notation).cells.tolist() == [[1, UNKNOWN], [MINE, last]]


def test_spaces_at_both_ends_of_a_row_are_cells_in_the_dialect_that_has_them() -> None:
    assert parse(" - \n   ", "probst").cells.tolist() == [[SAFE, UNKNOWN, SAFE], [SAFE] * 3]


@pytest.mark.parametrize(
    ("text", "shape"), [("?", (1, 1)), ("???", (1, 3)), ("?\n?\n?", (3, 1)), ("??\n??", (2, 2))]
)
def test_boards_of_one_row_or_column_are_read(text: str, shape: tuple[int, int]) -> None:
    assert parse(text).shape == shape


@pytest.mark.parametrize(
    "source",
    ["", "\n", "\r\n", "\n\n", [], (), [""], ["", ""], [[]], [[], []], [()], ["", []]],
    ids=repr,
)
def test_a_board_without_cells_is_refused(source: object) -> None:
    error = refusal(source)
    assert (error.code, error.row, error.col) == ("empty-board", None, None)


@pytest.mark.parametrize(
    ("source", "row"),
    [
        ("1?\n?", 1),
        ("1?\n??\n???", 2),
        ("1?\n\n??", 1),
        ("1?\r\n?\r\n", 1),
        (["1?", ""], 1),
        (["1?", "??", "1"], 2),
        ([["1", "?"], ["?"]], 1),
        ([[1], [2, 3]], 1),
        (["1?", ["?"]], 1),
    ],
)
def test_rows_of_unequal_length_are_refused(source: object, row: int) -> None:
    error = refusal(source)
    assert (error.code, error.row, error.col) == ("ragged-rows", row, None)


@pytest.mark.parametrize("source", [["", "1?"], "1?\n\n??", [[], ["1"]]], ids=repr)
def test_an_empty_first_row_does_not_make_the_board_empty(source: object) -> None:
    assert refusal(source).code == "ragged-rows"


@pytest.mark.parametrize(
    "source",
    [
        *("1 ?\n? ?", " 1?\n ??", "1?\t\n?? ", "1\t?\r\n?\t?\r\n", "\n1?\n??\n\n"),
        *("  1 ? \n  ? ?", "\t1?\n\t??", " \n1 ?\n? ?  \n\t\n"),
    ],
    ids=repr,
)
def test_blanks_in_a_text_are_no_cells_nor_are_empty_lines_around_it(source: str) -> None:
    assert np.array_equal(parse(source).cells, parse("1?\n??").cells)


@pytest.mark.parametrize(
    ("source", "row", "col"),
    [
        # Rows, separated by blanks.
        ("1*1 111", 0, 3),
        ("1* 11 11", 0, 2),
        ("1*1\t111\n", 0, 3),
        # Not between all cells: of a row, of all rows.
        ("1? ?\n????", 0, 2),
        ("1 ?\n??", 0, 1),
        ("??\n1 ?", 1, 1),
        ("? 1 ?\n? 1?", 1, 1),
        # Of a row of its own, or cells that were left empty.
        ("1  ?\n?  ?", 0, 2),
        ("2\t\t1\n2\t\t1", 0, 2),
        ("2\t1\t\n2\t1\t", 0, 3),
        ("\t1\t1\n2\t1\t1", 0, 0),
        ("\t1\n\t?", 0, 0),
        ("1\t\n?\t", 0, 1),
        ("1\t? 1", 0, 1),
        (" 1\n11", 0, 0),
        ("11\n 1\n", 1, 0),
    ],
)
def test_a_blank_that_may_be_more_than_a_separator_is_named(
    source: str, row: int, col: int
) -> None:
    error = refusal(source)
    assert (error.code, error.row, error.col) == ("stray-blank", row, col)
    assert ("tab" if source.split("\n")[row][col] == "\t" else "blank") in error.detail


@given(small_boards(), st.sampled_from([" ", "\t"]), st.sampled_from(["", " ", "   "]))
def test_one_blank_between_every_two_cells_changes_nothing(
    board: Board, blank: str, margin: str
) -> None:
    rows = [margin + blank.join(row) for row in draw(board)]
    assert parse("\n".join(rows)) == board


@given(st.text("1?B \t\n", max_size=12))
def test_no_cell_and_no_row_is_lost_or_made_up_among_blanks(text: str) -> None:
    try:
        board = parse(text)
    except BoardError:
        return
    rows = [row for row in text.split("\n") if row.strip(" \t")]
    assert [row.replace(" ", "").replace("\t", "") for row in rows] == draw(board)
    # Wherever there is a blank between two cells, there is one between every two.
    inner = [row.strip(" \t") for row in rows]
    gaps = {gap for row in inner for gap in re.findall(r"(?<=[1?B])[ \t]*(?=[1?B])", row)}
    assert len(gaps) <= 1
    assert gaps <= {"", " ", "\t"}


@pytest.mark.parametrize("source", ["- - 1 2 1 - -", "- - -\n1 2 -"], ids=repr)
def test_blanks_that_may_be_cells_or_separate_them_are_refused(source: str) -> None:
    error = refusal(source, "probst")
    assert (error.code, error.row, error.col) == ("stray-blank", 0, 1)
    # Both ways out are taken.
    assert parse(source.replace(" ", ""), "probst").width == len(source.split("\n")[0]) // 2 + 1
    in_standard = source.replace("-", "?").replace(" ", "S")
    assert parse(in_standard).width == len(source.split("\n")[0])


@pytest.mark.parametrize("source", ["-  1", " - - ", "- -\n1--", "- \n1 "], ids=repr)
def test_blanks_elsewhere_are_cells_where_the_notation_has_them(source: str) -> None:
    assert parse(source, "probst").width == len(source.split("\n")[0])


#: Boards of mixed symbols, and what must not be offered, since it leads to another error.
MIXED = [(["1?.", "???"], "minesweepr"), (["B-1"], "probst"), (["x?B"], "minesweepr")]


@pytest.mark.parametrize(("rows", "dialect"), MIXED)
def test_a_dialect_that_lacks_another_symbol_is_not_offered(rows: list[str], dialect: str) -> None:
    assert dialect not in refusal(rows).fix


def test_a_symbol_with_two_meanings_is_offered_with_both() -> None:
    fix = refusal("1.1\n...").fix
    assert fix == (
        "If it is a clue 0, name the notation minesweepr, or write 0. "
        "If it is an unknown cell, write ?."
    )


def first_wrong(row: str, notation: str) -> slice:
    """Where the first symbol is that is not read; nowhere if all are."""
    try:
        parse([row], notation)
    except BoardError as error:
        return slice(error.col or 0, (error.col or 0) + 1)
    return slice(0, 0)


@given(st.text(".-x+ #_HhbMm@fsX?BSF*01", min_size=1, max_size=6), st.sampled_from(list(DIALECTS)))
def test_what_is_offered_for_a_symbol_is_taken(row: str, notation: str) -> None:
    try:
        parse([row], notation)
        return
    except BoardError as error:
        fix, col = error.fix, error.col
    assert col is not None
    symbol = row[col]
    for name in re.findall(r"name the notation ([a-z ]+?)[,.]", fix):
        for one in name.split(" or "):
            assert parse([row], one).shape == (1, len(row))
    for written in re.findall(r"write (\S)\.", fix):
        # The same symbol elsewhere means the same; others may be wrong themselves.
        mended = row.replace(symbol, written)
        assert symbol not in mended
        assert mended[first_wrong(mended, notation)] not in (symbol, written)


def test_blanks_are_cells_where_the_notation_has_them() -> None:
    assert parse(" 1", "probst").shape == (1, 2)


@pytest.mark.parametrize(("source", "row"), [(["1?", "?? ", "??"], 1), (["1?\t", "??"], 0)])
def test_a_blank_at_the_end_of_a_row_of_a_list_is_named(source: list[str], row: int) -> None:
    assert refusal(source).fix == f"Delete the blank at the end of row {row}."


@pytest.mark.parametrize("source", ["1?\n?", ["1?", "?"]], ids=repr)
def test_rows_without_such_a_blank_are_to_be_made_equal(source: object) -> None:
    assert refusal(source).fix == "Make all rows the same length."


@pytest.mark.parametrize(
    ("source", "notation", "row", "col"),
    [
        ("1?\n?z", "standard", 1, 1),
        (["1?", "a?"], "standard", 1, 0),
        ([["1", "?"], ["?", "Q"]], "standard", 1, 1),
        ("9", "standard", 0, 0),
        ("b", "standard", 0, 0),
        (["1\t"], "standard", 0, 1),
        ("1?\r", "standard", 0, 2),
        (["1?\n", "???"], "standard", 0, 2),
        ("1\x00", "standard", 0, 1),
        ("1\x7f", "standard", 0, 1),
        ("1\ud800", "standard", 0, 1),
        ([["1", "\ud800"]], "standard", 0, 1),
        ("??\n?\xe9", "standard", 1, 1),
        ("??\n\U0001f4a3?", "standard", 1, 0),
        ("\u0661", "standard", 0, 0),
        ("\xb2", "standard", 0, 0),
        ("\uff11", "standard", 0, 0),
        ("zz\xe9", "minesweepr", 0, 2),
        ("?", "probst", 0, 0),
        ("9", "minesweepr", 0, 0),
    ],
)
def test_an_unknown_symbol_is_refused_with_its_place(
    source: object, notation: str, row: int, col: int
) -> None:
    error = refusal(source, notation)
    assert (error.code, error.row, error.col) == ("unknown-symbol", row, col)


def test_the_first_unknown_symbol_is_named() -> None:
    error = refusal("1?\nzy")
    assert (error.row, error.col) == (1, 0)
    assert "'z'" in error.detail


@pytest.mark.parametrize(
    ("symbol", "notation", "knowing"),
    [
        ("x", "standard", "minesweepr"),
        (".", "standard", "minesweepr"),
        ("-", "standard", "probst"),
        ("+", "standard", "probst"),
        ([" "], "standard", "probst"),
        ("?", "probst", "standard"),
        ("?", "minesweepr", "standard"),
        ("B", "probst", "standard"),
        ("F", "minesweepr", "standard"),
        ("*", "probst", "standard or minesweepr"),
        ("+", "minesweepr", "probst"),
        (".", "probst", "minesweepr"),
    ],
)
def test_a_symbol_of_another_dialect_names_that_dialect(
    symbol: str, notation: str, knowing: str
) -> None:
    assert f"name the notation {knowing}" in refusal(symbol, notation).fix


def test_a_symbol_of_no_dialect_gets_the_list_of_symbols() -> None:
    fix = refusal("z", "probst").fix
    assert all(repr(symbol) in fix for symbol in DIALECTS["probst"])


def test_a_refusal_is_ascii_whatever_the_symbol() -> None:
    assert str(refusal("\ud800")).isascii()


@pytest.mark.parametrize(
    "cell",
    [
        True,
        False,
        9,
        -1,
        10**30,
        pytest.param(10**5000, id="more digits than Python prints"),
        1.5,
        1.0,
        float("nan"),
        None,
        "",
        "10",
        "??",
        ["1"],
        [],
        {},
        b"1",
        np.int8(9),
    ],
    ids=lambda cell: repr(cell)[:20],
)
def test_a_cell_that_is_no_symbol_and_no_clue_is_refused(cell: Any) -> None:
    error = refusal([["1", "?"], ["?", cell]])
    assert (error.code, error.row, error.col) == ("unknown-symbol", 1, 1)


def test_a_long_cell_is_cut_in_the_message() -> None:
    assert len(str(refusal([["?" * 10_000]]))) < 200


@pytest.mark.parametrize("row", [None, 1, 1.5, True, {}, {"0": "1"}, {1}], ids=repr)
def test_a_row_that_is_no_row_is_refused(row: object) -> None:
    error = refusal(["??", row])
    assert (error.code, error.row, error.col) == ("board-type", 1, None)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (None, "null"),
        (5, "a number."),
        (1.5, "a number with a fraction."),
        (True, "boolean"),
        ({}, "object"),
        ({"rows": ["1?"]}, "object"),
    ],
)
def test_what_is_no_board_at_all_is_refused_by_its_json_name(source: object, shown: str) -> None:
    error = refusal(source)
    assert (error.code, error.row, error.col) == ("board-type", None, None)
    assert shown in error.detail


@pytest.mark.parametrize(
    "source", [b"11", [b"1?"], iter("1?"), {"1?"}], ids=lambda s: type(s).__name__
)
def test_other_python_objects_are_refused(source: object) -> None:
    assert isinstance(refusal(source), BoardError)


@pytest.mark.parametrize("notation", ["", "Standard", "mine", "\ud800", None, 1])
def test_an_unknown_notation_is_refused_with_those_there_are(notation: Any) -> None:
    error = refusal("1?", notation)
    assert (error.code, error.row, error.col) == ("unknown-notation", None, None)
    assert all(name in error.fix for name in DIALECTS)


def test_the_notation_is_checked_before_the_board() -> None:
    assert refusal(None, "nope").code == "unknown-notation"


@pytest.mark.parametrize(
    ("notation", "rows"),
    [
        ("standard", ["012345678", "?BSF?BSF?"]),
        ("probst", ["012345678", "-+ -+ -+ "]),
        ("minesweepr", [".12345678", "x*x*x*x*."]),
    ],
)
def test_drawing_uses_the_first_symbol_of_each_meaning(notation: str, rows: list[str]) -> None:
    assert draw(parse(rows, notation), notation) == rows


@pytest.mark.parametrize(
    ("rows", "notation", "place"),
    [
        (["1?", "?F"], "probst", (1, 1)),
        (["1?", "F?"], "minesweepr", (1, 0)),
        (["1S", "S?"], "minesweepr", (0, 1)),
    ],
)
def test_drawing_refuses_a_cell_the_dialect_cannot_show(
    rows: list[str], notation: str, place: tuple[int, int]
) -> None:
    with pytest.raises(BoardError) as caught:
        draw(parse(rows), notation)
    assert (caught.value.code, caught.value.row, caught.value.col) == ("symbol-missing", *place)


def test_drawing_refuses_an_unknown_notation() -> None:
    with pytest.raises(BoardError) as caught:
        draw(parse("1?"), "nope")
    assert caught.value.code == "unknown-notation"


@given(small_boards())
def test_what_is_drawn_is_read_back_from_a_list(board: Board) -> None:
    assert parse(draw(board)) == board


@given(small_boards(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_is_drawn_is_read_back_from_text(board: Board, newline: str, trailing: bool) -> None:
    assert parse(newline.join(draw(board)) + newline * trailing) == board


@given(small_boards())
def test_what_is_drawn_is_read_back_from_nested_lists(board: Board) -> None:
    assert parse([[int(s) if s.isdigit() else s for s in row] for row in draw(board)]) == board


def parse_or_error(source: object, notation: str = "standard") -> Board | BoardError:
    try:
        return parse(source, notation)
    except BoardError as error:
        return error


@given(small_boards(), st.sampled_from(["probst", "minesweepr"]))
def test_other_dialects_draw_what_they_can_read_back(board: Board, notation: str) -> None:
    missing = {"probst": [FLAG], "minesweepr": [FLAG, SAFE]}[notation]
    if np.isin(board.cells, missing).any():
        with pytest.raises(BoardError, match="no symbol") as caught:
            draw(board, notation)
        assert board.cells[caught.value.row, caught.value.col] in missing
    else:
        assert parse(draw(board, notation), notation) == board


@given(st.text(alphabet=st.characters(codec=None), max_size=12), st.sampled_from(list(DIALECTS)))
def test_any_text_is_a_board_or_is_refused_as_one(text: str, notation: str) -> None:
    board = parse_or_error(text, notation)
    assert isinstance(board, BoardError) or parse(draw(board, notation), notation) == board


@given(st.text(alphabet="".join(sorted(DIALECTS["standard"])) + "x\r\n", max_size=12))
def test_text_of_board_symbols_is_a_board_or_is_refused_as_one(text: str) -> None:
    board = parse_or_error(text)
    assert isinstance(board, BoardError) or parse(draw(board)) == board


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
        max_leaves=8,
    )
)
def test_any_json_is_a_board_or_is_refused_as_one(source: object) -> None:
    board = parse_or_error(source)
    assert isinstance(board, BoardError) or parse(draw(board)) == board


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("0,3", (0, 3)),
        ("012,999999999", (12, 999_999_999)),
        ("1000000000,0", None),
        ("0", None),
        ("0,1,2", None),
        ("0, 1", None),
        ("-1,0", None),
        ("0,1\n", None),
        ("\u0663,1", None),
        ("", None),
    ],
)
def test_a_place_is_row_and_column(text: str, place: tuple[int, int] | None) -> None:
    assert parse_place(text) == place
