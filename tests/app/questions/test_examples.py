"""The examples of the documentation are what the service answers."""

import json

import pytest
from fastapi.testclient import TestClient

from app.errands.catalogue import ERRANDS
from app.questions import Record
from app.questions.catalogue import QUESTIONS
from app.questions.record import Errand


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
    ("errand", "name"),
    [(errand, name) for errand in ERRANDS for name in errand.examples],
    ids=lambda given: given.name if isinstance(given, Errand) else given,
)
def test_example_of_an_errand_is_the_answer(client: TestClient, errand: Errand, name: str) -> None:
    asked, told = errand.examples[name].asked, errand.examples[name].answered
    answer = client.post(errand.path.format(**asked), json=asked)
    assert answer.status_code == 200, answer.text
    if errand.answered is None:
        assert told in (answer.text, None)
        return
    found = answer.json()
    errand.answered.model_validate_json(answer.text)
    assert errand.answers(found)
    if told is not None:
        if "solver" in found:
            found["solver"]["elapsed_ms"] = told["solver"]["elapsed_ms"]
        assert found == json.loads(json.dumps(told))
        assert list(found) == list(told)


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
