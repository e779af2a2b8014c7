"""Hints, the heat map and explanations in a game."""

import re
from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import LEFT, SMALL, SMALL_LINK, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


def test_the_heat_map_shows_chances_and_the_safest_cell(small: Table) -> None:
    small.button("Heat map").click()
    expect(small.cell(2, 2)).to_have_attribute("data-heat", "4")
    expect(small.cell(2, 2)).to_have_attribute(
        "aria-label", "row 3, column 3: unknown, 100\u00a0% mine"
    )
    expect(small.cell(4, 4)).to_have_attribute("aria-label", re.compile("unknown.* 0\u00a0% mine"))
    expect(small.cell(3, 5)).to_have_attribute("aria-label", re.compile("the safest cell"))
    small.cell(3, 5).click()
    expect(small.cell(4, 4)).to_have_attribute("aria-label", re.compile("the safest cell"))
    small.button("Heat map").click()
    expect(small.page.locator("#play .cell[data-heat]")).to_have_count(0)


def test_a_guess_is_called_a_guess(opened: Opened) -> None:
    link = "/#play?height=1&width=5&mines=1&first=0,2&seed=1"
    table = Table(opened(link, routes=dealing(["0001B"])), 5)
    table.shows(0, 2, "0")
    table = Table(
        opened("/#play?height=2&width=2&mines=1&first=0,0&seed=1", routes=dealing(["11", "1B"])), 2
    )
    table.shows(0, 0, "1")
    table.button("Play a safe cell").click()
    expect(table.said).to_contain_text("No cell is certainly safe")
    expect(table.said).to_contain_text("33.3\u00a0% mine")
    table.marked(0, 1, "target")


def test_hints_stay_until_their_cells_are_open(small: Table) -> None:
    small.button("Hint").click()
    expect(small.said).to_have_text("Proved: 3 safe cells, 2 mines.")
    for row, col in LEFT:
        small.marked(row, col, "safe")
    small.cell(4, 5).click()
    expect(small.cell(4, 5)).not_to_have_attribute("data-kind", "safe")
    small.marked(4, 4, "safe")
    small.marked(2, 2, "mine")
    small.button("Undo").click()
    expect(small.page.locator("#play .cell[data-kind]")).to_have_count(0)


def test_why_leads_through_the_reasons_on_the_board(small: Table) -> None:
    small.button("Why?").click()
    expect(small.said).to_have_text("Why? Choose a marked cell.")
    small.cell(4, 4).click()
    panel = small.page.get_by_role("region", name="Explanation")
    expect(panel.get_by_role("heading")).to_have_text("Why row 5, column 5 is safe")
    expect(panel).to_contain_text("With the whole board in view, single clues are enough")
    expect(panel).to_contain_text("The steps use few clues, and can be harder.")
    small.shows(4, 4, "?")
    expect(small.cell(4, 4)).to_have_attribute("data-selected", "")
    steps = panel.get_by_role("listitem")
    assert steps.count() >= 2
    for at in range(steps.count()):
        expect(steps.nth(at).get_by_role("button")).to_have_attribute("aria-current", "step")
        assert small.page.locator("#play .cell[data-kind='reason']").count() >= 1
        panel.get_by_role("button", name="Next step").click()
    steps.first.get_by_role("button").click()
    expect(steps.first.get_by_role("button")).to_have_attribute("aria-current", "step")
    small.cell(4, 4).focus()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(small.cell(4, 4)).to_be_focused()
    small.page.keyboard.press("w")
    expect(panel).to_be_visible()
    small.page.keyboard.press("n")
    expect(steps.nth(1).get_by_role("button")).to_have_attribute("aria-current", "step")
    small.page.keyboard.press("Enter")
    expect(panel).to_be_hidden()


