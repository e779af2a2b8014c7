"""Loading of the page: all files at once, and from its cache without a network."""

import os
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest

from minecheck.app.routes.page import POLICY
from tests.app.serving import Server, serving
from tests.page.conftest import Opened
from tests.page.site import expect

FOLDER = Path(__file__).parents[2] / "app" / "page"
_IMPORT = re.compile(r'^(?:import|export)\b[^;"]*?"(\.{1,2}/[^"]+)"', re.MULTILINE)


def list_modules(path: str, found: set[str]) -> set[str]:
    """Add a module of the page, and all that it imports, to those that were found."""
    if path not in found:
        found.add(path)
        for relative in _IMPORT.findall((FOLDER / path).read_text("utf-8")):
            list_modules(os.path.normpath(Path(path).parent / relative), found)
    return found


def test_tabs_are_loaded_without_a_chain_of_requests() -> None:
    page = (FOLDER / "index.html").read_text("utf-8")
    # main.js itself is named as a script.
    main = list_modules("main.js", set())
    needed = {
        tab: list_modules(f"{tab}/tab.js", set()) | main - {"main.js"}
        for tab in ("play", "analyse", "strips")
    }
    shared = set.intersection(*needed.values())
    lists = {"all": shared, **{tab: found - shared for tab, found in needed.items()}}
    written = {
        name: re.findall(r'"page/([^"]+)"', found)
        for name, found in re.findall(r"^    (\w+): \[(.*?)\],$", page, re.DOTALL | re.MULTILINE)
    }
    assert written == {name: sorted(found) for name, found in lists.items()}


def test_policy_allows_the_script_of_the_page_alone() -> None:
    (script,) = re.findall(
        r"<script>(.*?)</script>", (FOLDER / "index.html").read_text(), re.DOTALL
    )
    digest = b64encode(sha256(script.encode()).digest()).decode()
    sources = re.search(r"script-src ([^;]*);", POLICY.decode())
    assert sources is not None
    assert sources[1] == f"'self' 'sha256-{digest}'"


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["play", "analyse", "strips"])
def test_tab_asks_for_no_module_of_another_tab(opened: Opened, tab: str) -> None:
    page = opened(f"/#{tab}")
    expect(page.locator(f"#{tab} .cell").first).to_be_visible()
    files = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    loaded = {
        name.split("/page/")[1] for name in files if name.endswith(".js") and "/page/" in name
    }
    assert {name.split("/")[0] for name in loaded} - {"main.js", "shared"} <= {tab, "analyse"}
    assert f"{tab}/tab.js" in loaded


def test_files_of_the_page_are_sent_compressed(server: Server) -> None:
    answer = httpx2.get(f"{server.url}/page/main.js", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"


@pytest.mark.slow
def test_page_opens_without_a_network_once_it_was_loaded(browser: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    with serving() as server:
        page.goto(server.url)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        expect(page.locator("#play .cell")).to_have_count(81)
    page.reload()
    expect(page.locator("#play .cell")).to_have_count(81)
    page.locator("#play .cell").nth(40).click()
    expect(page.locator("#play .cell[data-symbol='0']").first).to_be_visible()
    context.close()
