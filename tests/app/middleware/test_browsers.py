"""Requests that pages of others have a browser send: for the wrong host, or across sites."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.middleware.browsers import BrowserGuard
from minecheck.app.requests.scope import BOUND
from minecheck.app.settings import Settings, SettingsError
from tests.app.serving import Server, serving

ORIGIN = "https://game.example"
CROSS = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
PICTURE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
LOOPBACK_NAMES = [
    "localhost",
    "LOCALHOST:8000",
    "localhost.:8000",
    "game.localhost",
    "127.0.0.1",
    "127.0.0.1:8000",
    "127.255.3.4:1",
    "[::1]",
    "[::1]:8000",
    "[0:0:0:0:0:0:0:1]:8000",
    "[::ffff:127.0.0.1]",
    "",
]
OTHER_NAMES = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "evillocalhost",
    "127.0.0.1.evil.example",
    "127.0.0.1:8000.evil.example",
    "0.0.0.0",
    "192.168.0.1",
    "[::2]",
    "[::1].evil.example",
    "[127.0.0.1",
    "::1",
    "localhost:8000:1",
    "localhost, evil.example",
    "evil.example/localhost",
]


def status(
    headers: dict[str, str] | list[tuple[str, str]],
    *,
    local: str | None = "127.0.0.1",
    bound: str | None = None,
    hosts: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
    method: str = "GET",
    path: str = "/v1/check",
) -> int:
    """Return the status of a request, which is 200 if it passes."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    found: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    pairs = headers.items() if isinstance(headers, dict) else headers
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "server": (local, 8000) if local else None,
        "headers": [(name.lower().encode(), value.encode()) for name, value in pairs],
    }
    if bound:
        scope[BOUND] = bound
    guard = BrowserGuard(app, hosts, lambda origin: origin in origins)
    asyncio.run(guard(scope, None, send))  # type: ignore[arg-type]
    return found[0]


