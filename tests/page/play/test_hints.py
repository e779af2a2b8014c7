"""Hints, the heat map and explanations in a game."""

import re
from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import LEFT, SMALL, SMALL_LINK, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


def test_heat_map_shows_chances_and_the_safest_cell(small: Table) -> None:
    small.button("Heat map").click()
    expect(small.cell(2, 2)).to_have_attribute("data-heat", "100")
    expect(small.cell(2, 2)).to_have_attribute(
        "aria-label", "row 3, column 3: unknown, 100\u00a0% mine"
    )
    expect(small.cell(4, 4)).to_have_attribute("aria-label", re.compile("unknown.* 0\u00a0% mine"))
    expect(small.cell(3, 5)).to_have_attribute("aria-label", re.compile("the safest cell"))
    expect(small.status).to_have_text("3 cells proved safe, 2 mines proved.")
    small.cell(3, 5).click()
    expect(small.cell(4, 4)).to_have_attribute("aria-label", re.compile("the safest cell"))
    small.button("Heat map").click()
    expect(small.page.locator("#play .cell[data-heat]")).to_have_count(0)


def test_verdict_shows_facts_of_this_position_only(small: Table) -> None:
    facts = small.page.locator(".verdict-facts")
    small.button("Heat map").click()
    expect(facts).to_contain_text("Layouts1")
    expect(facts).to_contain_text("Best move3 proved safe")
    expect(facts).to_contain_text(re.compile("Solver[a-z]+, [0-9.]+ ms"))
    small.button("Best move").click()
    expect(facts).to_contain_text("To win100\u00a0%")
    small.button("Heat map").click()
    small.cell(3, 5).click()
    expect(facts).to_contain_text("Layouts\u2013")
    expect(facts).to_contain_text("To win\u2013")


def test_verdict_calls_a_guess_a_guess(opened: Opened) -> None:
    link = "/#play?height=1&width=5&mines=1&first=0,2&seed=1"
    table = Table(opened(link, routes=dealing(["0001B"])), 5)
    table.shows(0, 2, "0")
    table = Table(
        opened("/#play?height=2&width=2&mines=1&first=0,0&seed=1", routes=dealing(["11", "1B"])), 2
    )
    table.shows(0, 0, "1")
    table.button("Play a safe cell").click()
    expect(table.status).to_contain_text("No cell is certainly safe")
    expect(table.status).to_contain_text("33.3\u00a0% mine")
    table.marked(0, 1, "target")


def test_hint_reveals_area_clues_cell_and_steps_one_by_one(small: Table) -> None:
    hint, page = small.button("Hint"), small.page
    more = page.locator(".verdict-more")
    hint.click()
    expect(small.status).to_have_text(
        re.compile("^Something is proved in rows 1 to 5, columns 2 to")
    )
    expect(more).to_have_text("Press Hint again to see more.")
    expect(page.locator("#play .cell[data-kind='area']").first).to_be_attached()
    expect(page.locator("#play .cell:is([data-kind='safe'], [data-kind='mine'])")).to_have_count(0)
    hint.click()
    expect(small.status).to_have_text(re.compile("^Look at row [0-9], column [0-9]"))
    expect(page.locator("#play .cell[data-kind='reason']").first).to_be_attached()
    expect(page.locator("#play .cell:is([data-kind='safe'], [data-kind='mine'])")).to_have_count(0)
    hint.click()
    expect(small.status).to_have_text("Row 3, column 3; row 4, column 5 are mines.")
    expect(more).to_have_text("Press Hint again to see all steps.")
    expect(page.locator("#play .cell[data-kind='mine']")).to_have_count(2)
    hint.click()
    panel = page.get_by_role("region", name="Explanation")
    expect(panel.get_by_role("heading")).to_have_text("The next steps")
    # The next hint is about the position that follows, and what is marked is known.
    page.keyboard.press("Escape")
    small.cell(*LEFT[0]).click()
    hint.click()
    expect(small.status).to_have_text(re.compile("^Something is proved in"))
    for _ in range(2):
        hint.click()
    expect(small.status).to_have_text(re.compile("^Row 5, column.* safe[.]$"))


