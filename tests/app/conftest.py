"""A client in this process, a real server and a Redis, shared by all tests of the service."""

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
    """A client that sees a 500 as an answer, like everyone else; every question is worked on."""
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
    """A server with two workers whose clock tests put forward."""
    with serving(movable=True) as server:
        yield server


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadlines of all that ``client`` asks have passed when its requests come."""
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
    """Running, and empty at first."""
    if redis_running.ended:
        redis_running.start()
    with redis_running.client() as client:
        client.flushall()
    yield redis_running
    redis_running.go_on()
