"""All tests of clients share a real server, which pages of one other origin may call."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.app.serving import Server, serving

CLIENTS = Path(__file__).parents[2] / "clients"
# The client is a distribution of its own, and not installed.
sys.path.insert(0, str(CLIENTS / "python"))

from minecheck_client import AsyncClient, Client  # noqa: E402


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def hosting(folder: Path) -> Iterator[str]:
    """Serve a folder, and yield its origin."""
    handler = partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def origins() -> Iterator[list[str]]:
    """Two origins that serve clients/browser; the service knows the first only."""
    with hosting(CLIENTS / "browser") as known, hosting(CLIENTS / "browser") as unknown:
        yield [known, unknown]


@pytest.fixture(scope="session")
def server(origins: list[str]) -> Iterator[Server]:
    """A server whose clock tests move forward."""
    with serving({"MINECHECK_CORS_ORIGINS": json.dumps(origins[:1])}, movable=True) as server:
        yield server


#: A function that calls a method of a client by name, and returns streams as lists.
Call = Callable[..., Any]


def _sync(url: str, how: dict[str, Any]) -> Iterator[Call]:
    with Client(url, **how) as client:

        def call(name: str, *args: Any, **options: Any) -> Any:
            found = getattr(client, name)(*args, **options)
            return list(found) if isinstance(found, Iterator) else found

        yield call


def _async(url: str, how: dict[str, Any]) -> Iterator[Call]:
    with asyncio.Runner() as runner:
        client = AsyncClient(url, **how)

        async def result(name: str, *args: Any, **options: Any) -> Any:
            found = getattr(client, name)(*args, **options)
            if isinstance(found, AsyncIterator):
                return [one async for one in found]
            return await found

        def call(name: str, *args: Any, **options: Any) -> Any:
            return runner.run(result(name, *args, **options))

        yield call
        runner.run(client.close())


@pytest.fixture(scope="module", params=[_sync, _async], ids=["sync", "async"])
def opening(request: pytest.FixtureRequest) -> Callable[..., Iterator[Call]]:
    """A function that yields calls of a client, sync or async, and then closes it."""
    opening: Callable[..., Iterator[Call]] = request.param
    return opening


@pytest.fixture
def connect(opening: Callable[..., Iterator[Call]]) -> Iterator[Callable[..., Call]]:
    """A function that connects a client, sync or async, to a URL."""
    opened = []

    def connect_client(url: str, **how: Any) -> Call:
        opened.append(opening(url, how))
        call: Call = next(opened[-1])
        return call

    yield connect_client
    for client in opened:
        assert next(client, None) is None


@pytest.fixture(scope="module")
def ask(opening: Callable[..., Iterator[Call]], server: Server) -> Iterator[Call]:
    """A client of the real server; it is shared, as to make one takes longer than to ask."""
    yield from opening(server.url, {})
