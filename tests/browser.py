"""Chromium, as the tests of pages, the benchmarks and the pictures of the documentation use it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: The one without windows needs half the time.
_PROGRAMS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
CHROMIUM = next(filter(Path.exists, _PROGRAMS), _PROGRAMS[-1])


@contextmanager
def chromium() -> Iterator[Any]:
    """Playwright's browser. While it runs, so does an event loop in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        # As root, as in containers, its own sandbox cannot start.
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; the tests are skipped where there is none.

    It ends with its module, since tests elsewhere want an event loop of their own.
    """
    pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if not CHROMIUM.exists():
        pytest.skip(f"needs {CHROMIUM}")
    with chromium() as browser:
        yield browser
