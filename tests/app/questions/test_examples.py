"""The service answers the examples of the documentation as documented."""

import json

import pytest
from fastapi.testclient import TestClient

from minecheck.app import functions
from minecheck.app.catalogue import QUESTIONS
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions import QuestionOperation


@pytest.mark.parametrize(
    ("operation", "name"),
    [(operation, name) for operation in QUESTIONS for name in operation.examples],
    ids=lambda given: given.name if isinstance(given, QuestionOperation) else given,
)
def test_example_of_question_is_answered_as_documented(
    client: TestClient, operation: QuestionOperation, name: str
) -> None:
    example = operation.examples[name]
    answer = client.post(f"/v1/{operation.name}", json=example.request).json()
    answer["solver"]["elapsed_ms"] = example.answer["solver"]["elapsed_ms"]
    assert answer == example.answer
    assert list(answer) == list(example.answer)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (one, name)
        for one in map(functions.find_function, functions.NAMES)
        for name in one.examples
        # The id of a game is always a new one.
        if one.follow_up is None
    ],
    ids=lambda given: given if isinstance(given, str) else given.name,
)
def test_example_of_function_is_answered_as_documented(
    client: TestClient, function: FunctionOperation, name: str
) -> None:
    request, expected = function.examples[name].request, function.examples[name].answer
    path = function.path.format(**request)
    body = {"content": request["file"]} if function.takes_file else {"json": request}
    answer = client.post(path, **body)
    assert answer.status_code == 200, answer.text
    if function.response is None:
        assert expected in (answer.text, None)
        return
    found = answer.json()
    function.response.model_validate_json(answer.text)
    assert function.is_answer(found)
    if expected is not None:
        if "solver" in found:
            found["solver"]["elapsed_ms"] = expected["solver"]["elapsed_ms"]
        assert found == json.loads(json.dumps(expected))
        assert list(found) == list(expected)


@pytest.mark.parametrize(
    "operation", [one for one in QUESTIONS if one.stream], ids=lambda one: one.name
)
def test_example_of_stream_is_answered_as_documented(
    client: TestClient, operation: QuestionOperation
) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    content = paths[f"/v1/{operation.name}"]["post"]["responses"]["200"]["content"]
    headers = {"Accept": "application/x-ndjson"}
    request = operation.examples["board"].request
    lines = client.post(f"/v1/{operation.name}", json=request, headers=headers).text
    assert operation.stream is not None
    assert lines == content["application/x-ndjson"]["example"] == operation.stream.lines
