"""`Auth` decides who may ask, and how often."""

import json
from base64 import urlsafe_b64decode
from hashlib import sha256
from math import ceil

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import ASGIApp, Receive, Scope, Send
from typer.testing import CliRunner
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from minecheck.app.cli.program import Program
from minecheck.app.main import create_app
from minecheck.app.middleware import auth
from minecheck.app.middleware.auth import Auth, Buckets, digest_keys, new_key
from minecheck.app.requests.scope import KEY
from minecheck.app.settings import Settings
from tests.clocks import Clock

OPEN = ["/", "/docs", "/openapi.json", "/healthz", "/metrics"]
CLOSED = "/v1/check"
ANN, BOB = "ann's own key", "bob's own key"
KEYS = {
    name: f"sha256:{sha256(key.encode()).hexdigest()}"
    for name, key in {"ann": ANN, "bob": BOB}.items()
}


async def answer_ok(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer every request with 200."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})


def make_client(
    keys: dict[str, str] | None = None,
    rate: float = 0.0,
    burst: int = 1,
    clock: Clock | None = None,
    host: str = "192.0.2.1",
    app: ASGIApp = answer_ok,
) -> TestClient:
    """Return a client of an app with `Auth` around it."""
    guarded = Auth(app, keys or {}, rate, burst, clock or Clock())
    return TestClient(guarded, client=(host, 1), follow_redirects=False)


@pytest.fixture
def keyed() -> TestClient:
    return make_client(KEYS)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-API-Key": ANN},
        {"Authorization": f"Bearer {ANN}"},
        {"Authorization": f"bearer  {ANN} "},
        {"Authorization": "Basic Zm9v", "X-API-Key": BOB},
        {"Authorization": "Bearer of the proxy", "X-API-Key": BOB},
    ],
)
def test_auth_accepts_key_in_either_header(keyed: TestClient, headers: dict[str, str]) -> None:
    assert keyed.get(CLOSED, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "missing-key"),
        ({"X-API-Key": ""}, "missing-key"),
        ({"Authorization": "Bearer "}, "missing-key"),
        ({"Authorization": f"Basic {ANN}"}, "missing-key"),
        ({"X-API-Key": ANN + "!"}, "wrong-key"),
        ({"X-API-Key": KEYS["ann"]}, "wrong-key"),
        ({"Authorization": "Bearer \xff"}, "wrong-key"),
    ],
)
@pytest.mark.parametrize("path", [CLOSED, "/nowhere", f"{CLOSED}/", "/docs/x", "/healthz/x"])
def test_auth_answers_401_without_known_key(
    keyed: TestClient, path: str, headers: dict[str, str], code: str
) -> None:
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    answer = keyed.get(path, headers=raw)
    assert answer.status_code == answer.json()["status"] == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["type"].endswith(f":{code}")


def test_auth_asks_no_key_for_health_and_documentation() -> None:
    client = make_client(KEYS, app=create_app(Settings(workers=1)))
    assert {path: client.get(path).status_code in (200, 307) for path in OPEN} == dict.fromkeys(
        OPEN, True
    )
    assert client.get("/readyz").status_code == 503
    assert client.get(CLOSED).status_code == 401


@pytest.mark.parametrize("path", ["/docs/", "/healthz/"])
def test_auth_asks_no_key_for_open_path_with_slash_at_its_end(path: str) -> None:
    client = TestClient(create_app(Settings(workers=1, api_keys=KEYS)))
    answer = client.get(path, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, path[:-1])


def test_auth_asks_no_key_for_method_options(keyed: TestClient) -> None:
    preflight = {"Origin": "https://game.example", "Access-Control-Request-Method": "POST"}
    assert keyed.options(CLOSED, headers=preflight).status_code == 200
    assert keyed.options(CLOSED).status_code == 200


def test_auth_asks_no_key_for_open_paths_under_root_path() -> None:
    client = TestClient(make_client(KEYS).app, root_path="/mines")
    assert client.get("/healthz").status_code == 200
    assert client.get(CLOSED).status_code == 401


@pytest.mark.parametrize("key", [ANN, BOB, "neither"])
def test_auth_compares_every_hash(
    keyed: TestClient, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return one == other

    monkeypatch.setattr(auth, "compare_digest", compare)
    keyed.get(CLOSED, headers={"X-API-Key": key})
    assert compared == list(digest_keys(KEYS).values())


def test_auth_adds_name_of_key_to_scope() -> None:
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope.get(KEY))
        await answer_ok(scope, receive, send)

    client = make_client(KEYS, app=app)
    client.get(CLOSED, headers={"X-API-Key": BOB})
    client.get("/docs", headers={"X-API-Key": BOB})
    assert seen == ["bob", None]


