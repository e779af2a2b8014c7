"""Metrics count and time requests under labels, and GET /metrics shows them."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import Message, Receive, Scope, Send

from minecheck.app.execution.cache import Cache
from minecheck.app.execution.ladder import Ladder
from minecheck.app.games.stores import MemoryGames
from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from minecheck.app.telemetry import lag as lag_module
from minecheck.app.telemetry import metrics
from minecheck.app.telemetry.lag import Lag
from minecheck.app.telemetry.watching import Watched
from tests.app.telemetry.samples import read_sample
from tests.processes import until


def small(workers: object = None) -> TestClient:
    """Return a client of a service with one route for each outcome."""
    app = FastAPI()

    @app.get("/boards/{name}")
    async def board(name: str) -> str:
        return name

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        async def lines() -> AsyncIterator[bytes]:
            for _ in range(3):
                yield b"line\n"

        return StreamingResponse(lines())

    registry = metrics.build_registry(lambda: workers)
    metrics.add_route(app, registry)
    app.middleware_stack = Watched(app.build_middleware_stack(), metrics.Measured(registry))
    return TestClient(app, raise_server_exceptions=False)


def requests(client: TestClient, route: str, status: str, method: str = "GET") -> float | None:
    name = "minecheck_http_requests_total"
    return read_sample(client, name, route=route, method=method, status=status)


def routes(client: TestClient) -> set[str]:
    """Return all values of the label route."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {
        sample.labels["route"]
        for family in families
        for sample in family.samples
        if "route" in sample.labels
    }


def test_metrics_count_requests_by_declared_path() -> None:
    client = small()
    for name in ("a", "b", "c"):
        client.get(f"/boards/{name}")
    assert requests(client, "/boards/{name}", "200") == 3
    assert routes(client) == {"/boards/{name}", "/metrics"}


def test_metrics_label_undeclared_paths_and_methods_as_other() -> None:
    client = small()
    for number in range(3):
        client.get(f"/nowhere/{number}")
        client.request(f"BREW{number}", "/nowhere")
    assert requests(client, "other", "404") == 3
    assert requests(client, "other", "404", method="other") == 3


def test_metrics_count_wrong_method_for_its_route() -> None:
    client = small()
    client.delete("/boards/a")
    assert requests(client, "/boards/{name}", "405", method="DELETE") == 1


def test_metrics_count_unexpected_error_as_500() -> None:
    client = small()
    assert client.get("/broken").status_code == 500
    assert requests(client, "/broken", "500") == 1
    labels = {"route": "/broken", "method": "GET", "outcome": "5xx"}
    assert read_sample(client, "minecheck_http_request_seconds_count", **labels) == 1


def test_metrics_time_requests_by_class_of_status() -> None:
    client = small()
    client.get("/boards/a")
    client.get("/boards/b")
    labels = {"route": "/boards/{name}", "method": "GET", "outcome": "2xx"}
    assert read_sample(client, "minecheck_http_request_seconds_count", **labels) == 2
    assert read_sample(client, "minecheck_http_request_seconds_bucket", le="+Inf", **labels) == 2
    assert read_sample(client, "minecheck_http_request_seconds_bucket", le="60.0", **labels) == 2
    assert (read_sample(client, "minecheck_http_request_seconds_sum", **labels) or 0) > 0


def test_metrics_count_bytes_of_all_pieces_of_stream() -> None:
    client = small()
    assert client.get("/stream").text == "line\n" * 3
    name = "minecheck_http_response_bytes_total"
    assert read_sample(client, name, route="/stream", method="GET") == 15


def test_metrics_time_request_until_last_piece_of_response() -> None:
    registry = CollectorRegistry()
    seen: list[float | None] = []
    labels = {"route": "other", "method": "GET", "outcome": "2xx"}

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"1", "more_body": True})
        await send({"type": "http.response.body"})

    async def send(message: Message) -> None:
        seen.append(registry.get_sample_value("minecheck_http_request_seconds_count", labels))

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    measured = Watched(answer, metrics.Measured(registry))
    asyncio.run(measured({"type": "http", "method": "GET", "path": "/"}, receive, send))
    assert seen == [None, None, None]
    assert registry.get_sample_value("minecheck_http_request_seconds_count", labels) == 1


def test_metrics_read_numbers_of_workers_at_each_scrape() -> None:
    workers = SimpleNamespace(busy=2, waiting=7, restarts=3, lost=1, refused=4)
    client = small(workers)
    assert read_sample(client, "minecheck_workers_busy") == 2
    assert read_sample(client, "minecheck_workers_waiting") == 7
    assert read_sample(client, "minecheck_workers_restarts_total") == 3
    assert read_sample(client, "minecheck_workers_lost_total") == 1
    assert read_sample(client, "minecheck_workers_refused_total") == 4
    workers.busy = 0
    assert read_sample(client, "minecheck_workers_busy") == 0


@pytest.mark.parametrize("workers", [None, object()])
def test_metrics_show_zero_for_workers_without_numbers(workers: object) -> None:
    client = small(workers)
    assert read_sample(client, "minecheck_workers_busy") == 0
    assert read_sample(client, "minecheck_workers_lost_total") == 0


def test_each_app_has_its_own_metrics() -> None:
    one, other = small(), small()
    one.get("/boards/a")
    assert requests(one, "/boards/{name}", "200") == 1
    assert requests(other, "/boards/{name}", "200") is None


def test_metrics_route_answers_in_text_format_of_prometheus() -> None:
    client = small()
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE minecheck_http_requests_total counter" in client.get("/metrics").text


class TestService:
    """The whole service is measured; requests with rejected bodies need no workers."""

    @pytest.fixture
    def client(self) -> TestClient:
        app = create_app(Settings(workers=1))
        app.state.ladder = Ladder(app.state.workers, Cache(0), MemoryGames(1, 1))
        return TestClient(app, raise_server_exceptions=False)

    def test_metrics_label_routes_of_routers_by_whole_path(self, client: TestClient) -> None:
        client.get("/v1/automata/no-such-machine")
        assert requests(client, "/v1/automata/{name}", "404") == 1

    def test_metrics_count_rejected_questions_by_task(self, client: TestClient) -> None:
        client.post("/v1/check", json={"board": []})
        assert requests(client, "/v1/check", "422", method="POST") == 1

    def test_metrics_route_answers_before_workers_start(self, client: TestClient) -> None:
        assert read_sample(client, "minecheck_workers_busy") == 0


def test_metrics_show_lag_of_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = CollectorRegistry()
    now = 0.0
    monkeypatch.setattr(lag_module, "monotonic", lambda: now)

    def read_lag() -> float | None:
        return registry.get_sample_value("minecheck_loop_lag_seconds")

    async def scene() -> None:
        nonlocal now
        watching = asyncio.create_task(Lag(registry).watch_lag())
        await asyncio.sleep(0)
        assert read_lag() == 0
        now += 2.0
        await until(lambda: bool(read_lag()))
        watching.cancel()

    asyncio.run(scene())
    assert 1.0 < (read_lag() or 0) < 2.0
