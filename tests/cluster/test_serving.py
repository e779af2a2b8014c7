"""The service on Ray Serve answers as the service alone."""

import json
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from tests.cluster.running import STARTS, give_up, running_until_closed

pytestmark = [
    pytest.mark.slow,
    # To import it takes longer than to collect hundreds of tests.
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra cluster"),
]

#: A program that serves the application of the configuration, on a port of loopback.
SERVER = """
import sys
import ray
from ray import serve
from minecheck.app.ray_serve import service
ray.init(address="local", num_cpus=2, include_dashboard=False, object_store_memory=1 << 28)
serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
serve.run(service({}), name="minecheck")
print("served", flush=True)
sys.stdin.read()
serve.shutdown()
ray.shutdown()
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A client of the service on Ray Serve."""
    log = tmp_path_factory.mktemp("serve") / "stderr"
    settings = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "MINECHECK_WORKERS": "1",
    }
    for _ in range(STARTS):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with (
            log.open("w") as errors,
            running_until_closed(["-c", SERVER, str(port)], errors, **settings) as process,
        ):
            assert process.stdout is not None
            if "served\n" in iter(process.stdout.readline, ""):
                with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                    yield client
                return
    give_up(log.read_text())


@pytest.fixture(scope="module")
def alone() -> Iterator[TestClient]:
    """A client of the service alone."""
    with TestClient(create_app(Settings(workers=1))) as client:
        yield client


BOARD = ["?????", "?222?", "?202?", "?222?", "?????"]
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/v1/check", {"json": {"board": BOARD}}),
    ("POST", "/v1/analyze", {"json": {"board": BOARD, "mines": 8}}),
    ("POST", "/v1/count", {"json": {"board": BOARD, "backend": "sat"}}),
    (
        "POST",
        "/v1/layouts",
        {"json": {"board": ["?1?"]}, "headers": {"Accept": "application/x-ndjson"}},
    ),
    ("POST", "/v1/check", {"content": b"?1\n??", "headers": {"Content-Type": "text/plain"}}),
    ("POST", "/v1/check", {"json": {"board": ["9"]}}),
    ("POST", "/v1/check", {"content": b"{", "headers": {"Content-Type": "application/json"}}),
    (
        "POST",
        "/v1/batch?task=count",
        {
            "content": b'"?1"\n"9"\n' * 200,
            "headers": {"Content-Type": "application/x-ndjson"},
        },
    ),
    ("GET", "/v1/automata/hu-lin?format=json", {}),
    ("GET", "/v1/check", {}),
    ("GET", "/nothing", {}),
    ("GET", "/readyz", {}),
    ("GET", "/openapi.json", {}),
    ("GET", "/", {}),
]


def without_time(body: bytes) -> list[Any]:
    found = []
    for line in body.splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            one = line
        if isinstance(one, dict):
            one.get("solver", {}).pop("elapsed_ms", None)
            one.pop("cached", None)
        found.append(one)
    return found


@pytest.mark.parametrize(("method", "path", "options"), CASES)
def test_ray_serve_answers_as_service_alone(
    served: httpx2.Client, alone: TestClient, method: str, path: str, options: dict[str, Any]
) -> None:
    found = served.request(method, path, **options)
    expected = alone.request(method, path, **options)
    assert found.status_code == expected.status_code
    assert without_time(found.content) == without_time(expected.content)
    names = {"content-type", "vary", "allow", "content-security-policy", "x-content-type-options"}
    for name in names:
        assert found.headers.get(name) == expected.headers.get(name)
    assert len(found.headers.get_list("x-request-id")) == 1


def test_ray_serve_keeps_request_id_of_client(served: httpx2.Client) -> None:
    found = served.get("/healthz", headers={"X-Request-ID": "mine-7"})
    assert found.headers.get_list("x-request-id") == ["mine-7"]
