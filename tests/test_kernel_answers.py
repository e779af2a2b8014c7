"""Machine code and the interpreter give the same answers, whatever is asked."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given

from tests.kernel_answers import (
    RAISED,
    Request,
    answer,
    answering_apart,
    examples_of_requests,
    requests,
)

#: Requests that once were answered otherwise: `make hunt` adds to them.
FOUND: Final = Path(__file__).parent / "data" / "kernel_answers.json"


@pytest.fixture(scope="module")
def interpreted() -> Iterator[Callable[[Request], dict[str, Any]]]:
    with answering_apart("python") as ask:
        yield ask


def assert_same(interpreted: Callable[[Request], dict[str, Any]], request: Request) -> None:
    machine = answer(request)
    assert RAISED not in machine
    assert interpreted(request) == machine


@pytest.mark.parametrize(
    "asked", examples_of_requests() + json.loads(FOUND.read_text()), ids=lambda one: one[0]
)
def test_an_example_is_answered_alike_by_machine_code_and_the_interpreter(
    interpreted: Callable[[Request], dict[str, Any]], asked: Request
) -> None:
    assert_same(interpreted, asked)


@given(asked=requests())
def test_any_request_is_answered_alike_by_machine_code_and_the_interpreter(
    interpreted: Callable[[Request], dict[str, Any]], asked: Request
) -> None:
    assert_same(interpreted, asked)
