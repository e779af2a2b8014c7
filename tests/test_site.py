"""The guide is built without a warning, its links lead somewhere, and it needs no other host."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from posixpath import join, normpath
from typing import Any
from unittest.mock import Mock
from urllib.parse import unquote, urlsplit

import pytest
from fastapi.testclient import TestClient
from mkdocs.config import load_config

from docs import guide as hooks
from minecheck.app.main import create_app
from minecheck.app.routes import guide
from minecheck.app.settings import Settings
from tests.browser import browser as browser
from tests.processes import ROOT

LLMS = (ROOT / "app" / "page" / "llms.txt").read_text("utf-8")
#: Where the browser takes the service to be.
ORIGIN = "http://guide.example"


class Parsed(HTMLParser):
    """The parts of a page that tests read: anchors, links, and whatever a browser loads or runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := found.get(key))}
        if tag == "a" and (link := found.get("href")):
            self.links.append(link)
        loaded = found.get("href") if tag == "link" else found.get("src")
        if loaded:
            self.loads.append(loaded)
        runs = tag == "script" and "src" not in found and found.get("type") != "application/json"
        if runs or tag == "style" or any(key.startswith("on") for key in found):
            self.inline.append(f"{tag} {found}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built guide. A warning of MkDocs fails, and so does a link that it cannot follow."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    built = subprocess.run(
        [*command, "--site-dir", folder],
        cwd=ROOT,
        env={"NO_MKDOCS_2_WARNING": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert built.returncode == 0, built.stderr
    return folder


def pages(site: Path) -> Iterator[tuple[str, Parsed]]:
    """Each page, by its path in the guide; the one for missing pages is not used."""
    for file in sorted(site.rglob("*.html")):
        if file.name != "404.html":
            yield file.relative_to(site).as_posix(), Parsed(file.read_text("utf-8"))


@pytest.mark.slow
def test_guide_links_and_anchors_exist(site: Path) -> None:
    parsed = dict(pages(site))
    broken = []
    for path, page in parsed.items():
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = normpath(join(path, "..", unquote(parts.path))) if parts.path else path
            if (site / target).is_dir():
                target = normpath(join(target, "index.html"))
            anchor = unquote(parts.fragment)
            if not (site / target).is_file() or (
                anchor and target in parsed and anchor not in parsed[target].anchors
            ):
                broken.append((path, link))
    assert len(parsed) > 25
    assert broken == []


@pytest.mark.slow
def test_guide_pages_load_nothing_from_elsewhere_and_run_nothing_inline(site: Path) -> None:
    found = dict(pages(site))
    assert [one for page in found.values() for one in page.inline] == []
    assert [one for page in found.values() for one in page.loads if urlsplit(one).netloc] == []


@pytest.mark.slow
def test_guide_reference_has_every_public_name(site: Path) -> None:
    import minecheck

    anchors = Parsed((site / "python-reference" / "index.html").read_text("utf-8")).anchors
    named = {f"minecheck.{name}" for name in minecheck.__all__} - {"minecheck.__version__"}
    assert named <= anchors


@pytest.mark.slow
def test_llms_txt_leads_to_pages_of_the_guide(site: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", LLMS)
    pages = [link.removeprefix("guide/") for link in links if link.startswith("guide/")]
    assert len(pages) > 10
    assert [link for link in pages if not (site / link / "index.html").is_file()] == []
    copied = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text("utf-8"))
    assert copied[0] == "tutorial/"
    assert "../openapi.json" in copied


# A browser may be late on a busy machine, as in the tests of the page.
@pytest.mark.flaky(reruns=2)
@pytest.mark.slow
def test_guide_search_works_in_a_browser_without_other_hosts(
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
    browser: Any,
) -> None:
    monkeypatch.setattr(guide, "FOLDER", site)
    client = TestClient(create_app(Settings(workers=1)), base_url=ORIGIN)
    urls: list[str] = []

    def answer(route: Any) -> None:
        urls.append(route.request.url)
        found = client.get(route.request.url)
        route.fulfill(status=found.status_code, headers=dict(found.headers), body=found.content)

    # Service workers would answer some requests without the route.
    context = browser.new_context(service_workers="block")
    context.route("**/*", answer)
    page = context.new_page()
    console: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(str(error)))
    page.goto(f"{ORIGIN}/guide/")
    # The search begins with the focus, which another page of the browser may have.
    page.bring_to_front()
    page.locator(".md-search__input").click()
    page.keyboard.type("random layout")
    page.locator(".md-search-result__item").first.wait_for()
    assert "How do I" in page.locator(".md-search-result__list").inner_text()
    context.close()
    assert console == []
    assert [url for url in urls if not url.startswith(f"{ORIGIN}/guide/")] == []


def test_guide_hook_rewrites_links_of_documents() -> None:
    text = "[a](../CONTRIBUTING.md) ![b](../app/pictures/kadlac-given.svg) [c](api.md#count)\n"
    fenced = "```\n[d](../CONTRIBUTING.md)\n```\n"
    page = Mock(**{"file.src_uri": "automata.md"}, meta={})
    turned = hooks.on_page_markdown(text + fenced, page=page)
    assert turned == (
        f"[a](contributing.md) ![b](pictures/kadlac-given.svg) [c](api.md#count)\n{fenced}"
    )


def test_guide_lists_new_pages_last_under_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("api.md", "new.md"):
        (tmp_path / "docs" / name).touch()
    monkeypatch.setattr(hooks, "ROOT", tmp_path)
    config = load_config(str(ROOT / "mkdocs.yml"), plugins=[])
    hooks.on_config(config)
    (used,) = (part["Use"] for part in config.nav or () if "Use" in part)
    assert used[-1] == "new.md"
    assert "api.md" not in used
