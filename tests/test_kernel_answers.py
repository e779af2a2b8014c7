"""Machine code and the interpreter give equal answers to every request."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given

from minecheck.minefield import draw
from tests.boards import hidden_layout
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
#: Strips of all kinds that are weighed part by part: short ones, longer ones than are weighed at
#: once, and a chain of cells that decide each other.
STRIPS: Final = (
    ["?1??2?1??S??", "??1????3??1?"],
    draw(hidden_layout(1, 700, 0.7, seed=1)),
    draw(hidden_layout(2, 700, 0.5, seed=2)),
    ["?1?1" * 40, "?SSS" * 40],
)
POSITION: Final = ["?22???", "1?????", "2?3?2?", "1??1??", "?3??3?", "???2??"]
#: Questions whose kernels the examples do not reach: positions of games, tables with totals,
#: boards without edges, the ends of games, and clues in conflict.
OTHERS: Final[list[Request]] = [
    ("analyze", {"board": POSITION, "mines": 10}),
    ("layouts", {"board": POSITION, "mines": 10}),
    (
        "analyze",
        {
            "board": ["?????????", "???0114?3", "1????????", "????6????", "??3????1?"],
            "mines": 12,
            "backend": "frontier",
        },
    ),
    ("analyze", {"board": ["?1?2", "??1?", "1???", "??2?"], "topology": "torus"}),
    ("check", {"board": ["?1?2", "??3?", "1???", "??2?"], "topology": "cylinder"}),
    ("explain", {"board": ["0?110", "12?1?", "?334?", "23???", "1????"]}),
    ("moves", {"board": ["????", "????", "????"], "mines": 2}),
    ("moves", {"board": ["1??1", "1??1", "1??1", "1111"], "mines": 3}),
    ("moves", {"board": ["?????", "?1111", "?1000", "?1000"], "mines": 3}),
    ("moves", {"board": ["???1000", "???1000", "1110111", "00001??", "00001??"], "mines": 3}),
    ("explain", {"board": ["1?1?1", "?????", "3?3?8"]}),
    ("explain", {"board": ["1??1??2", "???????", "1??0??3"], "mines": 1}),
    ("conflicts", {"board": ["1?1?8", "?????", "3?0?8"]}),
]


@pytest.fixture(scope="module")
def interpreted() -> Iterator[Callable[[Request], dict[str, Any]]]:
    with answering_apart("python") as ask:
        yield ask


def assert_same(interpreted: Callable[[Request], dict[str, Any]], request: Request) -> None:
    machine = answer(request)
    assert RAISED not in machine
    assert interpreted(request) == machine


@pytest.mark.parametrize(
    "case", examples_of_requests() + OTHERS + json.loads(FOUND.read_text()), ids=lambda one: one[0]
)
def test_kernels_answer_examples_alike_in_machine_code_and_interpreter(
    interpreted: Callable[[Request], dict[str, Any]], case: Request
) -> None:
    assert_same(interpreted, case)


@pytest.mark.parametrize("density", [{}, {"density": "1/5"}, {"density": "1/1000000000000000000"}])
@pytest.mark.parametrize("rows", STRIPS, ids=["short", "one row", "two rows", "chain"])
def test_kernels_weigh_strips_alike_in_machine_code_and_interpreter(
    interpreted: Callable[[Request], dict[str, Any]], rows: list[str], density: dict[str, str]
) -> None:
    assert_same(interpreted, ("analyze", {"board": rows, "backend": "automata"} | density))


@given(case=requests())
def test_kernels_answer_any_request_alike_in_machine_code_and_interpreter(
    interpreted: Callable[[Request], dict[str, Any]], case: Request
) -> None:
    assert_same(interpreted, case)
