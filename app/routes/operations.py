"""The routes POST /v1/check, /v1/boards and so on: one for each operation, all with one handler."""

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI, Request, Response

from minecheck.app import problem_responses
from minecheck.app.execution.ladder import Ladder
from minecheck.app.operation import Operation
from minecheck.app.requests.accept import parse_weights
from minecheck.app.requests.body import read_job, receive_body
from minecheck.app.routes import openapi, streaming
from minecheck.app.routes.fast_route import Handler


def add_routes(app: FastAPI, operations: Iterable[Operation]) -> dict[str, Handler]:
    """Add the routes of operations.

    Args:
        app: the application.
        operations: the operations.

    Returns:
        Their handlers by path, unless the path has fields.
    """
    handlers = {operation: _make_handler(operation) for operation in operations}
    for operation, handler in handlers.items():
        app.add_api_route(
            operation.path,
            handler,
            methods=[operation.method],
            summary=operation.summary,
            description=operation.description,
            name=operation.name,
            operation_id=operation.name,
            tags=[operation.tag],
            response_class=Response,
            responses=_describe_responses(operation),
        )
    return {
        operation.path: handler
        for operation, handler in handlers.items()
        if operation.method == "POST" and not operation.path_fields
    }


def _make_handler(operation: Operation) -> Handler:
    """Return what answers requests to the route of an operation."""

    async def handle(request: Request) -> Response:
        state = request.app.state
        stream = operation.stream is not None and _wants_ndjson(request)
        body = await receive_body(request, operation)
        ladder: Ladder = state.ladder
        with state.traces.open_span(operation.name) as set_attributes:
            if stream:
                job = await read_job(request, body, operation, stream=True)
                # After the body, what a client sends next is that it has left. The span ends when
                # the first lines are known.
                return await streaming.stream_answer(ladder, job, request.receive)
            answer, answer_headers = await ladder.answer_request(
                request, body, operation, set_attributes
            )
        return Response(answer, headers=answer_headers)

    return handle


def _wants_ndjson(request: Request) -> bool:
    """Return True if the client accepts lines, of either name."""
    accepted = request.headers.get("accept", "").lower()
    named = [kind for kind in streaming.NDJSON if kind in accepted]
    return bool(named) and any(map(parse_weights(accepted).get, named))


def _describe_responses(operation: Operation) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of the answers of an operation."""
    examples: dict[str, Any] = {"examples": openapi.describe_answers(operation)}
    answer: dict[str, Any] = {"description": "The answer", "model": operation.response}
    content = {"application/json": examples}
    if operation.response is None:
        answer = {"description": "The text"}
        content = {"text/plain": {"schema": {"type": "string"}, **examples}}
    content |= {kind: {"schema": openapi.describe_text(kind)} for kind in operation.other_types}
    if operation.stream is not None:
        answer["description"] = f"The answer; as NDJSON {operation.stream.described}"
        lines = {"schema": {"type": "string"}, "example": operation.stream.lines}
        content |= dict.fromkeys(streaming.NDJSON, lines)
    missing = (404,) if operation.path_fields else ()
    of_body = () if operation.method == "GET" else (408, 413, 415)
    return {
        200: answer | {"content": content},
        **problem_responses.problem_responses(400, *missing, *of_body, 422, 503),
    }
