"""A browser and a real server with the page, shared by all tests of the page."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.app.serving import Server, serving
from tests.browser import browser
from tests.page_coverage import PageCoverage

if TYPE_CHECKING:
    from tests.page.play.table import Table

__all__ = ["browser"]

#: What ends up here is a fault of the page, whatever the test is about.
WATCHED = """
    document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test that failed once more, and say so: a browser may be late on a busy machine."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the page."""
    with serving() as server:
        yield server


class Opened:
    """Opens pages of the server, and collects what they complain about."""

    def __init__(self, browser: Any, url: str) -> None:
        self._browser = browser
        self.url = url
        self.contexts: list[Any] = []
        self.coverage = PageCoverage()
        self.complaints: list[str] = []
        #: Complaints that contain any of these are expected.
        self.expected: list[str] = []

    def __call__(
        self, path: str = "/", routes: Mapping[str, Callable[[Any], Any]] | None = None, **how: Any
    ) -> Any:
        """A page in a context of its own, such as ``opened("/#play", has_touch=True)``.

        ``routes`` answer in place of the service, by patterns such as "**/v1/boards".
        """
        # Routes do not see what a service worker asks for.
        context = self._browser.new_context(**{"service_workers": "block", **how})
        context.set_default_timeout(20_000)
        context.add_init_script(WATCHED)
        self.contexts.append(context)
        page = context.new_page()
        self.coverage.start(page)
        page.on("console", self._read_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        for pattern, handler in (routes or {}).items():
            page.route(pattern, handler)
        page.goto(self.url + path)
        return page

    def _read_console(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def unexpected(self) -> list[str]:
        """Return the complaints of the pages that were not expected."""
        return [
            said
            for said in self.complaints
            if not any(expected in said for expected in self.expected)
        ]


@pytest.fixture
def opened(browser: Any, server: Server) -> Iterator[Opened]:
    """Open pages; fail if any of them has an error or violates its CSP."""
    opened = Opened(browser, server.url)
    yield opened
    opened.coverage.write()
    for context in opened.contexts:
        context.close()
    assert opened.unexpected() == []


@pytest.fixture
def tolerant(opened: Opened) -> Opened:
    """Open pages, and expect the browser's complaints about failed requests."""
    opened.expected += ["Failed to load resource", "SyntaxError"]
    return opened


@pytest.fixture
def blank(opened: Opened) -> Any:
    """A page with no game."""
    return opened()


@pytest.fixture
def small(opened: Opened) -> "Table":
    """A small board, its corner open."""
    from tests.page.play.table import SMALL, SMALL_LINK, Table, dealing

    table = Table(opened(SMALL_LINK, routes=dealing(SMALL)), 6)
    table.shows(2, 1, "1")
    return table
