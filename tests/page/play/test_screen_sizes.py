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
        Table(page, 30).help("Heat map").click()
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
    expect(table.said).to_contain_text("Undo takes it back.")
    page.evaluate("scrollTo(0, 0)")
    expect(table.said).to_be_in_viewport(ratio=1)
    # Nothing that is said hides nothing.
    table.button("Undo").tap()
    expect(table.said).to_have_text("")


@pytest.mark.parametrize("width", [320, 390])
def test_a_small_screen_has_the_hints_beside_a_board_however_high(
    opened: Opened, width: int
) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": width, "height": 844}, has_touch=True)
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 5).tap()
    table.shows(8, 5, "0")
    hints = [table.button(name) for name in ("Hint", "Why?", "New", "More")]
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


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (1440, 900)])
@pytest.mark.parametrize("level", ["beginner", "intermediate", "expert"])
def test_a_wide_screen_has_board_and_help_side_by_side(
    opened: Opened, size: tuple[int, int], level: str
) -> None:
    width, height = size
    page = opened(viewport={"width": width, "height": height})
    page.get_by_label("Level").select_option(level)
    grid = page.locator("#play .board")
    box = grid.bounding_box()
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= height
    assert 18 <= page.locator("#play .cell").first.bounding_box()["width"] <= 44
    for name in ("Restart", "Hint", "Best move", "Why?", "New game"):
        button = page.locator("#play").get_by_role("button", name=name, exact=True)
        expect(button).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_moves_when_something_is_said(opened: Opened) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": 1280, "height": 800})
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 15).click()
    table.shows(8, 15, "0")
    before = page.locator("#play .board").bounding_box(), table.button("Undo").bounding_box()
    table.button("Hint").click()
    expect(table.said).to_contain_text("Proved")
    assert before == (
        page.locator("#play .board").bounding_box(),
        table.button("Undo").bounding_box(),
    )


def test_the_size_of_cells_is_chosen_and_kept(opened: Opened) -> None:
    page = opened(viewport={"width": 1280, "height": 800})
    page.get_by_label("Cells").select_option("22")
    cell = page.locator("#play .cell").first
    assert round(cell.bounding_box()["width"]) == 22
    page.reload()
    assert round(page.locator("#play .cell").first.bounding_box()["width"]) == 22
    expect(page.get_by_label("Cells")).to_have_value("22")
    page.get_by_label("Cells").select_option("")
    assert round(page.locator("#play .cell").first.bounding_box()["width"]) == 44


def test_a_phone_has_the_controls_under_the_thumb_and_the_cell_in_sight(opened: Opened) -> None:
    page = opened(
        "/#play?height=16&width=30&mines=99&first=8,15&seed=1&guessFree=1",
        routes=dealing(EXPERT),
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    table = Table(page, 30)
    table.shows(8, 15, "0")
    for name in ("Flag", "Undo", "Hint", "Why?", "New", "More"):
        expect(table.button(name)).to_be_in_viewport(ratio=1)
        assert table.button(name).bounding_box()["y"] > 700
    for name in ("Heat map", "Play a safe cell", "Watch it play", "Best move"):
        expect(table.help(name)).to_be_in_viewport(ratio=1)
    table.button("Best move").tap()
    expect(table.button("Heat map")).to_be_hidden()
    target = page.locator("#play .cell[data-kind='target']")
    expect(target).to_have_count(1)
    sheet = page.get_by_role("region", name="Explanation").bounding_box()
    cell = target.bounding_box()
    assert cell["y"] >= 0
    assert cell["y"] + cell["height"] <= sheet["y"]
    assert cell["x"] >= 0
    assert cell["x"] + cell["width"] <= 390


def test_two_fingers_change_the_size_of_cells(opened: Opened) -> None:
    page = opened(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    cell = page.locator("#play .cell").nth(40)
    box = cell.bounding_box()
    before, (x, y) = box["width"], (box["x"], box["y"])
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, apart: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x - apart, "y": y}, {"x": x + apart, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 60)
    for apart in (50, 40, 30):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)
    after = cell.bounding_box()["width"]
    assert after == pytest.approx(before / 2, abs=2)
    expect(page.locator("#play .cell[data-symbol='?']")).to_have_count(81)
    page.reload()
    assert page.locator("#play .cell").nth(40).bounding_box()["width"] == after


def test_a_phone_on_its_side_has_board_and_controls_side_by_side(opened: Opened) -> None:
    page = opened(
        "/#play?height=16&width=30&mines=99&first=8,15&seed=1&guessFree=1",
        routes=dealing(EXPERT),
        viewport={"width": 844, "height": 390},
        has_touch=True,
    )
    table = Table(page, 30)
    table.shows(8, 15, "0")
    frame = page.locator("#play .board-frame").bounding_box()
    for name in ("Flag", "Undo", "Hint", "Why?", "New", "More"):
        expect(table.button(name)).to_be_in_viewport(ratio=1)
        assert table.button(name).bounding_box()["x"] > frame["x"] + frame["width"]
    table.help("Best move").tap()
    sheet = page.get_by_role("region", name="Explanation").bounding_box()
    target = page.locator("#play .cell[data-kind='target']").bounding_box()
    assert target["x"] + target["width"] <= sheet["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 844


def test_the_whole_board_can_be_in_sight(opened: Opened) -> None:
    page = opened(viewport={"width": 390, "height": 844}, has_touch=True)
    page.get_by_label("Level").select_option("expert")
    page.get_by_label("Cells").select_option("whole")
    expect(page.locator("#play .cell").last).to_be_attached()
    fits = "frame => frame.scrollWidth <= frame.clientWidth"
    assert page.locator("#play .board-frame").evaluate(fits)
