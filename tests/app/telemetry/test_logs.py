"""Requests have ids, and log lines carry them."""

import asyncio
import json
import logging
import logging.config
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from minecheck.app.telemetry.logs import (
    JsonLines,
    Logged,
    TextLines,
    choose_form,
    choose_request_id,
    logging_config,
    request_id,
)
from minecheck.app.telemetry.watching import Watched

ROOT = Path(__file__).parents[3]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def make_logged_client(app: FastAPI) -> TestClient:
    if app.middleware_stack is None:
        app.middleware_stack = Watched(app.build_middleware_stack(), Logged())
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture
def client() -> TestClient:
    app = create_app(Settings(workers=1))

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError("secret")

    @app.get("/talkative")
    def talkative() -> None:
        logging.getLogger("minecheck.test").warning("here")

    return make_logged_client(app)


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """The records that the service logs, as they would be on stderr."""
    with collect_records("minecheck") as found:
        yield found


@contextmanager
def collect_records(name: str) -> Iterator[list[dict[str, Any]]]:
    found: list[dict[str, Any]] = []

    class Collecting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(json.loads(self.format(record)))

    logger, handler = logging.getLogger(name), Collecting()
    handler.setFormatter(JsonLines())
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield found
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def identify_request(**headers: str) -> str:
    """Return the id of a request with these headers."""
    pairs = [(name.replace("_", "-").encode(), v.encode("utf-8")) for name, v in headers.items()]
    return choose_request_id({"type": "http", "headers": pairs})


def is_new(identity: str) -> bool:
    return re.fullmatch("[0-9a-f]{32}", identity) is not None


class TestIdentity:
    """The id of a request comes from its headers, or is new."""

    @given(st.text("abcXYZ019._-", min_size=1, max_size=128))
    def test_well_formed_request_id_is_kept(self, given: str) -> None:
        assert identify_request(x_request_id=given, traceparent=TRACEPARENT) == given

    @pytest.mark.parametrize(
        "given", ["", "a b", "a\n", "a\r\nSet-Cookie: b", "é", "a" * 129, "{}"]
    )
    def test_malformed_request_id_is_replaced(self, given: str) -> None:
        assert is_new(identify_request(x_request_id=given))
        assert identify_request(x_request_id=given, traceparent=TRACEPARENT) == TRACE

    @pytest.mark.parametrize("given", [TRACEPARENT, "01" + TRACEPARENT[2:] + "-more"])
    def test_trace_id_becomes_request_id(self, given: str) -> None:
        assert identify_request(traceparent=given) == TRACE

    @pytest.mark.parametrize(
        "given",
        [
            TRACE,
            TRACEPARENT.upper(),
            TRACEPARENT + "-more",
            TRACEPARENT + "\n",
            "ff" + TRACEPARENT[2:],
            TRACEPARENT.replace(TRACE, "0" * 32),
            TRACEPARENT.replace("00f067aa0ba902b7", "0" * 16),
            TRACEPARENT.replace(TRACE, TRACE[1:]),
        ],
    )
    def test_malformed_traceparent_is_ignored(self, given: str) -> None:
        assert is_new(identify_request(traceparent=given))

    def test_each_request_gets_its_own_id(self) -> None:
        assert identify_request() != identify_request()


@pytest.mark.parametrize("path", ["/healthz", "/nowhere", "/broken", "/docs"])
def test_every_response_has_header_with_request_id(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"X-Request-ID": "mine-1"})
    assert answer.headers.get_list("x-request-id") == ["mine-1"]
    assert is_new(client.get(path).headers["x-request-id"])


def test_log_has_one_line_for_each_request(client: TestClient, lines: list[dict[str, Any]]) -> None:
    answer = client.get("/healthz?x=private")
    (line,) = lines
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line.pop("ms") >= 0
    assert line == {
        "level": "info",
        "logger": "minecheck.access",
        "message": "GET /healthz 200",
        "request_id": answer.headers["x-request-id"],
        "method": "GET",
        "path": "/healthz",
        "status": 200,
        "client": "testclient",
    }


def test_request_path_cannot_forge_log_line(
    client: TestClient, lines: list[dict[str, Any]]
) -> None:
    client.get("/a%0Ab%00%E2%80%A8")
    assert lines[0]["path"] == "/a%0Ab%00%E2%80%A8"
    assert lines[0]["message"] == "GET /a%0Ab%00%E2%80%A8 404"


@pytest.mark.parametrize("letter", ["a", "%", "\u2028", "\U0001f4a3"])
def test_log_line_shortens_long_path_and_client_address(
    client: TestClient, lines: list[dict[str, Any]], letter: str
) -> None:
    long = letter * 2_000
    TestClient(client.app, client=(long, 1)).get(f"/b{quote(long)}e?{quote(long)}")
    (line,) = lines
    (start, end), client_address = line["path"].split("..."), line["client"]
    assert (start, end) == (f"/b{quote(126 * letter)}", f"{quote(127 * letter)}e")
    assert client_address == f"{128 * letter}...{128 * letter}"
    assert line["message"] == f"GET {line['path']} 404"


