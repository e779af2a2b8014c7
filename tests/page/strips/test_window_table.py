"""Kadlac's windows of four squares on the tab Strips, in a browser."""

from random import Random

import pytest

from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.site import expect
from tests.page.strips.tab import FRAMED, press, strips, tab, wait_for_text, window

pytestmark = pytest.mark.slow


def test_wide_table_of_windows_scrolls_below_its_names_beside_the_answer(opened: Opened) -> None:
    page = strips(opened, FRAMED)
    tab(page).get_by_text("All windows of four squares in one row").click()
    frame = tab(page).locator(".window-table")
    expect(frame).to_be_visible()
    side = tab(page).locator(".strip-side").bounding_box()
    table = frame.bounding_box()
    assert table["x"] + table["width"] <= side["x"]
    frame.evaluate("frame => { frame.scrollTop = 200; frame.scrollLeft = 100; }")
    top = frame.locator("thead th").nth(9).bounding_box()
    left = frame.locator("tbody th").nth(9).bounding_box()
    assert (top["y"], left["x"]) == (table["y"], table["x"])


def test_window_table_has_all_windows_which_can_be_chosen(opened: Opened, server: Server) -> None:
    page = strips(opened, FRAMED)
    tab(page).get_by_text("All windows of four squares in one row").click()
    cells = tab(page).locator(".window-table td button")
    expect(cells).to_have_count(625)
    assert tab(page).locator(".window-table [data-kind=yes]").count() == 220
    wait_for_text(page, "220 of 625 windows are consistent")
    names = cells.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    for name in Random(1).sample(names, 5):
        squares, _, verdict = name.partition(": ")
        body = {"board": [f"?{squares}?"], "window": "0,1,1,4"}
        consistent = server.post("/v1/strips", body).json()["consistent"]
        assert (verdict == "consistent") is consistent
        press(page, name)
        expect(tab(page).locator(".headline").first).to_have_text(
            "Consistent." if consistent else "Inconsistent."
        )
        assert window(page) == [0, 1, 1, 4]
        expect(tab(page).get_by_role("gridcell")).to_have_count(6)
