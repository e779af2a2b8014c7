"""Loading of the page: all files at once, and from its cache without a network."""

import os
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.app.serving import Server, serving
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


def test_first_tab_is_loaded_without_a_chain_of_requests() -> None:
    page = (FOLDER / "index.html").read_text("utf-8")
    preloaded = re.findall(r'<link rel="modulepreload" href="page/([^"]+)">', page)
    needed = list_modules("main.js", set()) | list_modules("play/tab.js", set())
    # main.js itself is named as a script.
    assert preloaded == sorted(needed - {"main.js"})


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
