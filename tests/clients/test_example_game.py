"""The example game, played in Chromium as one who copied it would: from another origin."""

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
    """A service that is started as the example says."""
    with serving({"MINECHECK_CORS_ORIGINS": "localhost"}) as server:
        yield server.url


Open = Callable[[str], Any]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens a copy for a service at some address."""
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
    """The safe cell that a hint has marked."""
    page.get_by_role("button", name="Hint").click()
    safe = page.locator("#board .safe")
    safe.wait_for()
    return safe


def test_it_is_at_most_a_hundred_lines() -> None:
    assert len(TEXT.splitlines()) <= 100


def test_hints_win_it_without_a_guess(opened: Open, service: str) -> None:
    page = opened(service)
    wait_for_status(page, "10 mines")
    assert page.locator("#board button:not(.closed)").count() >= 9
    while "won" not in page.get_by_role("status").inner_text():
        take_hint(page).click()
    assert page.locator("#board .closed").count() == 10


def test_flags_keep_mines_closed_and_mines_lose(opened: Open, service: str) -> None:
    page = opened(service)
    wait_for_status(page, "10 mines")
    while not page.locator("#board .mine").count():
        take_hint(page).click()
        take_hint(page)
    mine = page.get_by_label(page.locator("#board .mine").first.get_attribute("aria-label") or "")
    mine.click(button="right")
    assert mine.inner_text() == "⚑"
    mine.click()
    wait_for_status(page, "10 mines")
    mine.click(button="right")
    mine.click()
    wait_for_status(page, "lost")
    assert mine.inner_text() == "✹"
    page.get_by_role("button", name="New game").click()
    wait_for_status(page, "10 mines")


def test_without_a_service_it_says_how_to_start_one(opened: Open) -> None:
    wait_for_status(
        opened(f"http://127.0.0.1:{free_port()}"), "MINECHECK_CORS_ORIGINS=localhost make serve"
    )
