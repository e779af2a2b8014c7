"""The tab that analyses boards, in a browser: what it shows is what the service answers."""

import json
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest

from minefield import Layout, parse
from minefield.board import MINE
from tests.app.serving import Server
from tests.page.conftest import Opened

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")

SVG = "{http://www.w3.org/2000/svg}"
CONFLICT = ["11?", "???", "3??"]
#: 2 to the power of 100 layouts: more than 10 to the power of 30.
LARGE = ["?" * 10] * 10
NOTATIONS = {
    "standard": (["?1B", "2*S", "F??"], ["?1B", "2BS", "F??"]),
    "probst": (["-1+", "2- ", "0--"], ["?1B", "2?S", "0??"]),
    "minesweepr": (["x1*", "2x.", "xxx"], ["?1B", "2?0", "???"]),
}


@pytest.fixture(autouse=True)
def formats(opened: Opened, server: Server) -> None:
    """A service that reads no formats says 404, which the browser reports and the page does not."""
    if httpx2.get(f"{server.url}/v1/formats").status_code == 404:
        opened.expected.append("404")


def link(rows: list[str], mines: int | None = None, tab: str = "analyse") -> str:
    """The address of a board."""
    total = "" if mines is None else f"&m={mines}"
    return f"/#{tab}?b={'.'.join(rows).replace('?', '_')}{total}"


def shown(page: Any) -> list[str]:
    """The rows that the board of the tab shows."""
    script = """() => [...document.querySelectorAll("#analyse [role=row]")].map((row) =>
        [...row.children].map((cell) => cell.dataset.symbol).join(""))"""
    found: list[str] = page.evaluate(script)
    return found


def expect_board(page: Any, rows: list[str]) -> None:
    """Wait for the board to show these rows."""
    script = """(rows) => JSON.stringify(rows) === JSON.stringify(
        [...document.querySelectorAll("#analyse [role=row]")].map((row) =>
            [...row.children].map((cell) => cell.dataset.symbol).join("")))"""
    page.wait_for_function(script, arg=rows)


def cell(page: Any, row: int, col: int) -> Any:
    return page.locator("#analyse").get_by_role("gridcell", name=f"row {row}, column {col}:")


def press(page: Any, name: str) -> None:
    page.locator("#analyse").get_by_role("button", name=name, exact=True).click()


def expect(page: Any, text: str) -> None:
    """Wait for a text on the tab."""
    sync_api.expect(page.locator("#analyse")).to_contain_text(text)


def clipboard(page: Any) -> str:
    """What was copied, after it was."""
    sync_api.expect(page.locator("#told")).to_contain_text("Copied.")
    found: str = page.evaluate("navigator.clipboard.readText()")
    return found


def sharing(opened: Opened, path: str) -> Any:
    return opened(path, permissions=["clipboard-read", "clipboard-write"])


def test_a_link_opens_its_board_with_all_that_is_known_of_it(opened: Opened) -> None:
    page = opened(link(["?1??"], 1))
    expect(page, "2 layouts")
    expect(page, "Forced: 1 safe cell.")
    expect_board(page, ["?1??"])
    sync_api.expect(cell(page, 0, 0)).to_have_accessible_name("row 0, column 0: unknown, 50 % mine")
    sync_api.expect(cell(page, 0, 3)).to_have_accessible_name(
        "row 0, column 3: unknown, proved safe"
    )


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


def paste(page: Any, text: str) -> Any:
    """Read a text; where the page says what it was."""
    page.get_by_label("A board as text").fill(text)
    press(page, "Read the text")
    return page.locator("#analyse section", has=page.get_by_label("A board as text")).get_by_role(
        "status"
    )


