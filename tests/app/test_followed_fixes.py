"""A request that follows the fix of a problem is accepted, and about the same board."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from docs.followed_fixes import FOLLOWED_FIXES, NOT_FOLLOWED
from docs.problem_examples import EXAMPLES, Request, post, send_text
from docs.problems import ask, send_bytes, serving


class Ports(dict[str, int]):
    """The port of each server of the examples, by name; a server starts when it is asked for."""

    def __init__(self, started: ExitStack) -> None:
        super().__init__()
        self._started = started

    def __missing__(self, name: str) -> int:
        self[name] = self._started.enter_context(serving(name))
        return self[name]


@pytest.fixture(scope="module")
def ports() -> Iterator[Ports]:
    with ExitStack() as started:
        yield Ports(started)


def list_problems(status: int, body: bytes) -> list[object]:
    """Return what is a problem in an answer, or in a line of a batch."""
    if status == 204 or not body.startswith(b'{"'):
        return [] if status < 300 else [body]
    documents = [json.loads(line) for line in body.splitlines() if line.startswith(b"{")]
    return [one for one in documents if status >= 300 or ("type" in one and "status" in one)]


def read_fields(request: object) -> dict[str, Any]:
    """Return the fields of the body of a request, none if it is not a JSON object."""
    content = request.content if isinstance(request, Request) else b""
    try:
        fields = json.loads(content.partition(b"\r\n\r\n")[2])
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def list_cells(fields: dict[str, Any]) -> dict[tuple[int, int], str]:
    """Return the cells of the board in the fields of a request, by row and column."""
    rows = fields.get("board", [])
    lines = rows if isinstance(rows, list) else []
    return {(row, col): cell for row, line in enumerate(lines) for col, cell in enumerate(line)}


def test_each_fix_is_followed_or_has_reason_not_to_be() -> None:
    assert not FOLLOWED_FIXES.keys() & NOT_FOLLOWED.keys()
    assert FOLLOWED_FIXES.keys() | NOT_FOLLOWED.keys() == EXAMPLES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("code", FOLLOWED_FIXES)
def test_followed_fix_is_accepted(ports: Ports, code: str) -> None:
    request = FOLLOWED_FIXES[code]
    status, body = send_bytes(ports[request.server], request.content)
    assert not list_problems(status, body), body


@pytest.mark.slow
@pytest.mark.parametrize("code", FOLLOWED_FIXES)
def test_followed_fix_keeps_all_cells_but_those_at_fault(ports: Ports, code: str) -> None:
    example = EXAMPLES[code]
    before, after = list_cells(read_fields(example)), list_cells(read_fields(FOLLOWED_FIXES[code]))
    if not before or not after or not isinstance(example, Request):
        return
    problem = ask(ports[example.server], example.content)
    if problem.get("row") is None:
        assert before == after
    else:
        fault = problem["row"], problem.get("col")
        assert {cell for cell in before if before[cell] != after.get(cell)} <= {fault}


@pytest.mark.slow
def test_each_reading_of_an_ambiguous_board_is_accepted_and_has_its_board(
    ports: Ports,
) -> None:
    port = ports["default"]
    texts = ["1.1\n...", "X1X", "1 2 3 4\n? ? ? ?", "2 2\n? 1\n1 ?", "1;?;\n?;1;", "⬛⬜\n⬜1️⃣"]
    for text in texts:
        problem = ask(port, send_text("/v1/check?mines=1", text).content)
        for reading in problem["readings"]:
            assert reading["request"]["board"] == reading["board"]
            status, body = send_bytes(port, post("/v1/check", reading["request"]).content)
            assert (status, json.loads(body)["mines"]) == (200, 1), text


@pytest.mark.slow
def test_fix_of_a_cell_off_the_board_is_followed_in_the_same_game(ports: Ports) -> None:
    port = ports["default"]
    _, dealt = send_bytes(port, post("/v1/games", {"rows": 5, "cols": 6, "mines": 6}).content)
    path = f"/v1/games/{json.loads(dealt)['id']}/open"
    problem = ask(port, post(path, {"cell": [5, 0]}).content)
    assert problem["fix"] == "Send a row from 0 to 4 and a column from 0 to 5."
    status, body = send_bytes(port, post(path, {"cell": [4, 0]}).content)
    assert not list_problems(status, body), body


def test_backend_that_rejects_a_board_is_replaced_by_auto(ports: Ports) -> None:
    port = ports["default"]
    fields = {"board": ["?" * 40] * 40, "backend": "exhaustive"}
    problem = ask(port, post("/v1/count", fields).content)
    assert problem["fix"].startswith("Use auto, which chooses a backend that can answer")
    status, body = send_bytes(port, post("/v1/count", fields | {"backend": "auto"}).content)
    assert not list_problems(status, body), body


@pytest.mark.slow
def test_each_backend_that_a_fix_names_exists(ports: Ports) -> None:
    port = ports["default"]
    problem = ask(port, post("/v1/count", {"board": ["1?"], "backend": "z3"}).content)
    for name in problem["fix"].partition("Use one of: ")[2].rstrip(".").split(", "):
        fields = {"board": ["1?"], "backend": name}
        status, body = send_bytes(port, post("/v1/count", fields).content)
        # An engine may not answer this question, and its problem names those that do.
        assert status == 200 or b"backend-refuses" in body, name
