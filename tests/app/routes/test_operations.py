"""The service reports its health, respects limits and origins, starts and stops."""

import re
import signal
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from anyio import to_thread
from fastapi.testclient import TestClient

from minecheck.app import lifespan
from minecheck.app.execution import warm
from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from minecheck.minefield.kernel_mode import MODE
from tests.app.content_types import TEXT
from tests.app.serving import Server, hard_question, serving
from tests.processes import are_gone_soon

ORIGIN = "https://game.example"
PREFLIGHT = {
    "Origin": ORIGIN,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
}


def test_health_routes_answer_ok(client: TestClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    answer = client.get("/readyz")
    state = {"status": "ok", "kernels": MODE, "seconds_left": None}
    assert (answer.status_code, answer.json()) == (200, state)


@pytest.mark.parametrize(
    "path",
    [
        *("/healthz", "/readyz", "/metrics", "/openapi.json", "/", "/docs", "/page/main.js"),
        *("/v1/formats", "/v1/automata", "/v1/automata/kadlac", "/v1/automata/kadlac?format=dot"),
    ],
)
def test_get_routes_answer_head(client: TestClient, path: str) -> None:
    read, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (read.status_code, b"") == (200, b"")
    assert head.headers["content-type"] == read.headers["content-type"]
    refused = client.put(path)
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


@pytest.mark.parametrize("path", ["/v1/formats", "/v1/automata/kadlac", "/v1/check"])
def test_head_request_gets_no_body(server: Server, path: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(f"HEAD {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        with connection.makefile("rb") as file:
            head, _, body = file.read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 ")
    assert body == b""


def test_metrics_count_head_on_its_route(client: TestClient) -> None:
    client.head("/v1/automata/kadlac")
    counted = [line for line in client.get("/metrics").text.splitlines() if "HEAD" in line]
    assert any("/v1/automata/{name}" in line for line in counted), counted


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/check", 405), ("/nope", 404), ("/v1/automata/nope", 404)]
)
def test_head_is_rejected_as_get(client: TestClient, path: str, status: int) -> None:
    answer = client.head(path)
    assert answer.status_code == client.get(path).status_code == status
    assert answer.headers.get("allow") == ("OPTIONS, POST" if status == 405 else None)


def test_service_is_not_ready_before_start() -> None:
    client = TestClient(create_app(Settings()))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"]
    assert client.get("/healthz").status_code == 200


def test_service_reports_progress_while_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    reported, done = threading.Event(), threading.Event()

    async def compile_apart(report: Callable[[int, int], None]) -> int:
        report(3, 5)
        reported.set()
        await to_thread.run_sync(done.wait)
        return 0

    monkeypatch.setattr(warm, "list_missing", lambda: warm.list_kernels()[:4])
    monkeypatch.setattr(lifespan, "compile_apart", compile_apart)
    board = {"board": ["1?", "??"]}
    with TestClient(create_app(Settings(workers=1))) as client:
        assert reported.wait(60)
        for answer in (client.get("/readyz"), client.post("/v1/check", json=board)):
            assert answer.status_code == 503
            assert answer.headers["retry-after"]
            assert "3 of 5" in answer.json()["detail"]
        assert client.get("/healthz").status_code == 200
        done.set()
        while client.get("/readyz").status_code != 200:
            pass
        assert client.post("/v1/check", json=board).json()["consistent"] is True


def test_service_without_kernel_cache_compiles_while_listening(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported, done = threading.Event(), threading.Event()

    def load(tell: Callable[[int, int], None]) -> None:
        tell(2, 5)
        reported.set()
        done.wait()

    monkeypatch.setattr(warm, "list_unkept", lambda: warm.list_kernels()[:4])
    monkeypatch.setattr(warm, "load_kernels", load)
    with TestClient(create_app(Settings(workers=1))) as client:
        assert reported.wait(60)
        assert "2 of 5" in client.get("/readyz").json()["detail"]
        done.set()
        while client.get("/readyz").status_code != 200:
            pass


def test_documentation_is_served(client: TestClient) -> None:
    assert "swagger" in client.get("/docs").text.lower()
    document = client.get("/openapi.json").json()
    assert document["info"]["title"] == "minecheck"
    assert "/docs" not in document["paths"]


def test_cors_rejects_every_origin_by_default(client: TestClient) -> None:
    assert client.options("/v1/check", headers=PREFLIGHT).status_code == 400
    answer = client.get("/healthz", headers={"Origin": ORIGIN})
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("sent_by_browser", [False, True])
def test_preflight_without_allowed_origins_names_setting(
    caplog: pytest.LogCaptureFixture, sent_by_browser: bool
) -> None:
    site = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"} if sent_by_browser else {}
    client = TestClient(create_app(Settings(workers=1)))
    first, again = (client.options("/v1/check", headers=PREFLIGHT | site) for _ in range(2))
    problem = first.json()
    assert again.json() == problem
    assert problem["type"].endswith(":cors-refused")
    assert f"MINECHECK_CORS_ORIGINS={ORIGIN}" in problem["fix"]
    messages = [record.getMessage() for record in caplog.records if record.name == "minecheck.cors"]
    assert len(messages) == 1
    assert f"MINECHECK_CORS_ORIGINS={ORIGIN}" in messages[0]


def test_invalid_origin_is_not_repeated_in_fix() -> None:
    client = TestClient(create_app(Settings(workers=1)))
    answer = client.options("/v1/check", headers=PREFLIGHT | {"Origin": "null"})
    assert "MINECHECK_CORS_ORIGINS=https://game.example" in answer.json()["fix"]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/v1/check/", "/v1/check"),
        ("/v1/check//?mines=1&a=%2F", "/v1/check?mines=1&a=%2F"),
        ("/healthz/", "/healthz"),
        ("/docs/", "/docs"),
        ("/v1/automata/hu-lin/", "/v1/automata/hu-lin"),
        ("/v1/automata/%0D%0Aa/", "/v1/automata/%0D%0Aa"),
        ("/v1/games/x/open/", "/v1/games/x/open"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_path_with_slash_at_its_end_is_redirected(
    client: TestClient, method: str, path: str, target: str
) -> None:
    answer = client.request(method, path, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, target)


def test_question_with_slash_at_end_of_path_is_answered(client: TestClient) -> None:
    answer = client.post("/v1/check/?mines=1", content="?1", headers=TEXT, follow_redirects=True)
    assert answer.json()["mines"] == 1


def test_redirection_keeps_root_path_of_service() -> None:
    client = TestClient(create_app(Settings(workers=1)), root_path="/mines")
    answer = client.get("/mines/docs/", follow_redirects=False)
    assert answer.headers["location"] == "/mines/docs"


@pytest.mark.parametrize("path", ["//evil.example/", "/nothing/", "/page/none/", "//"])
def test_unknown_paths_are_not_redirected(client: TestClient, path: str) -> None:
    answer = client.get(f"http://testserver{path}", follow_redirects=False)
    assert answer.status_code in (200, 404) or answer.headers["location"] == "/"


def test_options_lists_methods_of_every_route(client: TestClient) -> None:
    paths = {"/": "get", "/docs": "get", "/page/main.js": "get", "/openapi.json": "get"}
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        paths[re.sub(r"\{\w+\}", "kadlac", path)] = next(iter(methods))
    for path, method in paths.items():
        answer = client.options(path)
        assert (answer.status_code, answer.content) == (204, b""), path
        allowed = "GET, HEAD, OPTIONS" if method == "get" else "OPTIONS, POST"
        assert answer.headers["allow"] == allowed, path


def test_options_of_an_unknown_path_is_not_found(client: TestClient) -> None:
    assert client.options("/v1/nothing").status_code == 404


class TestCors:
    """With MINECHECK_CORS_ORIGINS, pages of those origins may ask."""

    def client(self, monkeypatch: pytest.MonkeyPatch, origins: str = ORIGIN) -> TestClient:
        monkeypatch.setenv("MINECHECK_CORS_ORIGINS", origins)
        return TestClient(create_app())

    def test_preflight_of_listed_origin_is_accepted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = self.client(monkeypatch).options("/v1/check", headers=PREFLIGHT)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        assert "POST" in answer.headers["access-control-allow-methods"]
        allowed = answer.headers["access-control-allow-headers"].lower()
        # Clients of the Model Context Protocol send its version.
        assert {"content-type", "mcp-protocol-version"} <= set(allowed.split(", "))

    def test_preflight_of_unlisted_origin_is_rejected(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        headers = PREFLIGHT | {"Origin": "https://other.example"}
        answer = self.client(monkeypatch).options("/v1/check", headers=headers)
        assert "access-control-allow-origin" not in answer.headers
        assert answer.status_code == 400
        assert answer.headers["content-type"] == "application/problem+json"
        assert "https://other.example" in answer.json()["detail"]
        assert "MINECHECK_CORS_ORIGINS" in answer.json()["fix"]
        assert answer.headers["vary"].startswith("Origin")

    @pytest.mark.parametrize(
        ("origin", "allowed"),
        [
            ("http://localhost", True),
            ("https://localhost:8443", True),
            ("http://127.0.0.1:8080", True),
            ("http://[::1]:5173", True),
            (ORIGIN, True),
            ("http://localhost.example", False),
            ("http://localhost:80.example", False),
            ("http://127.0.0.10", False),
            ("ftp://localhost", False),
            ("null", False),
        ],
    )
    def test_origin_localhost_allows_this_machine_at_any_port(
        self, monkeypatch: pytest.MonkeyPatch, origin: str, allowed: bool
    ) -> None:
        client = self.client(monkeypatch, f"localhost,{ORIGIN}")
        preflight = client.options("/v1/check", headers=PREFLIGHT | {"Origin": origin})
        response = client.get("/healthz", headers={"Origin": origin})
        assert preflight.status_code == (200 if allowed else 400)
        for answer in (preflight, response):
            assert answer.headers.get("access-control-allow-origin") == (
                origin if allowed else None
            )

    def test_problems_have_cors_headers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with self.client(monkeypatch) as client:
            answer = client.post("/v1/check", json={"board": []}, headers={"Origin": ORIGIN})
        assert answer.status_code == 422
        assert answer.headers["access-control-allow-origin"] == ORIGIN


@pytest.mark.parametrize(
    ("name", "value", "body", "status", "code"),
    [
        ("MAX_BODY_BYTES", "100", {"board": ["?" * 100]}, 413, "body-too-large"),
        ("MAX_CELLS", "50", {"board": ["?" * 51]}, 422, "over-the-limit"),
        ("MAX_DEADLINE_MS", "300", {"board": "?", "deadline_ms": 301}, 422, "over-the-limit"),
        ("MAX_LAYOUTS", "5", {"board": "?", "limit": 6}, 422, "over-the-limit"),
    ],
)
def test_limits_are_read_from_environment(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    body: dict[str, object],
    status: int,
    code: str,
) -> None:
    monkeypatch.setenv(f"MINECHECK_{name}", value)
    with TestClient(create_app()) as client:
        answer = client.post("/v1/layouts", json=body)
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (status, code)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "busy"),
    [
        pytest.param(signal.SIGTERM, False, id="SIGTERM, idle"),
        pytest.param(signal.SIGTERM, True, id="SIGTERM, busy"),
        pytest.param(signal.SIGINT, True, id="SIGINT, busy"),
    ],
)
def test_signal_ends_service_soon_and_leaves_no_process(number: signal.Signals, busy: bool) -> None:
    with serving() as server, ThreadPoolExecutor() as pool:
        if busy:
            pool.submit(_unanswered, server.url)
            assert server.at_work()
        family = server.family()
        assert len(family) >= 3
        server.stop(number)
        assert server.process.returncode in (0, -number, 128 + number)
        assert are_gone_soon(family)


def _unanswered(url: str) -> None:
    """Keep a worker busy; the answer does not matter."""
    try:
        httpx2.post(f"{url}/v1/count", json=hard_question(60_000), timeout=60)
    except httpx2.TransportError:
        return
