"""The HTTP service: ``uvicorn app.main:app``."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import RedirectResponse, StreamingResponse

from app import asking, problems, rendering, schemas
from app.asking import Asked
from app.settings import Settings
from app.warm import warm
from app.workers import Workers
from solvers import BackendRefusal, Task

log = logging.getLogger("minecheck")

NDJSON: Final = ("application/x-ndjson", "application/jsonl")
_FIRST_PAGE: Final = 256
_LAST_PAGE: Final = 8192

_ANSWERS: Final[dict[Task, tuple[str, type[schemas.Ask], type[schemas.Verdict]]]] = {
    Task.CHECK: ("Is any layout consistent with the board?", schemas.Ask, schemas.CheckAnswer),
    Task.LAYOUTS: ("All layouts, a page at a time", schemas.AskLayouts, schemas.LayoutsAnswer),
    Task.COUNT: ("How many layouts?", schemas.Ask, schemas.CountAnswer),
    Task.FORCED: ("Which cells are forced?", schemas.Ask, schemas.ForcedAnswer),
    Task.ANALYZE: ("All of these, and the chances", schemas.AskAnalyze, schemas.AnalyzeAnswer),
}
_EXAMPLE: Final = ["?????", "?222?", "?202?", "?222?", "?????"]


def create(settings: Settings | None = None) -> FastAPI:
    """The application, with its settings from the environment unless given."""
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        warm()
        app.state.workers = Workers(settings.workers)
        await app.state.workers.ready()
        app.state.ready = True
        yield
        app.state.ready = False
        app.state.workers.close()

    app = FastAPI(
        title="minecheck",
        summary="Is this Minesweeper board consistent?",
        version="0.1.0",
        lifespan=lifespan,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.ready = False
    problems.install(app)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Content-Type", "Accept"],
        )
    for task in Task:
        _add_question(app, task)
    _add_operations(app)
    return app


def _add_question(app: FastAPI, task: Task) -> None:
    """The route POST /v1/{task}."""
    summary, asked, answered = _ANSWERS[task]

    async def endpoint(request: Request) -> Response:
        stream = task is Task.LAYOUTS and _wants_ndjson(request)
        ask = await asking.read(request, task, request.app.state.settings, stream)
        workers: Workers = request.app.state.workers
        try:
            if stream:
                return await _stream(workers, ask)
            answer = await workers.answer(ask.question, ask.deadline)
        except BackendRefusal as refusal:
            raise problems.of_backend(refusal) from None
        return Response(rendering.rendered(ask.question, answer), media_type="application/json")

    app.add_api_route(
        f"/v1/{task}",
        endpoint,
        methods=["POST"],
        summary=summary,
        name=str(task),
        operation_id=str(task),
        tags=["questions"],
        response_class=Response,
        responses=_responses(task, answered),
        openapi_extra={"requestBody": _request_body(asked), "parameters": _parameters(asked)},
    )


def _add_operations(app: FastAPI) -> None:
    """The routes for whoever runs the service."""

    @app.get("/", include_in_schema=False)
    async def root() -> RedirectResponse:
        return RedirectResponse("/docs")

    @app.get("/healthz", tags=["operations"], summary="Is the process alive?")
    async def healthz() -> schemas.Health:
        return schemas.Health(status="ok")

    @app.get(
        "/readyz",
        tags=["operations"],
        summary="Can it answer questions?",
        responses={503: {"description": "Not yet", "model": problems.Problem}},
    )
    async def readyz(request: Request) -> schemas.Health:
        if not request.app.state.ready:
            raise problems.not_ready()
        return schemas.Health(status="ok")


def _wants_ndjson(request: Request) -> bool:
    return any(kind in request.headers.get("accept", "") for kind in NDJSON)


async def _stream(workers: Workers, ask: Asked) -> Response:
    """Layouts as lines, in pages that grow; a last object says where and why it was cut short."""
    wanted = ask.question.limit if ask.limited else None
    # The first page is awaited here: a refusal must still become a 4xx.
    page = replace(ask.question, limit=min(_FIRST_PAGE, wanted or _FIRST_PAGE))
    answer = await workers.answer(page, ask.deadline)

    async def lines() -> AsyncIterator[bytes]:
        nonlocal page, answer
        sent = 0
        while True:
            found = answer.layouts or []
            yield b"".join(map(rendering.line, found))
            sent += len(found)
            if (
                not answer.complete
                and answer.consistent is not False
                and _cut(answer.layouts, page.limit)
            ):
                yield _trailer(answer.consistent, page.offset + len(found))
                return
            if answer.next_offset is None or (wanted is not None and sent >= wanted):
                return
            limit = min(page.limit * 2, _LAST_PAGE)
            if wanted is not None:
                limit = min(limit, wanted - sent)
            page = replace(page, offset=answer.next_offset, limit=limit)
            answer = await workers.answer(page, ask.deadline)

    return StreamingResponse(lines(), media_type=NDJSON[0])


def _cut(layouts: list[Any] | None, limit: int) -> bool:
    """Whether a page that is incomplete lacks layouts (and not only their number)."""
    return layouts is None or len(layouts) < limit


def _trailer(consistent: bool | None, offset: int) -> bytes:
    """The last line of a stream that the deadline cut short."""
    said = {"complete": False, "consistent": consistent, "next_offset": str(offset)}
    return orjson.dumps(said) + b"\n"


def _request_body(model: type[schemas.Ask]) -> dict[str, Any]:
    return {
        "required": True,
        "content": {
            "application/json": {
                "schema": model.model_json_schema(),
                "example": {"board": _EXAMPLE},
            },
            "text/plain": {"schema": {"type": "string"}, "example": "\n".join(_EXAMPLE)},
        },
    }


def _parameters(model: type[schemas.Ask]) -> list[dict[str, Any]]:
    """The options beside a text/plain board."""
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": "Beside a text/plain board only. " + schema.get("description", ""),
            "schema": {key: value for key, value in schema.items() if key != "description"},
        }
        for name, schema in model.model_json_schema()["properties"].items()
        if name != "board"
    ]


def _responses(task: Task, model: type[schemas.Verdict]) -> dict[int | str, dict[str, Any]]:
    refused = {
        400: "The body cannot be read",
        413: "The body is too large",
        415: "The body is neither JSON nor plain text",
        422: "The board or an option makes no sense",
    }
    content = {}
    if task is Task.LAYOUTS:
        content = {
            NDJSON[0]: {
                "schema": {"type": "string"},
                "example": '["1B","11"]\n["11","B1"]\n',
            }
        }
    return {
        200: {"description": "The answer", "model": model, "content": content},
        **{
            status: {
                "description": description,
                "content": {
                    "application/problem+json": {"schema": problems.Problem.model_json_schema()}
                },
            }
            for status, description in refused.items()
        },
    }


app = create()
