"""The end of a game, and what can be done when."""

import re
from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import LEFT, SMALL, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


def test_lost_game_shows_all_mines_wrong_flags_and_the_opened_mine(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.cell(2, 2).click()
    small.shows(2, 2, "X")
    small.shows(3, 4, "B")
    small.shows(4, 4, "!")
    expect(small.status).to_contain_text("row 3, column 3 was a mine.")
    expect(small.page.locator("#play .board-frame")).to_have_attribute("data-state", "lost")
    small.button("Undo").click()
    small.shows(3, 4, "?")
    small.shows(4, 4, "F")


def test_chord_that_hits_a_mine_is_described_by_its_wrong_flag(opened: Opened) -> None:
    link = "/#play?height=3&width=4&mines=1&first=0,0&seed=1"
    table = Table(opened(link, routes=dealing(["0000", "0111", "01B1"])), 4)
    table.shows(1, 3, "1")
    table.cell(2, 3).click(button="right")
    table.cell(1, 3).click()
    table.shows(2, 2, "X")
    table.shows(2, 3, "!")
    expect(table.status).to_contain_text("a flag beside row 2, column 4 is wrong")


def test_won_game_shows_its_time_and_the_best_time(small: Table) -> None:
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.status).to_contain_text("Won in")
    expect(small.status).to_contain_text("Your best time at this size!")
    expect(small.page.locator("#play .board-frame")).to_have_attribute("data-state", "won")


def test_result_card_shows_the_figures_of_a_finished_game(small: Table) -> None:
    card = small.page.get_by_role("region", name="Result")
    expect(card).to_be_hidden()
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(card.get_by_role("heading")).to_have_text(re.compile(r"^Won in 0:[0-9]{2}\.[0-9]{3}$"))
    for figure in ("3BV4", "Clicks4", "Lucknone needed", "Hardest steptrivial"):
        expect(card).to_contain_text(figure)
    expect(card).to_contain_text(re.compile(r"3BV/s[0-9]+\.[0-9]{2}"))
    expect(card).to_contain_text("Fewest clicks4")
    # Once the card is closed, they are still there.
    expect(small.page.locator(".verdict-facts")).to_contain_text("Hardest steptrivial")
    expect(small.page.locator(".verdict-facts")).not_to_contain_text("Layouts")
    expect(card.get_by_role("button", name="Take it back")).to_be_hidden()
    card.get_by_role("button", name="Close the result").click()
    expect(card).to_be_hidden()
    small.page.get_by_role("button", name="Result", exact=True).click()
    expect(card).to_be_visible()
    card.get_by_role("button", name="Play it again").click()
    expect(card).to_be_hidden()
    small.shows(4, 5, "?")
    small.shows(0, 0, "0")


def test_undo_shows_facts_about_the_position_in_place_of_figures(small: Table) -> None:
    facts = small.page.locator(".verdict-facts")
    small.cell(2, 2).click()
    small.shows(2, 2, "X")
    expect(facts).to_contain_text("3BV")
    small.button("Undo").click()
    expect(facts).to_contain_text("Layouts")
    expect(facts).not_to_contain_text("3BV")


def test_grade_of_a_map_is_shown_during_the_game_and_opens_nothing(small: Table) -> None:
    before = small.symbols()
    small.button("How hard is it?").click()
    expect(small.status).to_have_text("1 opening, 3BV 4.")
    expect(small.page.locator(".play-said")).to_contain_text(
        "No guess is needed. At its hardest single clues are enough, one after another."
    )
    assert small.symbols() == before
    for row, col in LEFT:
        small.cell(row, col).click()
    # It is not a hint.
    expect(small.status).to_contain_text(re.compile(r"^Won in [0-9:.]+\. "))


def test_grade_needs_a_map(blank: Any) -> None:
    button = blank.get_by_role("button", name="How hard is it?")
    expect(button).to_have_attribute("aria-disabled", "true")


