"""A game on screens of several sizes."""

from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import EXPERT, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow

EXPERT_LINK = "/#play?height=16&width=30&mines=99&first=8,15&seed=1&guessFree=1"
PHONE = {"width": 390, "height": 844}
SIDEWAYS = {"width": 844, "height": 390}


def expert(opened: Opened, **how: Any) -> Table:
    """An expert board, its first cell open."""
    table = Table(opened(EXPERT_LINK, routes=dealing(EXPERT), **how), 30)
    table.shows(8, 15, "0")
    return table


def box(element: Any) -> dict[str, float]:
    found: dict[str, float] = element.bounding_box()
    return found


def is_uncovered(cell: Any) -> bool:
    """True if the middle of a cell is on the screen, with nothing over it."""
    found: bool = cell.evaluate(
        """cell => {
            const { x, y, width, height } = cell.getBoundingClientRect();
            const at = document.elementFromPoint(x + width / 2, y + height / 2);
            return Boolean(at) && cell.contains(at);
        }"""
    )
    return found


@pytest.mark.parametrize("width", [320, 360, 390])
@pytest.mark.parametrize("level", ["beginner", "expert", "custom"])
def test_phone_scrolls_the_board_but_not_the_page(opened: Opened, level: str, width: int) -> None:
    viewport = {"width": width, "height": 740}
    page = opened(routes=dealing(EXPERT), viewport=viewport, has_touch=True)
    page.get_by_label("Level").select_option(level)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.scrollHeight") <= 740


def test_phone_shows_the_verdict_beside_a_board_of_any_height(opened: Opened) -> None:
    table = expert(opened, viewport={"width": 360, "height": 740}, has_touch=True)
    table.cell(0, 4).tap()
    expect(table.status).to_contain_text("was a mine.")
    expect(table.status).to_be_in_viewport(ratio=1)
    expect(table.page.get_by_role("region", name="Result")).to_be_in_viewport(ratio=1)
    table.button("Take it back").tap()
    expect(table.status).to_have_text("Your move.")


@pytest.mark.parametrize("width", [320, 390])
def test_phone_has_the_controls_under_the_thumb(opened: Opened, width: int) -> None:
    table = expert(opened, viewport={"width": width, "height": 844}, has_touch=True)
    for name in ("Flag", "Undo", "Hint", "Why?", "Best move", "More"):
        expect(table.button(name)).to_be_in_viewport(ratio=1)
        assert box(table.button(name))["y"] > 700
    for name in ("Heat map", "Play a safe cell", "Watch it play", "Share this board"):
        expect(table.help(name)).to_be_in_viewport(ratio=1)
    # The keyboard does not go below what lies over the board.
    table.button("More").tap()
    table.cell(15, 5).focus()
    for row in range(14, -1, -1):
        table.page.keyboard.press("ArrowUp")
        expect(table.cell(row, 5)).to_be_focused()
        assert is_uncovered(table.cell(row, 5))


@pytest.mark.parametrize("viewport", [PHONE, SIDEWAYS], ids=["upright", "sideways"])
def test_phone_keeps_the_explained_cell_in_view(opened: Opened, viewport: dict[str, int]) -> None:
    table = expert(opened, viewport=viewport, has_touch=True)
    page = table.page
    table.button("Best move").tap()
    target = page.locator("#play .cell[data-kind='target']")
    expect(target).to_have_count(1)
    assert is_uncovered(target)
    panel = page.get_by_role("region", name="Explanation")
    panel.get_by_role("button", name="Close").tap()
    table.button("Why?").tap()
    proved = page.locator("#play .cell[data-kind='safe']")
    expect(proved.first).to_be_attached()
    for at in (0, 3, 7):
        if at:
            table.button("Why?").tap()
        cell = page.locator("#play .cell[data-heat], #play .cell[data-kind='safe']").nth(at)
        cell.scroll_into_view_if_needed()
        position = cell.get_attribute("data-at")
        cell.tap()
        expect(panel).to_be_visible()
        assert is_uncovered(page.locator(f"#play .cell[data-at='{position}']"))
        expect(panel.get_by_role("listitem").first).to_be_in_viewport()
        panel.get_by_role("button", name="Close").tap()