@pytest.mark.parametrize(
    "entry",
    [
        {"ann": "secret"},
        {"ann": "sha256:"},
        {"ann": "sha256:" + "a" * 63},
        {"ann": "sha256:" + "A" * 64},
        {"ann": "sha256:" + "a" * 64 + "\n"},
        {"ann": "md5:" + "a" * 64},
        {"": KEYS["ann"]},
        {"a b": KEYS["ann"]},
        {"a" * 65: KEYS["ann"]},
    ],
)
def test_auth_rejects_malformed_keys_at_start(entry: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="MINECHECK_API_KEYS") as caught:
        make_client(entry)
    assert "secret" not in str(caught.value)


def test_new_key_has_256_random_bits_and_is_accepted() -> None:
    (key, hashed), (other, _) = new_key(), new_key()
    assert key != other
    assert len(urlsafe_b64decode(key.removeprefix("minecheck_") + "=")) == 32
    assert make_client({"new": hashed}).get(CLOSED, headers={"X-API-Key": key}).status_code == 200


def test_key_command_prints_key_and_its_setting() -> None:
    lines = CliRunner().invoke(Program(), ["key", "ann"]).stdout.splitlines()
    key, entry = lines[1].strip(), json.loads(lines[3])
    assert make_client(entry).get(CLOSED, headers={"X-API-Key": key}).status_code == 200
    assert key not in lines[3]


def test_key_command_rejects_invalid_name() -> None:
    assert CliRunner().invoke(Program(), ["key", "a b"]).exit_code == 2


#: Eighths of a second between requests, so that floats are exact.
PAUSES = st.lists(st.integers(0, 40), min_size=1, max_size=60)
RATES = st.sampled_from([0.25, 0.5, 1, 2, 4, 8])


@given(PAUSES, RATES, st.integers(1, 5))
def test_bucket_fills_at_its_rate_up_to_burst(pauses: list[int], rate: float, burst: int) -> None:
    clock = Clock()
    buckets = Buckets(rate, burst, clock)
    # Drops are 1/32 of a token: each eighth of a second adds 4 * rate of them, up to the burst.
    drops = 32 * burst
    for pause in pauses:
        clock.now += pause / 8
        for _ in range(pause):
            drops = min(32 * burst, drops + int(4 * rate))
        there, left, _ = buckets.take_token("ann")
        assert there == (drops >= 32)
        drops -= 32 * there
        assert left == drops // 32


@given(PAUSES, RATES, st.integers(1, 5))
def test_bucket_has_token_after_named_seconds(pauses: list[int], rate: float, burst: int) -> None:
    clock = Clock()
    buckets = Buckets(rate, burst, clock)
    for pause in pauses:
        clock.now += pause / 8
        there, _, seconds = buckets.take_token("ann")
        if not there:
            clock.now += seconds
            assert buckets.take_token("ann")[0]
        assert 1 <= seconds <= max(1, ceil(1 / rate))


def test_full_buckets_are_dropped() -> None:
    clock = Clock()
    buckets = Buckets(2.0, 10, clock)
    for number in range(1000):
        buckets.take_token(f"address {number}")
    clock.now += 5.0
    buckets.take_token("another")
    assert len(buckets._counted) == 1


def test_number_of_buckets_is_bounded() -> None:
    buckets = Buckets(0.001, 2, Clock(), most=10)
    for number in range(1000):
        buckets.take_token(f"address {number}")
    assert len(buckets._counted) == 10
    assert buckets.take_token("address 999") == (True, 0, 1000)


