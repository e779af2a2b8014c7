"""The end of a game, and what can be done when."""

from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import LEFT, SMALL, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


def test_a_loss_shows_all_mines_the_wrong_flags_and_what_opened_it(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.cell(2, 2).click()
    small.shows(2, 2, "X")
    small.shows(3, 4, "B")
    small.shows(4, 4, "!")
    expect(small.said).to_contain_text("row 3, column 3 was a mine.")
    expect(small.page.locator("#play .board-frame")).to_have_attribute("data-state", "lost")
    small.button("Undo").click()
    small.shows(3, 4, "?")
    small.shows(4, 4, "F")


def test_a_chord_that_hits_a_mine_is_told_as_one(opened: Opened) -> None:
    link = "/#play?height=3&width=4&mines=1&first=0,0&seed=1"
    table = Table(opened(link, routes=dealing(["0000", "0111", "01B1"])), 4)
    table.shows(1, 3, "1")
    table.cell(2, 3).click(button="right")
    table.cell(1, 3).click()
    table.shows(2, 2, "X")
    table.shows(2, 3, "!")
    expect(table.said).to_contain_text("a flag beside row 2, column 4 is wrong")


def test_a_win_is_told_with_its_time_and_the_best_time(small: Table) -> None:
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.said).to_contain_text("Won in")
    expect(small.said).to_contain_text("Your best time at this size!")
    expect(small.page.locator("#play .board-frame")).to_have_attribute("data-state", "won")


def test_buttons_that_can_do_nothing_tell_why(blank: Any) -> None:
    table = Table(blank, 9)
    message = blank.locator("#message")
    for name, reason in {
        "Hint": "Open a cell first",
        "Best move": "Open a cell first",
        "Undo": "There is no move to take back.",
        "Share this board": "Open a cell first",
    }.items():
        expect(table.button(name)).to_have_attribute("aria-disabled", "true")
        table.button(name).dispatch_event("click")
        expect(message).to_contain_text(reason)
    table.cell(0, 0).click()
    expect(table.button("Hint")).to_have_attribute("aria-disabled", "false")
    expect(message).to_be_hidden()


def test_a_message_does_not_outlive_its_game(opened: Opened) -> None:
    page = opened("/#play?height=5&width=6&mines=2&first=9,9&seed=1", routes=dealing(SMALL))
    expect(page.locator("#message")).to_contain_text("cannot be read")
    Table(page, 9).button("Restart").click()
    expect(page.locator("#message")).to_be_hidden()


def test_closed_cells_give_way_to_a_press(small: Table) -> None:
    pressed = small.page.locator("#play .cell.pressed")
    small.cell(3, 5).hover()
    small.page.mouse.down()
    expect(pressed).to_have_count(1)
    small.page.mouse.move(0, 0)
    expect(pressed).to_have_count(0)
    small.page.mouse.up()
    small.cell(2, 4).hover()
    small.page.mouse.down()
    expect(pressed).to_have_count(2)
    small.page.mouse.up()
    expect(pressed).to_have_count(0)
    small.shows(3, 5, "?")
