"""The route POST /v1/batch."""

import re
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from app import problems
from app.batch import lines
from app.batch.stream import Batch, BatchResponse
from app.questions import examples
from app.requests import reading
from app.routes import openapi, streaming
from solvers import Task

_OWN: Final = ("task", "summary", "first")

router = APIRouter(tags=["questions"])


def _described() -> dict[str, Any]:
    example = "".join(f"{line}\n" for line in examples.BATCH)
    text = {"schema": {"type": "string"}, "example": example}
    names = [str(task) for task in lines.TASKS]
    return {
        "requestBody": {"required": True, "content": dict.fromkeys(streaming.NDJSON, text)},
        "parameters": [
            {
                "name": "task",
                "in": "query",
                "required": True,
                "description": "What is asked of every line",
                "schema": {"type": "string", "enum": names},
            },
            {
                "name": "summary",
                "in": "query",
                "required": False,
                "description": "Whether a last line tells how many lines, problems and incomplete "
                "answers there were",
                "schema": {"type": "boolean", "default": False},
            },
            {
                "name": "first",
                "in": "query",
                "required": False,
                "description": "The number of the first line, for who sends the rest of a file: "
                "problems tell their lines by it",
                "schema": {"type": "integer", "minimum": 0, "default": 0},
            },
            *openapi.defaults(lines.TASKS),
        ],
    }


@router.post(
    "/v1/batch",
    summary="Many boards, one a line: answers one a line, in order",
    operation_id="batch",
    response_class=Response,
    responses={
        200: {
            "description": "An answer as the route of the task gives it, or a problem, a line",
            "content": {
                streaming.NDJSON[0]: {
                    "schema": {"type": "string"},
                    "example": "".join(f"{line}\n" for line in examples.BATCH_ANSWERS),
                }
            },
        },
        **problems.described(400, 408, 415, 422),
    },
    openapi_extra=_described(),
)
async def batch(request: Request) -> Response:
    """Every line is the body of a single request, or a board as one string.

    Options in the query hold for all lines that do not say otherwise.
    """
    query, state = request.query_params, request.app.state
    task = _task(query.get("task"))
    defaults = reading.defaults_of(request, _OWN, task, state.settings)
    asked = Batch(task, defaults, state.settings, state.workers)
    return BatchResponse(
        asked,
        first=_number("first", query.get("first", "0")),
        gzipped=_gzipped(request),
        gzip="gzip" in reading.accepted(request, "accept-encoding"),
        summary=_truth("summary", query.get("summary", "false")),
    )


def _task(name: str | None) -> Task:
    task = next((task for task in lines.TASKS if task == name), None)
    if task is None:
        problems.refuse(
            "missing-field" if name is None else "bad-value",
            "There is no task." if name is None else f"There is no task {name[:80]!a} here.",
            f"Add ?task= and one of: {', '.join(lines.TASKS)}.",
            "/task",
        )
    return task


def _number(name: str, value: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", value):
        problems.refuse("bad-value", f"{name} is no number.", "Send 0 or more.", f"/{name}")
    return int(value)


def _truth(name: str, value: str) -> bool:
    if value not in ("true", "false"):
        problems.refuse(
            "bad-value", f"{name} is neither true nor false.", "Send true or false.", f"/{name}"
        )
    return value == "true"


def _gzipped(request: Request) -> bool:
    """Whether the body comes packed; refuses what is neither lines nor gzip."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in streaming.NDJSON:
        raise problems.of_media_type(
            kind,
            f"Send one board a line with Content-Type: {streaming.NDJSON[0]}; with curl use "
            "--data-binary @FILE, or -X POST -T FILE.",
            *streaming.NDJSON,
        )
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip"):
        raise problems.of_encoding(
            packed, "Send gzip, or the lines as they are.", "gzip", "identity"
        )
    return packed == "gzip"
