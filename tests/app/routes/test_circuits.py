"""Formulas become boards, over HTTP and on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.functions.circuits import CIRCUITS, CircuitAnswer
from minecheck.solvers.circuits.circuit import MOST_CELLS
from tests.app.cli.running import one_line, run
from tests.app.problem_responses import assert_problem


def post_circuit(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/v1/circuits", json=fields)
    assert answer.status_code == 200, answer.text[:500]
    CircuitAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def test_example_of_circuits_route_is_answered_as_documented(client: TestClient) -> None:
    assert post_circuit(client, formula="!a") == CIRCUITS.examples["not"].answer


def test_layouts_of_circuit_are_the_satisfying_assignments(client: TestClient) -> None:
    formula = "(a & b) | !c"
    found = post_circuit(client, formula=formula)
    assert found["cells"] == found["rows"] * found["cols"] == sum(map(len, found["board"]))
    assert [gate["kind"] for gate in found["gates"]] == ["and", "not", "or"]
    answer = client.post("/v1/layouts", json={"board": found["board"]}).json()
    read = [
        post_circuit(client, formula=formula, layout=one)["assignment"] for one in answer["layouts"]
    ]
    assignments = {(one["a"], one["b"], one["c"]) for one in read}
    bits = [(a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)]
    assert assignments == {(a, b, c) for a, b, c in bits if (a and b) or not c}
    assert answer["count"] == "5" == str(len(read))


def test_unsatisfiable_formula_becomes_inconsistent_board(client: TestClient) -> None:
    for formula, consistent in (("a & !a", False), ("a | !a", True), ("0", False), ("1", True)):
        board = post_circuit(client, formula=formula)["board"]
        answer = client.post("/v1/check", json={"board": board}).json()
        assert answer["consistent"] is consistent


@pytest.mark.parametrize(
    ("fields", "code", "pointer"),
    [
        ({}, "missing-field", "/formula"),
        ({"formula": 1}, "bad-value", "/formula"),
        ({"formula": ""}, "bad-formula", "/formula"),
        ({"formula": "a & & b"}, "bad-formula", "/formula"),
        ({"formula": "(" * 2001}, "formula-too-large", "/formula"),
        ({"formula": " & ".join(f"a{n % 16}" for n in range(64))}, "formula-too-large", "/formula"),
        ({"formula": "a", "layout": ["B"]}, "bad-value", "/layout"),
        ({"formula": "a", "layout": ["?"]}, "bad-value", "/layout/0/0"),
        ({"formula": "a", "layout": ["S" * 9] * 18}, "bad-value", "/layout/4/2"),
        ({"formulas": "a"}, "unknown-field", "/formulas"),
    ],
)
def test_circuits_route_rejects_invalid_requests(
    client: TestClient, fields: dict[str, Any], code: str, pointer: str
) -> None:
    assert_problem(client.post("/v1/circuits", json=fields), 422, code, pointer)


def test_circuits_route_rejects_formula_whose_board_is_too_large(client: TestClient) -> None:
    formula = " & ".join(f"a{number % 16}" for number in range(64))
    answer = client.post("/v1/circuits", json={"formula": formula})
    assert_problem(answer, 422, "formula-too-large", "/formula")
    assert f"{MOST_CELLS:,}" in answer.json()["detail"]


def test_circuit_command_prints_board_that_count_command_reads(tmp_path: Path) -> None:
    ended = run("circuit", "(a & b) | !c")
    assert (ended.exit_code, ended.stderr) == (0, "")
    board = tmp_path / "board.txt"
    board.write_text(ended.stdout)
    assert "5 layouts in all" in run("count", str(board)).stdout
    as_json = json.loads(run("circuit", "(a & b) | !c", "--json").stdout)
    assert as_json["board"] == ended.stdout.split()


def test_circuit_command_prints_positions_of_gates() -> None:
    printed = run("circuit", "--gates", "a -> b").stdout
    assert "a is true if row 9 column 4 is a mine" in printed
    assert "implies at row 9, column 0: a -> b" in printed


def test_circuit_command_rejects_invalid_formula() -> None:
    one_line(run("circuit", "a && b"), "Write a single &.")
