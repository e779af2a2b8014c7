"""Boards from texts and files."""

from typing import Any

import pytest

from tests.app.serving import Server
from tests.page.analyse.tab import (
    clipboard,
    expect_board,
    paste,
    press,
    says,
    sharing,
    shown,
)
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

NOTATIONS = {
    "standard": (["?1B", "2*S", "F??"], ["?1B", "2BS", "F??"]),
    "probst": (["-1+", "2- ", "0--"], ["?1B", "2?S", "0??"]),
    "minesweepr": (["x1*", "2x.", "xxx"], ["?1B", "2?0", "???"]),
}


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_text_in_each_notation_is_read_and_written(opened: Opened, notation: str) -> None:
    text, rows = NOTATIONS[notation]
    page = opened("/#analyse")
    page.get_by_label("Notation").select_option(notation)
    page.get_by_label("A board as text").fill("\n".join(text) + "\n")
    press(page, "Read the text")
    expect_board(page, rows)
    page.get_by_label("A board as text").fill("")
    press(page, "Write the board here")
    written = page.get_by_label("A board as text").input_value()
    assert written == "\n".join(text).replace("2*S", "2BS")


#: Texts, their rows, and what is said beside the size.
TEXTS = {
    "1?\n?1": (["1?", "?1"], ""),
    "\n\n1?\n?1\n\n": (["1?", "?1"], "Ignored: spaces and empty lines around the board."),
    "  1?  \n  ?1\t\n": (["1?", "?1"], "Ignored: spaces and empty lines around the board."),
    "1 2 ?\n? ? ?": (["12?", "???"], "Ignored: separators between the cells."),
    "1\t?\r\n?\t1\r\n": (["1?", "?1"], "Ignored: separators between the cells."),
    "1, ?\n?, 1": (["1?", "?1"], "Ignored: separators between the cells."),
    "\ufeff1?\r\n?1\r\n": (["1?", "?1"], ""),
    "```text\n1?\n?1\n```\n": (["1?", "?1"], "Ignored: the code fence."),
    "1b\nsf": (["1B", "SF"], 'Read "b" as mine, "s" as safe, number unknown, "f" as flag.'),
    "1*\n_#": (["1B", "??"], 'Read "*" as mine, "_" as unknown, "#" as unknown.'),
    '["1?", "?1"]': (["1?", "?1"], ""),
    '{"board": "1?\\n?1"}': (["1?", "?1"], ""),
    '{"board": [[1, "?"], ["?", 1]], "flags": "trust"}': (["1?", "?1"], 'Ignored: "flags".'),
    "[[1, null], [-1, 1]]": (["1?", "?1"], ""),
    "\uff11\uff1f\n\uff1f\uff11": (["1?", "?1"], ""),
    "1\ufe0f\u20e3\u2b1c\n\U0001f6a9\U0001f4a3": (["1?", "FB"], ""),
    "||:one:||||:bomb:||\n||:white_large_square:||||:triangular_flag_on_post:||": (
        ["1B", "?F"],
        "Ignored: the spoilers.",
    ),
    "1\u20e3 \U0001f7e6\n\u2b1b 1\u20e3": (["1?", "?1"], "Ignored: separators between the cells."),
    # Last, as each sets the notation.
    "1.x": (["10?"], 'Read "." as clue 0, "x" as unknown.'),
    "-1+": (["?1B"], 'Read "-" as unknown, "+" as mine.'),
    "- 1\n 1 ": (["?S1", "S1S"], 'Read "-" as unknown, " " as safe, number unknown.'),
}


def test_texts_as_people_have_them_are_read(opened: Opened) -> None:
    page = opened(link(["????"]))
    expect_board(page, ["????"])
    for text, (rows, said) in TEXTS.items():
        told = paste(page, text)
        expect(told).to_contain_text(f"{len(rows[0])} columns.")
        expect_board(page, rows)
        found = told.text_content()
        assert found is not None
        assert found.partition("columns.")[2].strip() == said, text


def test_what_a_text_was_read_as_is_said(opened: Opened) -> None:
    page = opened(link(["????"]))
    expect_board(page, ["????"])
    texts = {
        "1?": "Read: 1 row, 2 columns.",
        '{"board": ["1?"], "mines": 1}': "Read as JSON: 1 row, 2 columns, 1 mine.",
        "1.": "Read in the notation minesweepr: 1 row, 2 columns.",
        'curl x --json \'{"board": ["1?"]}\'': "Read as a curl command, in the notation standard:",
        "http://x/#analyse?b=1_.__&m=1&n=probst": "Read as a link of this page, in the notation"
        " probst: 2 rows, 2 columns, 1 mine.",
    }
    for text, said in texts.items():
        expect(paste(page, text)).to_contain_text(said)
    assert page.get_by_label("Notation").input_value() == "probst"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no text yet."),
        ("1?\n9?", 'The symbol "9" at row 1, column 0 is not part of the notation standard.'),
        ("1?\n1", "Row 1 has 1 cell, but row 0 has 2."),
        ("1 ?\n1??", 'The symbol "1??" at row 1, column 0 is not part of the notation standard.'),
        ("1  1\n1111", 'The symbol "1111" at row 1, column 0'),
        ("12 1\n1111", 'The symbol " " at row 0, column 2 is not part of the notation standard.'),
        ("1,,2\n,1,2", 'The symbol ",1,2" at row 1, column 0'),
        ("1?\n\n?1", "Row 1 has 0 cells, but row 0 has 2."),
        ('{"mines": 3}', "It does not contain a board."),
        ('{"board": [["10", 1]]}', "It does not contain a board."),
        ('{"board": ["1?"], "mines": 1.5}', 'Its "mines" is not a whole number.'),
        ('{"board": ["1?"', "It does not contain valid JSON."),
        ('{"board": ["1?"], "notation": "toString"}', "Its notation is unknown."),
        ("curl x --json @board.json", "It does not contain valid JSON."),
        ("http://x/#analyse?b=1.__", "The board of this link cannot be read: its rows differ"),
        ("http://x/#strips", "This link does not contain a board."),
        ("http://x/?analysis=aa", "This looks like the output of another program"),
        ("2x1x1\n1H", "This looks like the output of another program"),
        ("constructor", 'The symbol "c" at row 0, column 0'),
    ],
)
def test_a_text_that_is_no_board_is_refused_and_told_why(
    opened: Opened, text: str, message: str
) -> None:
    page = opened(link(["1?"]))
    expect(paste(page, text)).to_contain_text(message)
    assert shown(page) == ["1?"]


