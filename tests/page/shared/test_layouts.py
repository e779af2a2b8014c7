"""Paging through layouts."""

import pytest

from minecheck.minefield import Layout, parse
from minecheck.minefield.board import MINE
from tests.app.serving import Server
from tests.page.analyse.tab import (
    clipboard,
    expect_board,
    open_tab,
    press,
    read_rows,
    sharing,
    wait_for_text,
)
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

#: 2 to the power of 100 layouts: more than 10 to the power of 30.
LARGE = ["?" * 10] * 10


def test_layouts_can_be_shown_by_any_number_and_to_the_last(opened: Opened, server: Server) -> None:
    page = opened(link(LARGE))
    wait_for_text(page, "about 1.3 \u00d7 10³⁰ layouts")
    open_tab(page, "Layouts")
    for number, entry in ((10**30, "10^30"), (10**30 + 1, None), (2**100, "last")):
        if entry == "10^30":
            page.get_by_label("Layout number").fill(entry)
            press(page, "Show")
        else:
            press(page, "Last" if entry else "Next")
        body = {"board": LARGE, "offset": str(number - 1), "limit": 1}
        expect_board(page, server.post("/v1/layouts", body).json()["layouts"][0])
        wait_for_text(page, f"Layout {number:,} of")
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_disabled()
    for beyond in ("10^31", "1267650600228229401496703205377", "9" * 19_000, "0"):
        page.get_by_label("Layout number").fill(beyond)
        press(page, "Show")
        wait_for_text(page, f"Layouts are numbered from 1 to {2**100:,}.")
    for wrong in ("-1", "1.5", "10^", "all", "9" * 20_001):
        page.get_by_label("Layout number").fill(wrong)
        press(page, "Show")
        wait_for_text(page, "Enter a whole number")
    assert read_rows(page) == ["B" * 10] * 10
    press(page, "Back to the board")
    expect_board(page, LARGE)


def test_layouts_message_rounds_a_very_long_number(opened: Opened) -> None:
    page = opened(link(["?" * 100] * 50))
    wait_for_text(page, "about 1.4 \u00d7 10\u00b9\u2075\u2070\u2075 layouts")
    open_tab(page, "Layouts")
    page.get_by_label("Layout number").fill("10^1600")
    press(page, "Show")
    wait_for_text(
        page, "Layouts are numbered from 1 to about 1.4 \u00d7 10\u00b9\u2075\u2070\u2075."
    )


def test_random_layout_has_its_number(opened: Opened, server: Server) -> None:
    rows = ["?1??", "?2??", "???1"]
    page = opened(link(rows))
    wait_for_text(page, "22 layouts")
    open_tab(page, "Layouts")
    press(page, "Random")
    wait_for_text(page, " of 22.")
    number = int(page.get_by_label("Layout number").input_value()) - 1
    body = {"board": rows, "offset": number, "limit": 1}
    expect_board(page, server.post("/v1/layouts", body).json()["layouts"][0])


def test_all_digits_of_a_layout_count_can_be_copied(opened: Opened) -> None:
    page = sharing(opened, link(LARGE))
    page.get_by_text("All 31 digits").click()
    wait_for_text(page, f"{2**100:,}")
    press(page, "Copy the digits")
    assert clipboard(page) == str(2**100)


def test_shown_layout_fits_the_clues(opened: Opened) -> None:
    page = opened("/#analyse")
    wait_for_text(page, "12,012 layouts")
    board = parse(read_rows(page))
    open_tab(page, "Layouts")
    press(page, "Last")
    wait_for_text(page, "Layout 12,012 of 12,012.")
    layout = parse(read_rows(page))
    assert Layout(layout.cells == MINE).fits_board(board, 22)
