"""Bodies whose reading would delay other requests are read in another process."""

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from fastapi import Request
from starlette.types import Message

from minecheck.app.catalogue import QUESTIONS
from minecheck.app.problems import ProblemError
from minecheck.app.requests.body import read_job, receive_body
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from tests.app.jobs import app_of

CHECK = next(operation for operation in QUESTIONS if operation.name == "check")


async def read_check_job(request: Request) -> Job:
    return await read_job(request, await receive_body(request, CHECK), CHECK)


def post_request(
    body: bytes, kind: str = "application/json", query: bytes = b"", **headers: bytes
) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    named = [(name.replace("_", "-").encode(), value) for name, value in headers.items()]
    header_fields = [(b"content-type", kind.encode()), *named]
    return Request(
        {"type": "http", "method": "POST", "headers": header_fields, "query_string": query}, receive
    )


def read_counting_calls(request: Request) -> tuple[Job, int]:
    """Return what is read, and how often that was in the other process; both ways are pickled."""
    calls = 0

    async def apart(make: Callable[[], Any]) -> Any:
        nonlocal calls
        calls += 1
        return pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(make))()))

    request.scope["app"] = app_of(Settings(), apart)
    return asyncio.run(read_check_job(request)), calls


def test_large_json_body_is_read_in_another_process() -> None:
    rows = [["?"] * 500] * 500
    job, calls = read_counting_calls(
        post_request(orjson.dumps({"board": rows, "mines": 7, "deadline_ms": 900}))
    )
    assert calls == 1
    assert not job.second_try
    job = job.unpack_input()
    assert job.question.board.shape == (500, 500)
    assert (job.question.mines, job.seconds) == (7, 0.9)


def test_large_text_body_keeps_its_options() -> None:
    text = ("?" * 999 + "\n") * 600
    job, calls = read_counting_calls(
        post_request(text.encode(), "text/plain", b"mines=5&deadline_ms=900")
    )
    assert calls == 1
    assert not job.second_try
    job = job.unpack_input()
    assert job.question.board.shape == (600, 999)
    assert (job.question.mines, job.seconds) == (5, 0.9)


def test_small_body_is_read_in_process_of_service() -> None:
    assert read_counting_calls(post_request(b'{"board": ["1?"]}'))[1] == 0
    assert (
        read_counting_calls(post_request(("?" * 99 + "\n").encode() * 1000, "text/plain"))[1] == 0
    )


@pytest.mark.parametrize("body", [b'{"board": ["1?"]}', b'{"board": ["9?"]}'])
def test_body_of_second_try_is_read_in_another_process(body: bytes) -> None:
    request = post_request(body, minecheck_second_try=b"1")
    if b"9" in body:
        with pytest.raises(ProblemError):
            read_counting_calls(request)
        return
    job, calls = read_counting_calls(request)
    assert (job.second_try, calls) == (True, 1)
    assert not read_counting_calls(post_request(body))[0].packed


def test_problem_of_large_body_is_raised_in_process_of_service() -> None:
    with pytest.raises(ProblemError) as caught:
        read_counting_calls(post_request(b'{"board": [' + b"[1]," * 200_000 + b"[x]]}"))
    assert caught.value.document["type"].endswith("invalid-json")
