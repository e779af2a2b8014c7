"""One client in this process and one real server, shared by all tests of the service."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from app.main import create
from app.settings import Settings
from tests.app.serving import Server, serving


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """A client that sees a 500 as an answer, like everyone else; every question is worked on."""
    with TestClient(
        create(Settings(workers=1, cache_mb=0)), raise_server_exceptions=False
    ) as client:
        yield client


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with two workers, behind a socket."""
    with serving() as server:
        yield server
