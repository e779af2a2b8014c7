"""All tests of the service share a client in this process, a real server and a Redis."""

import shutil
from collections.abc import Iterator
from time import monotonic

import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.requests import scope
from minecheck.app.settings import Settings
from tests.app.redis_server import Redis
from tests.app.serving import Server, serving
from tests.clocks import LONG


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """A client that gets a 500 as an answer, of a service without a cache."""
    with TestClient(
        create_app(Settings(workers=1, cache_mb=0)), raise_server_exceptions=False
    ) as client:
        yield client


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with two workers, behind a socket."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def clocked() -> Iterator[Server]:
    """A server with two workers, whose clock tests move forward."""
    with serving(movable=True) as server:
        yield server


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the deadlines of all requests of ``client`` have passed when they arrive."""
    monkeypatch.setattr(scope, "monotonic", lambda: monotonic() - LONG)


@pytest.fixture(scope="session")
def redis_running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    pytest.importorskip("redis")
    redis = Redis(tmp_path_factory.mktemp("redis"))
    yield redis
    redis.end()


@pytest.fixture
def redis(redis_running: Redis) -> Iterator[Redis]:
    """A Redis that runs, and is empty at first."""
    if redis_running.ended:
        redis_running.start()
    with redis_running.client() as client:
        client.flushall()
    yield redis_running
    redis_running.go_on()
