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
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Protocol

from anyio import to_thread
from fastapi.telemetry import TelemetryConfig

from minecheck.app.problems import TYPE_PREFIX, ProblemError, Unanswered
from minecheck.app.requests.scope import PROBES
from minecheck.app.settings import require_extra
from minecheck.app.telemetry.logs import request_id

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

#: Characters of a text in a span, unless OTEL_ variables say otherwise: paths can be long.
_LONGEST: Final = 1024
#: The seconds at shutdown for spans that are not yet sent.
_LAST_SECONDS: Final = 2.0
_LAST: Final = "last-spans"


class Tell(Protocol):
    """Takes what is known of an answer, by name: ``cells``, ``method``, ``complete``."""

    def __call__(self, **known: str | int) -> None:
        """Take what is known now."""


def discard_report(**known: str | int) -> None:
    """Do nothing with what is known of an answer."""


_NO_SPAN: Final = nullcontext[Tell](discard_report)


class Traces:
    """The traces of one service; if they are not ``on``, nothing at all.

    ``version`` is that of the service. ``exporter`` takes the spans in place of
    the one for OTLP. Spans are sent by a thread of their own; those that nobody
    takes fast enough are dropped, and so are those left ``last_seconds`` after the end.

    ``config`` is for ``FastAPI(telemetry=...)``.

    Raises:
        MissingExtra: the packages of the extra ``tracing`` are not installed.
        ValueError: an OTEL_ variable makes no sense.
    """

    def __init__(
        self,
        on: bool,
        version: str,
        exporter: "SpanExporter | None" = None,
        last_seconds: float = _LAST_SECONDS,
    ) -> None:
        self._last_seconds = last_seconds
        self._provider = _build_provider(version) if on else None
        self._exporter = (exporter or _build_exporter()) if on else None
        self._tracer = self._provider.get_tracer("minecheck") if self._provider else None
        self.config: TelemetryConfig = {
            "tracing": on,
            "tracer_provider": self._provider,
            # Both have ways of their own: GET /metrics, and JSON lines.
            "metrics": False,
            "logs": False,
            # A span more for each step of FastAPI's, which here are all short.
            "operation_spans": False,
            # Otherwise a variable of FastAPI could turn traces on.
            "auto_configure": False,
            "exclude": lambda scope: scope.get("path") in PROBES,
        }

    @asynccontextmanager
    async def send_spans(self) -> AsyncIterator[None]:
        """Send spans as long as this lasts; at its end, wait a little for the last."""
        if self._provider is None or self._exporter is None:
            yield
            return
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        # Its thread starts here, so that importing the app starts none.
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        try:
            yield
        finally:
            # The default may wait 30 seconds for a dead collector; nobody waits for a daemon
            # thread.
            closing = threading.Thread(target=self._provider.shutdown, name=_LAST, daemon=True)
            closing.start()
            await to_thread.run_sync(closing.join, self._last_seconds)

    @staticmethod
    def name_route(path: str) -> None:
        """Name the span of the present request for its route, as FastAPI's router would."""
        from opentelemetry.trace import get_current_span

        span = get_current_span()
        span.update_name(f"POST {path}")
        span.set_attribute("http.route", path)

    def open_span(self, name: str) -> AbstractContextManager[Tell]:
        """Return a span for the answer to a question; its attributes are set by name."""
        return _NO_SPAN if self._tracer is None else _start_span(self._tracer, name)


@contextmanager
def _start_span(tracer: "Tracer", name: str) -> Iterator[Tell]:
    from opentelemetry.trace import StatusCode

    # The id leads to the lines in the log.
    attributes = {"minecheck.task": name, "minecheck.request_id": request_id.get() or ""}
    with tracer.start_as_current_span(
        "answer",
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:

        def set_attributes(**attributes: str | int) -> None:
            for field, value in attributes.items():
                span.set_attribute(f"minecheck.{field}", value)

        try:
            yield set_attributes
        except Exception as error:
            span.set_attribute("error.type", _kind_of_error(error))
            # All others say what is wrong with the question.
            if isinstance(error, Unanswered):
                span.set_status(StatusCode.ERROR)
            raise


def _kind_of_error(error: Exception) -> str:
    """Return the kind of an error: the code of a problem, or the name of the exception."""
    if type(error) is ProblemError:
        return str(error.document["type"]).removeprefix(TYPE_PREFIX)
    return type(error).__name__


def _build_provider(version: str) -> "TracerProvider":
    with require_extra("tracing"):
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
    # Attributes from the environment come last, since they take precedence.
    named = {"service.name": "minecheck", "service.version": version}
    resource = Resource.create({**named, **OTELResourceDetector().detect().attributes})
    limits = SpanLimits()
    if limits.max_span_attribute_length is None:
        limits = SpanLimits(max_span_attribute_length=_LONGEST)
    return TracerProvider(resource=resource, span_limits=limits, shutdown_on_exit=False)


def _build_exporter() -> "SpanExporter":
    with require_extra("tracing"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    return OTLPSpanExporter()
