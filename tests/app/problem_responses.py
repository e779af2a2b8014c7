"""Tests check responses that are problems."""

import httpx2

from minecheck.app.problem_responses import Problem
from minecheck.app.problems import TYPE_PREFIX


def parse_problem(answer: httpx2.Response) -> Problem:
    """Return the problem, after checking that the answer is one in the declared shape."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text[:200]
    assert 400 <= answer.status_code < 500, answer.text[:200]
    found = Problem.model_validate_json(answer.text, strict=True)
    assert found.status == answer.status_code
    assert found.type.startswith(TYPE_PREFIX)
    assert found.detail
    assert found.fix
    return found


def assert_problem(
    answer: httpx2.Response, status: int, code: str, pointer: str | None = None
) -> None:
    found = parse_problem(answer)
    assert (found.status, found.type) == (status, TYPE_PREFIX + code), found
    if pointer is not None:
        assert found.pointer == pointer, found