def test_hint_goes_through_the_steps_of_the_walk(opened: Opened) -> None:
    """Each step is clues and what they prove, by the name that it has; it can be split up."""
    rows = ["1B2B1", "11211", "00000"]
    link = "/#play?height=3&width=5&mines=2&first=2,2&seed=1"
    table = Table(opened(link, routes=dealing(rows)), 5)
    table.shows(2, 2, "0")
    hint = table.button("Hint")
    hint.click()
    expect(table.status).to_have_text(re.compile("^Something is proved"))
    for _ in range(3):
        hint.click()
    panel = table.page.get_by_role("region", name="Explanation")
    steps = panel.get_by_role("listitem")
    expect(steps).to_have_text(
        [
            "1-2. By row 2, columns 2 and 3: Row 1, column 1 is safe. Row 1, column 4 is a mine.",
            "By row 2, column 4: Row 1, columns 3 and 5 are safe.",
            "By row 2, column 1: Row 1, column 2 is a mine.",
        ]
    )
    for cell, kind in (((1, 1), "reason"), ((1, 2), "reason"), ((0, 0), "safe"), ((0, 3), "mine")):
        table.marked(*cell, kind)
    panel.get_by_role("button", name="Next step").click()
    # What the step before proved stays marked; what this one proves is framed.
    table.marked(0, 3, "mine")
    table.marked(0, 2, "safe")
    expect(table.page.locator("#play .cell[data-selected]")).to_have_count(2)
    panel.get_by_role("button", name="Details").click()
    expect(panel.get_by_role("heading")).to_have_text("Why row 1, column 3 is safe")


def test_hint_names_the_nearest_guess_where_nothing_is_proved(opened: Opened) -> None:
    table = Table(
        opened("/#play?height=2&width=2&mines=1&first=0,0&seed=1", routes=dealing(["11", "1B"])), 2
    )
    table.shows(0, 0, "1")
    table.button("Hint").click()
    expect(table.status).to_contain_text("No cell is certainly safe")


def test_proved_cells_stay_marked_until_they_are_open(small: Table) -> None:
    small.button("Why?").click()
    expect(small.status).to_have_text("Why? Choose a marked cell.")
    for row, col in LEFT:
        small.marked(row, col, "safe")
    small.button("Why?").click()
    small.cell(4, 5).click()
    expect(small.cell(4, 5)).not_to_have_attribute("data-kind", "safe")
    small.marked(4, 4, "safe")
    small.marked(2, 2, "mine")
    small.button("Undo").click()
    expect(small.page.locator("#play .cell[data-kind]")).to_have_count(0)


def test_why_button_explains_a_cell_by_its_reasons_on_the_board(small: Table) -> None:
    small.button("Why?").click()
    expect(small.status).to_have_text("Why? Choose a marked cell.")
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
        panel.get_by_role("button", name="Next step").dispatch_event("click")
    # At the end, the button says so.
    expect(small.page.locator("#message")).to_contain_text("This is the last step.")
    steps.first.get_by_role("button").click()
    expect(steps.first.get_by_role("button")).to_have_attribute("aria-current", "step")
    expect(panel.get_by_role("button", name="Back")).to_have_attribute("aria-disabled", "true")
    small.cell(4, 4).focus()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(small.cell(4, 4)).to_be_focused()
    small.page.keyboard.press("w")
    expect(panel).to_be_visible()
    small.page.keyboard.press(".")
    expect(steps.nth(1).get_by_role("button")).to_have_attribute("aria-current", "step")
    small.page.keyboard.press(",")
    expect(steps.first.get_by_role("button")).to_have_attribute("aria-current", "step")
    small.page.keyboard.press("Enter")
    expect(panel).to_be_hidden()


