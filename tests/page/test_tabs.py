"""A look at each tab, also in the quick run; what else is tried in browsers is slow."""

from typing import Any

import pytest

from tests.page.analyse import tab as analyse
from tests.page.conftest import Opened
from tests.page.play.table import EXPERT, LEFT, Table
from tests.page.site import expect, link
from tests.page.strips import tab as strips


def test_first_click_opens_cells_and_starts_the_game(opened: Opened) -> None:
    wishes = []

    def deal(route: Any) -> None:
        wishes.append(route.request.post_data_json)
        route.fulfill(json={"found": True, "layout": EXPERT})

    page = opened(routes={"**/v1/boards": deal})
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 15).click()
    table.shows(8, 15, "0")
    (wish,) = wishes
    assert (wish["rows"], wish["cols"], wish["mines"]) == (16, 30, 99)
    assert (wish["kind"], wish["first"]) == ("guess-free", [8, 15])


def test_fatal_move_can_be_undone(small: Table) -> None:
    small.cell(3, 4).click()
    small.shows(3, 4, "X")
    expect(small.page.locator(".verdict-more")).to_have_text("Undo takes it back.")
    small.shows(2, 2, "B")
    small.button("Undo").click()
    small.shows(3, 4, "?")
    small.shows(2, 2, "?")
    expect(small.page.locator(".play-state")).to_contain_text("1Undos")
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.status).to_contain_text("Won")


def test_conflict_is_marked_explained_and_repaired(opened: Opened) -> None:
    page = opened(link(analyse.CONFLICT))
    analyse.wait_for_text(page, "Inconsistent.")
    for row in (0, 2):
        expect(analyse.cell(page, row, 0)).to_have_attribute("data-kind", "conflict")
    analyse.press(page, "Why?")
    page.get_by_role("button", name="The 3 at row 3, column 1 touches").click()
    expect(analyse.cell(page, 2, 0)).to_have_attribute("data-kind", "reason")
    expect(analyse.cell(page, 2, 1)).to_have_attribute("data-kind", "mine")
    analyse.open_tab(page, "Answer")
    page.get_by_role("button", name="Change the 3 at row 3, column 1 to 2").hover()
    expect(analyse.cell(page, 2, 0)).to_have_attribute("data-kind", "target")
    page.get_by_role("heading", name="Repairs").hover()
    expect(analyse.cell(page, 2, 0)).to_have_attribute("data-kind", "reason")
    analyse.press(page, "Change the 3 at row 3, column 1 to 1")
    analyse.expect_board(page, ["11?", "???", "1??"])
    expect(page.locator("#analyse .headline")).to_have_text("Consistent.")
    analyse.press(page, "Undo")
    analyse.expect_board(page, analyse.CONFLICT)


@pytest.mark.slow
def test_forced_cells_of_a_window_are_written_to_the_board(opened: Opened) -> None:
    page = strips.strips(opened, strips.FRAMED)
    strips.choose(page, 1, 0, 2, 5)
    strips.wait_for_text(page, "4 layouts")
    strips.wait_for_text(page, "3 clues with neighbours outside")
    strips.press(page, "Write them to the board")
    for row, col in ((1, 0), (1, 4), (2, 0), (2, 2), (2, 4)):
        expect(strips.cell(page, row, col)).to_have_attribute("data-symbol", "S")
    strips.press(page, "Back to Analyse")
    there = page.locator("#analyse").get_by_role("gridcell", name="row 3, column 3:")
    expect(there).to_have_attribute("data-symbol", "S")
    page.get_by_role("link", name="Strips").click()
    strips.press(page, "Undo")
    expect(strips.cell(page, 2, 2)).to_have_attribute("data-symbol", "?")
