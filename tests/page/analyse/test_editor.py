"""Drawing boards."""

import pytest

from tests.page.analyse.tab import (
    cell,
    expect_board,
    open_tab,
    paste,
    press,
    read_rows,
    wait_for_text,
)
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow


def test_editor_draws_a_board_with_the_keyboard_alone(opened: Opened) -> None:
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
    expect(cell(page, 1, 0)).to_be_focused()


@pytest.mark.parametrize("held", ["Control", "Meta"])
def test_editor_undoes_changes_with_the_keyboard(opened: Opened, held: str) -> None:
    page = opened(link(["???"]))
    expect_board(page, ["???"])
    cell(page, 0, 0).focus()
    page.keyboard.type("12")
    expect_board(page, ["12?"])
    page.keyboard.press(f"{held}+z")
    expect_board(page, ["1??"])
    page.keyboard.press(f"{held}+z")
    expect_board(page, ["???"])
    expect(cell(page, 0, 2)).to_be_focused()
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
    expect(cell(page, 0, 1)).to_be_focused()


def test_editor_brush_paints_clicked_and_dragged_cells(opened: Opened) -> None:
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


def test_editor_keeps_the_cells_when_the_size_changes(opened: Opened) -> None:
    page = opened(link(["12", "3?"]))
    page.get_by_label("Columns").fill("3")
    page.get_by_label("Columns").press("Enter")
    expect_board(page, ["12?", "3??"])
    rows = page.get_by_role("spinbutton", name="Rows")
    rows.fill("100000")
    rows.press("Enter")
    expect(page.locator("#message")).to_contain_text("too many for this page")
    assert read_rows(page) == ["12?", "3??"]


@pytest.mark.parametrize("names", [["Undo"], ["Last", "Back to the board"]])
def test_keyboard_focus_stays_on_a_button_that_becomes_disabled(
    opened: Opened, names: list[str]
) -> None:
    page = opened(link(["?1?"]))
    wait_for_text(page, "2 layouts")
    open_tab(page, "Layouts")
    for name in names:
        control = page.locator("#analyse").get_by_role("button", name=name, exact=True)
        control.press("Enter")
        expect(control).to_have_attribute("aria-disabled", "true")
        control.press("Enter")
        expect(control).to_be_focused()


def test_editor_draws_with_all_mouse_buttons_and_the_wheel(opened: Opened) -> None:
    page = opened(link(["????", "????"]))
    expect_board(page, ["????", "????"])
    page.get_by_role("radio", name="draw:").check()
    cell(page, 0, 0).click(button="right")
    expect_board(page, ["B???", "????"])
    # A number counts the mines that are drawn around it.
    cell(page, 0, 1).click()
    expect_board(page, ["B1??", "????"])
    cell(page, 1, 1).hover()
    page.mouse.down()
    cell(page, 1, 2).hover()
    page.mouse.up()
    expect_board(page, ["B1??", "?11?"])
    page.mouse.wheel(0, -100)
    expect_board(page, ["B1??", "?12?"])
    page.mouse.wheel(0, 100)
    page.mouse.wheel(0, 100)
    expect_board(page, ["B1??", "?10?"])
    cell(page, 0, 1).click()
    expect_board(page, ["B???", "?10?"])
    cell(page, 0, 3).hover()
    page.keyboard.press("4")
    expect_board(page, ["B??4", "?10?"])
    cell(page, 0, 0).click(button="right")
    expect_board(page, ["???4", "?10?"])


def test_density_field_replaces_the_total(opened: Opened) -> None:
    page = opened(link(["?1??"], 2))
    expect_board(page, ["?1??"])
    mines, density = page.get_by_label("Mines in all"), page.get_by_label("or density in %")
    density.fill("20.6")
    expect(mines).to_have_value("")
    wait_for_text(page, "Each cell is assumed to be a mine with a chance of 20.6\u00a0%")
    expect(cell(page, 0, 3)).to_have_attribute("data-bubble", "20.6\u00a0% mine")
    page.wait_for_url("**d=0.206")
    page.reload()
    expect(density).to_have_value("20.6")
    mines.fill("1")
    expect(density).to_have_value("")
    density.fill("100")
    expect(density).to_have_attribute("aria-invalid", "true")
    mines.fill("")
    wait_for_text(page, "Without a total of mines all layouts weigh the same")


def test_editor_shows_large_boards_as_pictures(opened: Opened) -> None:
    row = "1" + "?" * 199
    page = opened(link([row] * 120))
    wait_for_text(page, "Consistent.")
    picture = page.get_by_role("img", name="a picture of 120 rows and 200 columns")
    expect(picture).to_be_visible()
    expect(page.locator("#analyse .cell")).to_have_count(0)
    picture.hover(position={"x": 40, "y": 40})
    expect(page.locator("#analyse .bubble:visible")).to_contain_text(
        "row 4, column 4: 50.0\u00a0% mine"
    )
    picture.click(position={"x": 18, "y": 6})
    wait_for_text(page, "Row 1, column 2 is safe in every layout")
    page.get_by_role("spinbutton", name="Columns").fill("80")
    page.get_by_role("spinbutton", name="Columns").press("Enter")
    expect(page.locator("#analyse .cell")).to_have_count(9600)