@pytest.mark.parametrize("formatter", [JsonLines(), TextLines("%(message)s")])
def test_log_formatter_shortens_messages_and_tracebacks(formatter: logging.Formatter) -> None:
    try:
        raise ValueError("x" * 10**6)
    except ValueError:
        failed = record("y" * 10**6)
        failed.exc_info = sys.exc_info()
    line = formatter.format(failed)
    assert "test_log_formatter_shortens_messages_and_tracebacks" in line
    assert len(line) < 21_000


def test_log_line_of_unexpected_error_has_level_error(
    client: TestClient, lines: list[dict[str, Any]]
) -> None:
    answer = client.get("/broken")
    assert (lines[0]["level"], lines[0]["status"]) == ("error", 500)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_log_lines_within_request_have_its_id(
    client: TestClient, lines: list[dict[str, Any]]
) -> None:
    client.get("/talkative", headers={"X-Request-ID": "mine-2"})
    assert [line["request_id"] for line in lines] == ["mine-2", "mine-2"]
    assert lines[0]["message"] == "here"


def test_log_lines_outside_of_requests_have_no_id() -> None:
    assert request_id.get() is None
    assert "request_id" not in json.loads(JsonLines().format(record("started")))


@given(st.text(st.characters(exclude_categories=())))
def test_json_log_record_is_one_line_of_ascii(message: str) -> None:
    line = JsonLines().format(record(message))
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["message"] == message.strip()


def record(message: str) -> logging.LogRecord:
    return logging.LogRecord("name", logging.WARNING, "path", 1, message, None, None)


@pytest.mark.parametrize("form", ["json", "text"])
def test_logging_config_is_accepted_by_module_logging(form: Any) -> None:
    made = logging_config("warning", form)
    logging.config.DictConfigurator(made)
    assert made["root"] == {"handlers": ["stderr"], "level": "WARNING"}


SERVED = """
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient
from minecheck.app.telemetry.logs import Logged, logging_config
from minecheck.app.telemetry.watching import Watched

app = FastAPI()

@app.get("/broken")
async def broken():
    raise ZeroDivisionError("secret")

@app.get("/stop")
async def stop():
    server.should_exit = True

app.middleware_stack = Watched(app.build_middleware_stack(), Logged())
server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=logging_config("{level}", "{form}")))

async def ask():
    import asyncio, httpx2
    while not server.started:
        await asyncio.sleep(0)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        await client.get("/broken", headers={"X-Request-ID": "mine-3"})
        await client.get("/stop")

async def both():
    import asyncio
    await asyncio.gather(server.serve(), ask())

import asyncio
asyncio.run(both())
"""


def run_logging_server(level: str, form: str) -> list[str]:
    """Return the lines that a real server writes to stderr about an error and its own end."""
    source = SERVED.replace("{level}", level).replace("{form}", form)
    ran = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, timeout=30
    )
    assert (ran.returncode, ran.stdout) == (0, "")
    return ran.stderr.splitlines()


def test_client_that_disconnects_early_is_logged_as_499_without_error(
    lines: list[dict[str, Any]],
) -> None:
    async def silent(*_: object) -> None:
        """Ignore messages to a client that has disconnected."""

    async def left() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def ask() -> None:
        scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
        await Watched(silent, Logged())(scope, left, silent)

    asyncio.run(ask())
    assert [(line["status"], line["level"]) for line in lines] == [(499, "info")]


class TestServer:
    """The service logs under uvicorn."""

    def test_server_logs_each_event_once_as_json(self) -> None:
        lines = [json.loads(line) for line in run_logging_server("info", "json")]
        # The client logs in the same process.
        messages = [line["message"] for line in lines if not line["logger"].startswith("httpx")]
        assert any("Application startup complete" in message for message in messages)
        for path in ("/stop", "/broken"):
            assert sum(path in message for message in messages) == 1
        (error,) = (line for line in lines if "traceback" in line)
        assert (error["level"], error["request_id"]) == ("error", "mine-3")
        assert "ZeroDivisionError: secret" in error["traceback"]
        assert "request_id" not in lines[-1]

    def test_server_log_leaves_out_lines_below_level(self) -> None:
        lines = [json.loads(line) for line in run_logging_server("error", "json")]
        assert [line["level"] for line in lines] == ["error", "error"]

    def test_server_log_as_text_is_readable(self) -> None:
        lines = run_logging_server("info", "text")
        assert any(line.endswith("INFO minecheck.access: GET /stop 200") for line in lines)
        assert "ZeroDivisionError: secret" in lines


@pytest.mark.parametrize("is_terminal", [True, False])
def test_log_format_auto_is_text_on_terminal_and_json_elsewhere(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal, raising=False)
    assert choose_form("auto") == ("text" if is_terminal else "json")
    assert (choose_form("text"), choose_form("json")) == ("text", "json")


def test_log_format_is_auto_by_default() -> None:
    assert Settings().log_format == "auto"
