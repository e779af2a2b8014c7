"""Playing, in Chromium and against a real server."""

import re
from typing import Any

import pytest

from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.play.table import EXPERT, SMALL, SMALL_LINK, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


def test_expert_game_is_won_on_proved_cells_alone(opened: Opened) -> None:
    page = opened(
        "/#play?height=16&width=30&mines=99&first=8,15&seed=1&guessFree=1", routes=dealing(EXPERT)
    )
    table = Table(page, 30)
    table.shows(8, 15, "0")
    table.button("Heat map").click()
    for _ in range(20):
        expect(page.locator("#play .board:not(.stale) .cell[data-heat='0']").first).to_be_attached()
        # Opening one may open others.
        page.evaluate(
            """() => {
                const safe = "#play .cell[data-symbol='?'][data-heat='0']";
                for (const cell of document.querySelectorAll(safe)) {
                    if (cell.dataset.symbol === "?") cell.click();
                }
            }"""
        )
        if table.status.get_attribute("data-kind") == "won":
            break
    expect(table.status).to_have_text(
        re.compile("^Won in [0-9]+:[0-9]{2}[.][0-9]{3} with hints[.]$")
    )
    assert table.symbols() == "".join(EXPERT).replace("B", "F")


def test_play_a_safe_cell_button_opens_safe_cells_one_by_one(small: Table) -> None:
    for left in (2, 1, 0):
        small.button("Play a safe cell").click()
        if left:
            small.page.wait_for_function(
                "n => document.querySelectorAll(`#play [data-symbol='?']`).length === n",
                arg=2 + left,
            )
    expect(small.status).to_contain_text("Won")


def test_game_is_played_with_the_keyboard_alone(small: Table) -> None:
    page, press = small.page, small.page.keyboard.press
    for _ in range(40):
        press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    press("Control+End")
    expect(small.cell(4, 5)).to_be_focused()
    press("ArrowUp")
    press("ArrowLeft")
    press("f")
    small.shows(3, 4, "F")
    press("PageUp")
    expect(small.cell(0, 4)).to_be_focused()
    press("ArrowDown")
    press("ArrowDown")
    press("c")
    small.shows(3, 5, "1")
    press("End")
    press("PageDown")
    press("Enter")
    small.shows(4, 5, "1")
    press("u")
    small.shows(4, 5, "?")
    press("Space")
    press("ArrowLeft")
    press("Enter")
    expect(small.status).to_contain_text("with 1 undo")
    small.shows(2, 2, "F")


@pytest.mark.parametrize("how", ["double", "middle", "both"])
def test_mouse_places_flags_and_chords(small: Table, how: str) -> None:
    mouse = small.page.mouse
    small.cell(3, 4).click(button="right")
    small.shows(3, 4, "F")
    box = small.cell(2, 4).bounding_box()
    mouse.move(box["x"] + 9, box["y"] + 9)
    if how == "double":
        small.cell(2, 4).dblclick()
    elif how == "middle":
        mouse.down(button="middle")
        mouse.up(button="middle")
    else:
        for button in ("left", "right"):
            mouse.down(button=button)
        for button in ("right", "left"):
            mouse.up(button=button)
    small.shows(3, 5, "1")
    small.shows(2, 4, "1")


def test_touch_places_flags_by_a_long_press_or_the_flag_mode(opened: Opened) -> None:
    page = opened(SMALL_LINK, routes=dealing(SMALL), has_touch=True, is_mobile=True)
    table = Table(page, 6)
    table.shows(0, 0, "0")
    box = table.cell(3, 4).bounding_box()
    devtools = page.context.new_cdp_session(page)
    point = {"x": box["x"] + 9, "y": box["y"] + 9}
    devtools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    table.shows(3, 4, "F")
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    table.button("Flag").tap()
    table.cell(2, 2).tap()
    table.shows(2, 2, "F")
    table.cell(3, 4).tap()
    table.shows(3, 4, "?")
    table.button("Flag").tap()
    table.cell(4, 5).tap()
    table.shows(4, 5, "1")


def test_shared_link_opens_an_equal_board(opened: Opened) -> None:
    page = opened(routes={"**/v1/boards": lambda route: route.abort()})
    opened.expected.append("ERR_FAILED")
    page.get_by_label("No guessing").uncheck()
    first = Table(page, 9)
    first.cell(2, 7).click()
    first.shows(2, 7, "0")
    first.button("Share this board").click()
    link = page.get_by_label("Link to this board").input_value()
    assert link.startswith(f"{opened.url}/#play?")
    other = Table(opened(link.removeprefix(opened.url)), 9)
    other.shows(2, 7, "0")
    assert other.symbols() == first.symbols()


