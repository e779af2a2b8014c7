"""No test reads a clock or sleeps: tests wait for events, and move clocks."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.slow

TESTS: Final = Path(__file__).parent

#: Functions of the module ``time`` that read a clock, or wait.
CLOCKS: Final = frozenset(
    ("monotonic", "perf_counter", "process_time", "thread_time", "time", "sleep")
)
#: Methods that wait for some time, whatever happens: of pages, and of threads.
WAITS: Final = frozenset(("wait_for_timeout",))
#: What JavaScript in a test may not do: it waits, or goes by the time.
IN_SCRIPTS: Final = re.compile(r"setTimeout\([^)]*[1-9]|AbortSignal\.timeout\(\d|performance\.now")
#: Tools beside the tests, which run for a given time, or report how fast they are.
TOOLS: Final = frozenset(("hunt.py", "fuzz.py"))
#: What tests may use, how often, and why.
ALLOWED: Final[dict[str, Counter[str]]] = {
    # The one place that waits for what has to happen, with a patience that only ends hangs.
    "processes.py": Counter(monotonic=2, sleep=2),
    # The clock that tests move, and deadlines that have passed before a request comes.
    "moved_clock/sitecustomize.py": Counter(monotonic=2),
    "app/conftest.py": Counter(monotonic=1),
    # Says when a request came.
    "app/execution/test_findings.py": Counter(monotonic=1),
    # Sends pieces apart; whether they arrive apart changes no verdict.
    "app/middleware/test_connections.py": Counter(sleep=1),
    # Compares processor time with that of a fixed piece of work in the same process.
    "app/test_holds.py": Counter(process_time=4, sleep=1),
    # Is compiled and never run.
    "clients/test_types.py": Counter(script=1),
    # Has a tool begin now.
    "test_hunt.py": Counter(monotonic=1),
}


def uses(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines and names of clocks and sleeps in a test."""
    tree = ast.parse(source)
    imported = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for alias in node.names
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("time"), name) if _is_clock(name):
                yield node.lineno, name
            case ast.Name(name, ast.Load()) if _is_clock(imported.get(name, "")):
                yield node.lineno, imported[name]
            case ast.Call(ast.Attribute(ast.Name("asyncio"), "sleep"), [argument]):
                # Without a time it is a turn of the event loop.
                if not (isinstance(argument, ast.Constant) and argument.value == 0):
                    yield node.lineno, "sleep"
            case ast.Call(ast.Attribute(_, name)) if name in WAITS:
                yield node.lineno, name
            case ast.Constant(str(text)) if IN_SCRIPTS.search(text):
                yield node.lineno, "script"


def _is_clock(name: str) -> bool:
    return name.removesuffix("_ns") in CLOCKS


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import time\ntime.sleep(1)", "sleep"),
        ("import time\nwork = time.sleep, 0.5", "sleep"),
        ("from time import monotonic as now\nnow()", "monotonic"),
        ("from time import perf_counter_ns\nperf_counter_ns()", "perf_counter_ns"),
        ("import asyncio\nasync def f(): await asyncio.sleep(0.1)", "sleep"),
        ("page.wait_for_timeout(5)", "wait_for_timeout"),
        ("script = 'await new Promise((resolve) => setTimeout(resolve, 300))'", "script"),
    ],
)
def test_uses_finds_clocks_and_sleeps(source: str, name: str) -> None:
    assert [found for _, found in uses(source)] == [name]


@pytest.mark.parametrize(
    "source",
    ["await_ = asyncio.sleep(0)", "page.clock.run_for(500)", "time = 5\nx = time", "holds_soon(f)"],
)
def test_uses_ignores_code_without_clocks(source: str) -> None:
    assert list(uses(source)) == []


def test_no_test_reads_a_clock_or_sleeps() -> None:
    files = {str(file.relative_to(TESTS)): file for file in sorted(TESTS.rglob("*.py"))}
    files = {name: file for name, file in files.items() if name not in TOOLS}
    del files[Path(__file__).name]
    found = {name: list(uses(file.read_text(encoding="utf-8"))) for name, file in files.items()}
    counted = {name: Counter(name for _, name in lines) for name, lines in found.items()}
    # Wait with `holds_soon` or `until` of tests/processes.py, or move a clock of tests/clocks.py.
    beyond = {name: found[name] for name in files if counted[name] - ALLOWED.get(name, Counter())}
    assert beyond == {}
    # What is no longer used is no longer allowed.
    assert {name: many for name, many in counted.items() if many} == ALLOWED
