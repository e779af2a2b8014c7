"""The examples of the documentation are what the service answers."""

import pytest
from fastapi.testclient import TestClient

from app import examples
from solvers import Task


@pytest.mark.parametrize("task", Task)
def test_example_is_the_answer(client: TestClient, task: Task) -> None:
    shown = examples.ANSWERED[task]
    answer = client.post(f"/v1/{task}", json=examples.ASKED[task]).json()
    answer["solver"]["elapsed_ms"] = shown["solver"]["elapsed_ms"]
    assert answer == shown


def test_lines_are_the_answer(client: TestClient) -> None:
    content = client.get("/openapi.json").json()["paths"]["/v1/layouts"]["post"]["responses"]["200"]
    headers = {"Accept": "application/x-ndjson"}
    lines = client.post("/v1/layouts", json=examples.ASKED[Task.LAYOUTS], headers=headers).text
    assert lines == content["content"]["application/x-ndjson"]["example"]


def test_run_is_the_answer(client: TestClient) -> None:
    answer = client.post("/v1/automata/kadlac/run", json={"board": examples.RUN_BOARD}).json()
    answer["solver"]["elapsed_ms"] = examples.RUN["solver"]["elapsed_ms"]
    assert answer == examples.RUN