@pytest.mark.parametrize(
    "hash",
    [
        "seed=1",
        "height=5&width=6&mines=30&first=0,0&seed=1",
        "height=5&width=6&mines=2&first=5,0&seed=1",
    ],
)
def test_invalid_game_link_is_reported(opened: Opened, hash: str) -> None:
    page = opened(f"/#play?{hash}")
    expect(page.get_by_role("alert")).to_have_text("The board of this link cannot be read.")
    expect(page.locator("#play .cell")).to_have_count(81)


def test_game_continues_without_the_service(opened: Opened) -> None:
    opened.expected.append("ERR_FAILED")
    page = opened(routes={"**/v1/**": lambda route: route.abort()})
    table = Table(page, 9)
    table.cell(4, 4).click()
    table.shows(4, 4, "0")
    expect(page.locator("#message")).to_contain_text("may need guesses")
    shown = table.symbols()
    table.button("Hint").click()
    expect(page.get_by_role("alert")).to_have_text("The service cannot be reached.")
    page.get_by_role("button", name="Close the message").click()
    expect(page.locator("#message")).to_be_hidden()
    assert table.symbols() == shown
    table.page.locator("#play .cell[data-symbol='?']").first.click(button="right")
    expect(page.locator("#play .cell[data-symbol='F']")).to_have_count(1)
    table.button("Undo").click()
    expect(page.locator("#play .cell[data-symbol='F']")).to_have_count(0)


def test_game_says_that_no_board_without_guesses_was_found(opened: Opened) -> None:
    found = {"found": False, "layout": None, "tries": 9}
    page = opened(routes={"**/v1/boards": lambda route: route.fulfill(json=found)})
    Table(page, 9).cell(4, 4).click()
    expect(page.locator("#message")).to_contain_text("No board without guesses was found in time.")


def test_game_dealt_by_the_service_needs_no_guess(opened: Opened, server: Server) -> None:
    if server.send("POST", "/v1/boards", json={}).status_code == 404:
        pytest.skip("this server makes no boards")
    page = opened()
    table = Table(page, 9)
    table.cell(4, 4).click()
    table.shows(4, 4, "0")
    for _ in range(80):
        if table.status.get_attribute("data-kind") == "won":
            return
        closed = table.symbols().count("?")
        table.button("Play a safe cell").click()
        page.wait_for_function(
            """n => document.querySelector(".play-said [data-kind='won']")
                || document.querySelectorAll("#play [data-symbol='?']").length < n""",
            arg=closed,
        )
    pytest.fail("not won")


@pytest.mark.parametrize(
    "size", [(1, 1, 0), (2, 3, 0), (1, 2, 1), (5, 5, 24), (60, 60, 0), (60, 60, 3599)]
)
def test_game_of_extreme_size_is_dealt_and_won(opened: Opened, size: tuple[int, int, int]) -> None:
    # No such game with so many mines needs no guess; the service says that.
    opened.expected.append("422")
    page = opened()
    page.get_by_label("Level").select_option("custom")
    for name, number in zip(("Rows", "Columns", "Mines"), size, strict=True):
        field = page.locator("#play").get_by_role("spinbutton", name=name)
        field.fill(str(number))
    page.locator("#play").get_by_role("spinbutton", name="Mines").press("Tab")
    height, width, mines = size
    cells = page.locator("#play .cell")
    expect(cells).to_have_count(height * width)
    cells.first.click()
    table = Table(page, width)
    expect(table.status).to_contain_text("Won in")
    assert table.symbols().count("F") == mines


@pytest.mark.parametrize("size", [(0, 5, 1), (61, 5, 1), (5, 5, 25), (5, 5, -1), (2.5, 5, 1)])
def test_invalid_size_is_reported_at_its_field(
    opened: Opened, size: tuple[float, float, float]
) -> None:
    page = opened()
    page.get_by_label("Level").select_option("custom")
    for name, number in zip(("Rows", "Columns", "Mines"), size, strict=True):
        page.locator("#play").get_by_role("spinbutton", name=name).fill(str(number))
    before = page.locator("#play .cell").count()
    Table(page, 9).button("New game").click()
    assert page.locator("#play input:invalid").count() >= 1
    expect(page.locator("#play .cell")).to_have_count(before)


