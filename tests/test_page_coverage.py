"""Code of the page's JavaScript that the report counts as reached."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import page_coverage
from tests.page_coverage import Script, add_counts, read_counts, read_script

TEXT = """\
// A comment.
function called(yes) {
    if (yes) { return 1; }
    return 2;
}

function ignored() { return 3; }
"""


@pytest.fixture
def script(tmp_path: Path) -> Script:
    path = tmp_path / "some.js"
    path.write_text(TEXT)
    return read_script(path, tmp_path)


def span(text: str, count: int) -> dict[str, int]:
    start = TEXT.index(text)
    return {"startOffset": start, "endOffset": start + len(text), "count": count}


def function(name: str, *ranges: dict[str, int]) -> dict[str, Any]:
    return {"functionName": name, "ranges": list(ranges)}


WHOLE = function("", span(TEXT, 1))
CALLED = TEXT[TEXT.index("function called") : TEXT.index("\n\nfunction ignored")]
IGNORED = function("ignored", span("function ignored() { return 3; }", 0))


def test_page_coverage_counts_a_script_that_never_runs_as_missing(script: Script) -> None:
    assert script.percent == 0
    assert script.describe_missing() == ["lines 2-5, 7"]


def test_page_coverage_lets_inner_ranges_overrule_outer_ranges(script: Script) -> None:
    called = function("called", span(CALLED, 1), span("{ return 1; }", 0))
    # The order in which Chromium names functions does not matter.
    add_counts(script, [IGNORED, called, WHOLE])
    assert script.describe_missing() == [
        "ignored in line 7 is never called",
        "lines 3, 7",
    ]


def test_page_coverage_adds_up_several_pages(script: Script) -> None:
    missing = function("called", span(CALLED, 1), span("{ return 1; }", 0))
    add_counts(script, [WHOLE, missing, IGNORED])
    add_counts(script, [WHOLE, function("called", span(CALLED, 2), span("return 2;", 0)), IGNORED])
    assert script.describe_missing() == ["ignored in line 7 is never called", "lines 7"]
    counting = sum(len(line.replace(" ", "")) for line in TEXT.splitlines()[1:])
    reached = counting - len("function ignored() { return 3; }".replace(" ", ""))
    assert script.percent == pytest.approx(100 * reached / counting)


def test_page_coverage_reads_counts_by_the_path_of_a_script(script: Script, tmp_path: Path) -> None:
    counts = [
        {"url": "http://127.0.0.1:1/page/some.js?1", "functions": [WHOLE]},
        {"url": "http://127.0.0.1:1/elsewhere.js", "functions": [WHOLE]},
        {"url": "", "functions": []},
    ]
    (tmp_path / "counts.json").write_text(json.dumps(counts))
    (read,) = read_counts(tmp_path, tmp_path)
    assert read.name == "some.js"
    assert np.array_equal(read.reached, np.ones(len(TEXT), bool))


def test_page_coverage_report_fails_for_a_file_below_its_floor(
    script: Script,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["page_coverage", str(tmp_path)])
    page_coverage.main(tmp_path)
    assert "NOTHING WAS MEASURED" in capsys.readouterr().out
    (tmp_path / "counts.json").write_text("[]")
    with pytest.raises(SystemExit) as ended:
        page_coverage.main(tmp_path)
    assert ended.value.code == 1
    assert "some.js                              0.0 %  BELOW THE FLOOR" in capsys.readouterr().out
