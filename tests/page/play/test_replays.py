"""Games of other programs, opened in Chromium."""

from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import Table
from tests.page.site import expect
from tests.replay_files import write_replay

pytestmark = pytest.mark.slow

LAYOUT = ["....", ".B..", "....", "...B"]
WON = [("l", 0, 3), ("r", 1, 1), ("l", 3, 0), ("l", 0, 0), ("l", 0, 1), ("l", 1, 0)]


def open_replay(page: Any, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("A replay to open").set_input_files([file])


def test_replay_is_shown_as_it_was_played_and_reviewed(opened: Opened) -> None:
    page = opened()
    open_replay(page, "game.EVF", write_replay(LAYOUT, [*WON[:1], ("l", 1, 1)], player="Ann"))
    table = Table(page, 4)
    expect(page.get_by_role("heading", name="Review of the game")).to_be_visible()
    expect(table.status).to_contain_text("Lost after")
    page.get_by_role("button", name="Close", exact=True).click()
    table.shows(1, 1, "X")
    table.button("Result").click()
    result = page.get_by_role("region", name="Result")
    expect(result).to_contain_text("Not counted: a replay of Ann, minecheck.")
    expect(result).to_contain_text("3BV")


def test_replay_of_a_won_game_has_flags_and_is_shown_to_its_end(opened: Opened) -> None:
    page = opened()
    open_replay(page, "game.evf", write_replay(LAYOUT, WON))
    table = Table(page, 4)
    expect(page.get_by_role("heading", name="Review of the game")).to_be_visible()
    expect(table.status).to_contain_text("Won in")
    page.get_by_role("button", name="Close", exact=True).click()
    table.shows(1, 1, "F")
    table.shows(1, 0, "1")


def test_damaged_replay_leaves_the_game_as_it_was(tolerant: Opened) -> None:
    page = tolerant("/#play?map=000.011.01B&first=0,0")
    table = Table(page, 3)
    table.shows(0, 0, "0")
    open_replay(page, "game.avf", b"no game at all")
    expect(page.get_by_role("alert")).not_to_have_text("")
    table.shows(0, 0, "0")


def test_replay_dropped_on_analyse_is_sent_to_play(opened: Opened) -> None:
    page = opened("/#analyse")
    file = {"name": "game.rmv", "mimeType": "application/octet-stream", "buffer": b"*rmv"}
    page.get_by_label("A file to open").set_input_files([file])
    expect(page.locator(".import")).to_contain_text("Open it on the tab Play")
