"""Boards from texts and files."""

from typing import Any

import pytest

from tests.page.analyse.tab import (
    clipboard,
    drop,
    expect_board,
    open_tab,
    paste,
    paste_text,
    press,
    read_rows,
    sharing,
    wait_for_text,
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
def test_import_reads_and_writes_each_notation(opened: Opened, notation: str) -> None:
    text, rows = NOTATIONS[notation]
    page = sharing(opened, "/#analyse")
    page.get_by_text("How to read it").click()
    page.get_by_label("Read as").select_option(notation)
    paste(page, "\n".join(text) + "\n")
    expect_board(page, rows)
    open_tab(page, "Tools")
    page.get_by_label("in the notation").select_option(notation)
    press(page, "Copy text")
    assert clipboard(page) == "\n".join(text).replace("2*S", "2BS")


#: Texts, their rows, and what is said beside the size; the reader has tests of all its kinds.
TEXTS = {
    "1?\n?1": (["1?", "?1"], ""),
    "\n\n1?\n?1\n\n": (["1?", "?1"], ""),
    "1*1 111": (["1B1", "111"], "Blanks were read as the ends of rows."),
    "```text\n1?\n?1\n```\n": (["1?", "?1"], "The code fence was left out."),
    "1b\nsf": (["1B", "SF"], 'Read "b" as a mine, "s" as safe, "f" as a flag.'),
    '{"board": "1?\\n?1"}': (["1?", "?1"], ""),
    "1\ufe0f\u20e3\u2b1c\n\U0001f6a9\U0001f4a3": (
        ["1?", "FB"],
        "Read \u2b1c as unknown, \U0001f6a9 as a flag, \U0001f4a3 as a mine.",
    ),
    "| 1 | ? |\n|---|---|\n| ? | 1 |": (["1?", "?1"], "The lines of the table were left out."),
    "2,1,\n,1,1": (["21?", "?11"], "Read an empty field as unknown."),
    "  1 2 3\n1 ? 1 0\n2 ? 1 0": (
        ["?10", "?10"],
        "The rulers were left out: they count rows and columns.",
    ),
}


def test_import_reads_texts_as_people_have_them(opened: Opened) -> None:
    page = opened(link(["????"]))
    expect_board(page, ["????"])
    for text, (rows, said) in TEXTS.items():
        shown = paste(page, text)
        expect(shown).to_contain_text(f"{len(rows[0])} columns.")
        expect_board(page, rows)
        found = shown.text_content()
        assert found is not None
        assert found.partition("columns.")[2].strip() == said, text


def test_import_says_how_it_read_a_text(opened: Opened) -> None:
    page = opened(link(["????"]))
    expect_board(page, ["????"])
    texts = {
        "1?": "Read: 1 row, 2 columns.",
        '{"board": ["1?"], "mines": 1}': "Read as JSON: 1 row, 2 columns, 1 mine.",
        "1,?": "Read as a table: 1 row, 2 columns.",
        "[[1, 2]]": "Read as a list of a program: 1 row, 2 columns.",
        'curl x --json \'{"board": ["1?"]}\'': "Read as a curl command: 1 row, 2 columns.",
        "http://x/#analyse?b=1_.__&m=1": "Read as a link of this page: 2 rows, 2 columns, 1 mine.",
        "/#analyse?b=1_.__&amp;m=2": "Read as a link of this page: 2 rows, 2 columns, 2 mines.",
        "#analyse%3Fb%3D1_.__%26m%3D3": "Read as a link of this page: 2 rows, 2 columns, 3 mines.",
    }
    for text, said in texts.items():
        expect(paste(page, text)).to_contain_text(said)


def test_import_reads_totals_legends_and_lists_of_texts(tolerant: Opened) -> None:
    page = tolerant(link(["????"]))
    expect_board(page, ["????"])
    texts = {
        "Mines: 5/10\n1F?\n???": ("10 mines", 'Read "Mines: 5/10" as 10 mines on the whole board.'),
        "m=3\n1?1\n???": ("3 mines", ""),
        "1. - 1??\n2. - ???": (
            "3 columns",
            "Bullets, brackets or signs around cells were left out.",
        ),
        "Unknown: *\nMine: #\n1*#\n*11": ("3 columns", "The text says what * means."),
        "1 ? 1   Mines: 2\n? ? ?   Flags: 0": ("2 mines", "Remarks behind the rows"),
        "= =\n1 ?\n? 1\n= =": ("2 columns", "The lines of the table were left out."),
        "MINE = 9\nboard=[[1,9],[9,1]]": ("2 columns", "The text says what 9 means."),
        "[[],[1]]": ("Row 2 has 1 cell where row 1 has 0.", ""),
        "1?1\n???\n\n2?2\n???": ("may be boards of their own", ""),
    }
    for text, (size, note) in texts.items():
        shown = paste(page, text)
        expect(shown).to_contain_text(size)
        expect(shown).to_contain_text(note)
    paste(page, "1. - 1\n2. - ?\n3. - 1")
    expect(page.locator("#analyse .reading")).to_have_count(3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no text yet."),
        ("1?\n9?", 'The cell at row 2, column 1 is "9", which is not a clue from 0 to 8.'),
        ("1?\n1", "Row 2 has 1 cell where row 1 has 2."),
        ("1? ?\n????", "The blank at row 1, column 3 may stand for a cell"),
        ("http://x/#analyse?b=1_&q=1", 'its part "q" is unknown.'),
        ("http://x/#analyse?b=1_&m=1&m=2", 'it has the part "m" twice.'),
        ('{"mines": 3}', "The JSON object has no field board"),
        ('{"board": ["1?"', "has no closing bracket."),
        ("http://x/#analyse?b=1.__", "The board of this link cannot be read: its rows differ"),
        ("http://x/#strips", "This link does not contain a board."),
        ("https://minesweeper.online/game/1", "only that site knows the board it shows."),
        ("http://x/?analysis=aa", "The code ends after 2 characters."),
        ("2x1x1\n1J", "The symbol 'J'"),
    ],
)
def test_import_says_why_a_text_is_no_board(tolerant: Opened, text: str, message: str) -> None:
    page = tolerant(link(["1?"]))
    expect(paste(page, text)).to_contain_text(message)
    assert read_rows(page) == ["1?"]