@pytest.mark.parametrize("local", ["127.0.0.1", "127.0.1.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [*((name, 200) for name in LOOPBACK_NAMES), *((name, 421) for name in OTHER_NAMES)],
)
def test_loopback_answers_for_loopback_names_alone(local: str, name: str, expected: int) -> None:
    assert status({"Host": name}, local=local) == expected


@pytest.mark.parametrize("path", ["/", "/healthz", "/metrics", "/openapi.json", "/nowhere"])
def test_no_path_is_answered_for_another_host(path: str) -> None:
    assert status({"Host": "evil.example"}, path=path) == 421


@pytest.mark.parametrize("local", ["10.0.0.1", "fd00::1", "testserver", None])
@pytest.mark.parametrize("name", ["minecheck.example", "10.0.0.1:8000", "localhost", ""])
def test_other_addresses_answer_for_any_name(local: str | None, name: str) -> None:
    assert status({"Host": name}, local=local) == 200


def test_a_service_of_all_addresses_answers_for_any_name_at_loopback_too() -> None:
    for bound, expected in (("0.0.0.0", 200), ("::", 200), ("127.0.0.1", 421), ("localhost", 421)):
        assert status({"Host": "minecheck.example"}, bound=bound) == expected


def test_two_hosts_are_no_host() -> None:
    assert status([("Host", "localhost"), ("Host", "evil.example")]) == 421
    assert status([("Host", "evil.example"), ("Host", "localhost")]) == 421


@pytest.mark.parametrize("local", ["127.0.0.1", "10.0.0.1"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("minecheck.example", 200),
        ("MineCheck.Example:443", 200),
        ("minecheck.example.", 200),
        ("a.game.example", 200),
        ("a.b.game.example:80", 200),
        ("[fd00::1]:8000", 200),
        ("game.example", 421),
        ("evilgame.example", 421),
        ("x.minecheck.example", 421),
        ("minecheck.example.evil.example", 421),
    ],
)
def test_allowed_hosts_are_names_and_endings(local: str, name: str, expected: int) -> None:
    hosts = ("minecheck.example", "*.game.example", "fd00::1")
    assert status({"Host": name}, hosts=hosts, local=local) == expected


def test_allowed_hosts_come_beside_loopback_names_at_loopback_and_alone_elsewhere() -> None:
    for local, expected in (("127.0.0.1", 200), ("10.0.0.1", 421)):
        assert status({"Host": "localhost"}, hosts=("a.example",), local=local) == expected
        assert status({}, hosts=("a.example",), local=local) == expected


def test_probes_may_ask_a_bare_address() -> None:
    for path, expected in (("/readyz", 200), ("/healthz", 200), ("/metrics", 200), ("/", 421)):
        told = {"Host": "10.0.0.1:8000"}
        assert status(told, hosts=("a.example",), local="10.0.0.1", path=path) == expected


def test_any_host_is_allowed_by_a_star() -> None:
    for local in ("127.0.0.1", "10.0.0.1"):
        assert status({"Host": "evil.example"}, hosts=("a.example", "*"), local=local) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_pages_of_other_sites_may_not_ask(site: str, method: str) -> None:
    told = CROSS | {"Host": "localhost", "Sec-Fetch-Site": site}
    assert status(told, method=method) == 403
    assert status(told | {"Origin": ORIGIN}, method=method) == 403
    assert status(told | {"Origin": "null"}, method=method, origins=(ORIGIN,)) == 403
    assert status(told | {"Origin": ORIGIN}, method=method, origins=(ORIGIN,)) == 200


def test_a_preflight_is_left_to_cors() -> None:
    told = CROSS | {"Host": "localhost", "Access-Control-Request-Method": "POST"}
    assert status(told, method="OPTIONS") == 200
    assert status(told, method="POST") == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_own_pages_and_readers_may_ask(site: str) -> None:
    for method in ("GET", "POST"):
        assert status({"Host": "localhost", "Sec-Fetch-Site": site}, method=method) == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/v1/automata/kadlac"])
def test_links_may_lead_to_the_service(path: str) -> None:
    for method, expected in (("GET", 200), ("HEAD", 200), ("POST", 403)):
        assert status({"Host": "localhost"} | LINK, method=method, path=path) == expected


@pytest.mark.parametrize("dest", ["iframe", "frame", "embed", "object"])
def test_frames_are_no_links(dest: str) -> None:
    assert status({"Host": "localhost"} | LINK | {"Sec-Fetch-Dest": dest}, path="/") == 403


@pytest.mark.parametrize(
    ("referer", "expected"),
    [
        (f"{ORIGIN}/", 200),
        (f"{ORIGIN}/play?a=b", 200),
        (f"{ORIGIN}.evil.example/", 403),
        (f"https://evil.example/{ORIGIN}/", 403),
        (f"https://evil.example@{ORIGIN}/", 403),
        ("http://[", 403),
        ("", 403),
    ],
)
def test_pictures_are_embedded_by_pages_that_may_ask(referer: str, expected: int) -> None:
    told = {"Host": "localhost", "Referer": referer} | PICTURE
    assert status(told, origins=(ORIGIN,)) == expected


@pytest.fixture(scope="module")
def local_server() -> Iterator[Server]:
    """`minecheck serve` as it comes, which lets pages of one origin ask."""
    env = {"MINECHECK_ALLOWED_HOSTS": "", "MINECHECK_CORS_ORIGINS": ORIGIN}
    with serving(env, cli=True) as server:
        yield server


def test_a_rejected_request_is_told_what_to_set(local_server: Server) -> None:
    for told, code, setting in (
        ({"Host": "evil.example"}, 421, "MINECHECK_ALLOWED_HOSTS"),
        (CROSS, 403, "MINECHECK_CORS_ORIGINS"),
    ):
        answer = httpx2.get(f"{local_server.url}/docs", headers=told)
        assert answer.status_code == answer.json()["status"] == code
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["x-request-id"]
        assert setting in answer.json()["fix"]


def test_pages_of_an_allowed_origin_ask_and_read(local_server: Server) -> None:
    told = CROSS | {"Origin": ORIGIN}
    body = json.dumps({"board": ["1?"]})
    preflight = {"Access-Control-Request-Method": "POST"}
    answer = httpx2.options(f"{local_server.url}/v1/check", headers=told | preflight)
    assert answer.status_code == 200
    told["Content-Type"] = "application/json"
    answer = httpx2.post(f"{local_server.url}/v1/check", content=body, headers=told)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, ORIGIN)


@pytest.mark.slow
def test_a_service_of_all_addresses_answers_for_its_names() -> None:
    env = {"MINECHECK_ALLOWED_HOSTS": "", "MINECHECK_WORKERS": "1"}
    with serving(env, cli=True, host="0.0.0.0") as server:
        url = f"http://127.0.0.1:{server.port}/docs"
        assert httpx2.get(url, headers={"Host": "minecheck.example"}).status_code == 200


@pytest.mark.slow
def test_plain_uvicorn_answers_for_loopback_names_alone() -> None:
    env = {"MINECHECK_ALLOWED_HOSTS": "", "MINECHECK_WORKERS": "1"}
    with serving(env) as server:
        assert httpx2.get(f"{server.url}/docs").status_code == 200
        told = {"Host": "evil.example"}
        assert httpx2.get(f"{server.url}/docs", headers=told).status_code == 421


def test_a_client_in_the_process_needs_no_setting() -> None:
    assert TestClient(create_app(Settings(workers=1))).get("/docs").status_code == 200


@pytest.mark.parametrize(
    "value", ["A.Example, *.B.example,[fd00::1]", '["a.example.", "*.b.example", "fd00::1"]']
)
def test_hosts_are_a_list_as_json_or_with_commas(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MINECHECK_ALLOWED_HOSTS", value)
    assert Settings().allowed_hosts == ["a.example", "*.b.example", "fd00::1"]


@pytest.mark.parametrize(
    "value",
    ["http://a.example", "a.example:80", "10.0.0.1:80", "a.*", "*a", "a/b", "a,,b", "{}", "[1]"],
)
def test_what_is_no_host_is_rejected(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("MINECHECK_ALLOWED_HOSTS", value)
    with pytest.raises(SettingsError, match=r"MINECHECK_ALLOWED_HOSTS: .* should be host names"):
        Settings()
