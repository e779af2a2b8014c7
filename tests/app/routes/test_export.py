"""Boards are exported to other solvers, and their solutions are read and checked."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pysat.formula import CNF
from pysat.solvers import Solver

from minecheck.app.functions.export import ExportInput, answer_export
from minecheck.app.functions.solution import SolutionAnswer
from minecheck.app.problems import ProblemError
from minecheck.minefield import draw, parse
from minecheck.solvers import Deadline
from minecheck.solvers.export.catalogue import FORMATS, ExportName
from minecheck.solvers.tasks.check import Check
from tests.app.cli.running import one_line, run
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem
from tests.boards import hidden_layout
from tests.solvers.export.exported_text import Z3, cells_of

BOARD = ["?1?", "1??"]
RULES = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 1}]


def post_export(client: TestClient, **fields: Any) -> str:
    answer = client.post("/v1/export", json=fields)
    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    return answer.text


def post_solution(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/v1/solution", json=fields)
    assert answer.status_code == 200, answer.text[:500]
    SolutionAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("name", ExportName)
def test_export_route_writes_board_in_each_format(client: TestClient, name: ExportName) -> None:
    answer = client.post("/v1/export", json={"board": BOARD, "mines": 1, "into": name})
    assert answer.status_code == 200
    assert len(cells_of(answer.text)) == 4
    assert "clue at row 0, column 1" in answer.text
    assert "total: exactly 1 mine" in answer.text
    file = f'filename="board{FORMATS[name].suffix}"'
    assert file in answer.headers["content-disposition"]


def test_export_route_reads_board_as_text(client: TestClient) -> None:
    text = client.post("/v1/export?into=opb&mines=1", content="\n".join(BOARD), headers=TEXT)
    assert text.text == post_export(client, board=BOARD, mines=1, into="opb")


def test_exported_board_and_its_solution_fit(client: TestClient) -> None:
    text = post_export(client, board=BOARD, into="dimacs")
    with Solver("cadical153", bootstrap_with=CNF(from_string=text).clauses) as solver:
        assert solver.solve()
        output = f"s SATISFIABLE\nv {' '.join(map(str, solver.get_model() or []))} 0\n"
    found = post_solution(client, board=BOARD, output=output)
    assert found["satisfiable"] is found["fits"] is True
    assert found["broken"] is None
    checked = client.post("/v1/layouts", json={"board": BOARD, "layout": found["layout"]})
    assert checked.json()["rank"] is not None


def test_exported_rules_and_their_solution_fit(client: TestClient) -> None:
    text = post_export(client, rules=RULES, total_cells=4, into="smtlib")
    printed = subprocess.run([Z3, "-model", "-in"], input=text, capture_output=True, text=True)
    found = post_solution(client, rules=RULES, total_cells=4, output=printed.stdout)
    assert found["fits"] is True
    wrong = post_solution(client, rules=RULES, total_cells=4, output="v 1 2 -3 0", mines=3)
    assert wrong == {
        "satisfiable": True,
        "layout": {"mines": ["a", "b"], "others": []},
        "fits": False,
        "broken": {"clues": [0], "total": True},
        "unassigned": [0],
    }


def test_solution_route_names_broken_clues_and_total(client: TestClient) -> None:
    found = post_solution(client, board=BOARD, mines=1, output="v 1 2 -3 -4 0")
    assert found["fits"] is False
    assert found["layout"] == ["B2B", "121"]
    assert found["broken"] == {"clues": [[0, 1]], "total": True}


def test_solution_route_reads_unsatisfiable_and_unknown_output(client: TestClient) -> None:
    nothing = {"layout": None, "fits": None, "broken": None, "unassigned": None}
    unsatisfiable = post_solution(client, board=BOARD, output="s UNSATISFIABLE\n")
    assert unsatisfiable == {"satisfiable": False, **nothing}
    assert post_solution(client, board=BOARD, output="unknown") == {"satisfiable": None, **nothing}


def test_export_route_writes_large_board(client: TestClient) -> None:
    board = hidden_layout(100, 100, 0.5, seed=2)
    for name in ExportName:
        text = post_export(client, board=draw(board), mines=2500, into=name)
        assert len(cells_of(text)) == int(board.unknown.sum())


@pytest.mark.parametrize(
    ("fields", "code", "pointer"),
    [
        ({"board": BOARD}, "missing-field", "/into"),
        ({"board": BOARD, "into": "lp"}, "bad-value", "/into"),
        ({"into": "opb"}, "missing-field", "/board"),
        ({"board": ["1?", "9?"], "into": "opb"}, "unknown-symbol", "/board/1/0"),
        ({"board": BOARD, "into": "opb", "mines": 7}, "bad-value", "/mines"),
        ({"board": BOARD, "into": "opb", "backend": "sat"}, "unknown-field", "/backend"),
        ({"board": BOARD, "into": "opb", "deadline_ms": 10**9}, "over-the-limit", "/deadline_ms"),
    ],
)
def test_export_route_rejects_invalid_requests(
    client: TestClient, fields: dict[str, Any], code: str, pointer: str
) -> None:
    assert_problem(client.post("/v1/export", json=fields), 422, code, pointer)


@pytest.mark.parametrize(
    ("output", "code"), [("hello", "bad-solution"), ("sat", "bad-solution"), (7, "bad-value")]
)
def test_solution_route_rejects_output_without_solution(
    client: TestClient, output: Any, code: str
) -> None:
    answer = client.post("/v1/solution", json={"board": BOARD, "output": output})
    assert_problem(answer, 422, code, "/output")


@pytest.mark.usefixtures("late")
def test_export_route_answers_problem_past_deadline(client: TestClient) -> None:
    request = {"board": ["?" * 10] * 10, "mines": 10, "into": "dimacs"}
    answer = client.post("/v1/export", json=request)
    assert answer.status_code == 503
    assert answer.json()["type"].endswith("deadline-passed")


def test_answer_export_rejects_file_over_limit() -> None:
    question = ExportInput(Check(parse(BOARD)), ExportName.OPB)
    with pytest.raises(ProblemError) as error:
        answer_export(question, Deadline(), most_characters=100)
    assert error.value.document["type"].endswith("over-the-limit")


def test_export_and_solution_commands_agree(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("\n".join(BOARD))
    written = run("export", str(board), "--into", "smtlib", "--mines", "1")
    assert written.exit_code == 0
    printed = subprocess.run([Z3, "-model", "-in"], input=written.stdout_bytes, capture_output=True)
    output = tmp_path / "output.txt"
    output.write_bytes(printed.stdout)
    shown = run("solution", str(board), str(output), "--mines", "1")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("it fits\n")
    as_json = run("solution", str(board), str(output), "--mines", "2", "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["broken"] == {"clues": [], "total": True}


def test_solution_command_prints_broken_clues(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("\n".join(BOARD))
    shown = run("solution", str(board), "-", "--mines", "1", stdin=b"v 1 2 0")
    assert shown.exit_code == 1
    assert shown.stdout.splitlines() == [
        "it does not fit",
        "  B2B",
        "  121",
        "broken: the clue at row 0, column 1",
        "broken: the total of mines",
        "not mentioned, and taken for safe: 1,1 1,2",
    ]
    none = run("solution", str(board), "-", stdin=b"unsat")
    assert (none.exit_code, none.stdout) == (1, "no layout: the solver says that there is none\n")


def test_export_and_solution_commands_reject_wrong_input(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("\n".join(BOARD))
    one_line(run("solution", str(board), "-", stdin=b"hello"), "-: There is no solution")
    one_line(run("export", str(board), "--into", "opb", "--mines", "9"), "--mines: ")
    one_line(run("export", str(board), "--into", "opb", "--deadline", "1e-9"), "deadline")
