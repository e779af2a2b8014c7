"""The routes POST /v1/check, /v1/count and so on: one for each question."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from fastapi import FastAPI, Request, Response

from app import problems
from app.execution import positions
from app.execution.ladder import Ladder
from app.questions import Record
from app.requests.body import accepted, read_job, received
from app.requests.jobs import Job
from app.routes import openapi, streaming
from app.routes.fast_route import Handler
from app.settings import Settings

_STREAM: Final = (
    "The answer; as NDJSON one layout per line, none at all if no layout fits. If cut short, "
    "the last line is an object with `complete` false, `consistent` and `next_offset`"
)


def add(app: FastAPI, questions: Iterable[Record]) -> dict[str, Handler]:
    """Add the routes; what answers them, by path."""
    handlers = {f"/v1/{record.name}": _endpoint(record) for record in questions}
    for record in questions:
        _add_route(app, record, handlers[f"/v1/{record.name}"])
    return handlers


def _endpoint(record: Record) -> Handler:
    """What answers POST /v1/{name}."""

    async def endpoint(request: Request) -> Response:
        state = request.app.state
        settings: Settings = state.settings
        stream = record.streamed and _wants_ndjson(request)
        body = await received(request, settings)
        # Where traces are on, each answer is told to them, with its question.
        plain = b"" if settings.tracing else body.small_json
        answer, tried = positions.request_answered(record, plain, settings)
        if answer is not None:
            return Response(answer, media_type="application/json")

        def apart(read: Callable[[], Job]) -> Awaitable[Job]:
            return state.ladder.workers.bounded.run(read)  # type: ignore[no-any-return]

        job = await read_job(body, record, settings, apart, stream=stream)
        ladder: Ladder = state.ladder
        # After the body, what a client sends next is that it has left.
        gone = request.receive
        if stream:
            return await streaming.layouts(ladder, job, gone)
        with state.traces.answering(record.name, job.question) as tell:
            answer = await ladder.body(job, gone, tell, tried)
        return Response(answer, media_type="application/json")

    return endpoint


def _add_route(app: FastAPI, record: Record, endpoint: Handler) -> None:
    app.add_api_route(
        f"/v1/{record.name}",
        endpoint,
        methods=["POST"],
        summary=record.summary,
        name=record.name,
        operation_id=record.name,
        tags=["questions"],
        response_class=Response,
        responses=_responses(record),
        openapi_extra=openapi.described(record.asked, _asked(record)),
    )


def _wants_ndjson(request: Request) -> bool:
    """Whether the client accepts lines, of either name."""
    return any(kind in streaming.NDJSON for kind in accepted(request, "accept"))


def _asked(record: Record) -> dict[str, Any]:
    return {name: dict(example.asked) for name, example in record.examples.items()}


def answered(record: Record) -> dict[str, Any]:
    """Examples of answers, as OpenAPI has them."""
    return openapi.by_name(
        {name: dict(example.answered) for name, example in record.examples.items()}
    )


def _responses(record: Record) -> dict[int | str, dict[str, Any]]:
    content: dict[str, Any] = {"application/json": {"examples": answered(record)}}
    description = "The answer"
    if record.streamed:
        description = _STREAM
        content[streaming.NDJSON[0]] = {"schema": {"type": "string"}, "example": record.lines}
    return {
        200: {"description": description, "model": record.answered, "content": content},
        **problems.described(400, 408, 413, 415, 422, 503),
    }
