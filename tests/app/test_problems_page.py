"""docs/problems.md lists every type of problem in the code, with true answers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs import problems as page
from docs.problem_examples import EXAMPLES
from minecheck.app.problem_types import PROBLEM_TYPES
from minecheck.app.problems import TYPE_PREFIX
from tests.processes import ROOT

#: The index of the argument that is the code of a problem, by function.
CODE_OF = {
    "ProblemError": 1,
    "BoardError": 0,
    "FormatError": 0,
    "FormulaError": 0,
    "make_field_problem": 0,
    "make_temporary_problem": 0,
    "reject_field": 0,
    "reject_request": 0,
    "_reject_mine": 0,
}


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    """The answers of real servers to the examples of the page, by code."""
    return page.answers()


@pytest.mark.slow
def test_problems_page_shows_answers_to_its_examples(answers: dict[str, dict[str, Any]]) -> None:
    assert page.render_page(answers) == page.PAGE.read_text(), "run python -m docs.problems"


def test_problems_page_has_example_of_each_type() -> None:
    assert EXAMPLES.keys() == PROBLEM_TYPES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("code", PROBLEM_TYPES)
def test_example_of_problem_is_answered_with_its_type(
    answers: dict[str, dict[str, Any]], code: str
) -> None:
    problem = answers[code]
    kind = PROBLEM_TYPES[code]
    assert (problem["type"], problem["title"]) == (TYPE_PREFIX + code, kind.title)
    assert problem["status"] in kind.statuses
    for text in (problem["detail"], problem["fix"], kind.cause):
        assert re.match(r"[A-Za-z0-9/\"(].*[.?]$", text), text


def test_titles_of_problems_differ() -> None:
    assert len({kind.title for kind in PROBLEM_TYPES.values()}) == len(PROBLEM_TYPES)


@pytest.mark.slow
def test_table_of_problems_has_codes_of_sources() -> None:
    # These codes are not written in one piece: they begin with a field, or come from HTTP.
    composed = {"ambiguous-board", "cell-off-the-board", "method-not-allowed", "proxy"}
    assert set(codes_in_sources()) | composed == PROBLEM_TYPES.keys()


def codes_in_sources() -> Iterator[str]:
    for folder in ("app", "solvers", "minefield"):
        for file in (ROOT / folder).rglob("*.py"):
            yield from codes_in(file)


def codes_in(file: Path) -> Iterator[str]:
    """Yield the codes of problems that a file names."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            name = called.id if isinstance(called, ast.Name) else called
            at = CODE_OF.get(name) if isinstance(name, str) else None
            if at is not None and at < len(node.args):
                yield from texts_in(node.args[at])
        # A code may be chosen before it is used, and some classes have their own code.
        elif isinstance(node, ast.Assign) and re.match(r"\(?code\b", ast.unparse(node.targets[0])):
            yield from texts_in(node.value)


def texts_in(node: ast.expr) -> Iterator[str]:
    """Yield the codes in an expression that chooses one."""
    for part in ast.walk(node):
        text = part.value if isinstance(part, ast.Constant) else None
        if isinstance(text, str) and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", text):
            yield text
