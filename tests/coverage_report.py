"""Report the lines and branches that the quick tests reach: ``python -m tests.coverage_report``.

Kernels are invisible to coverage where they are machine code, so some cheap tests run once more
with ``MINECHECK_KERNELS=python``, and both runs are combined. What is missing is listed, file by
file. The exit status is 1 if a folder is below its floor, or if a test fails.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
#: Percent of lines and branches of each folder that have to be reached.
FLOORS: Final = {"minefield": 95.0, "automata": 95.0, "solvers": 95.0, "app": 90.0}
#: Tests of all kernels on boards that are small enough for the interpreter.
INTERPRETED: Final = (
    "tests/test_kernel_answers.py",
    "tests/minefield/formats/test_tatham_save.py",
    "tests/minefield/reduction",
    "tests/minefield/test_bits.py",
    "tests/minefield/test_kernel_mode.py",
    "tests/solvers/counting/test_determinants.py",
    "tests/solvers/counting/test_naturals.py",
    "tests/solvers/counting/test_witness.py",
    "tests/solvers/environment/test_dealing.py",
    "tests/solvers/environment/test_truth.py",
    # Of a million cells the interpreter takes minutes.
    "--deselect=tests/minefield/reduction/test_constraints.py::"
    "test_reduction_leaves_a_million_unknown_cells_loose",
    "--deselect=tests/minefield/reduction/test_constraints.py::"
    "test_reduction_handles_a_board_of_a_million_cells",
)
_DATA: Final = ROOT / "build" / "coverage"
_COVERAGE: Final = (sys.executable, "-m", "coverage")


class Row(NamedTuple):
    """The coverage of a folder: lines and branches in all, and those that are reached."""

    folder: str
    all: int
    reached: int

    @property
    def percent(self) -> float:
        """Share of what is reached."""
        return 100.0 * self.reached / max(1, self.all)

    @property
    def is_enough(self) -> bool:
        """True if the floor is reached."""
        return self.percent >= FLOORS[self.folder]


def rows_of(report: Mapping[str, Any]) -> list[Row]:
    """Sum up what coverage reports as JSON, by folder."""
    rows = []
    for folder in FLOORS:
        parts = [
            found["summary"]
            for name, found in report["files"].items()
            if Path(name).parts[0] == folder
        ]
        lines = sum(part["num_statements"] + part["num_branches"] for part in parts)
        reached = sum(part["covered_lines"] + part["covered_branches"] for part in parts)
        rows.append(Row(folder, lines, reached))
    return rows


def missing_of(report: Mapping[str, Any], folders: Sequence[str]) -> list[str]:
    """List what is not reached in folders, a line a file: lines, and branches as from->to."""
    lines_of_report = []
    for name, found in sorted(report["files"].items()):
        lines = set(found["missing_lines"])
        branches = [
            f"{start}->{'exit' if end <= 0 else end}"
            for start, end in found["missing_branches"]
            if start not in lines and end not in lines
        ]
        if Path(name).parts[0] in folders and (lines or branches):
            percent = found["summary"]["percent_covered"]
            lines_of_report.append(
                f"{name} {percent:.0f} %: {', '.join([*list_spans(lines), *branches])}"
            )
    return lines_of_report


def list_spans(lines: Set[int]) -> list[str]:
    """Return line numbers, those in a row as first-last."""
    firsts = sorted(line for line in lines if line - 1 not in lines)
    lasts = sorted(line for line in lines if line + 1 not in lines)
    return [
        f"{first}" if first == last else f"{first}-{last}"
        for first, last in zip(firsts, lasts, strict=True)
    ]


def report_of() -> dict[str, Any]:
    """Combine what was measured, and read it."""
    path = _DATA / "report.json"
    subprocess.run([*_COVERAGE, "combine", "--quiet"], cwd=ROOT, check=True)
    subprocess.run([*_COVERAGE, "json", "--quiet", "-o", str(path)], cwd=ROOT, check=True)
    report: dict[str, Any] = json.loads(path.read_text())
    return report


def measure(tests: Sequence[str], **variables: str) -> bool:
    """Run tests and measure; False if one fails."""
    command = [*_COVERAGE, "run", "-m", "pytest", "-q", *tests]
    return subprocess.run(command, cwd=ROOT, env=os.environ | variables).returncode == 0


def main() -> None:
    """Measure, and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.coverage_report", description=__doc__)
    parser.add_argument("--report", action="store_true", help="only what was measured last")
    parser.add_argument("tests", nargs="*", help="by default the quick tests")
    options = parser.parse_args()
    passed = True
    if not options.report:
        _DATA.mkdir(parents=True, exist_ok=True)
        for path in _DATA.glob("data*"):
            path.unlink()
        passed = measure(INTERPRETED, MINECHECK_KERNELS="python")
        passed &= measure(options.tests)
        report = report_of()
    else:
        report = json.loads((_DATA / "report.json").read_text())
    rows = rows_of(report)
    low = [row.folder for row in rows if not row.is_enough]
    for line in missing_of(report, [*FLOORS]):
        print(line)
    for row in rows:
        verdict = "" if row.is_enough else "  BELOW THE FLOOR"
        floor = FLOORS[row.folder]
        print(f"{row.folder:10} {row.percent:5.1f} % of {row.all}, floor {floor:.0f} %{verdict}")
    sys.exit(0 if passed and not low else 1)


if __name__ == "__main__":
    main()
