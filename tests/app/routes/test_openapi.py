"""The service does what /openapi.json declares, for generated requests and all answers."""

import json
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator
from schemathesis import Case, CheckFunction, GenerationMode, SerializationContext
from schemathesis.specs.openapi.checks import positive_data_acceptance

from minecheck.app.catalogue import QUESTIONS
from minecheck.app.main import create_app
from tests.app.serving import Server
from tests.tasks import Task

Schema = dict[str, Any]

#: A schema declares only the form of requests, not that a board has equal rows, and so on.
EXCLUDED_CHECKS: list[CheckFunction] = [positive_data_acceptance]
LINES = {"Content-Type": "application/x-ndjson"}


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def lines(context: SerializationContext, value: Any) -> bytes:
    """Serialise bodies of lines for schemathesis."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def described(server: Server) -> Any:
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


@pytest.mark.slow
@pytest.mark.parametrize("mode", GenerationMode)
def test_service_answers_generated_requests_as_openapi_declares(
    described: Any, mode: GenerationMode
) -> None:
    """Answers have declared statuses, types and shapes, no 5xx, and reject invalid requests."""
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) >= 16
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not can_be_wrong(operation):
            continue

        @settings(
            max_examples=12, derandomize=True, database=None, suppress_health_check=[*HealthCheck]
        )
        @given(operation.as_strategy(generation_mode=mode))
        def hold(case: Case[Any]) -> None:
            case.call_and_validate(excluded_checks=EXCLUDED_CHECKS, timeout=30)

        hold()


def can_be_wrong(operation: Any) -> bool:
    """Return whether a request can be invalid; lines of a batch are rejected one by one."""
    given = operation.definition.raw.keys() & {"parameters", "requestBody"}
    return bool(given) and operation.path != "/v1/batch"


@pytest.fixture(scope="module")
def document(client: TestClient) -> Schema:
    found: Schema = client.get("/openapi.json").json()
    return found


def strict(part: Any) -> None:
    """Forbid undeclared properties in objects at any depth."""
    for value in part.values() if isinstance(part, dict) else part:
        if isinstance(value, dict | list):
            strict(value)
    if isinstance(part, dict) and isinstance(part.get("properties"), dict):
        part.setdefault("additionalProperties", False)


def answer_of(document: Schema, path: str, status: int, kind: str) -> Draft202012Validator:
    """Return a validator of the answers of a route with this status and media type."""
    answers = deepcopy(document["paths"][path]["post"]["responses"])
    components = deepcopy(document["components"])
    strict(answers)
    strict(components)
    answer = answers[str(status)]
    if "$ref" in answer:
        answer = components["responses"][answer["$ref"].rpartition("/")[2]]
    schema = answer["content"][kind]["schema"]
    return Draft202012Validator({**schema, "components": components})


_ROWS = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.text("????1123BSF0", min_size=width, max_size=width), min_size=1, max_size=4
    )
)
_NAMES = st.lists(st.sampled_from("abcdefé"), unique=True, max_size=4)
_RULE = st.builds(lambda cells, mines: {"cells": cells, "mines": mines}, _NAMES, st.integers(0, 3))
_VARIED = st.fixed_dictionaries(
    {},
    optional={
        "topology": st.sampled_from(["torus", "cylinder", "hexagonal", "knight", "klein"]),
        "layers": st.integers(1, 2),
        "neighbours": st.sampled_from([[[0, 1], [1, 0]], "0,1 -1,0"]),
        "clues": st.sampled_from([[{"cell": [0, 0], "low": 1}], "0,0=1|3"]),
        "mines_per_cell": st.integers(1, 2),
        "most_lies": st.integers(0, 1),
    },
)
_BOARDS = st.one_of(
    st.builds(lambda rows: {"board": rows}, _ROWS),
    st.builds(
        lambda rows, varied: {"board": ["S" * len(rows[0]), *rows], **varied}, _ROWS, _VARIED
    ),
    st.builds(lambda rows, flags: {"board": rows, "flags": flags}, _ROWS, st.just("trust")),
    st.builds(lambda rules: {"rules": rules}, st.lists(_RULE, min_size=1, max_size=4)),
    st.builds(
        lambda rules, total: {"rules": rules, "total_cells": total},
        st.lists(_RULE, min_size=1, max_size=4),
        st.integers(4, 12),
    ),
)
_ANY: dict[str, st.SearchStrategy[Any]] = {"mines": st.integers(0, 8), "deadline_ms": st.just(900)}
_BACKEND = {"backend": st.sampled_from(["auto", "frontier", "sat", "exhaustive", "automata"])}
_CHANCES = {"density": st.sampled_from([0.5, 0.2, 1e-300, "1/3"]), "fractions": st.booleans()}
_PAGE = {"offset": st.sampled_from([0, 1, "2", "9" * 30]), "limit": st.integers(1, 3)}
_OPTIONS: dict[Task, dict[str, st.SearchStrategy[Any]]] = {
    Task.CHECK: {**_ANY, **_BACKEND, "certificate": st.booleans()},
    Task.COUNT: {**_ANY, **_BACKEND, **_CHANCES, "certificate": st.booleans()},
    Task.FORCED: {**_ANY, **_BACKEND, "certificate": st.booleans()},
    Task.LAYOUTS: {
        **_ANY,
        **_BACKEND,
        **_PAGE,
        "layout": st.just(["?" * 5, "B1"]),
        "window": st.just({"rows": 1}),
    },
    Task.ANALYZE: {**_ANY, **_BACKEND, **_CHANCES, "certificate": st.booleans()},
    Task.STRIPS: {"deadline_ms": st.just(900)},
    Task.SAMPLE: {**_ANY, **_PAGE, "seed": st.integers(0, 9), "density": st.just(0.3)},
    Task.EXPLAIN: {**_ANY, "cell": st.sampled_from([[0, 0], "0,0", "a"])},
    Task.REPAIR: {**_ANY, "limit": st.integers(1, 3)},
    Task.CONFLICTS: {**_ANY, "limit": st.integers(1, 3)},
    Task.COMPOSE: {
        **_ANY,
        "keep": st.sampled_from(["forced", "forced", "layout", "solvable"]),
        "symmetry": st.sampled_from(["none", "half-turn", "quarter-turn"]),
        "leave": st.sampled_from(["unknown", "safe"]),
        "difficulty": st.just("bounds"),
        "reveals": st.integers(0, 2),
    },
    Task.MOVES: {"deadline_ms": st.just(900), "limit": st.integers(1, 3)},
}


def request_bodies(task: Task) -> st.SearchStrategy[Schema]:
    """Return a strategy of bodies that are mostly valid."""
    if task is Task.STRIPS:
        window = st.builds(lambda rows: {"rows": rows}, st.integers(1, 2))
        return st.builds(lambda rows, one: {"board": rows, "window": one}, _ROWS, window)
    if task is Task.COMPOSE:
        boards = st.builds(lambda rows: {"board": rows, "keep": "forced"}, _ROWS)
    elif task == Task.MOVES:
        totals = st.integers(0, 8)
        boards = st.builds(lambda rows, mines: {"board": rows, "mines": mines}, _ROWS, totals)
    else:
        boards = _BOARDS
    options = st.fixed_dictionaries({}, optional=_OPTIONS[task])
    return st.builds(lambda board, chosen: board | chosen, boards, options)


@pytest.mark.parametrize("task", Task)
def test_answers_have_exactly_the_declared_fields(
    client: TestClient, document: Schema, task: Task
) -> None:
    path, statuses = f"/v1/{task}", Counter[int]()
    validators = {
        200: answer_of(document, path, 200, "application/json"),
        422: answer_of(document, path, 422, "application/problem+json"),
    }

    @settings(max_examples=40, derandomize=True, deadline=None)
    @given(request_bodies(task))
    def hold(body: Schema) -> None:
        answer = client.post(path, json=body)
        statuses[answer.status_code] += 1
        validators[answer.status_code].validate(answer.json())

    hold()
    assert statuses[200] >= 10, statuses


@pytest.mark.parametrize("task", [operation.name for operation in QUESTIONS if operation.batched])
def test_batch_lines_are_answers_of_single_route_or_problems(
    client: TestClient, document: Schema, task: Task
) -> None:
    answers = answer_of(document, f"/v1/{task}", 200, "application/json")
    problems = answer_of(document, f"/v1/{task}", 422, "application/problem+json")

    @settings(max_examples=4, derandomize=True, deadline=None)
    @given(st.lists(request_bodies(task), min_size=1, max_size=10))
    def hold(bodies: list[Schema]) -> None:
        content = "\n".join(map(json.dumps, [*bodies, "x"]))
        found = client.post(f"/v1/batch?task={task}", content=content, headers=LINES)
        lines_answered = [json.loads(line) for line in found.text.splitlines()]
        assert len(lines_answered) == len(bodies) + 1
        for number, one in enumerate(lines_answered):
            if "type" in one:
                assert one.pop("line") == number
                problems.validate(one)
            else:
                answers.validate(one)

    hold()


def test_every_example_in_openapi_fits_its_schema(document: Schema) -> None:
    looked_at = 0
    for operations in document["paths"].values():
        for operation in operations.values():
            for content in contents(operation):
                examples = [one["value"] for one in content.get("examples", {}).values()]
                examples += [content["example"]] if "example" in content else []
                schema = {**content.get("schema", {}), "components": document["components"]}
                for example in examples:
                    Draft202012Validator(schema).validate(example)
                looked_at += len(examples)
    assert looked_at > 40


def contents(operation: Schema) -> list[Schema]:
    """Return the contents of requests and responses of an operation, of each media type."""
    bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
    return [content for one in bodies for content in one.get("content", {}).values()]


def test_openapi_declares_503_for_all_routes_that_need_workers(document: Schema) -> None:
    asking = [
        path
        for path in document["paths"]
        if path.startswith("/v1/automata/{") or path[4:] in [*Task]
    ]
    assert len(asking) == len(Task) + 4
    for path in asking:
        for operation in document["paths"][path].values():
            assert "503" in operation["responses"], path


def test_every_plain_board_in_openapi_is_answered(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    plain = {
        path.replace("{format}", "mine")
        .replace("{machine}", "kadlac")
        .replace("/batch", "/batch?task=check"): content["text/plain"]
        for path, operations in paths.items()
        for operation in operations.values()
        if "text/plain" in (content := operation.get("requestBody", {}).get("content", {}))
    }
    shown = {path: one["example"] for path, one in plain.items() if "example" in one}
    assert len(shown) >= 9
    for path, example in shown.items():
        answer = client.post(path, content=example, headers={"Content-Type": "text/plain"})
        assert answer.status_code == 200, (path, answer.text)


def test_openapi_document_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app()
    document = app.openapi()
    client = TestClient(app)
    first = client.get("/openapi.json")
    assert first.json() == document
    monkeypatch.setattr(app, "openapi", lambda: pytest.fail("it is there already"))
    again = client.get("/openapi.json")
    assert (again.content, again.headers["content-type"]) == (first.content, "application/json")
