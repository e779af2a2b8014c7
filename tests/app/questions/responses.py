"""Tests send questions to the service, and check the shape of its responses."""

import json
from typing import Any

from fastapi.testclient import TestClient
from pydantic import BaseModel

from tests.app.jobs import QUESTIONS_BY_NAME
from tests.boards import Case
from tests.oracle import neighbours

MODELS: dict[str, type[BaseModel]] = {
    "check": QUESTIONS_BY_NAME["check"].response,
    "count": QUESTIONS_BY_NAME["count"].response,
    "forced": QUESTIONS_BY_NAME["forced"].response,
    "layouts": QUESTIONS_BY_NAME["layouts"].response,
    "analyze": QUESTIONS_BY_NAME["analyze"].response,
    "sample": QUESTIONS_BY_NAME["sample"].response,
}


def ask(client: TestClient, task: str, board: object, **options: object) -> dict[str, Any]:
    answer = client.post(f"/v1/{task}", json={"board": board, **options})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()
    return found


def drop_elapsed(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the time that it took."""
    solver = {key: value for key, value in answer["solver"].items() if key != "elapsed_ms"}
    return answer | {"solver": solver}


def assert_promised(model: type[BaseModel], answer: dict[str, Any]) -> None:
    """Check that required fields are there, and that all fields are declared with their types."""
    always = {name for name, field in model.model_fields.items() if field.is_required()}
    assert always <= answer.keys() <= model.model_fields.keys()
    model.model_validate_json(json.dumps(answer), strict=True)


def shows_layout_of(rows: list[str], case: Case) -> bool:
    """Return whether a drawn layout shows the symbols of the board, and right numbers."""
    height, width = len(rows), len(rows[0])
    for row, symbols in enumerate(rows):
        for col, symbol in enumerate(symbols):
            near = sum(rows[r][c] == "B" for r, c in neighbours((row, col), height, width))
            if symbol != "B" and symbol != str(near):
                return False
            if case.rows[row][col] not in ("?", symbol):
                return False
    return True
