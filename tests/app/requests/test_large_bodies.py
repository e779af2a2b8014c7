"""Bodies so large that reading them would keep all others waiting are read in another process."""

import asyncio
import pickle
from collections.abc import Callable

import orjson
import pytest
from fastapi import Request
from starlette.types import Message

from app.problems import ProblemError
from app.questions.catalogue import QUESTIONS
from app.requests.body import read_job, received
from app.requests.jobs import Job
from app.settings import Settings

CHECK = next(record for record in QUESTIONS if record.name == "check")


def posted(body: bytes, kind: str = "application/json", query: bytes = b"") -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", kind.encode())]
    scope = {"type": "http", "method": "POST", "headers": headers, "query_string": query}
    return Request(scope, receive)


def read(request: Request) -> tuple[Job, int]:
    """The job, and how often something was read apart; what goes there and back is pickled."""
    calls = 0

    async def apart(make: Callable[[], Job]) -> Job:
        nonlocal calls
        calls += 1
        made: Job = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(make))()))
        return made

    async def job() -> Job:
        settings = Settings()
        return await read_job(await received(request, settings), CHECK, settings, apart)

    return asyncio.run(job()), calls


def test_a_large_body_is_read_apart() -> None:
    rows = [["?"] * 500] * 500
    job, calls = read(posted(orjson.dumps({"board": rows, "mines": 7, "deadline_ms": 900})))
    assert calls == 1
    assert job.question.board.shape == (500, 500)
    assert (job.question.mines, job.seconds) == (7, 0.9)


def test_a_large_text_keeps_its_options() -> None:
    text = ("?" * 999 + "\n") * 600
    job, calls = read(posted(text.encode(), "text/plain", b"mines=5&deadline_ms=900"))
    assert calls == 1
    assert job.question.board.shape == (600, 999)
    assert (job.question.mines, job.seconds) == (5, 0.9)


def test_a_small_one_is_read_here() -> None:
    assert read(posted(b'{"board": ["1?"]}'))[1] == 0
    assert read(posted(("?" * 99 + "\n").encode() * 1000, "text/plain"))[1] == 0


def test_what_is_wrong_there_is_told_here() -> None:
    with pytest.raises(ProblemError) as caught:
        read(posted(b'{"board": [' + b"[1]," * 200_000 + b"[x]]}"))
    assert caught.value.document["type"].endswith("invalid-json")
