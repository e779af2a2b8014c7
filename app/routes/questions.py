"""The routes POST /v1/check, /v1/count and so on: one for each question."""

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI, Request, Response

from app import problems
from app.execution import positions
from app.execution.ladder import Ladder
from app.questions import Record
from app.requests.body import accepted, read_job, received
from app.routes import openapi, streaming
from app.routes.fast_route import Handler
from app.settings import Settings


def add(app: FastAPI, questions: Iterable[Record]) -> dict[str, Handler]:
    """Add the routes; what answers them, by path."""
    handlers = {record.path: _endpoint(record) for record in questions}
    for record in questions:
        _add_route(app, record, handlers[record.path])
    return handlers


def _endpoint(record: Record) -> Handler:
    """What answers POST /v1/{name}."""

    async def endpoint(request: Request) -> Response:
        state = request.app.state
        settings: Settings = state.settings
        stream = record.stream is not None and _wants_ndjson(request)
        body = await received(request, settings)
        # Where traces are on, each answer is told to them, with its question.
        here = not (settings.tracing or body.second_try)
        answer, tried = positions.request_answered(
            record, body.small_json if here else b"", settings
        )
        if answer is not None:
            return Response(answer, media_type="application/json")
        job = await read_job(request, body, record, stream=stream)
        ladder: Ladder = state.ladder
        # After the body, what a client sends next is that it has left.
        gone = request.receive
        if stream:
            return await streaming.lines(ladder, job, gone)
        with state.traces.answering(record.name, job.cells) as tell:
            answer = await ladder.body(job, gone, tell, tried)
        return Response(answer, media_type="application/json")

    return endpoint


def _add_route(app: FastAPI, record: Record, endpoint: Handler) -> None:
    app.add_api_route(
        record.path,
        endpoint,
        methods=["POST"],
        summary=record.summary,
        name=record.name,
        operation_id=record.name,
        tags=["questions"],
        response_class=Response,
        responses=_responses(record),
        openapi_extra=openapi.of(record),
    )


def _wants_ndjson(request: Request) -> bool:
    """Whether the client accepts lines, of either name."""
    return any(kind in streaming.NDJSON for kind in accepted(request, "accept"))


def _responses(record: Record) -> dict[int | str, dict[str, Any]]:
    content: dict[str, Any] = {"application/json": {"examples": openapi.answered(record)}}
    description = "The answer"
    if record.stream is not None:
        description = f"The answer; as NDJSON {record.stream.described}"
        lines = {"schema": {"type": "string"}, "example": record.stream.lines}
        content |= dict.fromkeys(streaming.NDJSON, lines)
    return {
        200: {"description": description, "model": record.answered, "content": content},
        **problems.described(400, 408, 413, 415, 422, 503),
    }
