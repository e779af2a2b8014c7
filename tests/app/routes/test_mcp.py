"""The route /mcp answers clients, and respects keys, limits and hosts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.middleware.auth import new_key
from minecheck.app.routes import mcp
from minecheck.app.settings import Settings
from tests.app.mcp.calling import answer_of, call_all, error_of, text_of
from tests.app.serving import Server, lattice

HEADERS = {"Accept": "application/json, text/event-stream"}


def message(name: str = "check", **arguments: Any) -> dict[str, Any]:
    parameters = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}


@contextmanager
def service(**settings: Any) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(workers=1, **settings))) as client:
        yield client


def test_mcp_route_answers_calls_of_tools(server: Server) -> None:
    url = server.url + mcp.PATH
    board = "?1?\n131\n???"
    checked, moved, dealt, wrong = call_all(
        url,
        ("check", {"board": board}),
        ("best_move", {"board": "1?\n??", "mines": 1}),
        ("deal_board", {"rows": 9, "cols": 9, "mines": 10, "seed": 3}),
        ("check", {"board": "?9?"}),
    )
    posted = server.post("/v1/check", {"board": board}).json()
    assert answer_of(checked)["conflict"] == posted["conflict"]["clues"]
    assert text_of(moved).startswith("GUESS (0, 1)")
    game = server.post("/v1/boards", {"rows": 9, "cols": 9, "mines": 10, "seed": 3}).json()
    assert answer_of(dealt)["board"] == game["board"]
    assert "not a clue from 0 to 8" in error_of(wrong)


def test_mcp_route_ends_hard_question_at_deadline(server: Server) -> None:
    board = "\n".join(lattice(40))
    (found,) = call_all(server.url + mcp.PATH, ("analyze", {"board": board, "deadline_ms": 300}))
    assert answer_of(found)["complete"] is False
    assert "larger deadline_ms" in text_of(found)


def test_mcp_route_requires_key_if_service_has_keys() -> None:
    key, hashed = new_key()
    with service(api_keys={"alice": hashed}) as client:
        rejected = client.post(mcp.PATH, json=message(board="?1?"), headers=HEADERS)
        assert rejected.status_code == 401
        allowed = client.post(
            mcp.PATH, json=message(board="?1?"), headers={**HEADERS, "X-API-Key": key}
        )
        assert allowed.json()["result"]["structuredContent"]["consistent"] is True


def test_mcp_route_has_rate_limit() -> None:
    key, hashed = new_key()
    limits = {"api_keys": {"alice": hashed}, "rate_per_second": 0.001, "rate_burst": 1}
    with service(**limits) as client:
        headers = {**HEADERS, "X-API-Key": key}
        statuses = [
            client.post(mcp.PATH, json=message(board="?1?"), headers=headers).status_code
            for _ in range(2)
        ]
    assert statuses == [200, 429]


def test_mcp_route_rejects_other_hosts_and_large_bodies(client: TestClient) -> None:
    large = client.post(mcp.PATH, content=b" " * 600_000, headers=HEADERS)
    assert large.status_code == 413
    assert large.json()["fix"] == "Ask about a smaller board."
    with service(allowed_hosts=["example.org"]) as strict:
        elsewhere = strict.post(
            mcp.PATH, json=message(board="?1?"), headers={**HEADERS, "Host": "evil.example"}
        )
    assert elsewhere.status_code // 100 == 4


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_mcp_route_rejects_other_methods(client: TestClient, method: str) -> None:
    found = client.request(method, mcp.PATH)
    assert found.status_code == 405
    assert found.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc":"2.0"}', b"\xff"])
def test_mcp_route_answers_400_to_invalid_messages(client: TestClient, body: bytes) -> None:
    headers = {**HEADERS, "Content-Type": "application/json"}
    found = client.post(mcp.PATH, content=body, headers=headers)
    assert found.status_code == 400
    assert found.json()["error"]["message"]


def test_mcp_route_is_missing_without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda name: None)
    with service() as client:
        assert client.post(mcp.PATH, json=message(board="?1?")).status_code == 404


def test_mcp_route_loads_packages_at_first_message() -> None:
    with service() as client:
        assert client.app.state.mcp._running is None  # type: ignore[attr-defined]
        client.post(mcp.PATH, json=message(board="?1?"), headers=HEADERS)
        assert client.app.state.mcp._running is not None  # type: ignore[attr-defined]


def test_mcp_route_turns_unexpected_exception_into_tool_error(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from minecheck.app.mcp import ladder_answers

    def fail(*arguments: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(ladder_answers, "read_call", fail)
    found = client.post(mcp.PATH, json=message(board="?1?"), headers=HEADERS).json()
    assert found["result"]["isError"] is True
    assert "on purpose" not in str(found)
