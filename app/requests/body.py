"""The bodies of requests: their bytes, and the fields that they stand for."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Generator
from email.message import Message as Header
from functools import partial
from http import HTTPStatus
from types import MappingProxyType, coroutine
from typing import Any, Final, NamedTuple, TypeVar, cast

from anyio import to_thread
from fastapi import Request
from pydantic import BaseModel
from starlette.types import Message, Receive

from app import problems
from app.problems import ProblemError
from app.questions import Record
from app.requests import query
from app.requests.jobs import Job, Sealed, job, validated
from app.requests.json_reader import (
    BODY,
    OPTIONS,
    decoded,
    read_json,
    read_object,
    unreadable,
)
from app.requests.scope import arrived, headers, second_try
from app.settings import Settings
from minefield.amounts import several

Made = TypeVar("Made")
Other = TypeVar("Other")
Model = TypeVar("Model", bound=BaseModel)

_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_BINARY: Final = "application/octet-stream"
#: The fields that may be a whole body, and what such a body is.
_BARE: Final = MappingProxyType({"board": (_TEXT,), "file": (_TEXT, _BINARY)})
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_HOW: Final = "Send JSON with Content-Type: application/json"
_OR_BARE: Final = MappingProxyType(
    {
        "board": ", or the rows of the board, one a line, with Content-Type: text/plain.",
        "file": ", or the file itself with Content-Type: text/plain or application/octet-stream.",
    }
)
_CURL: Final = (
    "With curl use --data-binary @FILE -H 'Content-Type: text/plain', or --json: "
    "-d strips line breaks and sends a form."
)
_CURL_JSON: Final = "With curl use --json: -d sends a form."
#: Larger bodies are read in a thread: a board that the fast path takes seldom needs so many bytes.
SMALL_BODY: Final = 4 * 1024
#: Those that are even larger are read by a worker: JSON is read in one go, and no other thread runs
#: meanwhile.
_LARGE_BODY: Final = 512 * 1024
#: A body that is too large is still read, up to so many times the limit, for the
#: client to get the answer instead of a broken connection.
_DRAINED: Final = 8


class Body(NamedTuple):
    """The ``content`` of a request, its ``kind``, the ``options`` beside it, the ``bare`` field.

    It ``arrived`` at this time, on the monotonic clock, perhaps for a ``second_try``, as in
    `app.requests.scope`.
    """

    content: bytes
    kind: str
    options: dict[str, Any]
    bare: str | None
    arrived: float
    second_try: bool

    def fields(self) -> dict[str, Any]:
        """The options by name, and the field that was sent ``bare``, if there is one."""
        text = OPTIONS if self.bare is None else BODY
        if self.bare is not None and self.kind != _JSON:
            # Only formats know what the bytes of a file are.
            content = decoded(self.content, text) if self.bare == "board" else self.content
            return self.options | {self.bare: content}
        return read_object(read_json(self.content, text), text)

    @property
    def small_json(self) -> bytes:
        """The content, if it is JSON that is read where it is; else nothing."""
        return self.content if self.kind == _JSON and len(self.content) <= SMALL_BODY else b""


async def read_job(
    request: Request, body: Body, record: Record, *, stream: bool = False
) -> Job | Sealed:
    """The question that the body of a request asks, sealed if a worker has read it.

    Raises:
        ProblemError: it asks none; a 4xx with the location and the fix.
    """
    settings: Settings = request.app.state.settings
    read = partial(_job, record, body, settings, stream=stream)
    return await made_of(request, body.content, read, partial(_sealed, read, body.second_try))


async def read_model(
    request: Request, model: type[Model], use: Callable[[Model, Settings], Made]
) -> Made:
    """What ``use`` makes of the fields of a request, which may be in another process.

    Raises:
        ProblemError: they do not fit the model; a 4xx with the location and the fix.
    """
    return await read_fields(request, model, partial(_modelled, model, use))


async def read_fields(
    request: Request,
    model: type[BaseModel],
    use: Callable[[dict[str, Any], Settings, float], Made],
    apart: Callable[[dict[str, Any], Settings, float], Made] | None = None,
) -> Made:
    """What ``use`` makes of the fields of a request, the settings, and when it came.

    That is on the monotonic clock. ``use`` may be called in another process.

    Raises:
        ProblemError: there are none, or ``use`` has none for them; a 4xx with location and fix.
    """
    settings: Settings = request.app.state.settings
    bare = next((field for field in _BARE if field in model.model_fields), None)
    body = await received(request, settings, bare)
    make = partial(_used, body, use, settings)
    far = make if apart is None else partial(_used, body, apart, settings)
    return await made_of(request, body.content, make, far)


async def made_of(
    request: Request,
    content: bytes,
    make: Callable[[], Made],
    apart: Callable[[], Other] | None = None,
) -> Made | Other:
    """What is made of the content of a request: ``apart``, in a worker, if it is large.

    So it is if the request is a second try.

    Raises:
        Unanswered: the worker was lost, or out of memory.
    """
    if len(content) > _LARGE_BODY or second_try(request.scope):
        made: Made | Other = await request.app.state.workers.bounded.run(apart or make)
        return made
    return await off_the_loop(content, make)


async def off_the_loop(body: bytes, make: Callable[[], Made]) -> Made:
    """What is made of a body; of a large one in a thread."""
    return make() if len(body) <= SMALL_BODY else await to_thread.run_sync(make)


def accepted(request: Request, header: str) -> list[str]:
    """What a header such as Accept names, without what it gives the weight 0; lower case."""
    named = request.headers.get(header, "").replace(" ", "").lower().split(",")
    return [kind.split(";")[0] for kind in named if not re.search(r";q=0(\.0*)?(;|$)", kind)]


async def received(request: Request, settings: Settings, bare: str | None = "board") -> Body:
    """What a request brings, where ``bare`` is the field that a whole body may be.

    Raises:
        ProblemError: 408, 413, 415, or 400.
    """
    scope = request.scope
    came, again = arrived(scope), second_try(scope)
    kind = _content_type(headers(scope).get(b"content-type", b"").decode("latin-1"), bare)
    content = await read_body(request, settings)
    if kind != _JSON:
        return Body(content, kind, query.fields(request), bare, came, again)
    if scope["query_string"]:
        unreadable(
            "query-with-json",
            "The request has both a JSON body and query parameters.",
            "Put everything into the JSON body.",
        )
    return Body(content, kind, {}, bare, came, again)


def _job(record: Record, body: Body, settings: Settings, *, stream: bool) -> Job:
    """The question that a body asks."""
    return job(record, body.fields(), settings, body.arrived, stream=stream)


def _sealed(read: Callable[[], Job], second_try: bool) -> Sealed:
    """In a worker: the same for another one."""
    return Sealed.of(read(), second_try)


def _modelled(
    model: type[Model],
    use: Callable[[Model, Settings], Made],
    fields: dict[str, Any],
    settings: Settings,
    arrived: float,
) -> Made:
    """What is made of fields, as a model has them."""
    return use(validated(model, fields), settings)


def _used(
    body: Body, use: Callable[[dict[str, Any], Settings, float], Made], settings: Settings
) -> Made:
    """What is made of the fields of a body."""
    return use(body.fields(), settings, body.arrived)


def _content_type(header: str, bare: str | None) -> str:
    """`_JSON`, or what a body may be that is a ``bare`` field."""
    if header == _JSON:
        return _JSON
    taken = (_JSON, *_BARE.get(bare or "", ()))
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
                f"The body is in {charset[:80]!a}.",
                "Send UTF-8.",
            )
        return kind
    how = _HOW + _OR_BARE.get(bare or "", ".")
    curl = f" {_CURL if bare else _CURL_JSON}" if kind in _FORMS else ""
    raise problems.of_media_type(kind, how + curl, *taken)


async def read_body(request: Request, settings: Settings) -> bytes:
    """The bytes of a body that is no larger, and no slower, than the settings allow.

    Raises:
        ProblemError: 408, 413, 415, or 400 where the client has left.
    """
    limit = settings.max_body_bytes
    told = headers(request.scope)
    packed = told.get(b"content-encoding", b"").decode("latin-1").strip().lower()
    if packed not in ("", "identity"):
        fix = "Send the body uncompressed; POST /v1/batch takes gzip."
        raise problems.of_encoding(packed, fix, "identity")
    # A client that waits for "100 Continue" has not sent anything yet.
    if told.get(b"expect", b"").lower() == b"100-continue":
        declared = told.get(b"content-length", b"")
        if declared.isdigit() and int(declared[:18]) > limit:
            raise _too_large(limit)
    receive = in_time(request.receive, settings.upload_seconds)
    chunks: list[bytes] = []
    size = 0
    more = True
    while more and size <= limit * _DRAINED:
        message = await receive()
        if message["type"] == "http.disconnect":
            unreadable("incomplete-body", "The body ended early.", "Send it again.")
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        more = message.get("more_body", False)
    if size > limit:
        raise _too_large(limit)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _too_large(limit: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "body-too-large",
        f"The body is larger than {several(limit, 'byte')}.",
        "Send a smaller board, or raise MINECHECK_MAX_BODY_BYTES.",
        headers={"Connection": "close"},
    )


def in_time(receive: Receive, seconds: float) -> Receive:
    """An ASGI receive that waits for no piece of a body longer than some seconds.

    It raises ProblemError 408 then. Where a piece is there already, no timer
    is set: that costs more than all of receive.
    """

    async def received() -> Message:
        coming = cast("Coroutine[Any, Any, Message]", receive())
        try:
            waits_for = coming.send(None)
        except StopIteration as there:
            message: Message = there.value
            return message
        try:
            async with asyncio.timeout(seconds):
                return await _resumed(coming, waits_for)
        except TimeoutError:
            raise _late(seconds) from None

    return received


@coroutine
def _resumed(coming: Coroutine[Any, Any, Message], waits_for: Any) -> Generator[Any, Any, Message]:
    """Go on with a coroutine that has been run up to where it waits for something."""
    try:
        while True:
            try:
                sent = yield waits_for
            except BaseException as error:  # noqa: BLE001 - as await does, cancellation included
                waits_for = coming.throw(error)
            else:
                waits_for = coming.send(sent)
    except StopIteration as done:
        message: Message = done.value
        return message


def _late(seconds: float) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_TIMEOUT,
        "request-timeout",
        f"Nothing more of the body arrived for {seconds:g} s.",
        "Send it again, without pauses.",
        headers={"Connection": "close"},
    )