@pytest.mark.parametrize(
    "size", [(1024, 768), (1280, 800), (1440, 900), (1920, 1080), (2560, 1440)]
)
@pytest.mark.parametrize("level", ["beginner", "expert"])
def test_wide_screen_has_board_and_panel_side_by_side(
    opened: Opened, size: tuple[int, int], level: str
) -> None:
    width, height = size
    page = opened(viewport={"width": width, "height": height})
    page.get_by_label("Level").select_option(level)
    board = box(page.locator("#play .board"))
    panel = box(page.get_by_role("region", name="Verdict"))
    assert board["y"] + board["height"] <= height
    assert board["x"] + board["width"] <= panel["x"]
    assert 16 <= box(page.locator("#play .cell").first)["width"] <= 64
    for name in ("Same board", "Hint", "Best move", "Why?", "New game", "Heat map", "Undo"):
        button = page.locator("#play").get_by_role("button", name=name, exact=True)
        expect(button).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Board and panel are in the middle as one.
    left = box(page.locator(".play-table"))["x"]
    right = width - panel["x"] - panel["width"]
    assert left == pytest.approx(right, abs=20)


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080), (2560, 1440)])
def test_expert_board_uses_the_screen(opened: Opened, size: tuple[int, int]) -> None:
    width, height = size
    page = opened(viewport={"width": width, "height": height})
    page.get_by_label("Level").select_option("expert")
    board = box(page.locator("#play .board"))
    assert board["width"] > 0.62 * width or board["height"] > 0.68 * height


def test_page_layout_does_not_shift_in_a_game_with_all_helpers_on(opened: Opened) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": 1280, "height": 800})
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 15).click()
    table.shows(8, 15, "0")
    before = box(page.locator("#play .board")), box(table.button("Undo"))
    table.button("Heat map").click()
    expect(page.locator("#play .chances")).to_contain_text("that no number touches")
    # All that moves from the next frame on, also at once after a click: answers may come late.
    page.evaluate(
        """async () => {
            const frame = () => new Promise(requestAnimationFrame);
            await frame();
            await frame();
            window.moved = [];
            new PerformanceObserver((list) => {
                window.moved.push(...list.getEntries().map((shift) => shift.value));
            }).observe({ type: "layout-shift" });
        }"""
    )
    safe = page.locator("#play .board:not(.stale) .cell[data-symbol='?'][data-heat='0']")
    for _ in range(6):
        safe.first.click()
        table.button("Hint").click()
        expect(table.status).to_contain_text("proved in")
    table.button("Best move").click()
    expect(page.get_by_role("region", name="Explanation")).to_be_visible()
    assert before == (box(page.locator("#play .board")), box(table.button("Undo")))
    assert sum(page.evaluate("window.moved")) < 0.02


def test_chosen_size_of_cells_is_kept(opened: Opened) -> None:
    page = opened(viewport={"width": 1280, "height": 800})
    page.get_by_label("Cells").select_option("22")
    cell = page.locator("#play .cell").first
    assert round(box(cell)["width"]) == 22
    page.reload()
    assert round(box(page.locator("#play .cell").first)["width"]) == 22
    expect(page.get_by_label("Cells")).to_have_value("22")
    page.get_by_label("Cells").select_option("")
    assert round(box(page.locator("#play .cell").first)["width"]) > 50


def test_two_fingers_change_the_size_of_cells(opened: Opened) -> None:
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True)
    cell = page.locator("#play .cell").nth(40)
    before, x, y = box(cell)["width"], box(cell)["x"], box(cell)["y"]
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, apart: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x - apart, "y": y}, {"x": x + apart, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 60)
    for apart in (50, 40, 30):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)
    after = box(cell)["width"]
    assert after == pytest.approx(before / 2, abs=2)
    expect(page.locator("#play .cell[data-symbol='?']")).to_have_count(81)
    page.reload()
    assert box(page.locator("#play .cell").nth(40))["width"] == after