#: Texts, their rows, and what is said beside the size.
TEXTS = {
    "1?\n?1": (["1?", "?1"], ""),
    "\n\n1?\n?1\n\n": (["1?", "?1"], "Left out: blanks and empty lines around the board."),
    "  1?  \n  ?1\t\n": (["1?", "?1"], "Left out: blanks and empty lines around the board."),
    "1 2 ?\n? ? ?": (["12?", "???"], "Left out: what is between the cells."),
    "1\t?\r\n?\t1\r\n": (["1?", "?1"], "Left out: what is between the cells."),
    "1, ?\n?, 1": (["1?", "?1"], "Left out: what is between the cells."),
    "\ufeff1?\r\n?1\r\n": (["1?", "?1"], ""),
    "```text\n1?\n?1\n```\n": (["1?", "?1"], "Left out: the code fence."),
    "1b\nsf": (["1B", "SF"], 'Taken: "b" as mine, "s" as safe, number unknown, "f" as flag.'),
    "1*\n_#": (["1B", "??"], 'Taken: "*" as mine, "_" as unknown, "#" as unknown.'),
    '["1?", "?1"]': (["1?", "?1"], ""),
    '{"board": "1?\\n?1"}': (["1?", "?1"], ""),
    '{"board": [[1, "?"], ["?", 1]], "flags": "trust"}': (["1?", "?1"], 'Left out: "flags".'),
    # Last, as each sets the notation.
    "1.x": (["10?"], 'Taken: "." as clue 0, "x" as unknown.'),
    "-1+": (["?1B"], 'Taken: "-" as unknown, "+" as mine.'),
    "- 1\n 1 ": (["?S1", "S1S"], 'Taken: "-" as unknown, " " as safe, number unknown.'),
}


def test_texts_as_people_have_them_are_read(opened: Opened) -> None:
    page = opened(link(["????"]))
    expect_board(page, ["????"])
    for text, (rows, said) in TEXTS.items():
        told = paste(page, text)
        sync_api.expect(told).to_contain_text(f"{len(rows[0])} columns.")
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
        'curl x --json \'{"board": ["1?"]}\'': "Read as a curl line, in the notation standard:",
        "http://x/#analyse?b=1_.__&m=1&n=probst": "Read as a link of this page, in the notation"
        " probst: 2 rows, 2 columns, 1 mine.",
    }
    for text, said in texts.items():
        sync_api.expect(paste(page, text)).to_contain_text(said)
    assert page.get_by_label("Notation").input_value() == "probst"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no board yet."),
        ("1?\n9?", 'The symbol "9" at row 1, column 0 is not in the notation standard.'),
        ("1?\n1", "Row 1 has 1 cell where row 0 has 2."),
        ("1 ?\n1??", 'The symbol "1??" at row 1, column 0 is not in the notation standard.'),
        ("1  1\n1111", 'The symbol "1111" at row 1, column 0'),
        ("12 1\n1111", 'The symbol " " at row 0, column 2 is not in the notation standard.'),
        ("1,,2\n,1,2", 'The symbol ",1,2" at row 1, column 0'),
        ("1?\n\n?1", "Row 1 has 0 cells where row 0 has 2."),
        ('{"mines": 3}', "There is no board in it."),
        ('{"board": [["10", 1]]}', "There is no board in it."),
        ('{"board": ["1?"], "mines": 1.5}', 'Its "mines" are no whole number.'),
        ('{"board": ["1?"', "This is no JSON with a board in it."),
        ('{"board": ["1?"], "notation": "toString"}', "Its notation is none that is known."),
        ("curl x --json @board.json", "This is no JSON with a board in it."),
        ("http://x/#analyse?b=1.__", "This link has no board that can be read: its rows differ"),
        ("http://x/#strips", "This link has no board in it."),
        ("http://x/?analysis=aa", "This looks like what another program writes"),
        ("2x1x1\n1H", "This looks like what another program writes"),
        ("constructor", 'The symbol "c" at row 0, column 0'),
    ],
)
def test_a_text_that_is_no_board_is_refused_and_told_why(
    opened: Opened, text: str, message: str
) -> None:
    page = opened(link(["1?"]))
    sync_api.expect(paste(page, text)).to_contain_text(message)
    assert shown(page) == ["1?"]


