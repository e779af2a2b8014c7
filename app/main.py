"""The HTTP service: ``uvicorn app.main:app``."""

import asyncio
import gc
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any, Final

from anyio import to_thread
from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import RedirectResponse
from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp

from app import (
    __version__,
    asking,
    batch_route,
    examples,
    machine_routes,
    metrics,
    problems,
    rendering,
    schemas,
    streaming,
)
from app.direct import Direct, Handler
from app.headers import Guarded
from app.logs import Logged
from app.metrics import Measured
from app.settings import Settings
from app.tracing import Traces
from app.warm import warm
from app.workers import Answering, Workers
from solvers import Answer, BackendRefusal, Question, Task

#: Answers about more cells are rendered off the event loop.
_SMALL: Final = 50_000

_ANSWERS: Final[dict[Task, tuple[str, type[schemas.AskBoard], type[schemas.Verdict]]]] = {
    Task.CHECK: (
        "Is any layout consistent with the board?",
        schemas.AskCertified,
        schemas.CheckAnswer,
    ),
    Task.LAYOUTS: (
        "All layouts, a page at a time or one a line",
        schemas.AskLayouts,
        schemas.LayoutsAnswer,
    ),
    Task.COUNT: ("How many layouts?", schemas.AskCount, schemas.CountAnswer),
    Task.FORCED: ("Which cells are forced?", schemas.AskCertified, schemas.ForcedAnswer),
    Task.ANALYZE: ("All of these, and the chances", schemas.AskAnalyze, schemas.AnalyzeAnswer),
    Task.STRIPS: (
        "What the clues in a window say about the cells in it",
        schemas.AskStrips,
        schemas.StripsAnswer,
    ),
    Task.SAMPLE: (
        "Layouts drawn at random, all alike or with a density",
        schemas.AskSample,
        schemas.SampleAnswer,
    ),
    Task.EXPLAIN: (
        "Why are cells forced, or why is the board inconsistent?",
        schemas.AskExplain,
        schemas.ExplainAnswer,
    ),
    Task.REPAIR: (
        "The fewest clues to change to make the board consistent",
        schemas.AskRepair,
        schemas.RepairAnswer,
    ),
}
#: What is answered one layout a line, if so wanted.
_STREAMED: Final = (Task.LAYOUTS, Task.SAMPLE)


