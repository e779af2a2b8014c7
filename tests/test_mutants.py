"""Changes of behaviour that `tests.mutants` recognises, and names of mutants."""

import ast
import json
import tomllib
from pathlib import Path

import pytest

from tests.mutants import OWN_TESTS, ROOT, Mutant, changed_lines, means_the_same, report


def function(body: str) -> str:
    return f"def f(a, b):\n    {body}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("raise ValueError('It is missing.')", "raise ValueError('IT IS MISSING.')"),
        ("raise ValueError('It is missing.')", "raise ValueError(None)"),
        ("raise ValueError(f'Line {a} of {b}.')", "raise ValueError(None)"),
        ("detail = f'{a}'", "detail = None"),
        ("return zip(a, b, strict=True)", "return zip(a, b)"),
        ("assert a is not None, 'never'", "assert a is None, 'never'"),
    ],
)
def test_mutants_of_messages_and_assertions_do_not_count_as_changes(
    before: str, after: str
) -> None:
    assert means_the_same(ast.parse(function(before)), ast.parse(function(after)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return a < b", "return a <= b"),
        ("return a + ' '", "return a + 'XX XX'"),
        ("return f'{a}.{b}'", "return None"),
        ("raise ValueError('It is missing.', a)", "raise ValueError('It is missing.', None)"),
        ("return zip(a, b, strict=True)", "return zip(a, None, strict=True)"),
        ("detail_of = f'{a}'", "detail_of = None"),
    ],
)
def test_mutants_of_behaviour_count_as_changes(before: str, after: str) -> None:
    assert not means_the_same(ast.parse(function(before)), ast.parse(function(after)))


def mutated_modules() -> list[Path]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutmut"]
    paths = [ROOT / path for path in settings["source_paths"]]
    found = [file for path in paths for file in ([path] if path.is_file() else path.glob("*.py"))]
    return [file for file in found if file.stem != "__init__"]


def test_mutated_modules_have_tests_of_their_own() -> None:
    assert {file.stem for file in mutated_modules()} == OWN_TESTS.keys()
    tests = [str(path) for path in (ROOT / "tests").rglob("*.py")]
    for parts in OWN_TESTS.values():
        assert all(any(part in test for test in tests) for part in parts)


def test_equivalent_mutants_are_changes_of_lines_that_exist() -> None:
    sources = "".join(ast.unparse(ast.parse(file.read_text())) for file in mutated_modules())
    for entry in json.loads((ROOT / "tests/data/equivalent_mutants.json").read_text()):
        line = entry["mutant"].partition(": ")[2].partition(" -> ")[0]
        assert line in sources


def test_mutant_is_named_by_its_function_and_its_lines() -> None:
    change = changed_lines(function("return a"), function("return b"))
    assert change == "return a -> return b"
    for name in ("judge.xǁ_Judgeǁ_denies__mutmut_3", "judge.x__misses__mutmut_12"):
        mutant = Mutant("minefield/judge.py", f"minecheck.minefield.{name}", change)
        inner = "_Judge._denies" if "Judge" in name else "_misses"
        assert mutant.key == f"minecheck.minefield.judge.{inner}: return a -> return b"


@pytest.mark.parametrize(
    ("name", "status", "passes"),
    [
        ("minecheck.solvers.router.x_route__mutmut_1", 1, True),
        ("minecheck.solvers.router.x_route__mutmut_1", 0, False),
        # Nothing reaches it.
        ("minecheck.solvers.router.x_route__mutmut_1", None, False),
        ("minecheck.minefield.notation.x__read_symbol_rows__mutmut_9", 0, True),
    ],
)
def test_report_fails_on_a_survivor_unless_it_is_explained(
    capsys: pytest.CaptureFixture[str], name: str, status: int | None, passes: bool
) -> None:
    explained = "rows = list(map(''.join, nested)) -> rows = list(None)"
    killed = Mutant("minefield/notation.py", "minecheck.minefield.notation.x_parse__mutmut_2", "")
    mutant = Mutant("solvers/router.py", name, explained)
    assert report([killed, mutant], {killed.name: 1, name: status}) is passes
    assert (f"SURVIVED {name}" in capsys.readouterr().out) is not passes
