"""Answers that there is no room for, and what requests give back."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from minecheck.app.middleware.memory import Memory
from minecheck.app.requests.budget import BUDGET, MemoryBudget, share_of

MOST = 1 << 20


def ask(app: Any, budget: MemoryBudget) -> tuple[list[Message], list[int]]:
    """What is sent, and what is held when it is."""
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


def answering(*sizes: int) -> Any:
    """An app that answers with so many bytes in each piece."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for size in sizes:
            await send({"type": "http.response.body", "body": bytes(size), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return app


def test_an_answer_counts_while_it_is_sent() -> None:
    budget = MemoryBudget(MOST)
    sent, held = ask(answering(100_000, 10), budget)
    assert [message["type"][14:] for message in sent] == ["start", "body", "body", "body"]
    assert held == [100_000, 100_000, 0, 0]
    assert budget.held == 0


def test_an_answer_without_room_is_a_503() -> None:
    budget = MemoryBudget(MOST)
    sent, _ = ask(answering(MOST // 2 + 1, 10), budget)
    assert [message["type"][14:] for message in sent] == ["start", "body"]
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"1") in sent[0]["headers"]
    assert b"urn:minecheck:problem:overloaded" in sent[1]["body"]
    assert (budget.held, budget.refused) == (0, 1)


def test_a_stream_that_has_begun_goes_on() -> None:
    sent, _ = ask(answering(10, MOST, MOST), MemoryBudget(MOST))
    assert sent[0]["status"] == 200
    assert sum(len(message.get("body", b"")) for message in sent) == 10 + 2 * MOST


def test_a_request_that_fails_gives_back_what_it_holds() -> None:
    budget = MemoryBudget(MOST)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope[BUDGET] is budget
        share_of(scope).resize(100_000)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(app, budget)
    assert budget.held == 0
