"""The HTTP service: ``uvicorn app.main:app``."""

import asyncio
import gc
import logging
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any, Final

from fastapi import FastAPI, Request
from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp

from app import __version__, problems
from app.execution.cache import Cache
from app.execution.warm import warm
from app.execution.workers import Workers
from app.middleware import auth
from app.middleware.auth import Admitted
from app.middleware.connections import REFUSED, Uncrowded
from app.middleware.cors import Origins
from app.middleware.head import Heads
from app.middleware.security_headers import Guarded
from app.questions import examples, schemas
from app.routes import automata, batch, boards, formats, page, questions, streaming
from app.routes.fast_route import Direct, Handler
from app.settings import Settings, SettingsError, unknown
from app.telemetry import metrics
from app.telemetry.logs import Logged
from app.telemetry.metrics import Measured
from app.telemetry.tracing import Traces
from app.telemetry.watching import Watched
from solvers import Task

_LOG: Final = logging.getLogger("minecheck.settings")


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
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        for line in unknown():
            _LOG.warning("%s", line)
        cache = app.state.cache = Cache.of(settings, __version__)
        warm()
        async with traces.sent():
            workers = Workers(settings.workers, settings.worker_memory_mb, settings.queue)
            await workers.ready()
            # What is here now stays: the collector need not look at it again and again.
            gc.freeze()
            app.state.workers = workers
            app.state.ready = True

            def leave() -> None:
                app.state.ready = False
                workers.hurry()

            with _on_signals(leave):
                yield {REFUSED: refused}
            leave()
            workers.close()
            await cache.close()

    app = FastAPI(
        title="minecheck",
        summary="Is this Minesweeper board consistent?",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=traces.config,
    )
    app.state.settings = settings
    app.state.traces = traces
    app.state.ready = False
    problems.install(app)
    registry = metrics.registry(lambda: getattr(app.state, "workers", None))
    registry.register(metrics.CacheCollector(lambda: getattr(app.state, "cache", None)))
    refused = metrics.refusals(registry)
    metrics.add_route(app, registry)
    handlers = questions.add(app)
    app.include_router(batch.router)
    app.include_router(automata.router)
    app.include_router(boards.router)
    app.include_router(formats.router)
    app.include_router(page.router)
    _add_operations(app)
    schemas.amend(app, _show_nulls)
    if settings.api_keys or settings.rate_per_second:
        auth.declare(app, keys=bool(settings.api_keys), limited=settings.rate_per_second > 0)
    app.middleware_stack = _around(app, settings, registry, handlers)
    return app


def _show_nulls(document: dict[str, Any]) -> None:
    """Put the nulls into the examples of answers, which FastAPI leaves out of its document."""
    paths = document["paths"]
    for task in Task:
        answered = paths[f"/v1/{task}"]["post"]["responses"]["200"]["content"]
        answered["application/json"]["examples"] = questions.shown(task)
    told = paths["/v1/automata/{name}/run"]["post"]["responses"]["200"]["content"]
    told["application/json"]["example"] = examples.RUN


def _around(
    app: FastAPI,
    settings: Settings,
    registry: CollectorRegistry,
    handlers: Mapping[str, Handler],
) -> ASGIApp:
    """The app with what every request passes, unexpected errors included, from the inside out."""
    stack: ASGIApp = Heads(app.build_middleware_stack())
    # Traces know a route by the router.
    if not settings.tracing:
        stack = Direct(stack, app, handlers)
    if settings.api_keys or settings.rate_per_second:
        stack = Admitted(stack, settings.api_keys, settings.rate_per_second, settings.rate_burst)
    stack = Uncrowded(stack, settings.max_requests)
    if settings.cors_origins:
        stack = Origins(
            stack,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=[
                "Content-Type",
                "Accept",
                "Content-Encoding",
                "Authorization",
                "X-API-Key",
                "X-Request-ID",
                "traceparent",
            ],
            expose_headers=[
                "X-Request-ID",
                "Retry-After",
                "Content-Disposition",
                "RateLimit",
                "RateLimit-Policy",
                streaming.SEED,
            ],
        )
    guarded = Guarded(cors=bool(settings.cors_origins))
    return Watched(stack, Measured(registry), guarded, Logged())


def _add_operations(app: FastAPI) -> None:
    """The routes for whoever runs the service."""

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


try:
    app = create()
except SettingsError as error:
    # It is a server that imports this, and would show where instead of what.
    print(error, file=sys.stderr)
    sys.exit(2)