@pytest.mark.parametrize("name", ["Copy link", "Copy JSON", "Copy curl command"])
def test_what_the_page_copies_it_reads(opened: Opened, name: str) -> None:
    page = sharing(opened, link(["?1??", "F2BS"], 3))
    expect_board(page, ["?1??", "F2BS"])
    press(page, name)
    copied = clipboard(page)
    press(page, "Clear")
    expect_board(page, ["????"] * 2)
    expect(paste(page, f"\n {copied}\n")).to_contain_text("2 rows, 4 columns, 3 mines.")
    expect_board(page, ["?1??", "F2BS"])
    assert page.get_by_label("Mines in all").input_value() == "3"


def test_the_mines_of_a_board_stay_with_another_of_its_size(opened: Opened) -> None:
    page = opened(link(["?1??"], 1))
    expect_board(page, ["?1??"])
    mines = page.get_by_label("Mines in all")
    expect(paste(page, "??1?")).to_contain_text('"Mines in all" is still 1.')
    assert mines.input_value() == "1"
    expect(paste(page, "??1")).to_contain_text('"Mines in all" is empty now.')
    assert mines.input_value() == ""
    expect(paste(page, "??2")).not_to_contain_text("Mines in all")
    press(page, "Undo")
    press(page, "Undo")
    expect(mines).to_have_value("1")


def test_no_two_notations_read_the_same_symbols_otherwise(opened: Opened) -> None:
    page = opened("/#play")
    script = """async () => Object.values((await import("/page/shared/position.js")).DIALECTS)"""
    dialects = page.evaluate(script)
    for one in dialects:
        for other in dialects:
            assert all(other.get(symbol, cell) == cell for symbol, cell in one.items())


@pytest.mark.parametrize("text", ["?" * 1000, "garbage" * 143], ids=["board", "garbage"])
def test_a_text_too_large_for_the_page_is_refused_at_once(opened: Opened, text: str) -> None:
    page = opened(link(["1?"]))
    says(page, "1 layout")
    rows = "\n".join([text] * 1000)
    page.get_by_label("A board as text").evaluate("(field, rows) => { field.value = rows; }", rows)
    press(page, "Read the text")
    says(page, "cells are too many for this page")
    assert shown(page) == ["1?"]


def test_a_newer_text_is_not_answered_by_what_is_said_of_an_older_one(opened: Opened) -> None:
    page = opened(link(["1?"]))
    page.get_by_text("Files and links of other programs").click()
    held: list[Any] = []
    page.route("**/v1/formats/auto", lambda route: held.append(route))
    page.get_by_label("A board as text").fill("2x1x1\n1H")
    with page.expect_request("**/v1/formats/auto"):
        press(page, "Read the text in this format")
    with page.expect_event("requestfailed"):
        told = paste(page, "2?")
    expect(told).to_have_text("Read: 1 row, 2 columns.")
    expect_board(page, ["2?"])


def test_the_notation_is_kept_with_the_board(opened: Opened) -> None:
    page = opened(link(["1?"]))
    says(page, "1 layout")
    page.get_by_label("Notation").select_option("probst")
    page.wait_for_url("**n=probst")
    page.get_by_role("link", name="Strips").click()
    page.get_by_role("link", name="Analyse").click()
    page.reload()
    says(page, "1 layout")
    assert page.get_by_label("Notation").input_value() == "probst"


def test_files_of_other_programs_are_read_where_the_service_can(opened: Opened) -> None:
    page = opened("/#play")
    formats = [{"name": "mine", "title": "Mine"}]
    told = {"format": "mine", "board": ["1?"], "layout": None, "mines": 1, "first": None}
    page.route("**/v1/formats", lambda route: route.fulfill(json=formats))
    page.route("**/v1/formats/mine", lambda route: route.fulfill(json=told))
    page.goto(opened.url + "/#analyse")
    page.get_by_text("Files and links of other programs").click()
    page.get_by_label("Format").select_option("mine")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "x.mine", "mimeType": "text/plain", "buffer": b"2x1x1\n1H\n"}
    )
    expect_board(page, ["1?"])
    assert page.get_by_label("Mines in all").input_value() == "1"


def test_a_file_is_read_as_what_it_is_called(opened: Opened, server: Server) -> None:
    if "404" in opened.expected:
        pytest.skip("the service reads no formats")
    page = opened("/#analyse")
    page.get_by_text("Files and links of other programs").click()
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "Game.MBF", "mimeType": "", "buffer": bytes([2, 2, 0, 1, 0, 0])}
    )
    expect_board(page, ["B1", "11"])


def test_without_formats_nothing_is_offered(opened: Opened) -> None:
    page = opened("/#play")
    opened.expected.append("404")
    page.route("**/v1/formats", lambda route: route.fulfill(status=404, json={}))
    with page.expect_response("**/v1/formats"):
        page.goto(opened.url + link(["?1?"]))
    says(page, "2 layouts")
    assert page.get_by_text("Files and links of other programs").count() == 0
