"""A game on screens of several sizes."""

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import EXPERT, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("level", ["beginner", "expert", "custom"])
def test_a_small_screen_scrolls_the_board_but_not_the_page(opened: Opened, level: str) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": 360, "height": 740}, has_touch=True)
    page.get_by_label("Level").select_option(level)
    if level == "expert":
        Table(page, 30).cell(8, 5).tap()
        Table(page, 30).button("Heat map").click()
        expect(page.locator("#play .cell[data-heat]").first).to_be_attached()
    for width in (320, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_small_screen_shows_what_is_said_beside_a_board_however_high(opened: Opened) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": 360, "height": 740}, has_touch=True)
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 5).tap()
    table.cell(0, 4).tap()
    expect(table.said).to_have_text("That was a mine. Undo takes it back.")
    page.evaluate("scrollTo(0, 0)")
    expect(table.said).to_be_in_viewport(ratio=1)
    # Nothing that is said hides nothing.
    table.button("Undo").tap()
    expect(table.said).to_have_text("")
    page.evaluate("scrollTo(0, 0)")
    expect(table.said).not_to_be_in_viewport()


@pytest.mark.parametrize("width", [320, 390])
def test_a_small_screen_has_the_hints_beside_a_board_however_high(
    opened: Opened, width: int
) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": width, "height": 844}, has_touch=True)
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 5).tap()
    table.shows(8, 5, "0")
    hints = [table.button(name) for name in ("Hint", "Heat map", "Why?", "Play a safe cell")]
    for height in (0, 200, 400):
        page.evaluate("(height) => scrollTo(0, height)", height)
        for hint in hints:
            expect(hint).to_be_in_viewport(ratio=1)
    before = page.evaluate("scrollY")
    hints[0].tap()
    expect(table.said).to_contain_text("Proved")
    assert page.evaluate("scrollY") == before > 0
    # The keyboard does not go below what lies over the board.
    table.cell(15, 5).focus()
    for row in range(14, -1, -1):
        page.keyboard.press("ArrowUp")
        expect(table.cell(row, 5)).to_be_focused()
        assert page.evaluate(
            """() => {
                const { x, y, width, height } = document.activeElement.getBoundingClientRect();
                const at = document.elementFromPoint(x + width / 2, y + height / 2);
                return document.activeElement.contains(at);
            }"""
        )


def test_an_expert_board_leaves_room_for_hints_and_reasons_beside_it(opened: Opened) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": 1280, "height": 800})
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 15).click()
    expect(table.button("Hint")).to_be_in_viewport(ratio=1)
    table.button("Hint").click()
    page.locator("#play .cell[data-kind='safe']").first.focus()
    page.keyboard.press("w")
    expect(table.button("Next step")).to_be_in_viewport(ratio=1)
    expect(table.cell(15, 29)).to_be_in_viewport(ratio=1)
