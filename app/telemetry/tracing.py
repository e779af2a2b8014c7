"""Traces (OpenTelemetry): a span for each request, and one under it for each answer.

FastAPI makes the spans of requests by itself: named for method and route, with
the status, under the span that a ``traceparent`` header names. What is here
sends them, by OTLP over HTTP, and adds those of answers. Where and how is set
by the usual variables: OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT,
OTEL_TRACES_SAMPLER, OTEL_BSP_*, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
and so on. FastAPI loads the API of OpenTelemetry in any case; the rest, which
is large, is loaded only where traces are on.
"""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

from anyio import to_thread
from fastapi.telemetry import TelemetryConfig

from app.problems import TYPE_PREFIX, ProblemError, Unanswered
from app.requests.scope import PROBES
from app.settings import needing
from app.telemetry.logs import request_id

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

#: Characters of a text in a span, unless OTEL_ variables say otherwise: paths can be long.
_LONGEST: Final = 1024
#: On shutdown, spans that are not yet sent get so many seconds.
_LAST_SECONDS: Final = 2.0
_LAST: Final = "last-spans"


class Traces:
    """The traces of one service; if they are not ``on``, nothing at all.

    ``version`` is that of the service. ``exporter`` takes the spans in place of
    the one for OTLP. Spans are sent by a thread of their own; those that nobody
    takes fast enough are dropped.

    ``config`` is for ``FastAPI(telemetry=...)``.

    Raises:
        MissingExtra: the packages of the extra ``tracing`` are not installed.
        ValueError: an OTEL_ variable makes no sense.
    """

    def __init__(self, on: bool, version: str, exporter: "SpanExporter | None" = None) -> None:
        self._provider = _provider(version) if on else None
        self._exporter = (exporter or _otlp()) if on else None
        self._tracer = self._provider.get_tracer("minecheck") if self._provider else None
        self.config: TelemetryConfig = {
            "tracing": on,
            "tracer_provider": self._provider,
            # Both have ways of their own: GET /metrics, and JSON lines.
            "metrics": False,
            "logs": False,
            # A span more for each step of FastAPI's, which here are all short.
            "operation_spans": False,
            # Else a variable of FastAPI's own could turn traces on.
            "auto_configure": False,
            "exclude": lambda scope: scope.get("path") in PROBES,
        }

    @asynccontextmanager
    async def sent(self) -> AsyncIterator[None]:
        """Send spans as long as this lasts; at its end, wait two seconds at most for the last."""
        if self._provider is None or self._exporter is None:
            yield
            return
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        # Its thread starts here, so that importing the app starts none.
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        try:
            yield
        finally:
            # By itself it may wait 30 seconds for a collector that is gone; nobody waits for a
            # daemon thread.
            closing = threading.Thread(target=self._provider.shutdown, name=_LAST, daemon=True)
            closing.start()
            await to_thread.run_sync(closing.join, _LAST_SECONDS)

    @contextmanager
    def answering(self, name: str, cells: int) -> Iterator[Callable[[str, bool], None]]:
        """A span for the answer to a question, which is told who answered, and whether in full."""
        if self._tracer is None:
            yield _untold
            return
        from opentelemetry.trace import StatusCode

        with self._tracer.start_as_current_span(
            "answer",
            attributes=_asked(name, cells),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:

            def told(method: str, complete: bool) -> None:
                span.set_attribute("minecheck.method", method)
                span.set_attribute("minecheck.complete", complete)

            try:
                yield told
            except Exception as error:
                span.set_attribute("error.type", _kind(error))
                # All others say what is wrong with the question.
                if isinstance(error, Unanswered):
                    span.set_status(StatusCode.ERROR)
                raise


def _kind(error: Exception) -> str:
    """What is told of an error: the code of a problem that has no type of its own."""
    if type(error) is ProblemError:
        return str(error.document["type"]).removeprefix(TYPE_PREFIX)
    return type(error).__name__


def _untold(_method: str, _complete: bool) -> None:
    """Nobody listens."""


def _asked(name: str, cells: int) -> dict[str, str | int]:
    """What a span tells of a question. The id leads to the lines in the log."""
    return {
        "minecheck.task": name,
        "minecheck.cells": cells,
        "minecheck.request_id": request_id.get() or "",
    }


def _provider(version: str) -> "TracerProvider":
    with needing("tracing"):
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
    # What the environment says of the service comes last, since it counts more.
    named = {"service.name": "minecheck", "service.version": version}
    resource = Resource.create({**named, **OTELResourceDetector().detect().attributes})
    limits = SpanLimits()
    if limits.max_span_attribute_length is None:
        limits = SpanLimits(max_span_attribute_length=_LONGEST)
    return TracerProvider(resource=resource, span_limits=limits, shutdown_on_exit=False)


def _otlp() -> "SpanExporter":
    with needing("tracing"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    return OTLPSpanExporter()
