"""The route POST /v1/batch."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from fastapi import FastAPI, Request, Response

from app import problems
from app.batch.engine import Engine
from app.batch.lines import Asked
from app.batch.stream import BatchResponse
from app.execution.ladder import Ladder
from app.questions.record import Askable
from app.requests import query
from app.requests.body import accepted
from app.requests.jobs import check_defaults
from app.routes import openapi, streaming
from minefield.spelling import meant

_OWN: Final = ("task", "summary", "first")

#: Lines of a batch, and what is answered to them when the task is count.
LINES: Final = ('{"board": ["?1??"], "mines": 1}', '"?1"', '{"board": ["9?"]}')
ANSWERS: Final = (
    '{"consistent":true,"count":"2","by_mines":{"1":"2"},"conflict":null,'
    '"rows":1,"cols":4,"mines":1,"solver":{"name":"frontier","complete":true,"elapsed_ms":0.4}}',
    '{"consistent":true,"count":"1","by_mines":{"1":"1"},"conflict":null,'
    '"rows":1,"cols":2,"mines":null,"solver":{"name":"kadlac+strip-1","complete":true,"elapsed_ms":0.3}}',
    '{"type":"urn:minecheck:problem:unknown-symbol","title":"Unprocessable Content","status":422,'
    '"detail":"The symbol \'9\' at row 0, column 0 is not in the standard notation.",'
    "\"fix\":\"The symbols are '0' '1' '2' '3' '4' '5' '6' '7' '8' "
    '\'?\' \'B\' \'*\' \'S\' \'F\'.","pointer":"/board/0/0","row":0,"col":0,"line":2}',
)


def add(app: FastAPI, asked: Iterable[Askable]) -> None:
    """Add the route, for what may be asked many times at once."""
    tasks = {record.name: record for record in asked if record.batched}

    async def batch(request: Request) -> Response:
        """Every line is the body of a single request, or a board as one string.

        Options in the query hold for all lines that do not say otherwise.
        """
        given, state = request.query_params, request.app.state
        record = _task(given.get("task"), tasks)
        fields = query.fields(request)
        defaults = {name: value for name, value in fields.items() if name not in _OWN}
        check_defaults(record, defaults, _OWN, state.settings)
        ladder: Ladder = state.ladder
        engine = Engine(Asked(record, defaults, state.settings), ladder.workers.background)
        return BatchResponse(
            engine,
            first=_number("first", given.get("first", "0")),
            gzipped=_gzipped(request),
            gzip="gzip" in accepted(request, "accept-encoding"),
            summary=_truth("summary", given.get("summary", "false")),
        )

    app.add_api_route(
        "/v1/batch",
        batch,
        methods=["POST"],
        tags=["questions"],
        summary="Many boards, one per line; answers one per line, in order",
        operation_id="batch",
        response_class=Response,
        responses={
            200: {
                "description": "Per line an answer, as the route of the task has it, or a problem",
                "content": {
                    streaming.NDJSON[0]: {
                        "schema": {"type": "string"},
                        "example": "".join(f"{line}\n" for line in ANSWERS),
                    }
                },
            },
            **problems.described(400, 408, 415, 422),
        },
        openapi_extra=_described(tasks),
    )


def _described(tasks: Mapping[str, Askable]) -> dict[str, Any]:
    example = "".join(f"{line}\n" for line in LINES)
    text = {"schema": {"type": "string"}, "example": example}
    return {
        "requestBody": {"required": True, "content": dict.fromkeys(streaming.NDJSON, text)},
        "parameters": [
            {
                "name": "task",
                "in": "query",
                "required": True,
                "description": "What is asked of every line",
                "schema": {"type": "string", "enum": list(tasks)},
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
                "description": "The number of the first line, if the rest of a file is sent: "
                "problems number their lines from it",
                "schema": {"type": "integer", "minimum": 0, "default": 0},
            },
            *openapi.defaults(tasks.values(), _OWN),
        ],
    }


def _task(name: str | None, tasks: Mapping[str, Askable]) -> Askable:
    if name is None or name not in tasks:
        problems.refuse(
            "missing-field" if name is None else "bad-value",
            "The task is missing." if name is None else f"Unknown task {name[:80]!a}.",
            f"{meant(name or '', tasks)}Add ?task= and one of: {', '.join(tasks)}.",
            "/task",
        )
    return tasks[name]


def _number(name: str, value: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", value):
        problems.refuse("bad-value", f"{name} is not a number.", "Send 0 or more.", f"/{name}")
    return int(value)


def _truth(name: str, value: str) -> bool:
    if value not in ("true", "false"):
        problems.refuse(
            "bad-value", f"{name} is neither true nor false.", "Send true or false.", f"/{name}"
        )
    return value == "true"


def _gzipped(request: Request) -> bool:
    """Whether the body is compressed; rejects what is neither lines nor gzip."""
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
            packed, "Send gzip, or the lines uncompressed.", "gzip", "identity"
        )
    return packed == "gzip"
