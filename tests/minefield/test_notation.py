"""Boards are read and drawn in named dialects; errors name the location of what is wrong."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minecheck.minefield.notation import DIALECTS, draw, parse, parse_cell
from minecheck.minefield.symbols import read_symbols, translate_cells
from tests.boards import small_boards


def catch_board_error(source: object, notation: str = "standard") -> BoardError:
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
def test_parse_reads_the_symbols_of_each_dialect(
    notation: str, text: str, codes: list[int]
) -> None:
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
def test_parse_reads_every_form_of_a_board_alike(source: object) -> None:
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
def test_parse_reads_every_form_of_a_board_in_other_dialects(notation: str, source: object) -> None:
    last = SAFE if notation == "probst" else 0
    assert parse(source, notation).cells.tolist() == [[1, UNKNOWN], [MINE, last]]


def test_parse_reads_spaces_at_both_ends_of_a_probst_row_as_cells() -> None:
    assert parse(" - \n   ", "probst").cells.tolist() == [[SAFE, UNKNOWN, SAFE], [SAFE] * 3]


@pytest.mark.parametrize(
    ("text", "shape"), [("?", (1, 1)), ("???", (1, 3)), ("?\n?\n?", (3, 1)), ("??\n??", (2, 2))]
)
def test_parse_reads_boards_of_one_row_or_column(text: str, shape: tuple[int, int]) -> None:
    assert parse(text).shape == shape


@pytest.mark.parametrize(
    "source",
    ["", "\n", "\r\n", "\n\n", [], (), [""], ["", ""], [[]], [[], []], [()], ["", []]],
    ids=repr,
)
def test_parse_rejects_a_board_without_cells(source: object) -> None:
    error = catch_board_error(source)
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
def test_parse_rejects_rows_of_unequal_length(source: object, row: int) -> None:
    error = catch_board_error(source)
    assert (error.code, error.row, error.col) == ("ragged-rows", row, None)


@pytest.mark.parametrize("source", [["", "1?"], "1?\n\n??", [[], ["1"]]], ids=repr)
def test_parse_rejects_an_empty_first_row_as_ragged(source: object) -> None:
    assert catch_board_error(source).code == "ragged-rows"


@pytest.mark.parametrize(
    "source",
    [
        *("1 ?\n? ?", " 1?\n ??", "1?\t\n?? ", "1\t?\r\n?\t?\r\n", "\n1?\n??\n\n"),
        *("  1 ? \n  ? ?", "\t1?\n\t??", " \n1 ?\n? ?  \n\t\n"),
    ],
    ids=repr,
)
def test_parse_ignores_separating_blanks_and_surrounding_empty_lines(source: str) -> None:
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
def test_parse_names_a_blank_that_can_be_more_than_a_separator(
    source: str, row: int, col: int
) -> None:
    error = catch_board_error(source)
    assert (error.code, error.row, error.col) == ("stray-blank", row, col)
    assert ("tab" if source.split("\n")[row][col] == "\t" else "blank") in error.detail


@given(small_boards(), st.sampled_from([" ", "\t"]), st.sampled_from(["", " ", "   "]))
def test_parse_ignores_one_blank_between_every_two_cells(
    board: Board, blank: str, margin: str
) -> None:
    rows = [margin + blank.join(row) for row in draw(board)]
    assert parse("\n".join(rows)) == board


@given(st.text("1?B \t\n", max_size=12))
def test_parse_neither_loses_nor_invents_cells_among_blanks(text: str) -> None:
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
def test_parse_rejects_blanks_that_can_be_cells_or_separators(source: str) -> None:
    error = catch_board_error(source, "probst")
    assert (error.code, error.row, error.col) == ("stray-blank", 0, 1)
    # Both ways out are taken.
    assert parse(source.replace(" ", ""), "probst").width == len(source.split("\n")[0]) // 2 + 1
    in_standard = source.replace("-", "?").replace(" ", "S")
    assert parse(in_standard).width == len(source.split("\n")[0])


@pytest.mark.parametrize("source", ["-  1", " - - ", "- -\n1--", "- \n1 "], ids=repr)
def test_parse_reads_irregular_blanks_as_cells_in_the_probst_notation(source: str) -> None:
    assert parse(source, "probst").width == len(source.split("\n")[0])


#: Boards of mixed symbols, and what must not be offered, since it leads to another error.
MIXED = [(["1?.", "???"], "minesweepr"), (["B-1"], "probst"), (["x?B"], "minesweepr")]


@pytest.mark.parametrize(("rows", "dialect"), MIXED)
def test_parse_error_offers_no_dialect_that_lacks_another_symbol(
    rows: list[str], dialect: str
) -> None:
    assert dialect not in catch_board_error(rows).fix


def test_parse_error_offers_both_meanings_of_an_ambiguous_symbol() -> None:
    fix = catch_board_error("1.1\n...").fix
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
def test_parse_accepts_the_notations_that_its_errors_offer(row: str, notation: str) -> None:
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


def test_parse_reads_a_leading_blank_as_a_cell_in_the_probst_notation() -> None:
    assert parse(" 1", "probst").shape == (1, 2)


@pytest.mark.parametrize(("source", "row"), [(["1?", "?? ", "??"], 1), (["1?\t", "??"], 0)])
def test_parse_error_names_a_blank_at_the_end_of_a_row(source: list[str], row: int) -> None:
    assert catch_board_error(source).fix == f"Delete the blank at the end of row {row}."


@pytest.mark.parametrize("source", ["1?\n?", ["1?", "?"]], ids=repr)
def test_parse_error_tells_to_make_ragged_rows_equal(source: object) -> None:
    assert catch_board_error(source).fix == "Make all rows the same length."


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
def test_parse_names_the_cell_of_an_unknown_symbol(
    source: object, notation: str, row: int, col: int
) -> None:
    error = catch_board_error(source, notation)
    assert (error.code, error.row, error.col) == ("unknown-symbol", row, col)


def test_parse_names_the_first_unknown_symbol() -> None:
    error = catch_board_error("1?\nzy")
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
def test_parse_error_names_the_dialect_that_has_the_symbol(
    symbol: str, notation: str, knowing: str
) -> None:
    assert f"name the notation {knowing}" in catch_board_error(symbol, notation).fix


def test_parse_error_lists_the_symbols_for_a_symbol_of_no_dialect() -> None:
    fix = catch_board_error("z", "probst").fix
    assert fix == "Use one of the symbols 0 1 2 3 4 5 6 7 8 - + blank."


def test_parse_error_is_ascii_for_any_symbol() -> None:
    assert str(catch_board_error("\ud800")).isascii()


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
def test_parse_rejects_a_cell_that_is_neither_symbol_nor_clue(cell: Any) -> None:
    error = catch_board_error([["1", "?"], ["?", cell]])
    assert (error.code, error.row, error.col) == ("unknown-symbol", 1, 1)


def test_parse_error_shortens_a_long_cell() -> None:
    assert len(str(catch_board_error([["?" * 10_000]]))) < 200


@pytest.mark.parametrize("row", [None, 1, 1.5, True, {}, {"0": "1"}, {1}], ids=repr)
def test_parse_rejects_a_row_of_another_type(row: object) -> None:
    error = catch_board_error(["??", row])
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
def test_parse_rejects_values_of_other_types_by_their_json_names(
    source: object, shown: str
) -> None:
    error = catch_board_error(source)
    assert (error.code, error.row, error.col) == ("board-type", None, None)
    assert shown in error.detail


@pytest.mark.parametrize(
    "source", [b"11", [b"1?"], iter("1?"), {"1?"}], ids=lambda s: type(s).__name__
)
def test_parse_rejects_other_python_objects(source: object) -> None:
    assert isinstance(catch_board_error(source), BoardError)


@pytest.mark.parametrize("notation", ["", "Standard", "mine", "\ud800", None, 1])
def test_parse_rejects_an_unknown_notation_and_lists_the_known(notation: Any) -> None:
    error = catch_board_error("1?", notation)
    assert (error.code, error.row, error.col) == ("unknown-notation", None, None)
    assert all(name in error.fix for name in DIALECTS)


def test_parse_checks_the_notation_before_the_board() -> None:
    assert catch_board_error(None, "nope").code == "unknown-notation"


@pytest.mark.parametrize(
    ("notation", "rows"),
    [
        ("standard", ["012345678", "?BSF?BSF?"]),
        ("probst", ["012345678", "-+ -+ -+ "]),
        ("minesweepr", [".12345678", "x*x*x*x*."]),
    ],
)
def test_draw_uses_the_first_symbol_of_each_meaning(notation: str, rows: list[str]) -> None:
    assert draw(parse(rows, notation), notation) == rows


@pytest.mark.parametrize(
    ("rows", "notation", "cell"),
    [
        (["1?", "?F"], "probst", (1, 1)),
        (["1?", "F?"], "minesweepr", (1, 0)),
        (["1S", "S?"], "minesweepr", (0, 1)),
    ],
)
def test_draw_rejects_a_cell_that_the_dialect_cannot_show(
    rows: list[str], notation: str, cell: tuple[int, int]
) -> None:
    with pytest.raises(BoardError) as caught:
        draw(parse(rows), notation)
    assert (caught.value.code, caught.value.row, caught.value.col) == ("symbol-missing", *cell)


def test_draw_rejects_an_unknown_notation() -> None:
    with pytest.raises(BoardError) as caught:
        draw(parse("1?"), "nope")
    assert caught.value.code == "unknown-notation"


@given(small_boards())
def test_drawn_board_is_read_back_from_a_list(board: Board) -> None:
    assert parse(draw(board)) == board


@given(small_boards(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_drawn_board_is_read_back_from_text(board: Board, newline: str, trailing: bool) -> None:
    assert parse(newline.join(draw(board)) + newline * trailing) == board


@given(small_boards())
def test_drawn_board_is_read_back_from_nested_lists(board: Board) -> None:
    assert parse([[int(s) if s.isdigit() else s for s in row] for row in draw(board)]) == board


def parse_or_error(source: object, notation: str = "standard") -> Board | BoardError:
    try:
        return parse(source, notation)
    except BoardError as error:
        return error


@given(small_boards(), st.sampled_from(["probst", "minesweepr"]))
def test_boards_drawn_in_other_dialects_are_read_back(board: Board, notation: str) -> None:
    missing = {"probst": [FLAG], "minesweepr": [FLAG, SAFE]}[notation]
    if np.isin(board.cells, missing).any():
        with pytest.raises(BoardError, match="no symbol") as caught:
            draw(board, notation)
        assert board.cells[caught.value.row, caught.value.col] in missing
    else:
        assert parse(draw(board, notation), notation) == board


@given(st.text(alphabet=st.characters(codec=None), max_size=12), st.sampled_from(list(DIALECTS)))
def test_parse_reads_or_rejects_any_text(text: str, notation: str) -> None:
    board = parse_or_error(text, notation)
    assert isinstance(board, BoardError) or parse(draw(board, notation), notation) == board


@given(st.text(alphabet="".join(sorted(DIALECTS["standard"])) + "x\r\n", max_size=12))
def test_parse_reads_or_rejects_any_text_of_board_symbols(text: str) -> None:
    board = parse_or_error(text)
    assert isinstance(board, BoardError) or parse(draw(board)) == board


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
        max_leaves=8,
    )
)
def test_parse_reads_or_rejects_any_json_value(source: object) -> None:
    board = parse_or_error(source)
    assert isinstance(board, BoardError) or parse(draw(board)) == board


def test_translate_cells_reads_symbols_of_several_characters_between_blanks() -> None:
    codes = read_symbols({"-1": "unknown", "X": "mine"})
    assert translate_cells(["-1 1 X", "1 12 1"], codes) == ["? 1 B", "1 12 1"]
    assert translate_cells(["1X1"], codes) == ["1B1"]


@pytest.mark.parametrize(
    ("text", "cell"),
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
def test_parse_cell_reads_row_and_column(text: str, cell: tuple[int, int] | None) -> None:
    assert parse_cell(text) == cell


@pytest.mark.parametrize("cell", [5000, -5000])
def test_parse_names_numbers_that_are_far_too_large(cell: int) -> None:
    with pytest.raises(BoardError, match="is a number out of range"):
        parse([[cell]])


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_parse_reads_rows_with_a_blank_between_every_two_cells(blank: str) -> None:
    rows = ["12?", "?F?", "1??"]
    assert draw(parse([blank.join(row) for row in rows])) == rows
    with pytest.raises(BoardError):
        parse([*(blank.join(row) for row in rows), "???"])


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (" =0", {" ": 0}),
        ("=0", {"": 0}),
        ("X=mine, .=unknown", {"X": MINE, ".": UNKNOWN}),
        ("==safe", {"=": SAFE}),
        (" =0,#=unknown", {" ": 0, "#": UNKNOWN}),
        ("", {}),
        (" ", {}),
    ],
)
def test_read_symbols_reads_text(text: str, codes: dict[str, int]) -> None:
    assert read_symbols(text) == codes