@pytest.mark.parametrize("name", ["Copy link", "Copy JSON", "Copy curl line"])
def test_what_the_page_copies_it_reads(opened: Opened, name: str) -> None:
    page = sharing(opened, link(["?1??", "F2BS"], 3))
    expect_board(page, ["?1??", "F2BS"])
    press(page, name)
    copied = clipboard(page)
    press(page, "Clear")
    expect_board(page, ["????"] * 2)
    sync_api.expect(paste(page, f"\n {copied}\n")).to_contain_text("2 rows, 4 columns, 3 mines.")
    expect_board(page, ["?1??", "F2BS"])
    assert page.get_by_label("Mines in all").input_value() == "3"


def test_the_mines_of_a_board_stay_with_another_of_its_size(opened: Opened) -> None:
    page = opened(link(["?1??"], 1))
    expect_board(page, ["?1??"])
    mines = page.get_by_label("Mines in all")
    sync_api.expect(paste(page, "??1?")).to_contain_text('"Mines in all" is still 1.')
    assert mines.input_value() == "1"
    sync_api.expect(paste(page, "??1")).to_contain_text('"Mines in all" is empty now.')
    assert mines.input_value() == ""
    sync_api.expect(paste(page, "??2")).not_to_contain_text("Mines in all")
    press(page, "Undo")
    press(page, "Undo")
    sync_api.expect(mines).to_have_value("1")


def test_no_two_notations_read_the_same_symbols_otherwise(opened: Opened) -> None:
    page = opened("/#play")
    script = """async () => Object.values((await import("/page/position.js")).DIALECTS)"""
    dialects = page.evaluate(script)
    for one in dialects:
        for other in dialects:
            assert all(other.get(symbol, cell) == cell for symbol, cell in one.items())


@pytest.mark.parametrize("text", ["?" * 1000, "garbage" * 143], ids=["board", "garbage"])
def test_a_text_too_large_for_the_page_is_refused_at_once(opened: Opened, text: str) -> None:
    page = opened(link(["1?"]))
    expect(page, "1 layout")
    rows = "\n".join([text] * 1000)
    page.get_by_label("A board as text").evaluate("(field, rows) => { field.value = rows; }", rows)
    press(page, "Read the text")
    expect(page, "cells are too many for a page")
    assert shown(page) == ["1?"]


def test_a_newer_text_is_not_answered_by_what_is_said_of_an_older_one(opened: Opened) -> None:
    page = opened(link(["1?"]))
    page.get_by_text("Files and links of other programs").click()
    held: list[Any] = []
    page.route("**/v1/formats/auto", lambda route: held.append(route))
    page.get_by_label("A board as text").fill("2x1x1\n1H")
    with page.expect_request("**/v1/formats/auto"):
        press(page, "Read the text as this")
    with page.expect_event("requestfailed"):
        told = paste(page, "2?")
    sync_api.expect(told).to_have_text("Read: 1 row, 2 columns.")
    expect_board(page, ["2?"])


def test_a_link_that_unpacks_late_does_not_replace_a_newer_one(opened: Opened) -> None:
    page = opened("/#analyse")
    expect(page, "12,012 layouts")
    script = """async () => {
        const { written } = await import("/page/share.js");
        const Plain = DecompressionStream;
        window.DecompressionStream = function (format) {
            const { writable, readable } = new Plain(format);
            const later = async (chunk, controller) => {
                await new Promise((resolve) => setTimeout(resolve, 300));
                controller.enqueue(chunk);
            };
            const slow = new TransformStream({ transform: later });
            return { writable, readable: readable.pipeThrough(slow) };
        };
        const packed = await written({ rows: Array(50).fill("?".repeat(100)), mines: null,
            notation: "standard" });
        location.hash = `analyse?${packed}`;
        await new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
        location.hash = "analyse?b=_1";
        return packed;
    }"""
    assert page.evaluate(script).startswith("b=~")
    expect(page, "1 layout")
    page.wait_for_timeout(500)
    assert shown(page) == ["?1"]


@pytest.mark.parametrize(
    "kept",
    ['{"rows":[]}', '{"rows":[1]}', '{"rows":["1","12"],"mines":null}', '{"rows":["z"]}', "[", "5"],
)
def test_what_was_kept_and_is_no_board_is_left(opened: Opened, kept: str) -> None:
    page = opened("/#play")
    page.evaluate("(kept) => sessionStorage.setItem('minecheck.position', kept)", kept)
    page.get_by_role("link", name="Analyse").click()
    expect(page, "12,012 layouts")


