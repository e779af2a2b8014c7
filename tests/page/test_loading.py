"""Loading of the page: all files at once, and from its cache without a network."""

import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest

from docs import page_modules
from docs.page_modules import TABS
from minecheck.app.routes.page import POLICY
from tests.app.serving import Server, serving
from tests.page.conftest import Opened
from tests.page.site import expect, link


def test_tabs_are_loaded_without_a_chain_of_requests() -> None:
    text = page_modules.PAGE.read_text("utf-8")
    assert page_modules.render_page(text) == text, "run `python -m docs.page_modules`"


def test_modules_are_listed_with_all_that_they_import_at_once() -> None:
    sorted_modules = page_modules.sort_modules()
    assert "shared/elements.js" in sorted_modules["all"]
    assert "play/tab.js" in sorted_modules["play"]
    # Imported by a module of the tab, not by the tab.
    assert "analyse/editor.js" in sorted_modules["analyse"]
    # Imported by a call, and imported by such a module.
    assert {"analyse/tools.js", "analyse/checker.js"} <= set(sorted_modules["later"])
    # Tables of languages, of which a call names none.
    assert not any("languages/" in module for found in sorted_modules.values() for module in found)
    assert not any(set(sorted_modules["all"]) & set(sorted_modules[tab]) for tab in TABS)


def test_policy_allows_the_script_of_the_page_alone() -> None:
    (script,) = re.findall(
        r"<script>(.*?)</script>", page_modules.PAGE.read_text("utf-8"), re.DOTALL
    )
    digest = b64encode(sha256(script.encode()).digest()).decode()
    sources = re.search(r"script-src ([^;]*);", POLICY.decode())
    assert sources is not None
    assert sources[1] == f"'self' 'sha256-{digest}'"


@pytest.mark.slow
@pytest.mark.parametrize("tab", TABS)
def test_tab_asks_for_no_module_of_another_tab(opened: Opened, tab: str) -> None:
    page = opened(f"/#{tab}")
    expect(page.locator(f"#{tab} .cell").first).to_be_visible()
    files = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    loaded = {
        name.split("/page/")[1] for name in files if name.endswith(".js") and "/page/" in name
    }
    assert {name.split("/")[0] for name in loaded} - {"main.js", "shared"} <= {tab, "analyse"}
    assert f"{tab}/tab.js" in loaded


@pytest.mark.slow
def test_tools_are_loaded_when_they_are_first_seen(opened: Opened) -> None:
    page = opened(link(["?1??"], 1))
    expect(page.locator("#analyse .verdict dl dd").first).to_be_visible()
    script = "performance.getEntriesByType('resource').map(({ name }) => name.split('/page/')[1])"
    later = set(page_modules.sort_modules()["later"])
    assert not later & set(page.evaluate(script))
    page.get_by_role("tab", name="Tools").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    assert later <= set(page.evaluate(script))


@pytest.mark.slow
def test_tools_that_could_not_be_loaded_are_loaded_by_retry(tolerant: Opened) -> None:
    page = tolerant(link(["?1??"], 1))
    tolerant.expected.append("dynamically imported")
    page.route("**/analyse/tools.js", lambda route: route.abort())
    page.get_by_role("tab", name="Tools").click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("The tools could not be loaded.")
    panel.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("tab", TABS)
def test_tab_says_what_it_is_for_before_any_module_is_loaded(tolerant: Opened, tab: str) -> None:
    page = tolerant(f"/#{tab}", routes={"**/page/**/*.js": lambda route: route.abort()})
    expect(page.locator(f"#{tab} .skeleton")).to_be_visible()
    expect(page.locator("main:visible")).to_have_count(1)


def test_modules_are_asked_for_before_style_sheets_have_come() -> None:
    # A script that follows style sheets waits for them.
    text = page_modules.PAGE.read_text("utf-8")
    assert text.index("<script>") < text.index('<link rel="stylesheet"')


def test_files_of_the_page_are_sent_compressed(server: Server) -> None:
    answer = server.get("/page/main.js", headers={"Accept-Encoding": "gzip"})
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
    # Also what was not loaded before.
    page.get_by_role("link", name="Analyse").click()
    page.get_by_role("tab", name="Tools").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    context.close()