def test_requests_beyond_burst_are_answered_with_429() -> None:
    clock = Clock()
    client = make_client(rate=0.5, burst=3, clock=clock)
    answers = [client.get(CLOSED) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json()["type"].endswith(":too-many-requests")
    assert answers[3].headers["content-type"] == "application/problem+json"
    assert answers[3].headers["retry-after"] == "2"
    assert {answer.headers["ratelimit-policy"] for answer in answers} == {'"requests";q=3;w=6'}
    assert [answer.headers["ratelimit"] for answer in answers] == [
        '"requests";r=2;t=2',
        '"requests";r=1;t=2',
        '"requests";r=0;t=2',
        '"requests";r=0;t=2',
    ]
    clock.now += 2.0
    assert [client.get(CLOSED).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_have_no_rate_limit(path: str) -> None:
    client = make_client(rate=1.0)
    assert {client.get(path).status_code for _ in range(5)} <= {200, 503}
    assert "ratelimit" not in client.get(path).headers


@pytest.mark.parametrize("path", ["/", "/docs", "/page/main.js"])
def test_pages_have_no_rate_limit(path: str) -> None:
    client = make_client(KEYS, rate=1.0)
    assert {client.get(path).status_code for _ in range(5)} == {200}
    assert "ratelimit" not in client.get(path).headers


def test_each_key_has_its_own_rate_limit() -> None:
    client = make_client(KEYS, rate=1.0)
    statuses = [
        client.get(CLOSED, headers={"X-API-Key": key}).status_code for key in (ANN, ANN, BOB, BOB)
    ]
    assert statuses == [200, 429, 200, 429]
    # Requests that need no key are counted by address.
    assert [client.get("/openapi.json").status_code for _ in range(2)] == [200, 429]


def test_requests_with_wrong_keys_are_limited_by_address() -> None:
    client = make_client(KEYS, rate=1.0, burst=2)
    given = ["guess", "another", "third"]
    answers = [client.get(CLOSED, headers={"X-API-Key": key}) for key in given]
    assert [answer.status_code for answer in answers] == [401, 401, 429]
    # A missing key counts as a wrong one, but a client with a key is not limited by a neighbour.
    assert client.get(CLOSED).status_code == 429
    assert client.get(CLOSED, headers={"X-API-Key": ANN}).status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:DB8:1:2::2", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1%eth0", "192.0.2.1", True),
        ("64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2", False),
        ("64:ff9b::192.0.2.1", "192.0.2.1", True),
        ("no:address", "no:other", False),
        ("x" * 100, "x" * 30_000, True),
    ],
)
def test_addresses_of_one_client_share_rate_limit(one: str, other: str, same: bool) -> None:
    first = make_client(rate=1.0, host=one)
    second = TestClient(first.app, client=(other, 2))
    assert first.get(CLOSED).status_code == 200
    assert second.get(CLOSED).status_code == (429 if same else 200)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "[2001:db8:1:2::2]:443", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1:80", True),
        ("fe80::1%eth0", "fe80::2", True),
        ("198.51.100.9, 2001:db8:1:2::1", "2001:db8:1:2::2", True),
    ],
)
def test_addresses_forwarded_by_trusted_proxy_share_rate_limit(
    one: str, other: str, same: bool
) -> None:
    proxied = ProxyHeadersMiddleware(make_client(rate=1.0).app, ["127.0.0.1", "203.0.113.0/24"])  # type: ignore[arg-type]
    client = TestClient(proxied, client=("127.0.0.1", 1))  # type: ignore[arg-type]
    # The last address that is not a proxy is believed.
    assert client.get(CLOSED, headers={"X-Forwarded-For": one}).status_code == 200
    answer = client.get(CLOSED, headers={"X-Forwarded-For": f"198.51.100.1, {other}"})
    assert answer.status_code == (429 if same else 200)
    # Addresses forwarded by other clients are not believed.
    stranger = TestClient(proxied, client=("192.0.2.77", 1))  # type: ignore[arg-type]
    statuses = [
        stranger.get(CLOSED, headers={"X-Forwarded-For": f"192.0.2.{number}"}).status_code
        for number in range(2)
    ]
    assert statuses == [200, 429]


def test_app_without_keys_and_rate_has_no_auth(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Auth, "__init__", never)
    create_app(Settings(workers=1))


def test_service_counts_and_logs_requests_that_auth_rejects(
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = Settings(workers=1, api_keys=KEYS, rate_per_second=0.001, rate_burst=2)
    ann = {"Authorization": f"Bearer {ANN}"}
    caplog.set_level("INFO", "minecheck.access")
    with TestClient(create_app(settings)) as client:
        answers = [client.post(CLOSED, json={"board": ["?"]}, headers=ann) for _ in range(3)]
        unknown = client.post(CLOSED, json={"board": ["?"]})
        measured = client.get("/metrics").text
    assert [answer.status_code for answer in (*answers, unknown)] == [200, 200, 429, 401]
    assert all(answer.headers["x-request-id"] for answer in (*answers, unknown))
    lines = [
        vars(record)["fields"] for record in caplog.records if record.name == "minecheck.access"
    ]
    assert [(line["status"], line.get("key")) for line in lines[:4]] == [
        (200, "ann"),
        (200, "ann"),
        (429, "ann"),
        (401, None),
    ]
    assert ANN not in caplog.text
    assert 'status="429"} 1.0' in measured
    assert 'status="401"} 1.0' in measured
