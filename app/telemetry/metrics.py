"""Numbers of the service in the text format of Prometheus: ``GET /metrics``."""

from collections.abc import Callable, Iterator
from typing import Final

from fastapi import FastAPI, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.types import Scope

from minecheck.app.requests.budget import MemoryBudget
from minecheck.app.telemetry.faults import Fault, log_fault
from minecheck.app.telemetry.watching import Watcher

#: Seconds: from answers in the serving process to the longest deadlines.
_BUCKETS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)
# Paths and methods are whatever clients send; what is in no list of ours is one label value.
_METHODS: Final = frozenset(
    ("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE")
)
_OTHER: Final = "other"

#: The figures that workers may have: attribute, and help text.
_NOW: Final = {
    "busy": "Worker processes that compute now",
    "waiting": "Questions that wait for a worker now",
}
_EVER: Final = {
    "restarts": "Worker processes started in place of others",
    "lost": "Questions that lost their worker",
    "refused": "Questions rejected because too many were waiting",
}


class Measured(Watcher):
    """Counts and times HTTP requests in a registry.

    ``route`` is the path of the route as declared, or "other"; ``status`` is
    the number, ``outcome`` its class such as "2xx".
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "minecheck_http_requests_total",
            "HTTP requests",
            ("route", "method", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "minecheck_http_request_seconds",
            "Time from an HTTP request to the end of its answer",
            ("route", "method", "outcome"),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._bytes = Counter(
            "minecheck_http_response_bytes_total",
            "Bytes in bodies of HTTP answers",
            ("route", "method"),
            registry=registry,
        )
        # Looking series up by their labels costs more than all the rest.
        self._series: dict[tuple[str, str, int], tuple[Counter, Histogram, Counter]] = {}

    def end_request(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        """Count the request."""
        requests, times, sent = self._find_series(scope, status)
        requests.inc()
        times.observe(seconds)
        sent.inc(size)

    def _find_series(self, scope: Scope, status: int) -> tuple[Counter, Histogram, Counter]:
        """Return the series for a request, which the router has seen by now."""
        route = getattr(scope.get("route"), "path", _OTHER)
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        key = (route, method, status)
        if key not in self._series:
            self._series[key] = (
                self._requests.labels(route, method, status),
                self._seconds.labels(route, method, f"{status // 100}xx"),
                self._bytes.labels(route, method),
            )
        return self._series[key]


class InternalErrors(Watcher):
    """Counts unexpected exceptions in a registry.

    ``where`` is "request" for those that ended a request, "batch" for those that a line of a batch
    was answered with, or that happened while lines were answered together.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        counter = Counter(
            "minecheck_internal_errors_total",
            "Unexpected exceptions",
            ("where",),
            registry=registry,
        )
        # Both are there from the start: an increase is only seen where there was a number before.
        self._in_requests = counter.labels("request")
        self._in_batches = counter.labels("batch")

    def fail_request(self) -> None:
        """Count an exception that ended a request."""
        self._in_requests.inc()

    def report_fault(self, fault: Fault) -> None:
        """Log and count an exception that ended no more than a line of a batch."""
        log_fault(fault)
        self._in_batches.inc()


class WorkersCollector(Collector):
    """The workers' own figures; 0 for missing ones."""

    def __init__(self, workers: Callable[[], object]) -> None:
        self._workers = workers

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """Yield the numbers at this moment."""
        workers = self._workers()
        for name, text in _NOW.items():
            value = getattr(workers, name, 0)
            yield GaugeMetricFamily(f"minecheck_workers_{name}", text, value)
        for name, text in _EVER.items():
            value = getattr(workers, name, 0)
            yield CounterMetricFamily(f"minecheck_workers_{name}_total", text, value)


class CacheCollector(Collector):
    """The figures of the cache of answers; 0 as long as there is none."""

    def __init__(self, cache: Callable[[], object]) -> None:
        self._cache = cache

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """Yield the numbers at this moment."""
        cache = self._cache()
        size, entries = getattr(cache, "size", 0), getattr(cache, "entries", 0)
        yield GaugeMetricFamily("minecheck_cache_bytes", "Memory that answers take now", size)
        yield GaugeMetricFamily("minecheck_cache_entries", "Answers in memory now", entries)
        for name, text in (("hits", "Answers found"), ("misses", "Answers not found")):
            family = CounterMetricFamily(f"minecheck_cache_{name}_total", text, labels=("level",))
            for level in ("memory", "redis"):
                family.add_metric((level,), getattr(cache, f"{level}_{name}", 0))
            yield family
        errors = getattr(cache, "redis_errors", 0)
        yield CounterMetricFamily("minecheck_cache_redis_errors_total", "Failures of Redis", errors)


class MemoryCollector(Collector):
    """The memory that requests and answers under way hold."""

    def __init__(self, budget: MemoryBudget) -> None:
        self._budget = budget

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """Yield the numbers at this moment."""
        budget = self._budget
        name, text = "minecheck_requests_bytes", "Memory that requests and answers take now"
        yield GaugeMetricFamily(name, text, budget.held)
        name, text = "minecheck_requests_limit_bytes", "Memory that they may take"
        yield GaugeMetricFamily(name, text, budget.most)
        name, text = "minecheck_requests_refused_total", "Requests rejected for lack of memory"
        yield CounterMetricFamily(name, text, budget.refused)


def count_rejections(registry: CollectorRegistry) -> Callable[[int], None]:
    """Add a counter of connections closed for lack of a valid request.

    It is called with their status.
    """
    counter = Counter(
        "minecheck_connections_refused_total",
        "Connections closed: not HTTP, too large a head, or too many of them",
        ("status",),
        registry=registry,
    )
    return lambda status: counter.labels(status).inc()


def build_registry(workers: Callable[[], object]) -> CollectorRegistry:
    """Return the metrics of one app.

    ``workers()`` is asked at each scrape; it may return None as long as there are none.
    """
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(WorkersCollector(workers))
    return registry


def add_route(app: FastAPI, registry: CollectorRegistry) -> None:
    """Add ``GET /metrics``.

    Args:
        app: the application.
        registry: the metrics.
    """
    text = {"schema": {"type": "string"}}

    @app.get(
        "/metrics",
        tags=["operations"],
        operation_id="metrics",
        summary="Numbers for Prometheus",
        description="Counters, histograms and gauges of this replica; docs/operations.md lists "
        "them.",
        response_class=Response,
        responses={200: {"description": "Its text format", "content": {"text/plain": text}}},
    )
    async def send_metrics() -> Response:
        return Response(generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})
