"""The example game is played in Chromium from another origin, as a copy of it would be."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.serving import free_port, serving
from tests.browser import browser
from tests.clients.conftest import hosting
from tests.processes import ROOT

pytestmark = pytest.mark.slow

__all__ = ["browser"]

TEXT = (ROOT / "docs" / "example-game.html").read_text()
SERVICE = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """A service that is started as the example describes."""
    with serving({"MINECHECK_CORS_ORIGINS": "localhost"}) as server:
        yield server.url


Open = Callable[[str], Any]


@pytest.fixture
def open_game(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """A function that opens a copy of the game for a service at an address."""
    page = browser.new_page()
    with hosting(tmp_path) as origin:

        def open_copy(url: str) -> Any:
            assert TEXT.count(SERVICE) == 1
            (tmp_path / "game.html").write_text(TEXT.replace(SERVICE, url))
            page.goto(f"{origin}/game.html")
            return page

        yield open_copy
        page.close()


def wait_for_status(page: Any, words: str) -> None:
    page.get_by_role("status").filter(has_text=words).wait_for()


def take_hint(page: Any) -> Any:
    """Ask for a hint, and return the safe cell that it marks."""
    page.get_by_role("button", name="Hint").click()
    safe = page.locator("minecheck-board [data-kind='safe']")
    safe.wait_for()
    return safe


def closed_cells(page: Any) -> Any:
    return page.locator("minecheck-board .cell:is([data-symbol='?'], [data-symbol='F'])")


def test_example_game_has_at_most_100_lines() -> None:
    assert len(TEXT.splitlines()) <= 100


def test_hints_win_example_game_without_a_guess(open_game: Open, service: str) -> None:
    page = open_game(service)
    wait_for_status(page, "10 mines")
    assert 81 - closed_cells(page).count() >= 9
    while "won" not in page.get_by_role("status").inner_text():
        take_hint(page).click()
    assert page.locator("minecheck-board [data-symbol='F']").count() == 10


def test_flags_in_example_game_keep_mines_closed_and_mines_lose(
    open_game: Open, service: str
) -> None:
    page = open_game(service)
    wait_for_status(page, "10 mines")
    mine = page.locator("minecheck-board [data-kind='mine']")
    while not mine.count():
        take_hint(page).click()
        take_hint(page)
    found = page.locator(f"minecheck-board [data-at='{mine.first.get_attribute('data-at')}']")
    found.click(button="right")
    assert found.get_attribute("data-symbol") == "F"
    wait_for_status(page, "9 mines")
    found.click()
    found.click(button="right")
    page.get_by_label("Taps set flags").check()
    found.click()
    assert found.get_attribute("data-symbol") == "F"
    found.click()
    page.get_by_label("Taps set flags").uncheck()
    found.click()
    wait_for_status(page, "lost")
    assert found.get_attribute("data-symbol") == "X"
    # All other mines are shown.
    assert page.locator("minecheck-board [data-symbol='B']").count() == 9
    page.get_by_role("button", name="Undo").click()
    wait_for_status(page, "10 mines")
    page.get_by_role("button", name="New game").click()
    wait_for_status(page, "10 mines")


def test_example_game_takes_service_from_address(
    open_game: Open, service: str, tmp_path: Path
) -> None:
    page = open_game(f"http://127.0.0.1:{free_port()}")
    page.goto(f"{page.url}?service={service}")
    wait_for_status(page, "10 mines")


def test_example_game_without_service_says_how_to_start_one(open_game: Open) -> None:
    wait_for_status(
        open_game(f"http://127.0.0.1:{free_port()}"), "MINECHECK_CORS_ORIGINS=localhost make serve"
    )
