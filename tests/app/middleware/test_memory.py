"""Responses count against the memory of requests, and release it."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from minecheck.app.middleware.memory import Memory
from minecheck.app.requests.budget import BUDGET, MemoryBudget, find_memory_share

MOST = 1 << 20


def ask(app: Any, budget: MemoryBudget) -> tuple[list[Message], list[int]]:
    """Return the messages sent, and the bytes held at each of them."""
    sent: list[Message] = []
    held: list[int] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)
        held.append(budget.held)

    scope = {"type": "http", "client": ("10.0.0.1", 1), "headers": []}
    asyncio.run(Memory(app, budget)(scope, receive, send))
    return sent, held


def make_app(*sizes: int) -> Any:
    """Return an app that answers in pieces of these sizes."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for size in sizes:
            await send({"type": "http.response.body", "body": bytes(size), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return app


def test_response_counts_against_memory_until_sent() -> None:
    budget = MemoryBudget(MOST)
    sent, held = ask(make_app(100_000, 10), budget)
    assert [message["type"][14:] for message in sent] == ["start", "body", "body", "body"]
    assert held == [100_000, 100_000, 0, 0]
    assert budget.held == 0


def test_response_without_room_is_replaced_by_503() -> None:
    budget = MemoryBudget(MOST)
    sent, _ = ask(make_app(MOST // 2 + 1, 10), budget)
    assert [message["type"][14:] for message in sent] == ["start", "body"]
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"1") in sent[0]["headers"]
    assert b"urn:minecheck:problem:overloaded" in sent[1]["body"]
    assert (budget.held, budget.refused) == (0, 1)


def test_stream_that_has_begun_continues_without_room() -> None:
    sent, _ = ask(make_app(10, MOST, MOST), MemoryBudget(MOST))
    assert sent[0]["status"] == 200
    assert sum(len(message.get("body", b"")) for message in sent) == 10 + 2 * MOST


def test_failed_request_releases_its_memory() -> None:
    budget = MemoryBudget(MOST)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope[BUDGET] is budget
        find_memory_share(scope).resize(100_000)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(app, budget)
    assert budget.held == 0
