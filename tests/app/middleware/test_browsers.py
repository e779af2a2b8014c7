"""Browsers may send requests of foreign pages: for the wrong host, or across sites."""

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
def test_loopback_address_answers_for_loopback_names_alone(
    local: str, name: str, expected: int
) -> None:
    assert status({"Host": name}, local=local) == expected


@pytest.mark.parametrize("path", ["/", "/healthz", "/metrics", "/openapi.json", "/nowhere"])
def test_every_path_is_rejected_for_another_host(path: str) -> None:
    assert status({"Host": "evil.example"}, path=path) == 421


@pytest.mark.parametrize("local", ["10.0.0.1", "fd00::1", "testserver", None])
@pytest.mark.parametrize("name", ["minecheck.example", "10.0.0.1:8000", "localhost", ""])
def test_addresses_other_than_loopback_answer_for_any_host(local: str | None, name: str) -> None:
    assert status({"Host": name}, local=local) == 200


def test_service_bound_to_all_addresses_answers_for_any_host_at_loopback() -> None:
    for bound, expected in (("0.0.0.0", 200), ("::", 200), ("127.0.0.1", 421), ("localhost", 421)):
        assert status({"Host": "minecheck.example"}, bound=bound) == expected


def test_request_with_two_hosts_is_rejected() -> None:
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
def test_allowed_hosts_match_names_and_endings(local: str, name: str, expected: int) -> None:
    hosts = ("minecheck.example", "*.game.example", "fd00::1")
    assert status({"Host": name}, hosts=hosts, local=local) == expected


def test_allowed_hosts_include_loopback_names_at_loopback_only() -> None:
    for local, expected in (("127.0.0.1", 200), ("10.0.0.1", 421)):
        assert status({"Host": "localhost"}, hosts=("a.example",), local=local) == expected
        assert status({}, hosts=("a.example",), local=local) == expected


def test_probes_are_answered_for_bare_address() -> None:
    for path, expected in (("/readyz", 200), ("/healthz", 200), ("/metrics", 200), ("/", 421)):
        headers = {"Host": "10.0.0.1:8000"}
        assert status(headers, hosts=("a.example",), local="10.0.0.1", path=path) == expected


def test_star_allows_any_host() -> None:
    for local in ("127.0.0.1", "10.0.0.1"):
        assert status({"Host": "evil.example"}, hosts=("a.example", "*"), local=local) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_requests_of_pages_of_other_sites_are_rejected(site: str, method: str) -> None:
    headers = CROSS | {"Host": "localhost", "Sec-Fetch-Site": site}
    assert status(headers, method=method) == 403
    assert status(headers | {"Origin": ORIGIN}, method=method) == 403
    assert status(headers | {"Origin": "null"}, method=method, origins=(ORIGIN,)) == 403
    assert status(headers | {"Origin": ORIGIN}, method=method, origins=(ORIGIN,)) == 200


def test_preflight_request_is_left_to_cors() -> None:
    headers = CROSS | {"Host": "localhost", "Access-Control-Request-Method": "POST"}
    assert status(headers, method="OPTIONS") == 200
    assert status(headers, method="POST") == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_requests_of_own_pages_and_users_are_answered(site: str) -> None:
    for method in ("GET", "POST"):
        assert status({"Host": "localhost", "Sec-Fetch-Site": site}, method=method) == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/v1/automata/kadlac"])
def test_links_of_other_sites_may_lead_to_service(path: str) -> None:
    for method, expected in (("GET", 200), ("HEAD", 200), ("POST", 403)):
        assert status({"Host": "localhost"} | LINK, method=method, path=path) == expected


@pytest.mark.parametrize("dest", ["iframe", "frame", "embed", "object"])
def test_frames_in_pages_of_other_sites_are_rejected(dest: str) -> None:
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
def test_pictures_may_be_embedded_by_pages_of_allowed_origins(referer: str, expected: int) -> None:
    headers = {"Host": "localhost", "Referer": referer} | PICTURE
    assert status(headers, origins=(ORIGIN,)) == expected


@pytest.fixture(scope="module")
def local_server() -> Iterator[Server]:
    """A server with default settings that allows pages of one origin."""
    env = {"MINECHECK_ALLOWED_HOSTS": "", "MINECHECK_CORS_ORIGINS": ORIGIN}
    with serving(env, cli=True) as server:
        yield server


@pytest.mark.slow
def test_rejected_browser_request_names_setting(local_server: Server) -> None:
    for sent, code, setting in (
        ({"Host": "evil.example"}, 421, "MINECHECK_ALLOWED_HOSTS"),
        (CROSS, 403, "MINECHECK_CORS_ORIGINS"),
    ):
        answer = local_server.get("/docs", headers=sent)
        assert answer.status_code == answer.json()["status"] == code
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["x-request-id"]
        assert setting in answer.json()["fix"]


@pytest.mark.slow
def test_pages_of_allowed_origin_send_requests_and_read_answers(local_server: Server) -> None:
    sent = CROSS | {"Origin": ORIGIN}
    body = json.dumps({"board": ["1?"]})
    preflight = {"Access-Control-Request-Method": "POST"}
    answer = httpx2.options(f"{local_server.url}/v1/check", headers=sent | preflight)
    assert answer.status_code == 200
    sent["Content-Type"] = "application/json"
    answer = local_server.send("POST", "/v1/check", content=body, headers=sent)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, ORIGIN)


@pytest.mark.slow
def test_server_bound_to_all_addresses_answers_for_any_host() -> None:
    env = {"MINECHECK_ALLOWED_HOSTS": "", "MINECHECK_WORKERS": "1"}
    with serving(env, cli=True, host="0.0.0.0") as server:
        url = f"http://127.0.0.1:{server.port}/docs"
        assert httpx2.get(url, headers={"Host": "minecheck.example"}).status_code == 200


@pytest.mark.slow
def test_server_under_plain_uvicorn_answers_for_loopback_names_alone() -> None:
    env = {"MINECHECK_ALLOWED_HOSTS": "", "MINECHECK_WORKERS": "1"}
    with serving(env) as server:
        assert server.get("/docs").status_code == 200
        sent = {"Host": "evil.example"}
        assert server.get("/docs", headers=sent).status_code == 421


def test_test_client_needs_no_setting_of_hosts() -> None:
    assert TestClient(create_app(Settings(workers=1))).get("/docs").status_code == 200


@pytest.mark.parametrize(
    "value", ["A.Example, *.B.example,[fd00::1]", '["a.example.", "*.b.example", "fd00::1"]']
)
def test_allowed_hosts_setting_is_json_or_list_with_commas(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MINECHECK_ALLOWED_HOSTS", value)
    assert Settings().allowed_hosts == ["a.example", "*.b.example", "fd00::1"]


@pytest.mark.parametrize(
    "value",
    ["http://a.example", "a.example:80", "10.0.0.1:80", "a.*", "*a", "a/b", "a,,b", "{}", "[1]"],
)
def test_allowed_hosts_setting_rejects_invalid_host(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MINECHECK_ALLOWED_HOSTS", value)
    with pytest.raises(SettingsError, match=r"MINECHECK_ALLOWED_HOSTS: .* should be host names"):
        Settings()