def test_the_notation_is_kept_with_the_board(opened: Opened) -> None:
    page = opened(link(["1?"]))
    expect(page, "1 layout")
    page.get_by_label("Notation").select_option("probst")
    page.wait_for_url("**n=probst")
    page.get_by_role("link", name="Strips").click()
    page.get_by_role("link", name="Analyse").click()
    page.reload()
    expect(page, "1 layout")
    assert page.get_by_label("Notation").input_value() == "probst"


@pytest.mark.parametrize("names", [["Undo"], ["Last", "Back to the board"]])
def test_the_keyboard_stays_on_a_button_that_has_no_more_to_do(
    opened: Opened, names: list[str]
) -> None:
    page = opened(link(["?1?"]))
    expect(page, "2 layouts")
    for name in names:
        control = page.locator("#analyse").get_by_role("button", name=name, exact=True)
        control.press("Enter")
        sync_api.expect(control).to_have_attribute("aria-disabled", "true")
        control.press("Enter")
        sync_api.expect(control).to_be_focused()


def test_after_a_repair_the_keyboard_goes_on_where_it_mended(opened: Opened) -> None:
    page = opened(link(CONFLICT))
    page.get_by_role("button", name="Change the 3 at row 2, column 0 to 1").press("Enter")
    sync_api.expect(cell(page, 2, 0)).to_be_focused()
    page.keyboard.press("2")
    expect_board(page, ["11?", "???", "2??"])


def test_a_conflict_is_marked_explained_and_repaired(opened: Opened) -> None:
    page = opened(link(CONFLICT))
    expect(page, "Inconsistent.")
    for row in (0, 2):
        sync_api.expect(cell(page, row, 0)).to_have_attribute("data-kind", "conflict")
    press(page, "Why?")
    page.get_by_role("button", name="The 3 at row 2, column 0 touches").click()
    sync_api.expect(cell(page, 2, 0)).to_have_attribute("data-kind", "reason")
    sync_api.expect(cell(page, 2, 1)).to_have_attribute("data-kind", "mine")
    page.get_by_role("button", name="Change the 3 at row 2, column 0 to 2").hover()
    sync_api.expect(cell(page, 2, 0)).to_have_attribute("data-kind", "target")
    page.get_by_role("heading", name="Why?").hover()
    sync_api.expect(cell(page, 2, 0)).to_have_attribute("data-kind", "reason")
    press(page, "Change the 3 at row 2, column 0 to 1")
    expect_board(page, ["11?", "???", "1??"])
    sync_api.expect(page.locator("#analyse .headline")).to_have_text("Consistent.")
    press(page, "Undo")
    expect_board(page, CONFLICT)


def test_each_step_of_a_conflict_marks_its_clues(opened: Opened) -> None:
    page = opened("/#play")
    # An answer that has found a conflict of other clues than the explanation will.
    none = ("witness", "count", "by_mines", "forced", "probabilities", "safest", "flags")
    answer = {**dict.fromkeys(none), "consistent": False, "conflict": [[0, 1], [2, 0]]}
    answer |= {"conflict_mines": False, "solver": {"complete": False}}
    page.route("**/v1/analyze", lambda route: route.fulfill(json=answer))
    page.goto(opened.url + link(CONFLICT))
    expect(page, "Inconsistent.")
    press(page, "Why?")
    expect(page, "2 clues cannot hold together")
    page.get_by_role("button", name="The 1 at row 0, column 0 touches").click()
    sync_api.expect(cell(page, 0, 0)).to_have_attribute("data-kind", "reason")
    sync_api.expect(cell(page, 2, 0)).to_have_attribute("data-kind", "conflict")
    assert cell(page, 0, 1).get_attribute("data-kind") is None
    page.get_by_role("button", name="contradict each other").click()
    for row in (0, 2):
        sync_api.expect(cell(page, row, 0)).to_have_attribute("data-kind", "conflict")


