"""Counts and analyses over HTTP have certificates that show their answers."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from minecheck.minefield.board import Board
from minecheck.minefield.certificates.agreement import review_answer
from minecheck.minefield.certificates.counting import Counted
from minecheck.minefield.certificates.document import (
    CertificateError,
    read_certificates,
    read_subject,
)
from minecheck.minefield.certificates.judge import verify_all
from minecheck.minefield.notation import draw
from tests import oracle
from tests.app.content_types import TEXT
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.app.problem_responses import assert_problem
from tests.app.questions.responses import ask, assert_promised, drop_elapsed
from tests.boards import boards_with_totals
from tests.examples import examples

MODELS: dict[str, type[BaseModel]] = {
    "count": QUESTIONS_BY_NAME["count"].response,
    "analyze": QUESTIONS_BY_NAME["analyze"].response,
}
BACKENDS = ["auto", "automata", "frontier", "sat", "cpsat", "exhaustive"]
RULES = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c", "d"], "low": 1, "high": 2}]


def verify_count(answer: dict[str, Any]) -> Counted:
    """Return what the certificate of an answer shows, after comparing it with the answer."""
    certificates = read_certificates(answer)
    (found,) = verify_all(certificates)
    assert found is not None
    unproved = review_answer(answer, read_subject(answer), certificates, [found]).unproved
    # False may stand where no fewer clues would do: nobody looked.
    assert unproved.keys() <= ({"conflict.smallest"} if found.count == 0 else set())
    return found


@examples(150)
@given(
    case=boards_with_totals(),
    task=st.sampled_from(["count", "analyze"]),
    fractions=st.booleans(),
    by_mines=st.booleans(),
)
def test_counts_and_analyses_agree_with_their_certificates(
    client: TestClient,
    case: tuple[Board, int | None],
    task: str,
    fractions: bool,
    by_mines: bool,
) -> None:
    board, mines = case
    if mines is not None and not 0 <= mines <= board.cells.size:
        return
    options = {"mines": mines, "fractions": fractions, "by_mines": by_mines, "certificate": True}
    answer = ask(client, task, draw(board), **options)
    assert_promised(MODELS[task], answer)
    assert verify_count(answer).count == oracle.answer(board, mines).count
    assert answer["certificate"]["mines"] == mines


@pytest.mark.parametrize("task", MODELS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rows", [["1?", "??"], ["1?2"], ["?1?", "121"], ["??", "??"]])
def test_count_of_every_backend_is_certified(
    client: TestClient, task: str, backend: str, rows: list[str]
) -> None:
    verify_count(ask(client, task, rows, backend=backend, certificate=True))


@pytest.mark.parametrize("mines", [None, 2, 0])
@pytest.mark.parametrize("total", [None, 6])
def test_counts_of_rules_are_certified(
    client: TestClient, mines: int | None, total: int | None
) -> None:
    options = {"rules": RULES, "total_cells": total, "mines": mines, "certificate": True}
    verify_count(ask(client, "analyze", None, **options))


@pytest.mark.parametrize("task", MODELS)
def test_count_is_certified_on_demand(client: TestClient, task: str) -> None:
    plain = ask(client, task, ["?1??"])
    assert "certificate" not in plain
    certified = client.post(f"/v1/{task}?certificate=true", content="?1??", headers=TEXT).json()
    verify_count(certified)
    assert drop_elapsed(certified).keys() - plain.keys() == {"certificate"}


def test_conflict_that_nobody_knew_to_be_smallest_is_named_as_unproved(client: TestClient) -> None:
    """There is another conflict of two clues and the total, and none of fewer."""
    answer = ask(client, "count", ["????", "001?"], mines=2, certificate=True)
    assert answer["conflict"]["smallest"] is False
    certificates = read_certificates(answer)
    review = review_answer(answer, read_subject(answer), certificates, verify_all(certificates))
    assert review.unproved.keys() == {"conflict.smallest"}


def test_counts_of_batch_lines_are_certified(client: TestClient) -> None:
    lines = "\n".join(map(json.dumps, ["?1??", {"board": "2?"}, {"board": "???", "mines": 1}]))
    headers = {"Content-Type": "application/x-ndjson"}
    path = "/v1/batch?task=count&certificate=true"
    text = client.post(path, content=lines, headers=headers).text
    counts = [verify_count(json.loads(line)).count for line in text.splitlines()]
    assert counts == [4, 0, 3]


@pytest.mark.parametrize("task", MODELS)
def test_count_with_density_is_not_certified(client: TestClient, task: str) -> None:
    body = {"board": ["?1"], "certificate": True, "density": 0.5}
    assert_problem(client.post(f"/v1/{task}", json=body), 422, "bad-value", "/certificate")


@pytest.mark.parametrize("task", MODELS)
def test_count_on_torus_is_not_certified(client: TestClient, task: str) -> None:
    body = {"board": ["?1", "??"], "certificate": True, "topology": "torus"}
    assert_problem(client.post(f"/v1/{task}", json=body), 422, "bad-value", "/certificate")


def test_count_has_no_certificate_where_tables_are_too_large(client: TestClient) -> None:
    """Tilings of a chessboard with dominoes are counted by a determinant, and by no table."""
    size = 24
    rows = [["S"] * (2 * size + 1) for _ in range(2 * size + 1)]
    for row in range(size):
        for col in range(size):
            rows[2 * row + 1][2 * col + 1] = "1"
            if row + 1 < size:
                rows[2 * row + 2][2 * col + 1] = "?"
            if col + 1 < size:
                rows[2 * row + 1][2 * col + 2] = "?"
    board = ["".join(row) for row in rows]
    found = ask(client, "count", board, certificate=True, deadline_ms=20_000)
    assert found["count"] is not None
    assert found["certificate"] is None
    assert found["solver"]["complete"] is False
    assert "too large" in found["solver"]["note"]
    with pytest.raises(CertificateError):
        read_certificates(found)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("count", "5"),
        ("by_mines", {"1": "4"}),
        ("forced", {"mines": [[0, 0]], "safe": []}),
        ("probabilities", [[0.5, None, 0.5, 0.25]]),
        ("probabilities", "all"),
        ("safest", [{"cell": [0, 3], "probability": 0.5}]),
        ("witness", ["B1BB"]),
        ("witness", ["0000"]),
        ("witness", ["01?B"]),
        ("consistent", False),
        ("consistent", None),
    ],
)
def test_answer_that_differs_from_its_certificate_is_rejected(
    client: TestClient, field: str, value: object
) -> None:
    answer = ask(client, "analyze", ["?1??"], by_mines=True, certificate=True)
    verify_count(answer)
    with pytest.raises(CertificateError) as error:
        verify_count({**answer, field: value})
    assert error.value.field == field