@pytest.mark.parametrize("name", ["Copy link", "Copy JSON", "Copy curl command"])
def test_import_reads_the_texts_that_the_page_copies(opened: Opened, name: str) -> None:
    page = sharing(opened, link(["?1??", "F2BS"], 3))
    expect_board(page, ["?1??", "F2BS"])
    open_tab(page, "Tools")
    press(page, name)
    copied = clipboard(page)
    press(page, "Clear")
    expect_board(page, ["????"] * 2)
    expect(paste(page, f"\n {copied}\n")).to_contain_text("2 rows, 4 columns, 3 mines.")
    expect_board(page, ["?1??", "F2BS"])
    assert page.get_by_label("Mines in all").input_value() == "3"


def test_import_keeps_the_total_for_another_board_of_the_same_size(opened: Opened) -> None:
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


@pytest.mark.parametrize("text", ["?" * 1000, "garbage" * 143], ids=["board", "garbage"])
def test_import_rejects_a_board_too_large_for_the_page(tolerant: Opened, text: str) -> None:
    page = tolerant(link(["1?"]))
    wait_for_text(page, "1 layout")
    rows = "\n".join([text] * 1000)
    page.get_by_label("A board as text").evaluate("(field, rows) => { field.value = rows; }", rows)
    press(page, "Read")
    wait_for_text(
        page,
        "are too many for this page" if set(text) == {"?"} else "No line of the text is a row",
    )
    assert read_rows(page) == ["1?"]


def test_import_ignores_the_answer_about_an_older_text(opened: Opened) -> None:
    page = opened(link(["1?"]))
    held: list[Any] = []
    page.route("**/v1/formats/auto", lambda route: held.append(route), times=1)
    with page.expect_request("**/v1/formats/auto"):
        paste(page, "2x1x1\n1H")
    with page.expect_event("requestfailed"):
        shown = paste(page, "2?")
    expect(shown).to_have_text("Read: 1 row, 2 columns.")
    expect_board(page, ["2?"])


def test_import_forgets_a_recognised_notation(opened: Opened) -> None:
    page = opened(link(["1?"]))
    paste(page, "-1+")
    expect_board(page, ["?1B"])
    paste(page, "1 ? 1\n1 ? 1")
    expect_board(page, ["1?1", "1?1"])
    page.wait_for_url("**#analyse?b=1_1.1_1")