@contextmanager
def _on_signals(leave: Callable[[], None]) -> Iterator[None]:
    """Call ``leave`` on SIGINT and SIGTERM, before whoever handles them now (the server)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(leave)
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def create(settings: Settings | None = None) -> FastAPI:
    """The application, with its settings from the environment unless given."""
    settings = settings or Settings()
    traces = Traces(settings.tracing, __version__)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        warm()
        async with traces.sent():
            workers = Workers(settings.workers, settings.worker_memory_mb, settings.queue)
            await workers.ready()
            # What is here now stays: the collector need not look at it again and again.
            gc.freeze()
            app.state.workers = workers
            app.state.answer = traces.watched(workers.answer)
            app.state.ready = True

            def leave() -> None:
                app.state.ready = False
                workers.hurry()

            with _on_signals(leave):
                yield
            leave()
            workers.close()

    app = FastAPI(
        title="minecheck",
        summary="Is this Minesweeper board consistent?",
        version=__version__,
        lifespan=lifespan,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=traces.config,
    )
    app.state.settings = settings
    app.state.ready = False
    problems.install(app)
    questions = [(task, f"/v1/{task}", _endpoint(task)) for task in Task]
    registry = metrics.registry(lambda: getattr(app.state, "workers", None))
    metrics.add_route(app, registry)
    for task, path, endpoint in questions:
        _add_question(app, task, path, endpoint)
    app.include_router(batch_route.router)
    app.include_router(machine_routes.router)
    _add_operations(app)
    app.middleware_stack = _around(app, settings, registry, {path: e for _, path, e in questions})
    return app


def _around(
    app: FastAPI,
    settings: Settings,
    registry: CollectorRegistry,
    questions: Mapping[str, Handler],
) -> ASGIApp:
    """The app with what every request passes, unexpected errors included, from the inside out."""
    stack: ASGIApp = app.build_middleware_stack()
    # Traces know a route by the router.
    if not settings.tracing:
        stack = Direct(stack, app, questions)
    if settings.cors_origins:
        stack = CORSMiddleware(
            stack,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=[
                "Content-Type",
                "Accept",
                "Authorization",
                "X-API-Key",
                "X-Request-ID",
                "traceparent",
            ],
            expose_headers=["X-Request-ID", "Retry-After", "RateLimit", streaming.SEED],
        )
    stack = Measured(stack, registry)
    stack = Guarded(stack, cors=bool(settings.cors_origins))
    return Logged(stack)


def _endpoint(task: Task) -> Handler:
    """What answers POST /v1/{task}."""

    async def endpoint(request: Request) -> Response:
        stream = task in _STREAMED and _wants_ndjson(request)
        state = request.app.state
        ask = await asking.read(request, task, state.settings, stream)
        answering: Answering = state.answer
        # After the body, what a client sends next is that it has left.
        gone = request.receive
        try:
            if stream:
                return await streaming.layouts(answering, ask, gone)
            answer = await answering(ask.question, ask.deadline, gone)
        except BackendRefusal as refusal:
            raise problems.of_backend(refusal) from None
        streaming.check_offset(ask.question, answer)
        return Response(await _body(ask.question, answer), media_type="application/json")

    return endpoint


def _add_question(app: FastAPI, task: Task, path: str, endpoint: Handler) -> None:
    """The route POST /v1/{task}."""
    summary, asked, answered = _ANSWERS[task]
    app.add_api_route(
        path,
        endpoint,
        methods=["POST"],
        summary=summary,
        name=str(task),
        operation_id=str(task),
        tags=["questions"],
        response_class=Response,
        responses=_responses(task, answered),
        openapi_extra=asking.described(asked, **_both(examples.ASKED, examples.RULES_ASKED, task)),
    )


def _add_operations(app: FastAPI) -> None:
    """The routes for whoever runs the service."""

    @app.get("/", include_in_schema=False)
    async def root() -> RedirectResponse:
        return RedirectResponse("/docs")

    @app.head("/healthz", include_in_schema=False)
    @app.get("/healthz", tags=["operations"], summary="Is the process alive?")
    async def healthz() -> schemas.Health:
        return schemas.Health(status="ok")

    @app.head("/readyz", include_in_schema=False)
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


async def _body(question: Question, answer: Answer) -> bytes:
    """The answer as JSON; a large one is rendered off the event loop."""
    size = question.cells * (1 + len(answer.layouts or ()))
    if size <= _SMALL:
        return rendering.rendered(question, answer)
    return await to_thread.run_sync(rendering.rendered, question, answer)


def _wants_ndjson(request: Request) -> bool:
    """Whether the client accepts lines, of either name."""
    return any(kind in streaming.NDJSON for kind in asking.accepted(request, "accept"))


def _both(
    board: Mapping[Task, dict[str, Any]], rules: Mapping[Task, dict[str, Any]], task: Task
) -> dict[str, dict[str, Any]]:
    """The examples for a task, with a board and, where they may be, with rules."""
    return {"board": board[task]} | ({"rules": rules[task]} if task in rules else {})


def _responses(task: Task, model: type[schemas.Verdict]) -> dict[int | str, dict[str, Any]]:
    shown = _both(examples.ANSWERED, examples.RULES_ANSWERED, task)
    content: dict[str, Any] = {"application/json": {"examples": asking.by_name(shown)}}
    if task in _STREAMED:
        content[streaming.NDJSON[0]] = {
            "schema": {"type": "string"},
            "example": examples.LINES[task],
        }
    return {
        200: {"description": "The answer", "model": model, "content": content},
        **problems.described(400, 413, 415, 422, 503),
    }


app = create()
