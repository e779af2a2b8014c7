"""The best move, a player to watch, and the review of a finished game."""

import re
from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import SMALL, SMALL_LINK, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


@pytest.fixture
def pair(opened: Opened) -> Table:
    """A game where one of two cells has to be guessed."""
    rows = ["0012B", "001B2"]
    link = "/#play?height=2&width=5&mines=2&first=0,0&seed=1"
    table = Table(opened(link, routes=dealing(rows)), 5)
    table.shows(0, 0, "0")
    return table


def region(table: Table) -> Any:
    return table.page.get_by_role("region", name="Explanation")


def test_the_best_move_is_told_with_its_alternatives(pair: Table) -> None:
    pair.button("Best move").click()
    panel = region(pair)
    expect(panel.get_by_role("heading")).to_have_text(re.compile("^Best move: row [01], column"))
    expect(panel).to_contain_text("Chance to win with best play:")
    moves = panel.get_by_role("listitem")
    assert moves.count() >= 2
    expect(moves.first).to_contain_text("safe")
    expect(pair.page.locator("#play .cell[data-kind='target']")).to_have_count(1)
    panel.get_by_role("button", name="Next move").click()
    expect(pair.page.locator("#play .cell[data-selected]")).to_have_count(1)
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(pair.page.locator("#play .cell[data-kind]")).to_have_count(0)


def test_bounds_and_guesses_that_cannot_be_avoided_are_told(opened: Opened) -> None:
    def answer_with_bounds(route: Any) -> None:
        answer = route.fetch().json()
        answer["win"] = {"low": 0.25, "high": 0.5, "exact": False}
        answer["moves"][0] |= {"safe": False, "win": None, "survival": 0.125, "dead": True}
        answer["guesses"] = [{"cells": [[0, 4], [1, 3]], "chance": 0.5}]
        route.fulfill(json=answer)

    routes = dealing(["0012B", "001B2"]) | {"**/v1/moves": answer_with_bounds}
    table = Table(opened("/#play?height=2&width=5&mines=2&first=0,0&seed=1", routes=routes), 5)
    table.shows(0, 0, "0")
    table.button("Best move").click()
    panel = region(table)
    expect(panel).to_contain_text("Chance to win with best play: between 25")
    expect(panel).to_contain_text("to survive the next click, too")
    expect(panel).to_contain_text("tells nothing")
    guess = panel.get_by_role("listitem").filter(has_text="a guess of 50")
    expect(guess).to_contain_text("2 cells that nothing else can tell apart")
    guess.get_by_role("button").click()
    expect(table.page.locator("#play .cell[data-selected]")).to_have_count(2)


def test_the_key_b_asks_and_the_move_is_made(small: Table) -> None:
    small.cell(0, 0).focus()
    small.page.keyboard.press("b")
    panel = region(small)
    expect(panel).to_contain_text("proved safe")
    panel.get_by_role("button", name="Open it").click()
    expect(panel).to_be_hidden()
    small.page.wait_for_function(
        "() => document.querySelectorAll(`#play [data-symbol='?']`).length < 5"
    )


def test_it_plays_to_the_end_while_it_is_watched(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.button("Watch it play").click()
    expect(small.button("Watch it play")).to_have_attribute("aria-pressed", "true")
    expect(small.said).to_contain_text("Won", timeout=20_000)
    expect(small.button("Watch it play")).to_have_attribute("aria-pressed", "false")


def test_watching_ends_when_it_is_wanted(small: Table) -> None:
    small.page.clock.install()
    for end in ("Watch it play", "Undo"):
        small.button("Watch it play").click()
        expect(small.said).to_contain_text("proved safe")
        small.button(end).click()
        expect(small.button("Watch it play")).to_have_attribute("aria-pressed", "false")
        if end == "Undo":
            break
        before = small.symbols()
        small.page.clock.run_for(5000)
        assert small.symbols() == before


def test_a_lost_game_is_reviewed_click_by_click(small: Table) -> None:
    small.cell(4, 5).click()
    small.cell(2, 2).click()
    expect(small.said).to_contain_text(" was a mine.")
    small.button("Review the game").click()
    panel = region(small)
    expect(panel.get_by_role("heading")).to_have_text("Review of the game")
    expect(panel).to_contain_text("2 clicks, 1 of them not proved safe.")
    expect(panel).to_contain_text("In 1 click chances were thrown away.")
    expect(panel.get_by_role("listitem")).to_contain_text(
        "Click 3, row 3, column 3: 100\u00a0% mine; chance to win 100\u00a0%, then 0\u00a0%"
    )
    # The position before the click is shown, and what was better.
    small.shows(2, 2, "?")
    expect(small.cell(2, 2)).to_have_attribute("data-selected", "")
    expect(small.page.locator("#play .cell[data-kind='target']")).to_have_count(1)
    panel.get_by_role("button", name="Close").click()
    small.shows(2, 2, "X")


def test_a_game_without_a_risk_is_praised(small: Table) -> None:
    for cell in ((4, 5), (4, 4), (3, 5)):
        small.cell(*cell).click()
    expect(small.said).to_contain_text("Won")
    small.button("Review the game").click()
    expect(small.said).to_have_text("3 clicks, all of them proved safe.")


def test_a_game_that_is_over_is_shared_as_it_was_played(small: Table, opened: Opened) -> None:
    small.cell(3, 4).click(button="right")
    small.cell(4, 5).click()
    small.cell(2, 2).click()
    small.button("Share this board").click()
    link = small.page.locator(".play-link").input_value()
    assert "&played=o0f22o29o14" in link
    other = Table(opened("/" + link.split("/", 3)[3], routes=dealing(SMALL)), 6)
    expect(region(other).get_by_role("heading")).to_have_text("Review of the game")
    expect(other.said).to_contain_text(" was a mine.")


@pytest.mark.parametrize("played", ["o0o99", "x1", "o0o0", "o29"])
def test_a_link_with_other_moves_deals_its_board(tolerant: Opened, played: str) -> None:
    table = Table(
        tolerant(
            f"{SMALL_LINK}&played={played}",
            routes=dealing(SMALL),
        ),
        6,
    )
    table.shows(0, 0, "0" if played != "o29" else "?")
    expect(table.button("Review the game")).to_be_hidden()


def test_chances_of_moves_are_shown_whatever_was_asked_before(small: Table) -> None:
    small.button("Hint").click()
    small.marked(4, 4, "safe")
    small.cell(3, 5).click()
    small.button("Best move").click()
    expect(small.page.locator("#play .cell[data-kind='target']")).to_have_count(1)
    expect(small.page.locator("#play .board.stale")).to_have_count(0)