def test_game_continues_after_returning_to_its_link(small: Table) -> None:
    page = small.page
    small.cell(3, 4).click(button="right")
    page.get_by_role("link", name="Analyse").click()
    page.get_by_role("link", name="Play").click()
    expect(page).to_have_url(re.compile("#play$"))
    page.go_back()
    page.go_back()
    expect(page).to_have_url(re.compile("seed=1"))
    small.shows(3, 4, "F")


def test_game_clock_stops_while_another_tab_is_shown(opened: Opened) -> None:
    held: list[Any] = []
    page = opened("/#analyse", routes={"**/v1/boards": lambda route: held.append(route)})
    page.clock.install()
    page.get_by_role("link", name="Play").click()
    table = Table(page, 9)
    table.cell(4, 4).click()
    page.get_by_role("link", name="Analyse").click()
    held[0].fulfill(json={"found": True, "layout": ["0" * 9] * 7 + ["000000122", "0000001BB"]})
    table.shows(4, 4, "0")
    page.clock.run_for(5000)
    page.get_by_role("link", name="Play").click()
    expect(table.cell(4, 4)).to_be_visible()
    expect(page.get_by_role("timer")).to_have_text("0:00")
    page.clock.run_for(5000)
    expect(page.get_by_role("timer")).to_have_text(re.compile("0:0[5-9]"))


def test_clicks_while_a_board_is_requested_are_kept(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(routes={"**/v1/boards": lambda route: held.append(route)})
    page.get_by_label("Level").select_option("custom")
    for name, number in (("Rows", 5), ("Columns", 6), ("Mines", 2)):
        page.locator("#play").get_by_role("spinbutton", name=name).fill(str(number))
    table = Table(page, 6)
    table.button("New game").click()
    table.cell(0, 0).click()
    expect(table.status).to_have_text("Looking for a board …")
    for row, col in ((4, 5), (2, 2), (0, 0)):
        table.cell(row, col).click()
    table.cell(3, 4).click(button="right")
    for name in ("Undo", "Hint", "Heat map", "Share this board"):
        table.button(name).dispatch_event("click")
    expect(table.status).to_have_text("Looking for a board …")
    table.shows(3, 4, "F")
    (pending,) = held
    assert pending.request.post_data_json["first"] == [0, 0]
    pending.fulfill(json={"found": True, "layout": SMALL})
    table.shows(0, 0, "0")
    table.shows(3, 4, "F")
    table.shows(4, 5, "?")
    expect(table.status).not_to_have_class(re.compile("busy"))


def test_first_cell_opens_even_if_flagged_while_the_board_is_requested(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(SMALL_LINK, routes={"**/v1/boards": lambda route: held.append(route)})
    table = Table(page, 6)
    expect(table.status).to_have_text("Looking for a board …")
    table.cell(0, 0).click(button="right")
    table.shows(0, 0, "F")
    held[0].fulfill(json={"found": True, "layout": SMALL})
    table.shows(0, 0, "0")
    table.shows(4, 5, "?")
    expect(page.locator(".play-state")).to_contain_text("2Mines left")


@pytest.mark.parametrize("keys", ["Control+z", "Meta+z"])
def test_undo_and_jump_keys_work_with_control_and_command(small: Table, keys: str) -> None:
    small.cell(4, 5).click()
    small.shows(4, 5, "1")
    small.cell(4, 5).press(keys)
    small.shows(4, 5, "?")
    small.button("Undo").press(keys)
    small.shows(0, 0, "?")
    for jump, (row, col) in (("End", (4, 5)), ("Home", (0, 0))):
        small.cell(2, 2).press(keys.replace("z", jump))
        expect(small.cell(row, col)).to_be_focused()


def test_game_position_is_opened_in_analyse(small: Table) -> None:
    page = small.page
    small.cell(4, 5).click(button="right")
    small.cell(3, 4).click()
    expect(small.status).to_contain_text(" was a mine.")
    small.button("Analyse this position").click()
    expect(page).to_have_url(re.compile("#analyse[?]b=000000.011100.01_211.0112__.0001_F&m=2$"))
    expect(page.locator("#analyse .cell[data-at='29']")).to_have_attribute("data-symbol", "F")
    expect(page.locator("#analyse .cell[data-at='22']")).to_have_attribute("data-symbol", "?")
    expect(page.get_by_role("link", name="Analyse")).to_be_focused()
    page.go_back()
    expect(small.cell(3, 4)).to_be_visible()
    small.shows(3, 4, "X")
    small.button("Undo").click()
    small.shows(3, 4, "?")
