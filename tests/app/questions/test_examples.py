"""The examples of the documentation are what the service answers."""

import pytest
from fastapi.testclient import TestClient

from app.questions import Record
from app.questions.catalogue import QUESTIONS
from app.routes import automata


@pytest.mark.parametrize(
    ("record", "name"),
    [(record, name) for record in QUESTIONS for name in record.examples],
    ids=lambda given: given.name if isinstance(given, Record) else given,
)
def test_example_is_the_answer(client: TestClient, record: Record, name: str) -> None:
    example = record.examples[name]
    answer = client.post(f"/v1/{record.name}", json=example.asked).json()
    answer["solver"]["elapsed_ms"] = example.answered["solver"]["elapsed_ms"]
    assert answer == example.answered
    assert list(answer) == list(example.answered)


@pytest.mark.parametrize(
    "record", [one for one in QUESTIONS if one.stream], ids=lambda one: one.name
)
def test_lines_are_the_answer(client: TestClient, record: Record) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    content = paths[f"/v1/{record.name}"]["post"]["responses"]["200"]["content"]
    headers = {"Accept": "application/x-ndjson"}
    asked = record.examples["board"].asked
    lines = client.post(f"/v1/{record.name}", json=asked, headers=headers).text
    assert lines == content["application/x-ndjson"]["example"] == record.stream.lines


def test_run_is_the_answer(client: TestClient) -> None:
    answer = client.post("/v1/automata/kadlac/run", json=automata.ASKED["board"]).json()
    answer["solver"]["elapsed_ms"] = automata.RUN["solver"]["elapsed_ms"]
    assert answer == automata.RUN