@pytest.mark.parametrize(
    ("text", "rows", "mines"),
    [
        ("2x1x1\n1H", ["1?"], "1"),
        ("https://example.org/JSMinesweeper/?b=0502&m=g0", ["B1000", "11000"], "1"),
        ("9x9:4,4,mb071b49fbd1cb6a0d5868", None, "10"),
    ],
    ids=["jsminesweeper", "link", "game ID"],
)
def test_import_recognises_texts_of_other_programs(
    opened: Opened, text: str, rows: list[str] | None, mines: str
) -> None:
    page = opened(link(["1?"]))
    expect(paste(page, text)).to_contain_text("Read as ")
    if rows:
        expect_board(page, rows)
    expect(page.get_by_label("Mines in all")).to_have_value(mines)


def test_import_takes_boards_pasted_anywhere_on_the_tab(opened: Opened) -> None:
    page = opened(link(["1?"]))
    expect_board(page, ["1?"])
    page.locator("#analyse .cell").first.focus()
    paste_text(page, "?2?\n???")
    expect_board(page, ["?2?", "???"])
    # What is pasted into another field is for that field.
    page.get_by_label("Mines in all").focus()
    paste_text(page, "3?\n??")
    page.get_by_role("link", name="Strips").click()
    paste_text(page, "3?\n??")
    page.get_by_role("link", name="Analyse").click()
    assert read_rows(page) == ["?2?", "???"]


def test_import_reads_dropped_and_opened_files(opened: Opened) -> None:
    page = opened(link(["1?"]))
    expect_board(page, ["1?"])
    drop(page, "board.txt", b"?2?\n???\n")
    expect_board(page, ["?2?", "???"])
    drop(page, "Game.MBF", bytes([2, 2, 0, 1, 0, 0]))
    expect_board(page, ["B1", "11"])
    page.get_by_label("A file to open").set_input_files(
        {"name": "x.mine", "mimeType": "text/plain", "buffer": b"2x1x1\n1H\n"}
    )
    expect_board(page, ["1?"])
    expect(page.get_by_label("Mines in all")).to_have_value("1")


def test_import_offers_each_board_of_an_ambiguous_text(tolerant: Opened) -> None:
    page = tolerant(link(["1?"]))
    expect(paste(page, "1.1\n...")).to_contain_text("Choose the one that you mean:")
    assert read_rows(page) == ["1?"]
    offers = page.locator("#analyse .reading")
    expect(offers).to_have_count(2)
    expect(offers.first).to_contain_text('"." unknown')
    expect(offers.first).to_contain_text("1?1\n???")
    offers.first.click()
    expect_board(page, ["1?1", "???"])
    expect(offers).to_have_count(0)


def test_import_takes_the_meaning_of_symbols(opened: Opened) -> None:
    page = opened(link(["1?"]))
    page.get_by_text("How to read it").click()
    page.get_by_label("symbols").fill("X=mine,.=unknown")
    paste(page, "X2X\n...")
    expect_board(page, ["B2B", "???"])


def test_imported_map_is_played_graded_and_analysed_from_its_first_click(opened: Opened) -> None:
    page = opened(link(["1?"]))
    paste(page, "001B\n0011\n1100\nB100")
    panel = page.locator("#analyse section", has=page.get_by_role("heading", name="All mines"))
    panel.get_by_label("row").fill("1")
    panel.get_by_label("column").fill("4")
    press(page, "Grade it")
    expect(panel).to_contain_text("There is a mine at the first click")
    panel.get_by_label("column").fill("1")
    press(page, "Grade it")
    expect(panel).to_contain_text("No guess is needed.")
    expect(panel).to_contain_text("1 opening, 3BV 1.")
    expect(panel).to_contain_text("Fewest clicks with flags and chords: 1.")
    press(page, "Analyse from the first click")
    expect_board(page, ["001?", "0011", "1100", "?100"])
    expect(page.get_by_label("Mines in all")).to_have_value("2")
    page.get_by_label("Mines in all").press("Escape")
    page.locator("#analyse").get_by_role("button", name="Undo").click()
    press(page, "Play it")
    cells = page.locator("#play .cell")
    expect(cells).to_have_count(16)
    expect(cells.nth(0)).to_have_attribute("data-symbol", "0")
    expect(cells.nth(3)).to_have_attribute("data-symbol", "F")
    assert "#play?map=001B.0011.1100.B100&first=" in page.url
