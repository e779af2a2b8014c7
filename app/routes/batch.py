"""The route POST /v1/batch."""

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from fastapi import FastAPI, Request, Response

from minecheck.app import problem_responses, problems
from minecheck.app.batch.engine import Engine
from minecheck.app.batch.inputs import InputFormat, InputOptions, make_parser
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.naming import FileError
from minecheck.app.batch.stream import BatchResponse
from minecheck.app.execution.ladder import Ladder
from minecheck.app.operation import Operation
from minecheck.app.quoting import quote_text
from minecheck.app.requests import query
from minecheck.app.requests.accept import parse_weights
from minecheck.app.requests.decompressing import read_encoding
from minecheck.app.requests.jobs import check_defaults
from minecheck.app.requests.scope import identify_client
from minecheck.app.routes import openapi, streaming
from minecheck.minefield.spelling import suggest_name

PATH: Final = "/v1/batch"
_OWN: Final = ("task", "summary", "first", "split")
#: The form of a body by its Content-Type.
_FORMATS: Final[Mapping[str, InputFormat]] = MappingProxyType(
    dict.fromkeys(streaming.NDJSON, InputFormat.NDJSON)
    | {
        "application/json": InputFormat.JSON,
        "text/csv": InputFormat.CSV,
        "text/plain": InputFormat.TEXT,
    }
)

#: Boards of a batch in each form, and the answers to the lines when the task is count.
LINES: Final = ('{"board": ["?1??"], "mines": 1}', '"?1"', '{"board": ["9?"]}')
JSON: Final = '{"mines": 1, "boards": ["?1??", ["?1", "??"]]}'
CSV: Final = "id,board,mines\na1,?1??,1\na2,1?/??,\n"
TEXT: Final = "?1??\n????\n\n1?\n??\n"
ANSWERS: Final = (
    '{"consistent":true,"count":"2","by_mines":{"1":"2"},"conflict":null,'
    '"rows":1,"cols":4,"mines":1,"solver":{"name":"positions","complete":true,"elapsed_ms":0.4}}',
    '{"consistent":true,"count":"1","by_mines":{"1":"1"},"conflict":null,'
    '"rows":1,"cols":2,"mines":null,"solver":{"name":"automata","machines":["kadlac","strip-1"],"complete":true,"elapsed_ms":0.3}}',
    '{"type":"urn:minecheck:problem:unknown-symbol","title":"Unknown symbol","status":422,'
    '"detail":"The symbol \'9\' at row 0, column 0 is not in the standard notation.",'
    '"fix":"Use one of the symbols 0 1 2 3 4 5 6 7 8 ? B * S F.",'
    '"pointer":"/board/0/0","row":0,"col":0,"line":2}',
)

#: The answers of the route, as OpenAPI has them.
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Per line an answer, as the route of the task has it, or a problem",
        "content": {
            streaming.NDJSON[0]: {
                "schema": {"type": "string"},
                "example": "".join(f"{line}\n" for line in ANSWERS),
            }
        },
    },
    **problem_responses.problem_responses(400, 408, 413, 415, 422, 503),
}


def add_route(app: FastAPI, operations: Iterable[Operation]) -> None:
    """Add the route.

    Args:
        app: the application.
        operations: all operations, of which the batched ones are tasks.
    """
    tasks = _list_tasks(operations)

    async def batch(request: Request) -> Response:
        """Every line of NDJSON is the body of a single request, a board as one string or its rows.

        CSV has a column of boards, and columns named as options. Boards as text have blank lines
        between them. Options in the query hold for all boards that do not say otherwise. Fields and
        columns of other names, such as id, are repeated in the answer.
        """
        parameters, state = request.query_params, request.app.state
        operation = _find_task(parameters.get("task"), tasks)
        fields = query.read_query(request, operation.request)
        defaults = {name: value for name, value in fields.items() if name not in _OWN}
        check_defaults(operation, defaults, _OWN, state.settings)
        ladder: Ladder = state.ladder
        background = ladder.workers.background
        template = LineTemplate(operation, defaults, state.settings)
        engine = Engine(
            template,
            background,
            background.turns.new_batch(identify_client(request.scope)),
            report=state.report_fault,
        )
        format, first = _find_format(request), _parse_number("first", parameters.get("first", "0"))
        split = _parse_truth("split", parameters["split"]) if "split" in parameters else None
        try:
            parser = make_parser(format, InputOptions(template, split=split), None, first)
        except FileError as error:
            taken = (*streaming.NDJSON, "text/csv")
            raise problems.make_media_type_problem("text/plain", str(error), *taken) from None
        return BatchResponse(
            engine,
            state.batches,
            parser=parser,
            compression=_find_compression(request),
            gzip=parse_weights(request.headers.get("accept-encoding", "")).get("gzip", 0.0) > 0,
            summary=_parse_truth("summary", parameters.get("summary", "false")),
        )

    app.add_api_route(
        PATH,
        batch,
        methods=["POST"],
        tags=["questions"],
        summary="Many boards: JSON lines, CSV or text; answers one per line, in order",
        operation_id="batch",
        response_class=Response,
        responses=_RESPONSES,
    )


