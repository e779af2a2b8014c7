"""Bodies arrive piece by piece, and each piece is awaited for a limited time."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from minecheck.app.catalogue import QUESTIONS
from minecheck.app.problems import ProblemError
from minecheck.app.requests import scope as heads
from minecheck.app.requests.body import read_job, receive_body
from minecheck.app.requests.jobs import Job
from minecheck.app.requests.upload import PatientReceive
from minecheck.app.settings import Settings
from tests.app.jobs import app_of

PIECE: Message = {"type": "http.request", "body": b"1?", "more_body": False}


def run_in_time(receive: object, seconds: float = 5.0) -> Message:
    async def received() -> Message:
        return await PatientReceive(receive, seconds)()  # type: ignore[arg-type]

    return asyncio.run(received())


def test_patient_receive_needs_no_timer_for_available_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def receive() -> Message:
        return PIECE

    def timeout(_: float) -> None:
        raise AssertionError

    monkeypatch.setattr(asyncio, "timeout", timeout)
    assert run_in_time(receive) is PIECE


def test_patient_receive_waits_for_later_piece() -> None:
    async def receive() -> Message:
        for _ in range(3):
            await asyncio.sleep(0)
        return PIECE

    assert run_in_time(receive) is PIECE


def test_patient_receive_raises_408_for_missing_piece() -> None:
    left = []

    async def receive() -> Message:
        try:
            await asyncio.Event().wait()
        finally:
            left.append(True)
        return PIECE

    with pytest.raises(ProblemError) as caught:
        run_in_time(receive, 0.05)
    assert caught.value.document["status"] == 408
    assert caught.value.document["type"].endswith(":request-timeout")
    assert caught.value.headers == {"Connection": "close"}
    assert left == [True]


@pytest.mark.parametrize("pause", [False, True])
def test_patient_receive_raises_error_of_receive(pause: bool) -> None:
    async def receive() -> Message:
        if pause:
            await asyncio.sleep(0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_in_time(receive)


def test_patient_receive_can_be_cancelled() -> None:
    left = []
    begun = asyncio.Event()

    async def receive() -> Message:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            left.append(True)
            raise
        return PIECE

    async def cancelled() -> None:
        waiting = asyncio.ensure_future(PatientReceive(receive, 5.0)())
        await begun.wait()
        waiting.cancel()
        await waiting

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert left == [True]


def test_time_of_receiving_body_counts_against_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(heads, "monotonic", lambda: now)
    pieces = [b'{"deadline_ms": 500,', b'"board": "1?"}']

    async def receive() -> Message:
        nonlocal now
        now += 0.25
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "headers": [(b"content-type", b"application/json")],
        "query_string": b"",
    }
    (check,) = (operation for operation in QUESTIONS if operation.name == "check")

    async def apart(_read: Callable[[], Job]) -> Job:
        pytest.fail("a small body is read here")

    async def read() -> Job:
        request = Request(scope, receive)
        job = await read_job(request, await receive_body(request, check), check)
        assert isinstance(job, Job)
        return job

    scope["app"] = app_of(Settings(), apart)
    job = asyncio.run(read())
    assert (now, job.deadline.at) == (1000.5, 1000.5)