def test_result_card_shows_luck_as_the_chance_to_survive_all_clicks(opened: Opened) -> None:
    # Twice one of two cells has to be guessed, and the guesses were right.
    rows = ["0012B", "001B2"]
    link = "/#play?height=2&width=5&mines=2&first=0,0&seed=1"
    table = Table(opened(link, routes=dealing(rows)), 5)
    table.shows(0, 0, "0")
    table.cell(0, 3).click()
    table.shows(0, 3, "2")
    table.cell(1, 4).click()
    expect(table.page.get_by_role("region", name="Result")).to_contain_text("Luck25.0\u00a0%")


def test_new_game_can_be_undone_and_the_board_can_be_repeated(small: Table) -> None:
    small.cell(4, 5).click()
    before = small.symbols()
    small.page.keyboard.press("n")
    expect(small.page.locator("#play .cell[data-symbol='?']")).to_have_count(30)
    small.button("Undo").click()
    small.shows(4, 5, "1")
    assert small.symbols() == before
    small.page.keyboard.press("r")
    small.shows(4, 5, "?")
    small.shows(0, 0, "0")
    small.page.keyboard.press("F2")
    expect(small.page.locator("#play .cell[data-symbol='?']")).to_have_count(30)


def test_press_that_slides_to_another_cell_opens_the_last_one(small: Table) -> None:
    small.cell(4, 4).hover()
    small.page.mouse.down()
    small.cell(4, 5).hover()
    small.page.mouse.up()
    small.shows(4, 5, "1")
    small.shows(4, 4, "?")


def test_disabled_game_buttons_say_why(blank: Any) -> None:
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


def test_message_is_removed_with_its_game(opened: Opened) -> None:
    page = opened("/#play?height=5&width=6&mines=2&first=9,9&seed=1", routes=dealing(SMALL))
    expect(page.locator("#message")).to_contain_text("cannot be read")
    Table(page, 9).button("New game").click()
    expect(page.locator("#message")).to_be_hidden()


def test_closed_cells_look_pressed_while_the_mouse_is_down(small: Table) -> None:
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


def test_new_game_requests_the_chosen_hardest_step(opened: Opened) -> None:
    bodies = []

    def deal(route: Any) -> None:
        bodies.append(route.request.post_data_json)
        route.fulfill(json={"found": True, "layout": ["0" * 9] * 7 + ["000000122", "0000001BB"]})

    page = opened(routes={"**/v1/boards": deal})
    page.get_by_label("Hardest step").select_option("subset")
    table = Table(page, 9)
    table.cell(0, 0).click()
    table.shows(0, 0, "0")
    assert bodies[0]["difficulty"] == "subset"
    table.button("Share this board").click()
    assert "difficulty=subset" in page.locator(".play-link").input_value()


@pytest.mark.parametrize("topology", ["torus", "cylinder", "hexagonal", "knight"])
def test_games_on_other_topologies_are_won_on_proved_cells(opened: Opened, topology: str) -> None:
    page = opened(f"/#play?height=6&width=6&mines=4&t={topology}&first=2,2&seed=5")
    table = Table(page, 6)
    table.shows(2, 2, "0")
    expect(page.locator("#play .board")).to_have_attribute("data-topology", topology)
    expect(page.get_by_role("combobox", name="Board", exact=True)).to_have_value(topology)
    expect(table.button("Best move")).to_have_attribute("aria-disabled", "true")
    table.button("Heat map").click()
    fresh = "#play .board:not(.stale)"
    for _ in range(30):
        if table.status.get_attribute("data-kind") in ("won", "lost"):
            break
        expect(page.locator(f"{fresh} .cell[data-bubble]").first).to_be_attached()
        safe = page.locator(f"{fresh} .cell[data-at][data-symbol='?'][data-heat='0']")
        if not safe.count():
            break
        safe.first.click()
    # No cell that was proved safe was a mine.
    assert "X" not in table.symbols()
    assert table.symbols().count("?") < 32