def test_a_total_that_cannot_be_is_told_in_the_answer(opened: Opened) -> None:
    page = opened(link(["?1??"]))
    expect(page, "4 layouts")
    page.get_by_label("Mines in all").fill("4")
    expect(page, "Layouts have from 1 to 2 mines.")
    expect(page, "No layout fits: the total of mines cannot hold.")
    opened.expected.append("422")
    page.get_by_label("Mines in all").fill("9")
    expect(
        page,
        "4 cells can hold 0 to 4 mines, known ones included. "
        'Change "Mines in all", or leave it empty.',
    )
    page.get_by_label("Mines in all").fill("two")
    message = page.get_by_label("Mines in all").evaluate("(field) => field.validationMessage")
    assert message.startswith("Write a whole number")
    page.get_by_label("Mines in all").fill("2")
    assert page.locator("#analyse input:invalid").count() == 0


def test_why_a_cell_is_forced_is_walked_on_the_board(opened: Opened) -> None:
    page = opened(link(["?1??"], 1))
    cell(page, 0, 3).click()
    expect(page, "Row 0, column 3 is safe in every layout.")
    page.get_by_role("button", name="The 1 at row 0, column 1 touches").click()
    sync_api.expect(cell(page, 0, 1)).to_have_attribute("data-kind", "reason")
    cell(page, 0, 0).click()
    expect(page, "is not forced")
    press(page, "One with a mine")
    expect_board(page, ["B100"])


def test_a_grade_does_not_contradict_the_steps(opened: Opened) -> None:
    # Single clues find row 0, column 4; from the fewest clues it takes a supposition.
    rows = ["??01?1011", "1?12?102?", "02??1?02?", "02???01??", "1221001?1"]
    rows += ["2?3??01?2", "???10?1??", "2?42?01?2", "1?2?10111"]
    page = opened(link(rows, 14))
    cell(page, 0, 4).click()
    expect(page, "Suppose row 0, column 4 is a mine.")
    expect(page, "With the whole board in view single clues tell it, one after another.")
    expect(page, "The steps rest on few clues, and can be harder.")


def test_layouts_are_paged_to_any_number_and_to_the_last(opened: Opened, server: Server) -> None:
    page = opened(link(LARGE))
    expect(page, "about 1.3 \u00d7 10³⁰ layouts")
    for number, wanted in ((10**30, "10^30"), (10**30 + 1, None), (2**100 - 1, "last")):
        if wanted == "10^30":
            page.get_by_label("Number, from 0").fill(wanted)
            press(page, "Show")
        else:
            press(page, "Last" if wanted else "Next")
        asked = {"board": LARGE, "offset": str(number), "limit": 1}
        expect_board(page, server.post("/v1/layouts", asked).json()["layouts"][0])
        expect(page, f"Layout number {number:,}")
    sync_api.expect(page.get_by_role("button", name="Next", exact=True)).to_be_disabled()
    for beyond in ("10^31", "1267650600228229401496703205376", "9" * 19_000):
        page.get_by_label("Number, from 0").fill(beyond)
        press(page, "Show")
        expect(page, f"Numbers go from 0 to {2**100 - 1:,}.")
    for wrong in ("-1", "1.5", "10^", "all", "9" * 20_001):
        page.get_by_label("Number, from 0").fill(wrong)
        press(page, "Show")
        expect(page, "Write a whole number")
    assert shown(page) == ["B" * 10] * 10
    press(page, "Back to the board")
    expect_board(page, LARGE)


def test_a_number_too_long_to_read_is_rounded_in_messages(opened: Opened) -> None:
    page = opened(link(["?" * 100] * 50))
    expect(page, "about 1.4 \u00d7 10\u00b9\u2075\u2070\u2075 layouts")
    page.get_by_label("Number, from 0").fill("10^1600")
    press(page, "Show")
    expect(page, "Numbers go from 0 to about 1.4 \u00d7 10\u00b9\u2075\u2070\u2075.")


