"""The bodies of requests: their bytes, and the fields that they stand for."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from email.message import Message as Header
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from anyio import to_thread
from fastapi import Request
from starlette.types import Message

from minecheck.app import problems
from minecheck.app.compression import INFLATERS, CompressionError, Inflater
from minecheck.app.operation import FunctionOperation, Operation
from minecheck.app.problems import ProblemError
from minecheck.app.quoting import quote_text
from minecheck.app.requests import query
from minecheck.app.requests.board_text import BoardText, read_body_text
from minecheck.app.requests.budget import CONNECTION_BYTES, SMALL_SHARE, find_memory_share
from minecheck.app.requests.decompressing import make_damaged_body_problem, read_encoding
from minecheck.app.requests.jobs import Job, find_bare_field, make_job
from minecheck.app.requests.json_reader import (
    BODY,
    FILE,
    OPTIONS,
    decode_utf8,
    read_json,
    read_object,
    reject_request,
)
from minecheck.app.requests.scope import index_headers, is_second_try, read_arrival_time
from minecheck.app.requests.upload import PatientReceive, Upload, make_too_large_problem
from minecheck.app.settings import Settings
from minecheck.minefield.rules import Rules
from minecheck.solvers.positions.pipeline import ParsedLine

Made = TypeVar("Made")

_JSON: Final = "application/json"
_JSON_BYTES: Final = _JSON.encode()
_TEXT: Final = "text/plain"
_BINARY: Final = "application/octet-stream"
#: What a body may be that stands for a field.
_BARE_TYPES: Final = MappingProxyType({"board": (_TEXT,), "file": (_TEXT, _BINARY)})
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_HOW: Final = "Send JSON with Content-Type: application/json"
_OR_BARE: Final = MappingProxyType(
    {
        "board": ", or the rows of the board, one a line, with Content-Type: text/plain.",
        "file": ", or the file itself with Content-Type: text/plain or application/octet-stream.",
    }
)
_CURL: Final = (
    "With curl, use --json, or --data-binary @FILE -H 'Content-Type: text/plain': "
    "-d sends a form, and removes line breaks."
)
_CURL_JSON: Final = "With curl, use --json: -d sends a form."
#: Larger bodies are read in a thread; a board for the fast path is rarely this long.
SMALL_BODY: Final = 4 * 1024
#: Those that are even larger are read by a worker: JSON is read in one go, and no other thread runs
#: meanwhile.
_LARGE_BODY: Final = 512 * 1024
#: A body that is too large is still read, up to this many times the limit, for the client to get
#: the answer instead of a broken connection.
_DRAINED: Final = 8
#: The number of bodies that threads read at once.
_READ_AT_ONCE: Final = 2
#: Rules take this many times the bytes of their JSON; boards take fewer bytes.
_OF_RULES: Final = 8


class Body(NamedTuple):
    """The ``content`` of a request, its ``kind``, the ``options`` in the query, the ``bare`` field.

    It ``arrived`` at this time, on the monotonic clock, perhaps for a ``second_try``, as in
    `app.requests.scope`.
    """

    content: bytes
    kind: str
    options: dict[str, Any]
    bare: str | None
    arrived: float
    second_try: bool

    def read_fields(self) -> dict[str, Any]:
        """Read the options by name, and the field that was sent ``bare``, if there is one."""
        text = {None: OPTIONS, "file": FILE}.get(self.bare, BODY)
        if self.bare is not None and self.kind != _JSON:
            # Only formats know what the bytes of a file are.
            content = decode_utf8(self.content, text) if self.bare == "board" else self.content
            return self.options | {self.bare: content}
        return read_object(read_json(self.content, text), text)

    def read_board_text(self, most: int) -> BoardText | None:
        """Return the board of a body that is text and no other form of a board, else None."""
        if self.bare != "board" or self.kind != _TEXT:
            return None
        return read_body_text(self.content, self.options, most)

    @property
    def is_small_object(self) -> bool:
        """True for JSON that is read where it is, and may be an object."""
        content = self.content
        return self.kind == _JSON and len(content) <= SMALL_BODY and content.startswith(b"{")


async def read_job(
    request: Request,
    body: Body,
    operation: Operation,
    read: ParsedLine | None = None,
    *,
    stream: bool = False,
) -> Job:
    """Return the job that the body of a request asks for, packed if a worker has read it.

    Args:
        request: the request.
        body: its body.
        operation: the operation that it asks for.
        read: the fields that compiled code has read, if it has.
        stream: whether the answer is streamed.

    Raises:
        ProblemError: it asks for none; a 4xx with the location and the fix.
    """
    settings: Settings = request.app.state.settings
    if read is not None:
        return make_job(operation, read.to_fields(), settings, body.arrived, stream=stream)
    in_path = {name: request.path_params[name] for name in operation.path_fields}
    make = partial(_read_job_of_body, operation, body, in_path, settings, stream)
    return await _make_from_body(
        request, body.content, make, partial(_pack_job, make, body.second_try)
    )


def starts_in_worker(request: Request) -> bool:
    """Return True if a worker reads a request, however small it is.

    It may have ended another replica, or the interpreter runs the kernels until they are compiled,
    which takes too long for the event loop.
    """
    return is_second_try(request.scope) or request.app.state.compiling is not None


async def _make_from_body(
    request: Request, content: bytes, make: Callable[[], Job], apart: Callable[[], Job]
) -> Job:
    """Make a job of the content of a request, in a worker if it is large.

    What `starts_in_worker` counts as large. From then on, the job counts in place of the content.

    Args:
        request: the request.
        content: its body.
        make: a function that makes it here.
        apart: a function that makes it in a worker.

    Raises:
        Unanswered: the worker was lost, or out of memory.
    """
    async with _reading_turn(request, len(content)):
        if len(content) > _LARGE_BODY or starts_in_worker(request):
            job: Job = await request.app.state.workers.bounded.run(apart)
        else:
            job = await run_off_loop(content, make)
    if len(content) > CONNECTION_BYTES:
        find_memory_share(request.scope).set(_estimate_size(job, content))
    return job


def _reading_turn(request: Request, size: int) -> AbstractAsyncContextManager[object]:
    """Return what to hold while a body of that size is read: few of them are at once.

    What reading makes of JSON takes up to 24 times its bytes until it is a question. And between
    two large bodies, small questions for the same workers have their turn.
    """
    if size <= SMALL_BODY:
        return nullcontext()
    turns: ReadingTurns = request.app.state.reading
    return turns.large if size > _LARGE_BODY else turns.small


class ReadingTurns:
    """How many bodies are read at once: large ones by workers, small ones by threads."""

    def __init__(self) -> None:
        self.large = asyncio.Semaphore(1)
        # One thread at a time runs anyway.
        self.small = asyncio.Semaphore(_READ_AT_ONCE)


def _estimate_size(job: Job, content: bytes) -> int:
    """Estimate the bytes of the job that was made of a body."""
    if isinstance(job.input, bytes):
        return len(job.input)
    if isinstance(job.operation, FunctionOperation) and job.operation.inline:
        return len(content)
    if job.cells and not isinstance(job.question.board, Rules):
        return len(content)
    return _OF_RULES * len(content)


async def run_off_loop(body: bytes, make: Callable[[], Made]) -> Made:
    """Return ``make()``; for a large body run it in a thread.

    Args:
        body: the body, whose size decides.
        make: the function to call.
    """
    return make() if len(body) <= SMALL_BODY else await to_thread.run_sync(make)


async def receive_body(request: Request, operation: Operation) -> Body:
    """Return the body of a request that asks for an operation.

    Args:
        request: the request.
        operation: the operation.

    Raises:
        ProblemError: 408, 413, 415, 422 or 400.
    """
    scope = request.scope
    settings: Settings = request.app.state.settings
    came, again = read_arrival_time(scope), is_second_try(scope)
    if operation.method == "GET":
        query.read_parameters(request)
        return Body(b"{}", _JSON, {}, None, came, again)
    bare = find_bare_field(operation.request)
    sent_as = index_headers(scope).get(b"content-type", b"")
    if operation.takes_file:
        kind = _require_no_multipart(sent_as)
    else:
        kind = _JSON if sent_as == _JSON_BYTES else _content_type(sent_as.decode("latin-1"), bare)
    content = await read_body(request, settings)
    if kind != _JSON:
        return Body(content, kind, query.read_query(request, operation.request), bare, came, again)
    if scope["query_string"]:
        reject_request(
            "query-with-json",
            "The request has both a JSON body and query parameters.",
            "Move the parameters of the query into the JSON body.",
        )
    return Body(content, kind, {}, bare, came, again)


def _read_job_of_body(
    operation: Operation, body: Body, in_path: Mapping[str, str], settings: Settings, stream: bool
) -> Job:
    """Return the job that a body asks for, with the fields that are in the path."""
    text = body.read_board_text(settings.max_cells)
    fields = body.read_fields() if text is None else body.options | text.fields
    for name, value in in_path.items():
        if fields.setdefault(name, value) != value:
            problems.reject_field(
                "bad-value",
                f"{name}: the request has another value than the path.",
                f"Leave {name} out of the request: the path has it.",
                f"/{name}",
            )
    job = make_job(operation, fields, settings, body.arrived, stream=stream)
    return job if text is None else replace(job, reading=text.reading)


def _pack_job(make: Callable[[], Job], second_try: bool) -> Job:
    """Return the job for another worker, in a worker."""
    return make().pack_input(second_try)


def _content_type(header: str, bare: str | None) -> str:
    """Return `_JSON`, or the type of a body that is a ``bare`` field."""
    taken = (_JSON, *_BARE_TYPES.get(bare or "", ()))
    kind = header.partition(";")[0].strip().lower()
    if kind in taken:
        if header == kind:
            return kind
        fields = Header()
        fields["Content-Type"] = header
        charset = fields.get_content_charset("utf-8")
        if charset not in ("utf-8", "utf8", "us-ascii"):
            raise ProblemError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "unsupported-charset",
                f"The charset {quote_text(charset)} is not supported.",
                "Encode the body as UTF-8.",
            )
        return kind
    how = _HOW + _OR_BARE.get(bare or "", ".")
    curl = f" {_CURL if bare else _CURL_JSON}" if kind in _FORMS else ""
    raise problems.make_media_type_problem(kind, how + curl, *taken)


def _require_no_multipart(header: bytes) -> str:
    """Return the type of a body that is a file, whatever its Content-Type.

    Raises:
        ProblemError: 415, the body is a form with a file.
    """
    kind = header.decode("latin-1").partition(";")[0].strip().lower()
    if kind == _FORMS[1]:
        fix = (
            "Send the file itself as the body. With curl, use --data-binary @FILE: -F sends a form."
        )
        raise problems.make_media_type_problem(kind, fix, _TEXT, _BINARY)
    return _BINARY


async def read_body(request: Request, settings: Settings) -> bytes:
    """Read the bytes of a body that is no larger, and no slower, than the settings allow.

    Args:
        request: the request.
        settings: the settings of the service.

    Raises:
        ProblemError: 408, 413, 415, 503 where there is no room, or 400 where the body is damaged or
            the client has left.
    """
    limit = settings.max_body_bytes
    headers_sent = index_headers(request.scope)
    encoding = read_encoding(headers_sent.get(b"content-encoding", b""))
    inflater = None if encoding == "identity" else INFLATERS[encoding]()
    declared = headers_sent.get(b"content-length", b"")
    length = int(declared[:18]) if declared.isdigit() else 0
    # A client that waits for "100 Continue" has not sent anything yet.
    if length > limit and headers_sent.get(b"expect", b"").lower() == b"100-continue":
        raise make_too_large_problem(limit)
    receive = PatientReceive(request.receive, settings.upload_seconds, settings.upload_rate)
    upload: Upload | None = None
    if inflater is not None:
        # It is held as it expands to, whose length nobody has said.
        upload = Upload(limit, find_memory_share(request.scope), receive)
    elif length > SMALL_SHARE:
        upload = Upload(limit, find_memory_share(request.scope), receive, length)
    arrived = 0
    try:
        while True:
            message = await receive()
            piece, more_body = _read_message(message)
            if upload is None:
                if not more_body and len(piece) <= min(CONNECTION_BYTES, limit):
                    return piece
                upload = Upload(limit, find_memory_share(request.scope), receive)
            arrived += len(piece)
            if inflater is None:
                upload.add(piece)
            elif arrived <= limit:
                await _add_inflated(upload, inflater, piece)
            if not more_body or arrived > limit * _DRAINED:
                break
        if upload.problem is not None:
            raise upload.problem
        if arrived > limit:
            # Compressed bytes that inflate to little are no reason to read on forever.
            raise make_too_large_problem(limit)
        if inflater is not None:
            inflater.check_end()
        return upload.take()
    except CompressionError:
        raise make_damaged_body_problem(encoding) from None
    finally:
        if upload is not None:
            upload.end()


def _read_message(message: Message) -> tuple[bytes, bool]:
    """Return a piece of a body, and whether more follows.

    Raises:
        ProblemError: 400, the client has left.
    """
    if message["type"] == "http.disconnect":
        reject_request(
            "incomplete-body",
            "The connection ended before the body was complete.",
            "Send the request again.",
        )
    return message.get("body", b""), message.get("more_body", False)


async def _add_inflated(upload: Upload, inflater: Inflater, piece: bytes) -> None:
    """Take in what a piece of a compressed body inflates to, as far as the limit allows."""
    if upload.problem is not None:
        return
    for inflated in inflater.inflate(piece):
        upload.add(inflated)
        if upload.problem is not None:
            return
        # However much it inflates to, others have their turn in between.
        await asyncio.sleep(0)
