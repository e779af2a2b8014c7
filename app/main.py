"""The HTTP service: ``uvicorn app.main:app``."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp

from app import __version__
from app.errands.catalogue import ERRANDS
from app.lifespan import lifespan
from app.middleware import auth
from app.middleware.auth import Auth
from app.middleware.cors import Cors
from app.middleware.head import Head
from app.middleware.overload import Overload
from app.middleware.security_headers import SecurityHeaders
from app.middleware.starting import Starting
from app.questions import Record
from app.questions.catalogue import QUESTIONS
from app.questions.record import Errand
from app.routes import (
    automata,
    batch,
    errors,
    formats,
    games,
    openapi,
    operations,
    page,
    streaming,
)
from app.routes import errands as errand_routes
from app.routes import questions as question_routes
from app.routes.fast_route import FastRoute, Handler
from app.settings import Settings, SettingsError, check_extras
from app.telemetry import metrics
from app.telemetry.lag import Lag
from app.telemetry.logs import Logged
from app.telemetry.metrics import Measured
from app.telemetry.tracing import Traces
from app.telemetry.watching import Watched


def create(
    settings: Settings | None = None,
    questions: Sequence[Record] = QUESTIONS,
    errands: Sequence[Errand] = ERRANDS,
) -> FastAPI:
    """The application, with its settings from the environment unless given."""
    settings = settings or Settings()
    check_extras(settings)
    traces = Traces(settings.tracing, __version__)
    registry = metrics.registry(lambda: app.state.workers)
    registry.register(metrics.CacheCollector(lambda: getattr(app.state, "cache", None)))
    refused = metrics.refusals(registry)
    app = FastAPI(
        title="minecheck",
        summary="Is this Minesweeper board consistent?",
        version=__version__,
        lifespan=lifespan(settings, traces, refused, Lag(registry)),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=traces.config,
    )
    app.state.settings = settings
    app.state.traces = traces
    app.state.ready = False
    app.state.workers = None
    #: How many of how many kernels are compiled, while they are.
    app.state.compiling = None
    errors.install(app)
    metrics.add_route(app, registry)
    handlers = question_routes.add(app, questions)
    batch.add(app, (*questions, *errands))
    errand_routes.add(app, errands)
    for part in (automata, games, formats, page, operations):
        app.include_router(part.router)
    openapi.amend(app, partial(_show_nulls, (*questions, *errands)))
    if settings.api_keys or settings.rate_per_second:
        auth.declare(app, keys=bool(settings.api_keys), limited=settings.rate_per_second > 0)
    app.middleware_stack = _around(app, settings, registry, handlers)
    return app


def _show_nulls(asked: Iterable[Record | Errand], document: dict[str, Any]) -> None:
    """Put the nulls into the examples of answers, which FastAPI leaves out of its document."""
    routes = document["paths"]
    for one in asked:
        content = routes[one.path]["post"]["responses"]["200"]["content"]
        for kind in content.keys() & {"application/json"}:
            content[kind]["examples"] = openapi.answered(one)
    for (path, method), example in games.ANSWERED.items():
        content = routes[path][method]["responses"]["200"]["content"]
        content["application/json"]["example"] = example


def _around(
    app: FastAPI,
    settings: Settings,
    registry: CollectorRegistry,
    handlers: Mapping[str, Handler],
) -> ASGIApp:
    """The app with what every request passes, unexpected errors included, from the inside out."""
    stack: ASGIApp = Head(app.build_middleware_stack())
    # Traces know a route by the router.
    if not settings.tracing:
        stack = FastRoute(stack, app, handlers)
    if settings.api_keys or settings.rate_per_second:
        stack = Auth(stack, settings.api_keys, settings.rate_per_second, settings.rate_burst)
    stack = Starting(stack, app.state)
    stack = Overload(stack, settings.max_requests)
    if settings.cors_origins:
        stack = Cors(
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
    guarded = SecurityHeaders(cors=bool(settings.cors_origins))
    return Watched(stack, Measured(registry), guarded, Logged())


try:
    app = create()
except SettingsError as error:
    # It is a server that imports this, and would show where instead of what.
    print(error, file=sys.stderr)
    sys.exit(2)
