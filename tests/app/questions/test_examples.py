"""The examples of the documentation are what the service answers."""

import pytest
from fastapi.testclient import TestClient

from app.questions import examples
from solvers import Task


@pytest.mark.parametrize("task", Task)
def test_example_is_the_answer(client: TestClient, task: Task) -> None:
    shown = examples.ANSWERED[task]
    answer = client.post(f"/v1/{task}", json=examples.ASKED[task]).json()
    answer["solver"]["elapsed_ms"] = shown["solver"]["elapsed_ms"]
    assert answer == shown


@pytest.mark.parametrize("task", examples.RULES_ASKED)
def test_example_with_rules_is_the_answer(client: TestClient, task: Task) -> None:
    shown = examples.RULES_ANSWERED[task]
    answer = client.post(f"/v1/{task}", json=examples.RULES_ASKED[task]).json()
    answer["solver"]["elapsed_ms"] = shown["solver"]["elapsed_ms"]
    assert answer == shown


@pytest.mark.parametrize("task", examples.LINES)
def test_lines_are_the_answer(client: TestClient, task: Task) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    content = paths[f"/v1/{task}"]["post"]["responses"]["200"]["content"]
    headers = {"Accept": "application/x-ndjson"}
    lines = client.post(f"/v1/{task}", json=examples.ASKED[task], headers=headers).text
    assert lines == content["application/x-ndjson"]["example"]


def test_run_is_the_answer(client: TestClient) -> None:
    answer = client.post("/v1/automata/kadlac/run", json=examples.RUN_ASKED["board"]).json()
    answer["solver"]["elapsed_ms"] = examples.RUN["solver"]["elapsed_ms"]
    assert answer == examples.RUN
