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


def test_best_move_is_shown_with_its_alternatives(pair: Table) -> None:
    pair.button("Best move").click()
    panel = region(pair)
    expect(panel.get_by_role("heading")).to_have_text(re.compile("^Best move: row [12], column"))
    expect(panel).to_contain_text("Chance to win with best play: 25.0\u00a0%.")
    expect(pair.status).to_have_text(
        re.compile("^With best play afterwards it wins in 25.0\u00a0% of cases, and no")
    )
    heads = ["cell", "safe", "next", "progress", "win"]
    expect(panel.get_by_role("columnheader")).to_have_text(heads)
    first = panel.get_by_role("row").nth(1)
    expect(first.get_by_role("cell")).to_have_text(["50.0", "25.0", "0", "25.0"])
    expect(first.get_by_role("button", name="50.0\u00a0% safe")).to_be_visible()
    expect(pair.page.locator("#play .cell[data-kind='target']")).to_have_count(1)
    panel.get_by_role("button", name="Next move").click()
    expect(pair.page.locator("#play .cell[data-selected]")).to_have_count(1)
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(pair.page.locator("#play .cell[data-kind]")).to_have_count(0)


def test_best_move_is_refined_where_the_first_answer_was_cut(opened: Opened) -> None:
    deadlines: list[Any] = []

    def answer_in_two_parts(route: Any) -> None:
        deadlines.append(route.request.post_data_json["deadline_ms"])
        answer = route.fetch().json()
        if len(deadlines) == 1:
            answer["win"] = {"low": 0.0, "high": 0.5, "exact": False}
            answer["solver"]["complete"] = False
        route.fulfill(json=answer)

    routes = dealing(["0012B", "001B2"]) | {"**/v1/moves": answer_in_two_parts}
    table = Table(opened("/#play?height=2&width=5&mines=2&first=0,0&seed=1", routes=routes), 5)
    table.shows(0, 0, "0")
    table.button("Best move").click()
    expect(region(table)).to_contain_text("Chance to win with best play: 25.0\u00a0%.")
    assert len(deadlines) == 2
    assert deadlines[0] < deadlines[1]


def test_best_move_is_compared_only_with_moves_whose_win_is_known(opened: Opened) -> None:
    def answer_in_part(route: Any) -> None:
        answer = route.fetch().json()
        for move in answer["moves"][1:]:
            move["win"] = None
        route.fulfill(json=answer)

    routes = dealing(["0012B", "001B2"]) | {"**/v1/moves": answer_in_part}
    table = Table(opened("/#play?height=2&width=5&mines=2&first=0,0&seed=1", routes=routes), 5)
    table.shows(0, 0, "0")
    table.button("Best move").click()
    expect(table.status).to_have_text(
        "With best play afterwards it wins in 25.0\u00a0% of cases, "
        "and no other cell wins more often."
    )


def test_best_move_shows_bounds_and_unavoidable_guesses(opened: Opened) -> None:
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
    first = panel.get_by_role("row").nth(1).get_by_role("button")
    description = re.compile("to survive the next click, too.*tells nothing")
    expect(first).to_have_accessible_name(description)
    guess = panel.get_by_role("listitem").filter(has_text="a guess of 50")
    expect(guess).to_contain_text("2 cells that nothing else can tell apart")
    guess.get_by_role("button").click()
    expect(table.page.locator("#play .cell[data-selected]")).to_have_count(2)


def test_key_b_shows_the_best_move_which_can_be_made(small: Table) -> None:
    small.cell(0, 0).focus()
    small.page.keyboard.press("b")
    panel = region(small)
    expect(small.status).to_have_text("All of these are proved safe: open them in any order.")
    panel.get_by_role("button", name="Open it").click()
    expect(panel).to_be_hidden()
    small.page.wait_for_function(
        "() => document.querySelectorAll(`#play [data-symbol='?']`).length < 5"
    )


