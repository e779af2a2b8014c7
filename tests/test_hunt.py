"""Results of `make hunt` and `make coverage`: findings are tests, gaps are listed."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest

from minecheck.minefield.board import Board
from minecheck.minefield.rules import Puzzle
from minecheck.solvers import Backend
from tests import coverage_report, fuzz_guided, hunt
from tests.coverage_report import missing_of, rows_of
from tests.falsified import NoCode, code_of
from tests.hunt import Hunt

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, -3, 0.1, "a\n'", b"\xff", (), (1,), [1, (2, "x")], {1: [2]}),
        *({1, 2}, frozenset([3]), Backend.SAT, Fraction(1, 3), float("inf"), np.int8(7)),
    ],
    ids=repr,
)
def test_code_of_a_value_evaluates_to_an_equal_value(value: object) -> None:
    modules: set[str] = set()
    made = eval(code_of(value, modules), {name: sys.modules[name] for name in modules} | _roots())
    assert made == value
    assert type(made) is type(value)


def _roots() -> dict[str, Any]:
    return {name: sys.modules[name] for name in ("minecheck", "fractions", "numpy")}


def test_code_of_a_board_evaluates_to_an_equal_board() -> None:
    board = Board(np.array([[1, 9], [10, 12]], np.int8))
    modules: set[str] = set()
    made = eval(code_of(board, modules), _roots())
    assert modules == {"numpy", "minecheck.minefield.board"}
    assert np.array_equal(made.cells, board.cells)


def test_code_of_a_value_without_an_expression_raises() -> None:
    with pytest.raises(NoCode):
        code_of([Puzzle, object()], set())


#: A property that is false, and one that no example falsifies.
PROPERTIES = """
import numpy as np
from hypothesis import given, strategies as st
from minecheck.minefield.board import Board

@given(st.integers(0, 9), st.integers(1, 5).map(lambda side: Board(np.zeros((side, 1), np.int8))))
def test_sides(number, board):
    assert number < 5 or board.shape[0] < 3

@given(st.integers())
def test_integers(number):
    assert number == number

def test_none():
    raise AssertionError("this is no property")
"""


@pytest.mark.slow
def test_falsified_plugin_records_the_smallest_example(tmp_path: Path) -> None:
    tests, findings = tmp_path / "test_given.py", tmp_path / "findings.jsonl"
    tests.write_text(PROPERTIES)
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "tests.falsified", str(tests)]
    command += [f"--findings={findings}", "--hypothesis-profile=hunt", "--hypothesis-seed=1"]
    command += ["-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider"]
    command += ["-p", "tests.conftest"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed, 1 deselected" in ran.stdout, ran.stdout
    (finding,) = map(json.loads, findings.read_text().splitlines())
    assert finding["test"].endswith("test_sides")
    assert finding["code"]["number"] == "5"
    assert "[[0], [0], [0]]" in finding["code"]["board"]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hunt:
    monkeypatch.setattr(hunt, "ROOT", tmp_path)
    monkeypatch.setattr(hunt, "FOUND", tmp_path)
    return Hunt("properties", monotonic() + 60, tmp_path)


def test_hunt_writes_a_test_that_repeats_an_example(found: Hunt, tmp_path: Path) -> None:
    finding: dict[str, Any] = {
        "test": "tests/minefield/test_bits.py::test_bits",
        "error": "E",
        "function": "test_bits",
        "code": {"board": "minecheck.minefield.board.Board(cells=numpy.array([[1]], 'int8'))"},
        "modules": ["minecheck.minefield.board", "numpy"],
    }
    hunt._keep_example(found, finding, {"MINECHECK_KERNELS": "checked"})
    (path,) = tmp_path.glob("test_*.py")
    written = path.read_text()
    compile(written, str(path), "exec")
    assert (
        "import minecheck.minefield.board\nimport numpy\nimport tests.minefield.test_bits\n"
        in written
    )
    assert "board=minecheck.minefield.board.Board(" in written
    (finding_text,) = found.findings
    assert finding_text.endswith(
        f"MINECHECK_KERNELS=checked .venv/bin/python -m pytest -n 0 {path.name}"
    )


def test_hunt_keeps_an_example_without_code_as_text(found: Hunt, tmp_path: Path) -> None:
    finding = {"test": "tests/test_a.py::test_a[1]", "error": "E", "example": {"data": "data(...)"}}
    hunt._keep_example(found, finding | {"function": "test_a"}, {})
    (path,) = tmp_path.glob("*.txt")
    assert "tests/test_a.py::test_a[1]" in path.read_text()
    assert len(found.findings) == 1


def test_hunt_fails_after_all_stages_if_one_stage_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = []

    def broken(_: Hunt) -> None:
        raise RuntimeError("it broke")

    stages = {"broken": (broken, 0.5), "sound": (lambda given: done.append(given.stage), 0.5)}
    monkeypatch.setattr(hunt, "STAGES", stages)
    monkeypatch.setattr(sys, "argv", ["hunt", "--minutes", "0.1"])
    with pytest.raises(SystemExit) as ended:
        hunt.main()
    assert ended.value.code == 1
    assert done == ["sound"]
    assert "broken went wrong: it broke" in capsys.readouterr().out


def test_fuzzer_findings_are_stored_outside_the_corpus() -> None:
    assert fuzz_guided.FINDINGS.parent != fuzz_guided.CORPUS


def file(covered: int, missing: list[int], branches: list[list[int]]) -> dict[str, Any]:
    summary = {
        "num_statements": covered + len(missing),
        "covered_lines": covered,
        "num_branches": 2 * len(branches),
        "covered_branches": len(branches),
        "percent_covered": 50.0,
    }
    return {"summary": summary, "missing_lines": missing, "missing_branches": branches}


def test_coverage_report_lists_missing_lines_of_folders_below_the_floor() -> None:
    files = {
        "minefield/a.py": file(99, [], []),
        "automata/b.py": file(99, [7], []),
        "solvers/c.py": file(10, [3, 4, 5, 9], [[2, 3], [11, 13], [12, -1]]),
    }
    rows = {row.folder: row for row in rows_of({"files": files})}
    assert [name for name, row in rows.items() if not row.is_enough] == ["solvers", "app"]
    assert rows["automata"].percent == pytest.approx(99.0)
    missing = missing_of({"files": files}, ["solvers"])
    assert missing == ["solvers/c.py 50 %: 3-5, 9, 11->13, 12->exit"]


def test_coverage_report_has_a_floor_for_every_folder_of_the_code() -> None:
    import tomllib

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert settings["tool"]["coverage"]["run"]["source"] == [*coverage_report.FLOORS]


def test_hunt_reports_a_file_whose_process_ends_by_a_signal(
    found: Hunt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hunt, "_run", lambda *_, **__: (-11, "Segmentation fault"))
    hunt._try_file(found, "tests/test_a.py", {})
    (finding_text,) = found.findings
    assert "signal 11 ended its process" in finding_text
    assert "MINECHECK_KERNELS=checked" in finding_text