def test_flags_are_believed_only_if_they_are_trusted(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.button("Hint").click()
    small.marked(4, 4, "wrong")
    small.button("Play a safe cell").click()
    small.shows(3, 5, "1")
    small.page.get_by_label("Trust my flags").check()
    small.button("Hint").click()
    expect(small.said).to_contain_text("The flags cannot all be right")
    expect(small.page.locator("#play .cell[data-kind='conflict']").first).to_be_visible()
    panel = small.page.get_by_role("region", name="Explanation")
    for cell, title in (
        ((4, 4), "Why row 5, column 5 is safe"),
        ((4, 5), "Why the flags cannot all be right"),
    ):
        small.cell(*cell).focus()
        small.page.keyboard.press("w")
        expect(panel.get_by_role("heading")).to_have_text(title)
    expect(panel).not_to_contain_text("null")


@pytest.mark.parametrize("how", ["cell", "Undo", "New game"])
def test_a_question_ends_when_the_board_changes(opened: Opened, how: str) -> None:
    held: list[Any] = []
    page = opened(
        SMALL_LINK, routes={**dealing(SMALL), "**/v1/analyze": lambda route: held.append(route)}
    )
    table = Table(page, 6)
    table.shows(0, 0, "0")
    table.button("Hint").click()
    expect(table.said).to_have_class(re.compile("busy"))
    with page.expect_event("requestfailed") as failed:
        (table.cell(4, 5) if how == "cell" else table.button(how)).click()
    assert failed.value.url.endswith("/v1/analyze")
    expect(table.said).not_to_have_class(re.compile("busy"))
    expect(page.locator("#message")).to_be_hidden()


def test_colours_of_chances_go_by_how_dense_mines_are(opened: Opened) -> None:
    # A sixth of the closed cells are mines: that is neither green nor red.
    table = Table(
        opened(
            "/#play?height=2&width=4&mines=1&first=0,0&seed=1", routes=dealing(["1B10", "1110"])
        ),
        4,
    )
    table.shows(0, 0, "1")
    table.button("Heat map").click()
    for row, col in ((0, 1), (1, 0)):
        expect(table.cell(row, col)).to_have_attribute("data-heat", "2")
    expect(table.cell(0, 1)).to_have_attribute("data-bubble", "33.3\u00a0% mine")


#: Its corner shows nothing of the other end.
LONG = ["01B10000000001B1", "0111000000000111"]
LONG_LINK = "/#play?height=2&width=16&mines=2&first=0,0&seed=1"


def test_the_chance_of_remote_cells_is_said_once(opened: Opened) -> None:
    table = Table(opened(LONG_LINK, routes=dealing(LONG)), 16)
    table.shows(0, 0, "0")
    table.button("Heat map").click()
    remote = table.cell(0, 9)
    expect(remote).to_have_attribute("data-bubble", "3.8\u00a0% mine")
    expect(remote).to_have_text("")
    expect(table.cell(0, 2)).to_have_text("50")
    listed = table.page.locator("#play .chances")
    expect(listed).to_contain_text("26 cells that no number touches: 3.8\u00a0% each.")
    expect(listed.get_by_role("button")).to_have_text(
        ["Row 1, column 3: 50.0\u00a0%", "Row 2, column 3: 50.0\u00a0%"]
    )
    listed.get_by_role("button").last.hover()
    table.marked(1, 2, "target")
    remote.hover()
    expect(table.page.locator("#play .bubble")).to_have_text("3.8\u00a0% mine")


def test_chances_of_an_older_position_are_greyed_until_there_are_new_ones(opened: Opened) -> None:
    table = Table(opened(LONG_LINK, routes=dealing(LONG)), 16)
    table.shows(0, 0, "0")
    table.button("Heat map").click()
    expect(table.cell(0, 2)).to_have_text("50")
    held: list[Any] = []
    table.page.route("**/v1/analyze", lambda route: held.append(route))
    with table.page.expect_request("**/v1/analyze"):
        table.cell(0, 9).click()
    stale = table.page.locator("#play .board.stale")
    expect(stale).to_have_count(1)
    expect(table.page.locator("#play .chances")).to_be_hidden()
    held.pop().continue_()
    expect(stale).to_have_count(0)


def test_a_wrong_flag_cannot_be_overlooked(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.button("Hint").click()
    expect(small.said).to_have_text("The flag at row 5, column 5 is wrong: that cell is safe.")
    small.marked(4, 4, "wrong")
    expect(small.cell(4, 4)).to_have_attribute(
        "aria-label", re.compile("this flag is proved wrong")
    )


def test_the_cell_that_is_explained_keeps_its_mark(small: Table) -> None:
    small.button("Why?").click()
    small.cell(4, 4).click()
    expect(small.cell(4, 4)).to_have_attribute("data-selected", "")
    for _ in range(3):
        small.page.keyboard.press("n")
        expect(small.cell(4, 4)).to_have_attribute("data-selected", "")


def test_the_list_of_chances_is_gone_through_with_the_keyboard(opened: Opened) -> None:
    table = Table(opened(LONG_LINK, routes=dealing(LONG)), 16)
    table.shows(0, 0, "0")
    table.button("Heat map").click()
    listed = table.page.locator("#play .chances").get_by_role("button")
    listed.first.focus()
    table.marked(0, 2, "target")
    table.page.keyboard.press("Tab")
    expect(listed.last).to_be_focused()
    table.marked(1, 2, "target")
