"""The library writes answers as JSON as the service does."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given

import minecheck
from minecheck.minefield import Board, draw
from tests.boards import boards_with_totals

ROWS = ["?1?", "???", "1?1"]

#: A function of the library, the route of the same question, and their options.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("check", {}),
    ("check", {"certificate": True}),
    ("count", {"backend": "automata"}),
    ("forced", {}),
    ("analyze", {"density": "1/5", "fractions": True}),
    ("layouts", {"limit": 2}),
    ("sample", {"seed": 3, "limit": 2}),
    ("explain", {}),
    ("conflicts", {}),
    ("repair", {}),
    ("moves", {"mines": 3}),
]


def leave_times_out(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without what differs from call to call."""
    return answer | {"solver": {**answer["solver"], "elapsed_ms": None}}


@pytest.mark.parametrize(("name", "options"), CASES)
def test_library_answers_have_json_of_service(
    client: TestClient, name: str, options: dict[str, Any]
) -> None:
    sent = client.post(f"/v1/{name}", json={"board": ROWS, **options})
    assert sent.status_code == 200
    answer = getattr(minecheck, name)(ROWS, **options).to_dict()
    assert leave_times_out(answer) == leave_times_out(sent.json())


@given(case=boards_with_totals())
def test_library_analyses_have_json_of_service(
    client: TestClient, case: tuple[Board, int | None]
) -> None:
    board, mines = case
    if mines is not None and mines > board.cells.size:
        return
    sent = client.post("/v1/analyze", json={"board": draw(board), "mines": mines})
    answer = minecheck.analyze(board, mines).to_dict()
    assert leave_times_out(answer) == leave_times_out(sent.json())