def test_watched_player_plays_to_the_end(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.button("Watch it play").click()
    expect(small.button("Watch it play")).to_have_attribute("aria-pressed", "true")
    expect(small.status).to_contain_text("Won", timeout=20_000)
    expect(small.button("Watch it play")).to_have_attribute("aria-pressed", "false")


def test_watched_games_have_pause_step_and_speed_and_are_not_counted(small: Table) -> None:
    small.button("Heat map").click()
    small.button("Watch it play").click()
    card = small.page.get_by_role("region", name="Verdict")
    card.get_by_role("button", name="Pause").click()
    expect(card.get_by_role("button", name="Go on")).to_be_visible()
    left = small.symbols().count("?")
    card.get_by_role("button", name="Step").click()
    small.page.wait_for_function(
        "n => document.querySelectorAll(`#play [data-symbol='?']`).length < n", arg=left
    )
    # The heat map stays, and keeps up.
    expect(small.page.locator("#play .board:not(.stale) .cell[data-heat]").first).to_be_attached()
    card.get_by_role("combobox", name="Speed").select_option("0")
    card.get_by_role("button", name="Go on").click()
    expect(small.status).to_contain_text("Won", timeout=20_000)
    expect(small.page.get_by_role("region", name="Result")).to_contain_text(
        "Not counted: a watched game."
    )
    expect(small.page.locator(".play-record")).to_have_text("")


def test_watching_ends_by_its_button_and_by_undo(small: Table) -> None:
    small.page.clock.install()
    for end in ("Watch it play", "Undo"):
        small.button("Watch it play").click()
        expect(small.status).to_contain_text("proved safe")
        small.button(end).click()
        expect(small.button("Watch it play")).to_have_attribute("aria-pressed", "false")
        if end == "Undo":
            break
        before = small.symbols()
        small.page.clock.run_for(5000)
        assert small.symbols() == before


def test_review_of_a_lost_game_goes_click_by_click(small: Table) -> None:
    small.cell(4, 5).click()
    small.cell(2, 2).click()
    expect(small.status).to_contain_text(" was a mine.")
    small.button("Review the game").click()
    panel = region(small)
    expect(panel.get_by_role("heading")).to_have_text("Review of the game")
    expect(panel).to_contain_text("3 clicks, 1 of them not proved safe.")
    expect(panel).to_contain_text("In 1 click chances were thrown away.")
    # The worst click comes first.
    expect(panel).to_contain_text(
        "Click 3, row 3, column 3: 100\u00a0% mine; chance to win 100\u00a0%, then 0\u00a0%"
    )
    expect(panel.get_by_role("slider")).to_have_value("1")
    expect(panel.get_by_role("img")).to_have_accessible_name("Chance to win before each click")
    # The position before the click is shown, and what was better.
    small.shows(2, 2, "?")
    expect(small.cell(2, 2)).to_have_attribute("data-selected", "")
    expect(small.page.locator("#play .cell[data-kind='target']")).to_have_count(1)
    panel.get_by_role("button", name="Close").click()
    small.shows(2, 2, "X")


def test_review_of_a_game_without_risk_says_that_all_clicks_were_proved(small: Table) -> None:
    for cell in ((4, 5), (4, 4), (3, 5)):
        small.cell(*cell).click()
    expect(small.status).to_contain_text("Won")
    small.button("Review the game").click()
    expect(region(small)).to_contain_text("4 clicks, all of them proved safe.")


def test_review_moves_by_slider_and_a_game_continues_from_any_click(small: Table) -> None:
    for cell in ((4, 5), (4, 4), (2, 2)):
        small.cell(*cell).click()
    small.button("Review the game").click()
    panel = region(small)
    slider = panel.get_by_role("slider")
    expect(slider).to_have_value("2")
    slider.press("ArrowLeft")
    expect(panel).to_contain_text("Click 3, row 5, column 5: proved safe")
    small.shows(4, 4, "?")
    small.shows(4, 5, "1")
    panel.get_by_role("button", name="Play on from here").click()
    expect(panel).to_be_hidden()
    small.shows(4, 4, "?")
    small.shows(4, 5, "1")
    for cell in ((4, 4), (3, 5)):
        small.cell(*cell).click()
    expect(small.status).to_contain_text("Won in")
    # Undo leads back to the game that was reviewed, move by move.
    result = small.page.get_by_role("region", name="Result")
    expect(result).to_contain_text("Not counted: a game with moves taken back.")
    for _ in range(5):
        small.button("Undo").click()
    small.shows(2, 2, "X")


def test_link_to_a_finished_game_opens_its_review(small: Table, opened: Opened) -> None:
    small.cell(3, 4).click(button="right")
    small.cell(4, 5).click()
    small.cell(2, 2).click()
    small.button("Share this board").click()
    link = small.page.locator(".play-link").input_value()
    assert "&played=o0f22o29o14" in link
    other = Table(opened("/" + link.split("/", 3)[3], routes=dealing(SMALL)), 6)
    expect(region(other).get_by_role("heading")).to_have_text("Review of the game")
    expect(other.status).to_contain_text(" was a mine.")


@pytest.mark.parametrize("played", ["o0o99", "x1", "o0o0", "o29"])
def test_link_with_unfinished_or_invalid_moves_deals_its_board(
    tolerant: Opened, played: str
) -> None:
    table = Table(
        tolerant(
            f"{SMALL_LINK}&played={played}",
            routes=dealing(SMALL),
        ),
        6,
    )
    table.shows(0, 0, "0" if played != "o29" else "?")
    expect(table.button("Review the game")).to_be_hidden()


def test_best_move_is_shown_after_other_questions(small: Table) -> None:
    small.button("Why?").click()
    small.marked(4, 4, "safe")
    small.button("Why?").click()
    small.cell(3, 5).click()
    small.button("Best move").click()
    expect(small.page.locator("#play .cell[data-kind='target']")).to_have_count(1)
    expect(small.page.locator("#play .board.stale")).to_have_count(0)