def test_a_layout_at_random_has_its_number(opened: Opened, server: Server) -> None:
    rows = ["?1??", "?2??", "???1"]
    page = opened(link(rows))
    expect(page, "22 layouts")
    press(page, "Random")
    expect(page, "of 22, counted from 0.")
    number = page.get_by_label("Number, from 0").input_value()
    asked = {"board": rows, "offset": number, "limit": 1}
    expect_board(page, server.post("/v1/layouts", asked).json()["layouts"][0])


def test_all_digits_of_a_count_are_copied(opened: Opened) -> None:
    page = sharing(opened, link(LARGE))
    page.get_by_text("All 31 digits").click()
    expect(page, f"{2**100:,}")
    press(page, "Copy the digits")
    assert clipboard(page) == str(2**100)


@pytest.mark.parametrize("rows", [["?1??", "F2BS"], ["?" * 30] * 16], ids=["short", "packed"])
def test_a_link_copied_opens_the_same_board(opened: Opened, rows: list[str]) -> None:
    page = sharing(opened, link(rows, 2))
    expect_board(page, rows)
    page.get_by_label("Notation").select_option("minesweepr")
    press(page, "Copy link")
    copied = clipboard(page)
    assert len(copied) < len(opened.url) + 60
    other = opened(copied.removeprefix(opened.url))
    expect_board(other, rows)
    assert other.get_by_label("Mines in all").input_value() == "2"
    assert other.get_by_label("Notation").input_value() == "minesweepr"


def test_without_compression_a_link_is_plain(opened: Opened) -> None:
    page = sharing(opened, link(["???", "???"]))
    expect_board(page, ["???", "???"])
    script = """async () => {
        delete globalThis.CompressionStream;
        const { written, read } = await import("/page/share.js");
        const position = { rows: Array(16).fill("?".repeat(30)), mines: 99, notation: "probst" };
        const text = await written(position);
        const again = await read(new URLSearchParams(text));
        return [text.includes("~"), JSON.stringify(again) === JSON.stringify(position)];
    }"""
    assert page.evaluate(script) == [False, True]


def test_bad_links_say_so(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    expect(page, "2 layouts")
    reasons = {
        "b=12.1": "its rows differ in length",
        "b=1x": "it has the symbol",
        "b=": "it is empty",
        "b=~!!": "it is damaged",
        "b=~S0osSk0uSQUA": "it",
        "b=12&m=many": "its number of mines is none",
        "b=12&n=own": "its notation is none that is known",
        f"b={'.'.join(['1' * 600] * 2)}": "2\u00d7600 cells are too many",
    }
    told = page.locator("#told-problem")
    for hash_, why in reasons.items():
        page.evaluate("(hash) => { location.hash = hash; }", f"analyse?{hash_}")
        sync_api.expect(told).to_contain_text(f"no board that can be read: {why}")
        page.get_by_role("button", name="Close the message").click()
    assert shown(page) == ["?1?"]


def test_what_unpacks_to_more_than_a_board_is_not_unpacked(opened: Opened) -> None:
    page = opened("/#analyse")
    script = """async () => {
        const { read } = await import("/page/share.js");
        const zeros = new Blob(["0".repeat(1 << 24)]).stream();
        const packed = zeros.pipeThrough(new CompressionStream("deflate-raw"));
        const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
        const base64 = btoa(String.fromCharCode(...bytes));
        const url = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        return read(new URLSearchParams({ b: `~${url}` })).catch((error) => error.message);
    }"""
    assert "too large" in page.evaluate(script)


def test_json_and_curl_lines_ask_this_service(opened: Opened, server: Server) -> None:
    page = sharing(opened, link(["?1??"], 1))
    press(page, "Copy JSON")
    asked = json.loads(clipboard(page))
    assert asked == {"board": ["?1??"], "mines": 1}
    page.get_by_role("button", name="Close the message").click()
    press(page, "Copy curl line")
    command, url, option, body = shlex.split(clipboard(page))
    assert (command, option, json.loads(body)) == ("curl", "--json", asked)
    assert url == f"{server.url}/v1/analyze"


def test_pictures_show_the_board(opened: Opened, tmp_path: Path) -> None:
    page = sharing(opened, link(["?1B3", "FS?8"]))
    expect_board(page, ["?1B3", "FS?8"])
    press(page, "Copy SVG")
    root = ElementTree.fromstring(clipboard(page))
    assert root.tag == f"{SVG}svg"
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"1", "3", "8", "S"} <= set(texts)
    assert root.findtext(f"{SVG}desc") == "?1B3\nFS?8"
    with page.expect_download() as download:
        press(page, "Save PNG")
    download.value.save_as(tmp_path / "board.png")
    saved = (tmp_path / "board.png").read_bytes()
    assert saved.startswith(b"\x89PNG")
    assert saved[16:24] == (2 * 130).to_bytes(4, "big") + (2 * 66).to_bytes(4, "big")