def describe_request(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the body and the query of the route, for OpenAPI.

    Args:
        operations: all operations, of which the batched ones are tasks.
    """
    tasks = _list_tasks(operations)
    example = "".join(f"{line}\n" for line in LINES)
    # Once as a text to be tried, and once as a file, which is what generated clients send.
    text = {"schema": {"type": "string"}, "example": example}
    file = {"schema": {"type": "string", "format": "binary"}}
    content = dict(
        zip(streaming.NDJSON, (text, *[file] * (len(streaming.NDJSON) - 1)), strict=True)
    )
    content |= {
        "application/json": {
            "schema": {"type": "object", "description": "A list of boards is taken, too."},
            "example": json.loads(JSON),
        },
        "text/csv": {"schema": {"type": "string"}, "example": CSV},
        "text/plain": {"schema": {"type": "string"}, "example": TEXT},
    }
    return {
        "requestBody": {"required": True, "content": content},
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
            {
                "name": "split",
                "in": "query",
                "required": False,
                "description": "Whether blank lines in text/plain separate boards; without it the "
                "text has to show that",
                "schema": {"type": "boolean"},
            },
            *openapi.describe_defaults(tasks.values(), _OWN),
        ],
    }


def _list_tasks(operations: Iterable[Operation]) -> dict[str, Operation]:
    return {operation.name: operation for operation in operations if operation.batched}


def _find_task(name: str | None, tasks: Mapping[str, Operation]) -> Operation:
    if name is None or name not in tasks:
        problems.reject_field(
            "missing-field" if name is None else "bad-value",
            "The task is missing."
            if name is None
            else f"{quote_text(name)} is not a task of batches.",
            f"{suggest_name(name or '', tasks)}Add ?task= with one of: {', '.join(tasks)}.",
            "/task",
        )
    return tasks[name]


def _parse_number(name: str, value: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", value):
        problems.reject_field(
            "bad-value",
            f"{name}: {quote_text(value)} is not a whole number of up to 18 digits.",
            "Send the number of the first line, 0 or more.",
            f"/{name}",
        )
    return int(value)


def _parse_truth(name: str, value: str) -> bool:
    truth = query.parse_truth(value)
    if truth is None:
        problems.reject_field(
            "bad-value",
            f"{name}: {quote_text(value)} is neither true nor false.",
            "Send true or false.",
            f"/{name}",
        )
    return truth


def _find_format(request: Request) -> InputFormat:
    """Return the form of the body; reject all but those that a batch reads."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _FORMATS:
        raise problems.make_media_type_problem(
            kind,
            f"Send one board a line with Content-Type: {streaming.NDJSON[0]}, a list of boards "
            "with application/json, a table with text/csv, or boards as text with text/plain. "
            "With curl, use --data-binary @FILE, or -X POST -T FILE.",
            *_FORMATS,
        )
    return _FORMATS[kind]


def _find_compression(request: Request) -> str | None:
    """Return the way in which the body is compressed, None if it is not."""
    packed = read_encoding(request.headers.get("content-encoding", "").encode("latin-1"))
    return None if packed == "identity" else packed