def test_hints_use_flags_as_mines_only_if_trusted(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.button("Hint").click()
    small.marked(4, 4, "wrong")
    small.button("Play a safe cell").click()
    small.shows(3, 5, "1")
    small.page.get_by_label("Trust my flags").check()
    small.button("Hint").click()
    expect(small.status).to_contain_text("The flags cannot all be right")
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
def test_hint_request_is_aborted_when_the_board_changes(opened: Opened, how: str) -> None:
    held: list[Any] = []
    page = opened(
        SMALL_LINK, routes={**dealing(SMALL), "**/v1/analyze": lambda route: held.append(route)}
    )
    table = Table(page, 6)
    table.shows(0, 0, "0")
    table.button("Hint").click()
    expect(table.status).to_have_class(re.compile("busy"))
    with page.expect_event("requestfailed") as failed:
        (table.cell(4, 5) if how == "cell" else table.button(how)).click()
    assert failed.value.url.endswith("/v1/analyze")
    expect(table.status).not_to_have_class(re.compile("busy"))
    expect(page.locator("#message")).to_be_hidden()


def test_heat_map_colours_are_relative_to_the_density_of_the_board(opened: Opened) -> None:
    # An eighth of the cells are mines: a third is worse than that, on any position.
    table = Table(
        opened(
            "/#play?height=2&width=4&mines=1&first=0,0&seed=1", routes=dealing(["1B10", "1110"])
        ),
        4,
    )
    table.shows(0, 0, "1")
    table.button("Heat map").click()
    for row, col in ((0, 1), (1, 0)):
        expect(table.cell(row, col)).to_have_attribute("data-heat", "58")
    expect(table.cell(0, 1)).to_have_attribute("data-bubble", "33.3\u00a0% mine")
    expect(table.page.locator("#play .legend")).to_contain_text("average 12.5\u00a0%")


#: Its corner shows nothing of the other end.
LONG = ["01B10000000001B1", "0111000000000111"]
LONG_LINK = "/#play?height=2&width=16&mines=2&first=0,0&seed=1"


def test_heat_map_shows_the_chance_of_remote_cells_once(opened: Opened) -> None:
    table = Table(opened(LONG_LINK, routes=dealing(LONG)), 16)
    table.shows(0, 0, "0")
    table.button("Heat map").click()
    remote = table.cell(0, 9)
    expect(remote).to_have_attribute("data-bubble", "3.8\u00a0% mine")
    expect(remote).to_have_text("")
    expect(remote).not_to_have_attribute("data-heat", re.compile("."))
    expect(table.cell(0, 2)).to_have_text("50")
    expect(table.page.locator("#play .legend")).to_contain_text(
        "26 cells that no number touches: 3.8\u00a0%"
    )
    listed = table.page.locator("#play .chances")
    expect(listed.get_by_role("button")).to_have_text(
        ["Row 1, column 3: 50.0\u00a0%", "Row 2, column 3: 50.0\u00a0%"]
    )
    listed.get_by_role("button").last.hover()
    table.marked(1, 2, "target")
    remote.hover()
    expect(table.page.locator("#play .bubble")).to_have_text("3.8\u00a0% mine")


def test_heat_map_greys_chances_of_an_older_position(opened: Opened) -> None:
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
    # The list keeps its place, so that nothing below it moves when the answer comes.
    listed = table.page.locator("#play .chances")
    expect(listed).to_be_visible()
    expect(listed.locator("p, button").filter(visible=True)).to_have_count(0)
    held.pop().continue_()
    expect(stale).to_have_count(0)
    expect(listed.get_by_role("button").first).to_be_visible()


def test_hint_marks_and_names_a_wrong_flag(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.button("Hint").click()
    expect(small.status).to_have_text("The flag at row 5, column 5 is wrong: that cell is safe.")
    small.marked(4, 4, "wrong")
    expect(small.cell(4, 4)).to_have_attribute(
        "aria-label", re.compile("this flag is proved wrong")
    )


def test_explained_cell_keeps_its_mark(small: Table) -> None:
    small.button("Why?").click()
    small.cell(4, 4).click()
    expect(small.cell(4, 4)).to_have_attribute("data-selected", "")
    for _ in range(3):
        small.page.keyboard.press(".")
        expect(small.cell(4, 4)).to_have_attribute("data-selected", "")


def test_list_of_chances_is_used_with_the_keyboard(opened: Opened) -> None:
    table = Table(opened(LONG_LINK, routes=dealing(LONG)), 16)
    table.shows(0, 0, "0")
    table.button("Heat map").click()
    listed = table.page.locator("#play .chances").get_by_role("button")
    listed.first.focus()
    table.marked(0, 2, "target")
    table.page.keyboard.press("Tab")
    expect(listed.last).to_be_focused()
    table.marked(1, 2, "target")


def test_see_a_proof_button_shows_a_proof(opened: Opened) -> None:
    page = opened()
    page.get_by_role("button", name="See a proof").click()
    panel = page.get_by_role("region", name="Explanation")
    expect(panel.get_by_role("heading")).to_have_text("Why row 3, column 8 is safe")
    expect(page.get_by_role("region", name="Welcome")).to_be_hidden()
