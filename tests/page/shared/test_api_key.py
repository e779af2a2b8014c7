"""A service that wants a key."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from tests.app.serving import Server, serving
from tests.page.analyse.tab import open_tab
from tests.page.conftest import Opened
from tests.page.play.table import Table
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

KEY = "the key of these tests"


@pytest.fixture(scope="module")
def closed() -> Iterator[Server]:
    """A server that requires a key, and limits the rate of each."""
    keys = {"tester": f"sha256:{sha256(KEY.encode()).hexdigest()}"}
    limits = {"MINECHECK_RATE_PER_SECOND": "1", "MINECHECK_RATE_BURST": "40"}
    with serving({"MINECHECK_API_KEYS": json.dumps(keys), **limits}) as server:
        yield server


@pytest.fixture
def locked(tolerant: Opened, closed: Server) -> Opened:
    tolerant.url = closed.url
    return tolerant


def give(page: Any, key: str) -> None:
    page.get_by_label("API key").fill(key)
    page.get_by_label("API key").press("Enter")


def test_api_key_dialog_accepts_a_key_and_repeats_the_request(locked: Opened) -> None:
    page = locked(link(["?1?"]))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This service asks for a key.")
    give(page, "wrong")
    expect(dialog).to_contain_text("The service rejected this key.")
    give(page, KEY)
    expect(dialog).to_be_hidden()
    expect(page.locator("#analyse")).to_contain_text("2 layouts")
    # For the tab, and only for it.
    page.goto(locked.url + link(["??"], tab="strips"))
    page.reload()
    expect(page.locator("#strips")).to_contain_text("4 layouts")
    expect(page.locator(".machine-frame .state").first).to_be_visible()
    assert page.evaluate("() => Object.values(localStorage).join()") == ""
    other = page.context.new_page()
    other.goto(locked.url + link(["?"]))
    expect(other.get_by_role("dialog")).to_be_visible()


def test_copied_curl_command_does_not_contain_the_api_key(locked: Opened, closed: Server) -> None:
    page = locked(link(["?1?"]), permissions=["clipboard-read", "clipboard-write"])
    give(page, KEY)
    expect(page.locator("#analyse")).to_contain_text("2 layouts")
    open_tab(page, "Tools")
    page.get_by_role("button", name="Copy curl command").click()
    expect(page.locator("#message")).to_have_text(
        re.compile("Copied. It does not contain your key: set MINECHECK_KEY to it.")
    )
    copied: str = page.evaluate("navigator.clipboard.readText()")
    assert KEY not in copied
    run = subprocess.run(
        copied.replace("curl ", "curl -s ", 1),
        shell=True,
        env={**os.environ, "MINECHECK_KEY": KEY},
        capture_output=True,
        check=True,
    )
    assert json.loads(run.stdout)["count"] == "2"


def test_game_waits_for_the_api_key(locked: Opened) -> None:
    page = locked("/#play")
    table = Table(page, 9)
    table.cell(4, 4).click()
    give(page, KEY)
    table.shows(4, 4, "0")
    expect(page.locator("#message")).to_be_hidden()
    expect(table.cell(4, 4)).to_be_focused()


def test_game_is_played_without_an_api_key_after_one_dialog(locked: Opened) -> None:
    page = locked("/#play")
    table = Table(page, 9)
    table.cell(4, 4).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    table.shows(4, 4, "0")
    expect(page.locator("#message")).to_contain_text("This service asks for a key.")
    table.button("Hint").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text(
        'This service asks for a key. Enter one under "API key"'
    )
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name="API key").click()
    give(page, KEY)
    table.button("Hint").click()
    # The page has dealt a board of its own, which may need a guess at once.
    expect(table.status).to_contain_text(
        re.compile("Something is proved|No cell is certainly safe")
    )


def test_api_key_dialog_fits_a_small_screen(locked: Opened) -> None:
    page = locked(link(["?1?"]), viewport={"width": 320, "height": 480})
    expect(page.get_by_label("API key")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Without a key")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="API key")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_files_of_the_page_do_not_count_towards_the_rate_limit(locked: Opened) -> None:
    for _ in range(3):
        page = locked(link(["?1?"]))
        page.get_by_role("button", name="Without a key").click()
        for name in ("Play", "Strips"):
            page.get_by_role("link", name=name).click()
            expect(page.locator(f"#{name.lower()} .cell").first).to_be_visible()