def test_pictures_have_the_colours_of_the_page(opened: Opened) -> None:
    page = sharing(opened, "/#analyse")
    expect(page, "12,012 layouts")
    on_page = page.evaluate("""() => [...document.querySelectorAll("#analyse [data-heat]")]
        .map((cell) => getComputedStyle(cell).backgroundColor)""")
    press(page, "Copy SVG")
    root = ElementTree.fromstring(clipboard(page))
    cells = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}text") is not None]
    warm = [group for group in cells if group.find(f"{SVG}text").get("font-size") == "11"]
    assert [group.find(f"{SVG}rect").get("fill") for group in warm] == on_page
    assert len(set(on_page)) == 3


def test_where_nothing_may_be_copied_the_text_is_shown(opened: Opened) -> None:
    page = opened(link(["?1??"]))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error('no')); }")
    press(page, "Copy JSON")
    sync_api.expect(page.get_by_label("To be copied")).to_have_value('{"board": ["?1??"]}')


def test_a_board_is_drawn_with_the_keyboard_alone(opened: Opened) -> None:
    page = opened(link(["???", "???"]))
    expect_board(page, ["???", "???"])
    cell(page, 0, 0).focus()
    for key in ("1", "f", "Delete", "s", "B", "4", "Backspace", "Backspace"):
        page.keyboard.press(key)
    expect_board(page, ["1FS", "???"])
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.press("*")
    expect_board(page, ["1FB", "???"])
    sync_api.expect(cell(page, 1, 0)).to_be_focused()


@pytest.mark.parametrize("held", ["Control", "Meta"])
def test_what_is_drawn_is_undone_with_the_keyboard(opened: Opened, held: str) -> None:
    page = opened(link(["???"]))
    expect_board(page, ["???"])
    cell(page, 0, 0).focus()
    page.keyboard.type("12")
    expect_board(page, ["12?"])
    page.keyboard.press(f"{held}+z")
    expect_board(page, ["1??"])
    page.keyboard.press(f"{held}+z")
    expect_board(page, ["???"])
    sync_api.expect(cell(page, 0, 2)).to_be_focused()
    page.keyboard.press(f"{held}+Shift+Z")
    expect_board(page, ["1??"])
    page.get_by_label("A board as text").fill("1")
    page.keyboard.press(f"{held}+z")
    expect_board(page, ["1??"])
    paste(page, "??\n12")
    expect_board(page, ["??", "12"])
    cell(page, 1, 1).focus()
    page.keyboard.press(f"{held}+z")
    expect_board(page, ["1??"])
    sync_api.expect(cell(page, 0, 1)).to_be_focused()


def test_the_brush_paints_cells_that_are_clicked_or_dragged_over(opened: Opened) -> None:
    page = opened(link(["????", "????"]))
    expect_board(page, ["????", "????"])
    page.get_by_role("radio", name="mine", exact=True).check()
    cell(page, 0, 0).hover()
    page.mouse.down()
    cell(page, 0, 1).hover()
    cell(page, 0, 2).hover()
    page.mouse.up()
    cell(page, 1, 3).click()
    expect_board(page, ["BBB?", "???B"])
    press(page, "Undo")
    expect_board(page, ["BBB?", "????"])
    press(page, "Undo")
    expect_board(page, ["????", "????"])
    press(page, "Redo")
    expect_board(page, ["BBB?", "????"])


