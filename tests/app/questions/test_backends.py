"""Requests name backends, with aliases, and get a problem if a backend does not answer."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.solvers.backend import ALIASES, ENGINES, Backend, list_backends
from tests.app.cli.running import run
from tests.tasks import LISTED

BOARD = ["?1?", "???"]
LINES = {"Content-Type": "application/x-ndjson"}
TEXT = {"Content-Type": "text/plain"}
#: Spellings that stand for one engine each.
SPELLINGS = [
    *ALIASES.items(),
    *(("PySAT", "sat"), ("OR-Tools", "cpsat"), ("Cp-Sat", "cpsat"), ("FRONTIER", "frontier")),
]


def body_of(task: str, backend: str) -> dict[str, Any]:
    more: dict[str, Any] = (
        {"window": {}} if task == "strips" else {} if task == "compose" else {"mines": 2}
    )
    return {"board": BOARD, "backend": backend, **more}


@pytest.mark.parametrize(("spelling", "name"), SPELLINGS)
def test_every_spelling_of_backend_is_accepted_wherever_backends_are_named(
    client: TestClient, spelling: str, name: str
) -> None:
    line = json.dumps({"board": BOARD, "backend": spelling})
    answers = [
        client.post("/v1/check", json={"board": BOARD, "backend": spelling}).json(),
        client.post(f"/v1/check?backend={spelling}", content="?1?\n???", headers=TEXT).json(),
        client.post("/v1/batch?task=check", content=line, headers=LINES).json(),
        client.post(
            f"/v1/batch?task=check&backend={spelling}", content='"?1?\\n???"', headers=LINES
        ).json(),
        json.loads(run("check", "-", "--json", "--backend", spelling, stdin=b"?1?\n???").stdout),
        json.loads(run("batch", "-", "--backend", spelling, stdin=b'"?1?\\n???"\n').stdout),
    ]
    assert [answer["solver"]["name"] for answer in answers] == [name] * 6


@pytest.mark.parametrize("task", LISTED)
def test_openapi_lists_backends_of_each_question_and_aliases(client: TestClient, task: str) -> None:
    route = client.get("/openapi.json").json()["paths"][f"/v1/{task}"]["post"]
    schema = route["requestBody"]["content"]["application/json"]["schema"]
    field = schema["properties"]["backend"]
    assert field["enum"] == list(list_backends(task))
    assert field["default"] == "auto"
    for alias in ALIASES:
        assert f"`{alias}`" in field["description"]


def test_openapi_lists_names_of_solvers_in_answers(client: TestClient) -> None:
    solver = client.get("/openapi.json").json()["components"]["schemas"]["Solver"]
    names = [one.value for one in Backend if one is not Backend.AUTO]
    assert solver["properties"]["name"]["enum"] == names


@pytest.mark.parametrize("task", LISTED)
def test_backend_that_does_not_answer_is_a_problem_that_lists_backends(
    client: TestClient, task: str
) -> None:
    for backend in Backend:
        answer = client.post(f"/v1/{task}", json=body_of(task, backend.upper()))
        document = answer.json()
        if answer.status_code == 200:
            assert backend in (Backend.AUTO, document["solver"]["name"])
            continue
        assert answer.status_code == 422, document
        assert document["type"] == "urn:minecheck:problem:backend-refuses"
        assert document["pointer"] == "/backend"
        _, _, listed = document["fix"].removesuffix(".").partition(": ")
        if task not in ENGINES[backend].questions:
            assert document["detail"] == f"The backend {backend} does not answer {task}."
            assert document["fix"].startswith("Use one of: auto, ")
            assert set(listed.split(", ")) <= {*map(str, list_backends(task))} - {str(backend)}
        else:
            assert document["fix"] == "Use auto, which chooses a backend that can answer."
            followed = client.post(f"/v1/{task}", json=body_of(task, "auto"))
            assert followed.status_code == 200


def test_batch_line_overrides_backend_of_query(client: TestClient) -> None:
    lines = '"?1?"\n{"board": ["?1?"], "backend": "pysat"}\n'
    answer = client.post("/v1/batch?task=check&backend=ortools", content=lines, headers=LINES)
    names = [json.loads(line)["solver"]["name"] for line in answer.text.splitlines()]
    assert names == ["cpsat", "sat"]
    found = run("batch", "-", "--backend", "ortools", stdin=lines.encode())
    assert [json.loads(line)["solver"]["name"] for line in found.stdout.splitlines()] == names


def test_batch_rejects_backend_that_does_not_answer_its_task(client: TestClient) -> None:
    answer = client.post("/v1/batch?task=explain&backend=pysat", content='"?1?"', headers=LINES)
    assert answer.status_code == 422
    assert answer.json()["detail"] == "The backend sat does not answer explain."
    assert answer.json()["fix"] == "Use one of: auto, reasons."
    found = run("batch", "-", "--task", "explain", "--backend", "pysat", stdin=b'"?1?"\n')
    assert found.exit_code == 2
    assert "--backend: The backend sat does not answer explain. Use one of:" in found.stderr
    found = run("batch", "-", "--task", "grade", "--backend", "sat", stdin=b"{}\n")
    assert found.exit_code == 2
    assert "--backend: grade has one method only." in found.stderr


def test_solver_of_positions_is_named_positions_in_batch_and_request(client: TestClient) -> None:
    line = '{"board": ["?1?", "???", "???"], "mines": 2}'
    for query in ("", "&backend=positions"):
        answer = client.post(f"/v1/batch?task=count{query}", content=line, headers=LINES)
        assert answer.json()["solver"]["name"] == "positions"
    single = client.post("/v1/count", json={"board": ["?1?", "???", "???"], "mines": 2}).json()
    assert single["solver"]["name"] == "positions"


def test_solver_lists_several_engines_and_is_named_after_last_engine(client: TestClient) -> None:
    body = {"rules": [{"cells": ["a", "b"], "mines": 1}], "total_cells": 3, "limit": 1}
    solver = client.post("/v1/layouts", json=body).json()["solver"]
    assert solver["engines"][-1] == solver["name"] == "frontier"
    assert len(solver["engines"]) == 2
    strip = client.post("/v1/count", json={"board": ["?1?"]}).json()["solver"]
    assert (strip["name"], strip["machines"]) == ("automata", ["kadlac", "strip-1"])
    assert "engines" not in strip


@pytest.mark.parametrize("command", ["check", "explain", "moves", "compose"])
def test_help_of_command_lists_its_backends(command: str) -> None:
    shown = "".join(run(command, "--help").stdout.split()).replace("│", "")
    for backend in list_backends(command):
        assert backend in shown
    assert ("cpsat" in shown) is (command == "check")
