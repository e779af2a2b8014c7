"""The HTTP service: ``uvicorn minecheck.app.main:app``."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from starlette.types import ASGIApp

from minecheck import __version__
from minecheck.app.catalogue import OPERATIONS
from minecheck.app.execution.work_slots import WorkSlots
from minecheck.app.lifespan import build_lifespan
from minecheck.app.middleware.auth import Auth
from minecheck.app.middleware.browsers import BrowserGuard
from minecheck.app.middleware.cors import Cors
from minecheck.app.middleware.encoding import Encoding
from minecheck.app.middleware.head import Head
from minecheck.app.middleware.memory import Memory
from minecheck.app.middleware.overload import Overload
from minecheck.app.middleware.security_headers import SecurityHeaders
from minecheck.app.middleware.starting import Starting
from minecheck.app.operation import Operation
from minecheck.app.problems import TooManyBatches
from minecheck.app.requests.budget import MemoryBudget
from minecheck.app.requests.jobs import NOTES_HEADER
from minecheck.app.routes import (
    automata,
    batch,
    document,
    errors,
    formats,
    guide,
    health,
    mcp,
    openapi,
    page,
    streaming,
)
from minecheck.app.routes import operations as operation_routes
from minecheck.app.routes.fast_route import FastRoute, Handler
from minecheck.app.settings import Settings, SettingsError, check_extras
from minecheck.app.telemetry import metrics
from minecheck.app.telemetry.lag import Lag
from minecheck.app.telemetry.logs import Logged
from minecheck.app.telemetry.metrics import Measured
from minecheck.app.telemetry.tracing import Traces
from minecheck.app.telemetry.watching import Watched, Watcher


def create_app(
    settings: Settings | None = None,
    operations: Sequence[Operation] = OPERATIONS,
) -> FastAPI:
    """Create the application.

    Args:
        settings: the settings; None for those of the environment.
        operations: what can be asked for.
    """
    settings = settings or Settings()
    check_extras(settings)
    traces = Traces(settings.tracing, __version__)
    registry = metrics.build_registry(lambda: app.state.workers)
    registry.register(metrics.CacheCollector(lambda: getattr(app.state, "cache", None)))
    budget = MemoryBudget(settings.requests_bytes)
    registry.register(metrics.MemoryCollector(budget))
    count_rejection = metrics.count_rejections(registry)
    internal_errors = metrics.InternalErrors(registry)
    app = FastAPI(
        title="minecheck",
        summary="Is this Minesweeper board consistent?",
        description=document.DESCRIPTION,
        license_info={"name": "MIT", "identifier": "MIT"},
        openapi_tags=[dict(tag) for tag in document.TAGS],
        generate_unique_id_function=lambda route: route.name,
        version=__version__,
        lifespan=build_lifespan(settings, traces, count_rejection, Lag(registry), budget),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=traces.config,
    )
    app.state.settings = settings
    app.state.traces = traces
    app.state.report_fault = internal_errors.report_fault
    app.state.ready = False
    app.state.workers = None
    app.state.batches = WorkSlots(settings.batches, TooManyBatches)
    #: The progress of compiling (`Compilation`), while kernels are being compiled.
    app.state.compiling = None
    errors.install_handlers(app)
    handlers = operation_routes.add_routes(app, operations)
    batch.add_route(app, operations)
    for part in (automata, formats, page, guide, health):
        app.include_router(part.router)
    mcp.add_route(app)
    metrics.add_route(app, registry)
    document.amend_document(
        app,
        partial(_describe_operations, operations),
        partial(document.complete_document, needs_key=bool(settings.api_keys)),
    )
    document.write_document_once(app)
    watchers = Measured(registry), internal_errors
    app.middleware_stack = _wrap_app(app, settings, watchers, handlers, budget)
    return app


def _describe_operations(operations: Sequence[Operation], described: dict[str, Any]) -> None:
    """Add requests, which take long to describe, and the nulls in examples of answers.

    FastAPI leaves nulls out of its document: those of schemas say nothing, those of answers do.
    """
    routes = described["paths"]
    routes[batch.PATH]["post"] |= jsonable_encoder(
        batch.describe_request(operations), exclude_none=True
    )
    for operation in operations:
        route = routes[operation.path][operation.method.lower()]
        route |= jsonable_encoder(openapi.describe_operation(operation), exclude_none=True)
        content = route["responses"]["200"]["content"]
        for kind in content.keys() & {"application/json"}:
            content[kind]["examples"] = openapi.describe_answers(operation)


def _wrap_app(
    app: FastAPI,
    settings: Settings,
    watchers: Sequence[Watcher],
    handlers: Mapping[str, Handler],
    budget: MemoryBudget,
) -> ASGIApp:
    """Wrap the app in what every request passes, unexpected errors included, from the inside."""
    stack: ASGIApp = Head(app.build_middleware_stack())
    traces: Traces = app.state.traces
    stack = FastRoute(stack, app, handlers, traces.name_route if settings.tracing else None)
    if settings.api_keys or settings.rate_per_second:
        stack = Auth(stack, settings.api_keys, settings.rate_per_second, settings.rate_burst)
    stack = Starting(stack, app.state)
    stack = Memory(stack, budget)
    stack = Overload(stack, settings.max_requests)
    stack = cors = Cors(
        stack,
        allow_origins=settings.cors_origins,
        allow_methods=["GET", "POST"],
        allow_headers=[
            "Content-Type",
            "Accept",
            "Content-Encoding",
            "If-None-Match",
            "Authorization",
            "X-API-Key",
            "X-Request-ID",
            "traceparent",
            # Headers of the Model Context Protocol.
            "MCP-Protocol-Version",
            "Mcp-Session-Id",
            "Mcp-Method",
            "Mcp-Name",
        ],
        expose_headers=[
            "X-Request-ID",
            "Retry-After",
            "Content-Disposition",
            "ETag",
            "RateLimit",
            "RateLimit-Policy",
            streaming.SEED,
            NOTES_HEADER,
        ],
    )
    stack = BrowserGuard(stack, settings.allowed_hosts, cors.is_allowed_origin)
    stack = Encoding(stack)
    guarded = SecurityHeaders(cors=bool(settings.cors_origins))
    return Watched(stack, *watchers, guarded, Logged())


try:
    app = create_app()
except SettingsError as error:
    # It is a server that imports this, and would show where instead of what.
    print(error, file=sys.stderr)
    sys.exit(2)
