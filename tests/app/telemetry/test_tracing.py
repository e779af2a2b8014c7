"""Traces describe requests, go to a collector, and harm nothing."""

import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.testclient import TestClient

from minecheck.app import problems
from minecheck.app.main import create_app
from minecheck.app.problems import Overloaded
from minecheck.app.routes import errors
from minecheck.app.settings import MissingExtra, Settings
from minecheck.app.telemetry import tracing
from minecheck.app.telemetry.logs import Logged
from minecheck.app.telemetry.tracing import Traces
from minecheck.app.telemetry.watching import Watched
from minecheck.minefield import parse
from minecheck.solvers import Answer, BackendError, Question, answer_question
from minecheck.solvers.tasks.count import Count
from tests.app.serving import serving
from tests.processes import ROOT
from tests.tasks import Task, question_of

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


Answering = Callable[[Question], Answer]


def failing(error: Exception) -> Answering:
    def fail(_: Question) -> Any:
        raise error

    return fail


def small(traces: Traces, answering: Answering = answer_question) -> FastAPI:
    """Return a service of a few routes, built as the whole service is."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with traces.send_spans():
            yield

    app = FastAPI(lifespan=lifespan, telemetry=traces.config)
    errors.install_handlers(app)

    @app.post("/v1/{task}")
    async def ask(task: str, request: Request) -> Response:
        question = question_of(Task(task), parse((await request.body()).decode()))
        with traces.open_span(task) as tell:
            tell(cells=question.cells)
            found = answering(question)
            tell(method=found.method, complete=found.complete)
        return Response(str(getattr(found, "count", None)))

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError

    @app.get("/healthz")
    async def healthz() -> None:
        return None

    app.middleware_stack = Watched(app.build_middleware_stack(), Logged())
    return app


def spans(
    ask: Callable[[TestClient], object], answering: Answering = answer_question
) -> dict[str, ReadableSpan]:
    """Return the spans, by name, that the service sends for the requests of ``ask``."""
    memory = InMemorySpanExporter()
    app = small(Traces(True, "1.2.3", memory), answering)
    with TestClient(app, raise_server_exceptions=False) as client:
        ask(client)
    return {span.name: span for span in memory.get_finished_spans()}


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def number(text: str) -> int:
    return int(text, 16)


class TestSpans:
    """Spans describe requests and answers."""

    def test_request_has_span_with_method_route_and_status(self) -> None:
        found = attributes_of(
            spans(lambda client: client.post("/v1/count", content="?1?"))["POST /v1/{task}"]
        )
        assert found["http.request.method"] == "POST"
        assert found["http.route"] == "/v1/{task}"
        assert found["http.response.status_code"] == 200

    def test_answer_has_span_under_span_of_request(self) -> None:
        found = spans(
            lambda client: client.post("/v1/count", content="?1?", headers={"X-Request-ID": "mine"})
        )
        request, child = found["POST /v1/{task}"], found["answer"]
        assert child.parent is not None
        assert child.parent.span_id == request.context.span_id
        assert attributes_of(child) == {
            "minecheck.task": "count",
            "minecheck.cells": 3,
            "minecheck.request_id": "mine",
            "minecheck.method": answer_question(Count(parse("?1?"))).method,
            "minecheck.complete": True,
        }

    def test_traceparent_of_caller_is_continued(self) -> None:
        sent = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
        found = spans(lambda client: client.post("/v1/count", content="?1?", headers=sent))
        request = found["POST /v1/{task}"]
        assert request.parent is not None
        assert request.parent.span_id == number(PARENT)
        assert {span.context.trace_id for span in found.values()} == {number(TRACE)}
        # Log lines have the same id.
        assert attributes_of(found["answer"])["minecheck.request_id"] == TRACE

    def test_request_that_caller_does_not_sample_is_not_traced(self) -> None:
        sent = {"traceparent": f"00-{TRACE}-{PARENT}-00"}
        assert not spans(lambda client: client.post("/v1/count", content="?1?", headers=sent))

    def test_span_of_question_without_answer_is_error(self) -> None:
        found = spans(lambda client: client.post("/v1/count", content="?1?"), failing(Overloaded()))
        assert attributes_of(found["answer"])["error.type"] == "Overloaded"
        assert found["answer"].status.status_code is StatusCode.ERROR
        assert found["POST /v1/{task}"].status.status_code is StatusCode.ERROR
        assert attributes_of(found["POST /v1/{task}"])["http.response.status_code"] == 503

    def test_span_of_question_that_backend_rejects_is_no_error(self) -> None:
        refused = failing(problems.make_backend_problem(BackendError("too wide")))
        found = spans(lambda client: client.post("/v1/count", content="?1?"), refused)["answer"]
        assert attributes_of(found)["error.type"] == "backend-refuses"
        assert found.status.status_code is StatusCode.UNSET

    def test_span_of_failed_request_is_error_without_traceback(self) -> None:
        found = spans(lambda client: client.get("/broken"))["GET /broken"]
        assert found.status.status_code is StatusCode.ERROR
        assert attributes_of(found)["http.response.status_code"] == 500
        # Tracebacks stay in the log.
        assert not found.events

    def test_health_probes_are_not_traced(self) -> None:
        assert not spans(lambda client: client.get("/healthz"))

    def test_long_path_is_shortened_in_span(self) -> None:
        found = spans(lambda client: client.get("/" + 5000 * "x"))["GET"]
        assert len(attributes_of(found)["url.path"]) == 1024

    def test_environment_names_service_in_spans(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def service() -> tuple[Any, Any]:
            found = spans(lambda client: client.post("/v1/count", content="?1?"))["answer"]
            named = found.resource.attributes
            return named["service.name"], named["service.version"]

        monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
        assert service() == ("minecheck", "1.2.3")
        monkeypatch.setenv("OTEL_SERVICE_NAME", "mine")
        assert service() == ("mine", "1.2.3")


class TestOff:
    """Without tracing, requests have no spans and no cost."""

    def test_requests_have_no_span_while_tracing_is_off(self) -> None:
        traces = Traces(False, "1.2.3")
        assert not any(traces.config[signal] for signal in ("tracing", "metrics", "logs"))
        with TestClient(small(traces)) as client:
            assert client.post("/v1/count", content="?1?").text == "2"

    def test_tracing_that_is_off_loads_no_large_modules(self) -> None:
        script = (
            "import sys, app.main\n"
            "from minecheck.app.telemetry.tracing import Traces\n"
            "Traces(False, '')\n"
            "print(*(name for name in ('opentelemetry.sdk', 'opentelemetry.exporter', 'requests')"
            " if name in sys.modules))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == []


@pytest.mark.parametrize(
    "module", ["opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http.trace_exporter"]
)
def test_tracing_without_extra_raises_at_once(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"MINECHECK_TRACING.*minecheck\[tracing\]"):
        Traces(True, "1.2.3")


class Stuck(SpanExporter):
    """An exporter that takes spans, and never returns."""

    def __init__(self) -> None:
        self.called, self.freed = threading.Event(), threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.called.set()
        self.freed.wait(60)
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        pass


class Broken(Stuck):
    """An exporter that fails."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.called.set()
        raise ZeroDivisionError


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Send spans at once, and let only two wait."""
    before = set(threading.enumerate())
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "2")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
    yield
    # A thread that still sends would draw from the random module, and later tests would notice.
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive(), thread.name


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", [Stuck, Broken])
def test_failing_collector_harms_neither_answers_nor_shutdown(
    kind: type[Stuck],
) -> None:
    exporter = kind()
    try:
        with TestClient(small(Traces(True, "1.2.3", exporter, last_seconds=0.1))) as client:
            for _ in range(10):
                assert client.post("/v1/count", content="?1?").text == "2"
            assert exporter.called.wait(10)
        # The service has shut down; a thread that waits for the collector still waits.
        assert (tracing._LAST in {thread.name for thread in threading.enumerate()}) == (
            kind is Stuck
        )
    finally:
        exporter.freed.set()


@contextmanager
def collector() -> Iterator[tuple[str, list[Any]]]:
    """Run a receiver of OTLP over HTTP; yield its address, and the spans that it gets."""
    received: list[Any] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/traces":
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in resource.scope_spans:
                        received.extend(scope.spans)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=receiver.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{receiver.server_address[1]}", received
    finally:
        receiver.shutdown()
        thread.join()
        receiver.server_close()


@contextmanager
def silent() -> Iterator[str]:
    """Yield the address of a collector that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def nobody() -> Iterator[str]:
    """Yield an address where there is no collector."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    yield f"http://127.0.0.1:{port}"


def test_spans_are_sent_to_collector_of_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        with TestClient(small(Traces(True, "1.2.3"))) as client:
            client.post("/v1/count", content="?1?")
        assert {span.name for span in received} == {"POST /v1/{task}", "answer"}


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("missing", [silent, nobody])
def test_service_answers_and_ends_without_collector(
    monkeypatch: pytest.MonkeyPatch, missing: Callable[[], Any]
) -> None:
    with missing() as url:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        with TestClient(small(Traces(True, "1.2.3"))) as client:
            for _ in range(3):
                assert client.post("/v1/count", content="?1?").text == "2"


def test_streamed_answer_has_span(monkeypatch: pytest.MonkeyPatch) -> None:
    with collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        with TestClient(create_app(Settings(tracing=True))) as client:
            lines = client.post(
                "/v1/layouts", json={"board": ["?1?"]}, headers={"Accept": "application/x-ndjson"}
            )
            assert len(lines.text.splitlines()) == 2
        assert sorted(span.name for span in received) == ["POST /v1/layouts", "answer"]


@pytest.mark.slow
def test_service_sends_all_spans_before_shutdown() -> None:
    with collector() as (url, received):
        env = {"MINECHECK_TRACING": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
        with serving(env) as server:
            assert server.healthy()
            server.stop()
        assert sorted(span.name for span in received) == 2 * ["POST /v1/count"] + 2 * ["answer"]
        parents = {span.span_id: span.parent_span_id for span in received}
        assert sum(parent in parents for parent in parents.values()) == 2
