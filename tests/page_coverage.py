"""Report the share of the page's JavaScript that tests reach: ``python -m tests.page_coverage``.

Where ``PAGE_COVERAGE`` names a folder, the tests of the page write there what Chromium
counted in each page that they open. This report combines the counts, and lists for each file its
share of reached characters, the functions that were never called, and the lines never reached. The
exit status is 1 if a file is below its floor. Blank characters and lines of comments do not count.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tests.coverage_report import list_spans

VARIABLE: Final = "PAGE_COVERAGE"
#: Percent of the characters of each file that have to be reached.
FLOOR: Final = 80.0
#: What runs apart from all pages, where Chromium does not count.
_UNCOUNTED: Final = ("service-worker.js",)
ROOT: Final = Path(__file__).parents[1]
_PAGE: Final = ROOT / "app" / "page"
_COMMENTS: Final = ("//", "/*", "*")


class PageCoverage:
    """Counts of one browser context; it does nothing where the variable is not set."""

    def __init__(self) -> None:
        self._folder = os.environ.get(VARIABLE)
        self._sessions: list[Any] = []

    def start(self, page: Any) -> None:
        """Count what runs in a new page, which has not been sent anywhere yet."""
        if self._folder:
            session = page.context.new_cdp_session(page)
            session.send("Profiler.enable")
            session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
            self._sessions.append(session)

    def write(self) -> None:
        """Write the counts; those of pages that a test closed are lost."""
        from playwright.sync_api import Error

        for session in self._sessions:
            with suppress(Error):
                found = session.send("Profiler.takePreciseCoverage")["result"]
                path = Path(str(self._folder), f"{uuid4()}.json")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(found))


class Script(NamedTuple):
    """A file of the page: which characters count and are reached, and calls of functions."""

    name: str
    text: str
    counting: NDArray[np.bool_]
    reached: NDArray[np.bool_]
    #: Whether a function was called, by its name and its first character.
    calls: dict[tuple[str, int], bool]

    @property
    def percent(self) -> float:
        """Share of the characters that count which are reached."""
        return 100 * float(self.reached[self.counting].sum()) / max(1, int(self.counting.sum()))

    def describe_missing(self) -> list[str]:
        """Return the functions that are never called, then the lines that are never reached."""
        functions = [
            f"{name or 'a function'} in line {self._line(start)} is never called"
            for (name, start), is_called in sorted(self.calls.items(), key=lambda one: one[0][1])
            if not is_called
        ]
        offsets = np.flatnonzero(self.counting & ~self.reached).tolist()
        lines = {self._line(offset) for offset in offsets}
        return [*functions, f"lines {', '.join(list_spans(lines))}"] if lines else functions

    def _line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1


def read_script(path: Path, page: Path = _PAGE) -> Script:
    """Read a file of the page, of which nothing is reached yet."""
    text = path.read_text(encoding="utf-8")
    counting: list[bool] = []
    for line in text.splitlines(keepends=True):
        is_code = not line.lstrip().startswith(_COMMENTS)
        counting += [is_code and not character.isspace() for character in line]
    assert len(text.encode("utf-16-le")) == 2 * len(text), "Chromium counts in units of UTF-16"
    name = path.relative_to(page).as_posix()
    return Script(name, text, np.array(counting), np.zeros(len(text), bool), {})


def add_counts(script: Script, functions: Iterable[dict[str, Any]]) -> None:
    """Add what one page counted in a script."""
    reached = np.zeros(len(script.text), bool)
    # An inner range says more than those around it, so it comes later.
    for function in sorted(functions, key=lambda one: _span(one["ranges"][0])):
        for found in function["ranges"]:
            reached[found["startOffset"] : found["endOffset"]] = found["count"] > 0
        first = function["ranges"][0]
        key = function["functionName"], first["startOffset"]
        script.calls[key] = script.calls.get(key, False) or first["count"] > 0
    np.logical_or(script.reached, reached, out=script.reached)


def _span(found: dict[str, int]) -> tuple[int, int]:
    return found["startOffset"], -found["endOffset"]


def read_counts(folder: Path, page: Path = _PAGE) -> list[Script]:
    """Combine what all pages counted."""
    # The links lead to the package for browsers, which has tests of its own.
    scripts = {
        f"/page/{path.relative_to(page).as_posix()}": path
        for path in page.rglob("*.js")
        if not path.is_symlink() and path.name not in _UNCOUNTED
    }
    found = {name: read_script(path, page) for name, path in sorted(scripts.items())}
    for path in folder.glob("*.json"):
        for counts in json.loads(path.read_text()):
            script = found.get(urlsplit(counts["url"]).path)
            if script is not None:
                add_counts(script, counts["functions"])
    return list(found.values())


def main(page: Path = _PAGE) -> None:
    """Report."""
    parser = argparse.ArgumentParser(prog="python -m tests.page_coverage", description=__doc__)
    parser.add_argument("folder", type=Path, help=f"where {VARIABLE} had the counts written")
    folder = parser.parse_args().folder
    if not any(folder.glob("*.json")):
        print(f"page: NOTHING WAS MEASURED: no counts in {folder}; is Chromium installed?")
        return
    scripts = read_counts(folder, page)
    for script in scripts:
        verdict = "" if script.percent >= FLOOR else "  BELOW THE FLOOR"
        print(f"{script.name:34} {script.percent:5.1f} %{verdict}")
        for line in script.describe_missing():
            print(f"    {line}")
    reached = sum(int(script.reached[script.counting].sum()) for script in scripts)
    counting = sum(int(script.counting.sum()) for script in scripts)
    calls = [called for script in scripts for called in script.calls.values()]
    print(
        f"page: {100 * reached / counting:.1f} % of {counting} characters, "
        f"{sum(calls)} of {len(calls)} functions; floor of each file {FLOOR:.0f} %"
    )
    sys.exit(1 if any(script.percent < FLOOR for script in scripts) else 0)


if __name__ == "__main__":
    main()