def test_phone_in_landscape_has_board_and_controls_side_by_side(opened: Opened) -> None:
    table = expert(opened, viewport=SIDEWAYS, has_touch=True)
    page = table.page
    frame = box(page.locator("#play .board-frame"))
    assert frame["y"] + frame["height"] <= 390
    # All rows fit.
    fits = "frame => frame.scrollHeight <= frame.clientHeight + 1"
    assert page.locator("#play .board-frame").evaluate(fits)
    for name in ("Flag", "Undo", "Hint", "Why?", "New game", "More"):
        expect(table.button(name)).to_be_in_viewport(ratio=1)
        assert box(table.button(name))["x"] > frame["x"] + frame["width"]
    table.button("Best move").tap()
    sheet = box(page.get_by_role("region", name="Explanation"))
    target = box(page.locator("#play .cell[data-kind='target']"))
    assert target["x"] + target["width"] <= sheet["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 844


def test_whole_board_fits_on_a_phone_on_demand(opened: Opened) -> None:
    page = opened(viewport=PHONE, has_touch=True)
    page.get_by_label("Level").select_option("expert")
    Table(page, 30).button("More").tap()
    page.get_by_label("Cells").select_option("whole")
    fits = "frame => frame.scrollWidth <= frame.clientWidth"
    assert page.locator("#play .board-frame").evaluate(fits)


def test_large_board_mode_hides_the_rest_of_the_page_until_left(opened: Opened) -> None:
    page = opened(viewport={"width": 1280, "height": 800})
    page.get_by_role("button", name="Large board").click()
    expect(page.get_by_role("region", name="Verdict")).to_be_hidden()
    expect(page.get_by_role("link", name="Analyse")).to_be_hidden()
    assert box(page.locator("#play .cell").first)["width"] > 60
    page.keyboard.press("l")
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()


@pytest.mark.parametrize("viewport", [SIDEWAYS, {"width": 320, "height": 640}])
def test_small_screen_has_all_columns_and_buttons_of_best_moves(
    opened: Opened, viewport: dict[str, int]
) -> None:
    table = expert(opened, viewport=viewport, has_touch=True)
    table.help("Best move").click()
    moves = table.page.locator("#play .moves-list")
    expect(moves).to_be_visible()
    assert moves.evaluate("list => list.scrollWidth <= list.clientWidth")
    panel = box(table.page.locator("#play .play-explanation"))
    following = box(table.button("Next move"))
    assert following["x"] + following["width"] <= panel["x"] + panel["width"]


def lose_expert(opened: Opened, viewport: dict[str, int]) -> Table:
    """An expert game that ends with its second click."""
    table = expert(opened, viewport=viewport, has_touch=True)
    cell = table.cell(6, 18)
    cell.scroll_into_view_if_needed()
    cell.tap()
    expect(table.status).to_contain_text("was a mine.")
    return table


@pytest.mark.parametrize("viewport", [PHONE, SIDEWAYS], ids=["upright", "sideways"])
def test_phone_has_curve_slider_and_text_of_a_review_in_sight(
    opened: Opened, viewport: dict[str, int]
) -> None:
    table = lose_expert(opened, viewport)
    table.button("Review the game").tap()
    panel = table.page.get_by_role("region", name="Explanation")
    expect(panel.get_by_role("img")).to_be_in_viewport(ratio=1)
    expect(panel.get_by_role("slider")).to_be_in_viewport(ratio=1)
    expect(panel.get_by_text("100 % mine")).to_be_in_viewport(ratio=0.5)
    for name in ("Play on from here", "Back", "Next click", "Close"):
        expect(panel.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


def test_result_covers_the_board_alone_on_a_phone_in_landscape(opened: Opened) -> None:
    table = lose_expert(opened, SIDEWAYS)
    card = table.page.get_by_role("region", name="Result")
    expect(card).to_be_in_viewport(ratio=1)
    verdict = box(table.page.get_by_role("region", name="Verdict"))
    assert box(card)["x"] + box(card)["width"] <= verdict["x"]


@pytest.mark.parametrize(("width", "is_short"), [(390, True), (1024, True), (1920, False)])
def test_verdict_names_the_best_cell_in_full_where_there_is_room(
    opened: Opened, width: int, is_short: bool
) -> None:
    table = expert(opened, viewport={"width": width, "height": 844})
    table.page.keyboard.press("b")
    table.page.locator("#play .moves-table").wait_for()
    table.page.locator("#play .walk-close").click()
    best = table.page.locator(".verdict-facts dd").nth(1)
    expect(best).to_contain_text("row")
    shown = best.evaluate("dd => getComputedStyle(dd, '::after').content")
    assert ("R6 C14" in shown) == is_short
    assert best.evaluate("dd => dd.scrollWidth <= dd.clientWidth")


def test_one_button_of_the_best_moves_stands_out(opened: Opened) -> None:
    table = expert(opened, viewport={"width": 1280, "height": 800})
    table.button("Best move").click()
    standing_out = table.page.locator("#play .play-explanation .primary")
    expect(standing_out).to_have_text(["Open it"])
    table.page.get_by_role("region", name="Explanation").get_by_role("button", name="Close").click()
    table.button("Why?").click()
    table.page.locator("#play .cell[data-kind='safe']").first.click()
    expect(standing_out).to_have_text(["Next step"])


def test_pressed_button_moves_no_other_button(opened: Opened) -> None:
    table = expert(opened, viewport={"width": 1280, "height": 800})
    before = box(table.button("Watch it play"))
    table.button("Heat map").click()
    expect(table.button("Heat map")).to_have_attribute("aria-pressed", "true")
    assert box(table.button("Watch it play")) == before