def test_the_size_changes_around_what_is_there(opened: Opened) -> None:
    page = opened(link(["12", "3?"]))
    page.get_by_label("Columns").fill("3")
    page.get_by_label("Columns").press("Enter")
    expect_board(page, ["12?", "3??"])
    rows = page.get_by_role("spinbutton", name="Rows")
    rows.fill("100000")
    rows.press("Enter")
    sync_api.expect(page.locator("#told")).to_contain_text("too many for a page")
    assert shown(page) == ["12?", "3??"]


def test_older_questions_are_given_up(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    expect(page, "2 layouts")
    page.evaluate("""() => {
        window.signals = [];
        const plain = window.fetch;
        window.fetch = (resource, options) => {
            if (String(resource).endsWith("analyze")) window.signals.push(options.signal);
            return plain(resource, options);
        };
    }""")
    # Whoever holds a request never answers it.
    page.route("**/v1/analyze", lambda route: None)
    cell(page, 0, 0).focus()
    for key, given_up in (("0", [False]), ("Backspace", [True, False])):
        page.keyboard.press(key)
        page.wait_for_function(
            """(wanted) => JSON.stringify(window.signals.map((signal) => signal.aborted))
                === JSON.stringify(wanted)""",
            arg=given_up,
        )


def test_without_the_service_the_board_can_still_be_drawn(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    expect(page, "2 layouts")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/**", lambda route: route.abort())
    cell(page, 0, 0).focus()
    page.keyboard.press("B")
    expect(page, "The service cannot be reached.")
    expect_board(page, ["B1?"])
    page.unroute("**/v1/**")
    press(page, "Ask again")
    expect(page, "1 layout")


def test_an_answer_that_is_incomplete_says_so(opened: Opened) -> None:
    page = opened("/#play")
    answer = {
        **dict.fromkeys(("count", "by_mines", "forced", "probabilities", "safest", "flags")),
        **dict.fromkeys(("conflict", "conflict_mines")),
        "consistent": True,
        "witness": ["B10"],
        "solver": {"name": "x", "complete": False, "elapsed_ms": 1, "note": "Give more time."},
    }
    page.route("**/v1/analyze", lambda route: route.fulfill(json=answer))
    page.goto(opened.url + link(["?1?"]))
    expect(page, "The layouts could not be counted in time.")
    expect(page, "This answer is incomplete.")
    sync_api.expect(page.locator("#analyse")).not_to_contain_text("Give more time.")
    sync_api.expect(page.locator("#analyse .headline")).to_have_text("Consistent.")


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


def test_a_link_is_followed_also_when_the_board_has_changed_since(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    expect_board(page, ["?1?"])
    begun = page.url
    page.locator("#analyse .cell").first.focus()
    page.keyboard.press("2")
    expect_board(page, ["21?"])
    page.wait_for_url(lambda url: url != begun)
    page.evaluate("(url) => { location.href = url; }", begun)
    expect_board(page, ["?1?"])


def test_without_formats_nothing_is_offered(opened: Opened) -> None:
    page = opened("/#play")
    opened.expected.append("404")
    page.route("**/v1/formats", lambda route: route.fulfill(status=404, json={}))
    with page.expect_response("**/v1/formats"):
        page.goto(opened.url + link(["?1?"]))
    expect(page, "2 layouts")
    assert page.get_by_text("Files and links of other programs").count() == 0


def test_a_narrow_screen_is_not_scrolled_sideways(opened: Opened) -> None:
    page = opened("/#analyse", viewport={"width": 360, "height": 740}, has_touch=True)
    expect(page, "12,012 layouts")
    page.get_by_label("Examples").select_option("A lattice")
    expect(page, "All ")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert all(shown(page))


def test_layouts_that_are_shown_fit_the_clues(opened: Opened) -> None:
    page = opened("/#analyse")
    expect(page, "12,012 layouts")
    board = parse(shown(page))
    press(page, "Last")
    expect(page, "Layout number 12,011 of 12,012")
    layout = parse(shown(page))
    assert Layout(layout.cells == MINE).fits(board, 22)
