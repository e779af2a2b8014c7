"""Containers fit the service and are locked down; these tests need no container."""

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from select import select
from typing import Any, ClassVar

import httpx2
import pytest
import yaml
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from minecheck import __version__
from minecheck.app.execution.workers import Workers
from minecheck.app.main import create_app
from minecheck.app.problem_responses import Problem
from minecheck.app.problem_types import PROBLEM_TYPES
from minecheck.app.settings import Settings
from tests import containers
from tests.app.echoing import echoing
from tests.app.middleware import trailers
from tests.app.serving import free_port, serving
from tests.processes import holds_soon
from tests.proxying import configure_proxy, running_proxy, send_get, send_post, status

ROOT = Path(__file__).parents[1]
DOCKER = ROOT / "docker"
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ALERTS = yaml.safe_load((DOCKER / "alerts.yml").read_text())
DASHBOARD = json.loads((DOCKER / "grafana" / "minecheck.json").read_text())
PROMETHEUS = yaml.safe_load((DOCKER / "prometheus.yml").read_text())

#: MB at rest of the serving process and of what starts workers, and of a worker, as measured.
AT_REST, WORKER_AT_REST = 230, 47
#: MB at rest of what Ray runs on a node beside a replica: 302 were measured, without its proxy.
RAY_AT_REST = 400

EXPRESSIONS = [
    *(rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]),
    *(target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]),
]
NAMED = sorted(
    {name for text in EXPRESSIONS for name in re.findall(r"(?:minecheck|process)_\w+", text)}
)

#: Fields that the proxy passes on after a body, where it is too old to drop them all.
TRAILERS = {
    name: value for name, value in trailers.READ.items() if name not in ("Host", "Connection")
}

#: What the text format adds to the name of a family.
ENDINGS = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")


@pytest.mark.parametrize("service", SERVICES)
class TestService:
    """Every service of docker-compose.yml."""

    def test_compose_service_has_a_pinned_image(self, service: str) -> None:
        tag, _, digest = SERVICES[service]["image"].partition(":")[2].partition("@")
        assert re.match(r"v?\d+\.\d+", tag)
        # The one that is built here has no digest before it is.
        assert "build" in SERVICES[service] or re.fullmatch(r"sha256:[0-9a-f]{64}", digest)

    def test_compose_service_has_as_few_rights_as_possible(self, service: str) -> None:
        containers.may_do_as_little_as_possible(SERVICES[service])

    def test_compose_service_has_limits(self, service: str) -> None:
        containers.has_limits(SERVICES[service])

    def test_compose_service_is_published_to_the_local_machine_only(self, service: str) -> None:
        for port in SERVICES[service].get("ports", []):
            assert port.startswith(("127.0.0.1:", "${HOST:-127.0.0.1}:"))

    def test_compose_service_has_a_health_check(self, service: str) -> None:
        if "build" in SERVICES[service]:
            assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text()
        else:
            assert SERVICES[service]["healthcheck"]["test"][0] == "CMD"

    def test_compose_service_files_exist_and_are_read_only(self, service: str) -> None:
        for volume in SERVICES[service].get("volumes", []):
            source, _, target = volume.partition(":")
            if source.startswith("."):
                assert (ROOT / source).exists()
                assert target.endswith(":ro")
            else:
                assert source in COMPOSE["volumes"]


def test_image_is_built_on_a_pinned_image() -> None:
    base = r"^ARG PYTHON_IMAGE=python:[\w.-]+@sha256:[0-9a-f]{64}$"
    assert re.search(base, (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_image_has_the_version_of_the_project() -> None:
    assert SERVICES["minecheck"]["image"] == f"minecheck:{__version__}"


def test_image_labels_agree_with_the_project() -> None:
    steps = (ROOT / "Dockerfile").read_text()
    # Of the last stage, which is what is kept.
    labels = dict(re.findall(r'image\.(\w+)="([^"]*)"', steps.rpartition("\nFROM ")[2]))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert labels == {
        "title": project["name"],
        "description": project["description"],
        "version": __version__,
        "licenses": project["license"],
        "authors": project["authors"][0]["name"],
    }


def test_monitoring_services_start_only_with_their_profile() -> None:
    profiles = {name: given["profiles"] for name, given in SERVICES.items() if "profiles" in given}
    assert profiles == {"prometheus": ["monitoring"], "grafana": ["monitoring"]}
    for name in SERVICES.keys() - profiles.keys():
        assert not profiles.keys() & set(SERVICES[name].get("depends_on", ()))


def test_documented_docker_run_command_names_the_current_image() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^docker run (.+)$", page, re.MULTILINE)
    assert command.endswith(f" minecheck:{__version__}")
    assert "-p 127.0.0.1:8000:8000" in command
    assert {"--init", "--read-only", "--cap-drop"} <= set(command.split())


def test_image_runs_as_an_unnamed_user_with_the_locked_packages() -> None:
    steps = (ROOT / "Dockerfile").read_text()
    assert "\nUSER 10001:10001\n" in steps
    assert "--no-deps --require-hashes -r /src/requirements.lock" in steps
    lock = (ROOT / "requirements-image.lock").read_text()
    assert re.search(r"^redis==", lock, re.MULTILINE)
    assert re.search(r"^opentelemetry-exporter-otlp-proto-http==", lock, re.MULTILINE)


@pytest.mark.skipif(sys.platform != "linux", reason="wheels for other systems differ")
def test_image_has_a_notice_of_each_package() -> None:
    command = [sys.executable, str(ROOT / ".ci" / "notices"), "--print"]
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    # After a change of dependencies: make notices.
    assert ran.stdout == notices
    assert "COPY LICENSE THIRD_PARTY_NOTICES.md " in (ROOT / "Dockerfile").read_text()
    assert "!THIRD_PARTY_NOTICES.md" in (ROOT / ".dockerignore").read_text().split()


def test_only_proxy_and_grafana_are_published() -> None:
    assert {name for name, given in SERVICES.items() if "ports" in given} == {"proxy", "grafana"}


def test_only_replicas_reach_redis() -> None:
    assert COMPOSE["networks"]["cache"] == {"internal": True}
    assert SERVICES["redis"]["networks"] == ["cache"]
    assert [name for name, given in SERVICES.items() if "cache" in given["networks"]] == [
        "minecheck",
        "redis",
    ]


def test_only_published_services_have_a_way_out() -> None:
    networks = COMPOSE["networks"]
    out = {name for name, properties in networks.items() if not (properties or {}).get("internal")}
    leading_out = {name for name, given in SERVICES.items() if out & set(given["networks"])}
    assert leading_out == {name for name, given in SERVICES.items() if "ports" in given}
    # Each of them has one of its own.
    assert not {"door", "look"} - out
    assert all(len(out & set(SERVICES[name]["networks"])) == 1 for name in leading_out)
    reached = {"front": {"proxy", "minecheck"}, "watch": {"prometheus", "grafana", "minecheck"}}
    for network, members in reached.items():
        assert {name for name, one in SERVICES.items() if network in one["networks"]} == members


@pytest.mark.parametrize("fails", [False, True])
def test_pinning_script_writes_digests_behind_all_tags_or_none(tmp_path: Path, fails: bool) -> None:
    names = ("Dockerfile", "docker-compose.yml", "docker/compose.cluster.yml")
    (tmp_path / "docker").mkdir()
    for name in names:
        (tmp_path / name).write_text((ROOT / name).read_text())
    digest = "sha256:" + "5a" * 32
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    # In place of the registries, the last of which has nothing.
    failure = 'case "$*" in *redis*) echo gone >&2; exit 1;; esac\n' if fails else ""
    docker.write_text(f"#!/bin/sh\n{failure}echo {digest}\n")
    docker.chmod(0o755)
    errors = ""
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, ROOT / ".ci" / "pin-images", tmp_path],
            env={"PATH": f"{docker.parent}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode != 0) == fails
        errors = ran.stderr
    texts = {name: (tmp_path / name).read_text() for name in names}
    if fails:
        assert "redis" in errors
        assert texts == {name: (ROOT / name).read_text() for name in names}
        return
    services = yaml.safe_load(texts["docker-compose.yml"])["services"]
    pinned = {name for name, given in services.items() if given["image"].endswith(f"@{digest}")}
    assert pinned == set(SERVICES) - {"minecheck"}
    assert re.search(
        rf"^ARG PYTHON_IMAGE=python:[^@]+@{digest}$", texts["Dockerfile"], re.MULTILINE
    )
    assert texts["Dockerfile"].count(digest) == 1


def test_compose_environment_has_exactly_the_settings() -> None:
    environment = SERVICES["minecheck"]["environment"]
    given = {name for name in environment if name.startswith("MINECHECK_")}
    assert given == {f"MINECHECK_{field.upper()}" for field in Settings.model_fields}
    for name, value in environment.items():
        assert value is None or name == "FORWARDED_ALLOW_IPS" or value.startswith(f"${{{name}:-")


def test_settings_accept_the_defaults_for_containers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in SERVICES["minecheck"]["environment"].items():
        if value and (default := re.fullmatch(r"\$\{\w+:-(.*)\}", value)):
            monkeypatch.setenv(name, default[1])
    assert Settings().redis_url == "redis://redis:6379/0"


def families() -> dict[str, str]:
    """Names and kinds of the metrics that a service has."""
    text = TestClient(create_app(Settings(workers=1))).get("/metrics").text
    return {family.name: family.type for family in text_string_to_metric_families(text)}


@pytest.fixture(scope="module")
def metrics() -> set[str]:
    """Names of all samples that a service may give."""
    return {
        name + ending for name, kind in families().items() for ending in ENDINGS.get(kind, ("",))
    }


@pytest.mark.parametrize("name", NAMED)
def test_dashboards_and_alerts_use_existing_metrics(name: str, metrics: set[str]) -> None:
    assert name in metrics


#: Series beside those that are measured.
_DERIVED = ("_sum", "_count", "_created")


def test_dashboards_and_alerts_use_every_metric_of_the_service(metrics: set[str]) -> None:
    own = {name for name in metrics if name.startswith("minecheck")}
    # The rate of bytes is for closer looks; of a histogram, the buckets tell.
    spare = {"minecheck_http_response_bytes_total"}
    assert {name for name in own - spare if not name.endswith(_DERIVED)} <= set(NAMED)


def test_dashboard_panels_use_the_provisioned_source() -> None:
    path = DOCKER / "grafana" / "provisioning" / "datasources" / "prometheus.yml"
    (source,) = yaml.safe_load(path.read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert {panel["datasource"]["uid"] for panel in DASHBOARD["panels"]} == {source["uid"]}


def test_dashboard_panels_have_unique_numbers() -> None:
    numbers = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(numbers)) == len(numbers)


def test_prometheus_finds_every_replica() -> None:
    (job,) = PROMETHEUS["scrape_configs"]
    (found,) = job["dns_sd_configs"]
    assert job["job_name"] in SERVICES
    assert (found["names"], found["port"]) == (["minecheck"], 8000)
    assert set(SERVICES["prometheus"]["networks"]) & set(SERVICES["minecheck"]["networks"])


@needs("promtool")
def test_prometheus_can_read_its_configuration() -> None:
    subprocess.run(["promtool", "check", "config", DOCKER / "prometheus.yml"], check=True)


#: For each alert, samples a minute under which it fires, and how they look when all is well.
FIRING: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "ReplicaDown": (
        {'up{job="minecheck", instance="a"}': "0x30"},
        {'up{job="minecheck", instance="a"}': "1x30"},
    ),
    "Failing": (
        {'minecheck_internal_errors_total{where="batch"}': "0+1x30"},
        {'minecheck_internal_errors_total{where="batch"}': "7x30"},
    ),
    "Slow": (
        {
            'minecheck_http_request_seconds_bucket{route="/v1/count", le="10.0"}': "0+1x30",
            'minecheck_http_request_seconds_bucket{route="/v1/count", le="30.0"}': "0+2x30",
            'minecheck_http_request_seconds_bucket{route="/v1/count", le="+Inf"}': "0+2x30",
        },
        {
            'minecheck_http_request_seconds_bucket{route="/v1/count", le="5.0"}': "0+2x30",
            'minecheck_http_request_seconds_bucket{route="/v1/count", le="+Inf"}': "0+2x30",
            'minecheck_http_request_seconds_bucket{route="/v1/batch", le="60.0"}': "0x30",
            'minecheck_http_request_seconds_bucket{route="/v1/batch", le="+Inf"}': "0+2x30",
        },
    ),
    "Refusing": (
        {"minecheck_workers_refused_total": "0+1x30"},
        {"minecheck_workers_refused_total": "7x30"},
    ),
    "LosingWorkers": (
        {"minecheck_workers_lost_total": "0x15 1x15"},
        {"minecheck_workers_lost_total": "1x30"},
    ),
    "Lagging": (
        {"minecheck_loop_lag_seconds": "0.3x30"},
        {"minecheck_loop_lag_seconds": "0.05x16 0.3 0.05x13"},
    ),
}


def test_every_alert_has_a_trial() -> None:
    assert {rule["alert"] for group in ALERTS["groups"] for rule in group["rules"]} == set(FIRING)


@needs("promtool")
@pytest.mark.parametrize("fires", [True, False])
@pytest.mark.parametrize("alert", FIRING)
def test_alert_fires_exactly_when_expected(alert: str, fires: bool, tmp_path: Path) -> None:
    series = FIRING[alert][0 if fires else 1]
    up = {'up{job="minecheck", instance="b"}': "1x30"}
    trial = {
        "rule_files": [str(DOCKER / "alerts.yml")],
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": k, "values": v} for k, v in (up | series).items()],
                "promql_expr_test": [
                    {
                        "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})',
                        "eval_time": "20m",
                        "exp_samples": [{"value": 1}] if fires else [],
                    }
                ],
            }
        ],
    }
    file = tmp_path / "trial.yml"
    file.write_text(yaml.safe_dump(trial))
    subprocess.run(["promtool", "test", "rules", file], check=True)


class Replica(BaseHTTPRequestHandler):
    """A stand-in for a replica, which answers with its address and what it knows of the client."""

    protocol_version = "HTTP/1.1"
    released = threading.Event()
    left = threading.Event()
    #: Addresses of those that are not ready.
    unready: ClassVar[set[str]] = set()
    #: Whether replicas are lost by first tries (False) and by second ones (True).
    lost: ClassVar[set[bool]] = set()
    #: Requests: the address, the body, and whether a header marks a second try.
    asked: ClassVar[list[tuple[str, bytes, bool]]] = []

    def handle(self) -> None:
        # A question for its health ends with a reset.
        with suppress(ConnectionResetError):
            super().handle()

    def do_GET(self) -> None:
        address = str(self.connection.getsockname()[0])
        if self.path == "/held":
            self.released.wait(30)
        if self.path == "/left" and select([self.connection], [], [], 10)[0]:
            self.left.set()
        if self.path == "/nonsense":
            self.wfile.write(b"nonsense\r\n\r\n")
            self.close_connection = True
            return
        if self.path == "/silent":
            select([self.connection], [], [], 10)
            self.close_connection = True
            return
        client = self.headers["X-Forwarded-For"], self.headers["X-Forwarded-Proto"], address
        content = json.dumps(client).encode()
        unready = self.path == "/readyz" and address in self.unready
        self.send_response(503 if unready else 418 if self.path == "/teapot" else 200)
        self.send_header("Content-Length", str(len(content)))
        # The client may have left.
        with suppress(OSError):
            self.end_headers()
            self.wfile.write(content)

    def do_POST(self) -> None:
        address = str(self.connection.getsockname()[0])
        body = self.rfile.read(int(self.headers["Content-Length"]))
        again = "Minecheck-Second-Try" in self.headers
        self.asked.append((address, body, again))
        if again in self.lost:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


def as_in_the_image() -> bool:
    """True if the HAProxy here is as new as the one of docker-compose.yml, which knows more."""
    version = subprocess.run(["haproxy", "-v"], capture_output=True, text=True, check=True).stdout
    here, there = (
        re.search(r"version (\d+)\.(\d+)", version),
        re.search(r":(\d+)\.(\d+)", SERVICES["proxy"]["image"]),
    )
    assert here
    assert there
    return [int(part) for part in here.groups()] >= [int(part) for part in there.groups()]


@pytest.fixture(scope="module")
def replicas() -> Iterator[int]:
    """The port at which two addresses answer."""
    with ExitStack() as running:
        port = 0
        for address in ("127.0.0.2", "127.0.0.3"):
            server = ThreadingHTTPServer((address, port), Replica)
            port = server.server_address[1]
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            for end in (server.server_close, thread.join, server.shutdown):
                running.callback(end)
        yield port


@pytest.fixture(scope="module")
def proxy(replicas: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_proxy(tmp_path_factory.mktemp("proxy"), replicas, "127.0.0.2") as (url, _):
        yield url


@pytest.fixture(scope="module")
def hasty_proxy(replicas: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One that waits for a second where it would for many."""
    changes = {
        "timeout http-request 10s": "timeout http-request 1s",
        "timeout server 90s": "timeout server 1s",
        "wait-for-body time 20s": "wait-for-body time 1s",
    }
    folder = tmp_path_factory.mktemp("hasty")
    with running_proxy(folder, replicas, "127.0.0.2", changes=changes) as (url, _):
        yield url


@pytest.fixture(scope="module")
def lonely_proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One that reaches no replica."""
    with running_proxy(tmp_path_factory.mktemp("lonely"), free_port()) as (url, _):
        yield url


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One in front of the service itself."""
    folder = tmp_path_factory.mktemp("whole")
    with (
        serving({"MINECHECK_WORKERS": "1", "MINECHECK_UPLOAD_SECONDS": "5"}, cli=True) as server,
        running_proxy(folder, server.port, "127.0.0.1") as (url, _),
    ):
        yield url


def connect_to(url: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 30)


@pytest.mark.slow
@needs("haproxy")
class TestProxy:
    """docker/haproxy.cfg, in front of something simpler than the service."""

    def test_proxy_configuration_is_valid(self, tmp_path: Path) -> None:
        subprocess.run([*configure_proxy(tmp_path, 1, 2, 3), "-c"], check=True)

    def test_proxy_passes_on_the_answer_of_the_service(self, proxy: str) -> None:
        assert status(proxy, "/teapot") == 418

    def test_proxy_overwrites_forwarded_headers_of_clients(self, proxy: str) -> None:
        lies = {"X-Forwarded-For": "1.2.3.4", "X-Forwarded-Proto": "https"}
        seen = json.loads(send_get(proxy, "/", lies)[2])
        assert seen == ["127.0.0.1", "http", "127.0.0.2"]

    @pytest.mark.parametrize(
        ("path", "headers", "status"),
        [
            ("/", {"Content-Length": str(18 * 2**20)}, 413),
            ("/", {"Content-Length": str(2**32)}, 413),
            ("/metrics", {}, 404),
        ],
        ids=["large body", "vast body", "hidden"],
    )
    def test_proxy_rejects_requests_with_a_problem(
        self, proxy: str, path: str, headers: dict[str, str], status: int
    ) -> None:
        answered, kind, body = send_get(proxy, path, headers)
        assert (answered, kind) == (status, "application/problem+json")
        assert json.loads(body)["status"] == status

    @pytest.mark.parametrize(
        ("path", "headers", "status"),
        [
            ("/" + 40_000 * "x", {}, 414),
            ("/", {"X-Long": 40_000 * "x"}, 431),
            ("/", {f"X-{number}": 8000 * "x" for number in range(5)}, 431),
            ("/", {f"X-{number}": "x" for number in range(200)}, 400),
        ],
        ids=["long line", "long header", "large head", "many headers"],
    )
    def test_proxy_rejects_requests_that_cannot_be_read(
        self, proxy: str, path: str, headers: dict[str, str], status: int
    ) -> None:
        answered, kind, body = send_get(proxy, path, headers)
        if as_in_the_image():
            assert (answered, kind) == (status, "application/problem+json")
            assert json.loads(body)["status"] == status
        else:
            assert answered == 400

    def test_proxy_limits_concurrent_requests_of_an_address(self, proxy: str) -> None:
        with ExitStack() as held:
            held.callback(Replica.released.set)
            for _ in range(64):
                connection = held.enter_context(connect_to(proxy))
                connection.sendall(b"GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
            assert holds_soon(lambda: status(proxy, "/") == 429)
            assert json.loads(send_get(proxy, "/")[2])["status"] == 429
            # The proxy itself goes on.
            assert status(proxy, "/proxy-health") == 200
        assert holds_soon(lambda: status(proxy, "/") == 200)

    def test_proxy_tells_the_service_that_a_client_has_left(self, proxy: str) -> None:
        if not as_in_the_image():
            pytest.skip("this HAProxy is too old")
        with connect_to(proxy) as connection:
            connection.sendall(b"GET /left HTTP/1.1\r\nHost: a\r\n\r\n")
        assert Replica.left.wait(10)

    def test_proxy_counts_the_addresses_of_one_ipv6_network_together(
        self, replicas: int, tmp_path: Path
    ) -> None:
        # The client names its address in a header.
        rule = "http-request track-sc0"
        edits = {rule: f"http-request set-src hdr(X-From)\n    {rule}"}
        with ExitStack() as held:
            url, _ = held.enter_context(
                running_proxy(tmp_path, replicas, "127.0.0.2", changes=edits)
            )
            held.callback(Replica.released.set)
            Replica.released.clear()
            for number in range(64):
                connection = held.enter_context(connect_to(url))
                connection.sendall(
                    b"GET /held HTTP/1.1\r\nHost: a\r\nX-From: 2001:db8::%x\r\n\r\n" % number
                )
            for address, expected in (
                ("2001:db8:0:0:ffff::1", 429),
                ("2001:db8:0:1::1", 200),
                ("192.0.2.1", 200),
            ):
                assert holds_soon(lambda: send_get(url, "/", {"X-From": address})[0] == expected)  # noqa: B023

    @pytest.mark.parametrize(
        ("head", "status"),
        [
            (b"GET\r\n", 400),
            (b"GE(T / HTTP/1.1\r\nHost: a\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nA B: c\r\n", 400),
            (b"GET /\xff HTTP/1.1\r\nHost: a\r\n", 400),
            (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n", 400),
            (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n", 422),
            (b"GET /met HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", 400),
            (b"GET /nonsense HTTP/1.1\r\nHost: a\r\n", 502),
            (b"GET /silent HTTP/1.1\r\nHost: a\r\n", 504),
            (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n", 408),
        ],
    )
    def test_proxy_answers_malformed_and_failed_requests_with_a_problem(
        self, hasty_proxy: str, head: bytes, status: int
    ) -> None:
        with connect_to(hasty_proxy) as connection:
            connection.sendall(head + b"\r\n")
            self.answers_with_a_problem(connection, status)

    def test_proxy_answers_an_unfinished_head_with_a_problem(self, hasty_proxy: str) -> None:
        with connect_to(hasty_proxy) as connection:
            connection.sendall(b"GET / HT")
            self.answers_with_a_problem(connection, 408)

    @staticmethod
    def answers_with_a_problem(connection: socket.socket, status: int) -> None:
        answer = HTTPResponse(connection)
        answer.begin()
        if not as_in_the_image() and status in (400, 408, 422):
            # An older HAProxy answers what it rejects before any rule with texts of its own.
            assert answer.status == status
            return
        problem = Problem.model_validate_json(answer.read(), strict=True)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["cache-control"] == "no-store"
        assert (answer.status, problem.status) == (status, status)

    def test_proxy_without_a_service_answers_with_a_problem(self, lonely_proxy: str) -> None:
        answered, _, body = send_get(lonely_proxy, "/healthz")
        assert answered == json.loads(body)["status"] == 503
        assert "replica" in json.loads(body)["detail"]

    def test_proxy_follows_replicas_that_come_and_go(self, replicas: int, tmp_path: Path) -> None:
        both = {"127.0.0.2", "127.0.0.3"}
        with running_proxy(tmp_path, replicas, *both) as (url, names):

            def answering() -> set[str]:
                return {json.loads(send_get(url, "/")[2])[2] for _ in range(8)}

            assert holds_soon(lambda: answering() == both)
            Replica.unready.add("127.0.0.2")
            assert holds_soon(lambda: answering() == {"127.0.0.3"})
            Replica.unready.clear()
            assert holds_soon(lambda: answering() == both)
            names.addresses = ("127.0.0.2",)
            assert holds_soon(lambda: answering() == {"127.0.0.2"})

    def test_proxy_repeats_requests_of_a_lost_replica_once_except_batches(
        self, replicas: int, tmp_path: Path
    ) -> None:
        def tries(path: str) -> tuple[int, list[tuple[bytes, bool]]]:
            Replica.asked.clear()
            return send_post(url, path, b"x"), [(body, again) for _, body, again in Replica.asked]

        with running_proxy(tmp_path, replicas, "127.0.0.2", "127.0.0.3") as (url, _):
            try:
                Replica.lost.add(False)
                for _ in range(6):
                    assert tries("/v1/check") == (200, [(b"x", False), (b"x", True)])
                # A batch is not begun anew: some of its answers may be on their way.
                assert tries("/v1/batch?task=check") == (502, [(b"x", False)])
                # There is no third try.
                Replica.lost.add(True)
                assert tries("/v1/check") == (502, [(b"x", False), (b"x", True)])
            finally:
                Replica.lost.clear()

    def test_proxy_removes_the_second_try_header_of_clients(self, proxy: str) -> None:
        Replica.asked.clear()
        assert send_post(proxy, "/v1/check", b"lie", {"Minecheck-Second-Try": "1"}) == 200
        assert Replica.asked == [("127.0.0.2", b"lie", False)]

    def test_proxy_ignores_trailers_of_a_request(self, tmp_path: Path) -> None:
        with echoing() as port, running_proxy(tmp_path, port, "127.0.0.1") as (url, _):
            for name, value in TRAILERS.items():
                request = trailers.build_chunked_request(f"{name}: {value}")
                answers = trailers.exchange(int(url.rpartition(":")[2]), request + trailers.NEXT)
                assert [document["path"] for _, document in answers] == ["/first", "/second"]
                for status, document in answers:
                    assert (status, document["client"], document["scheme"]) == (
                        200,
                        "127.0.0.1",
                        "http",
                    )
                    assert value not in dict(document["fields"]).values()  # type: ignore[call-overload]

    def test_proxy_logs_a_request_as_one_line_without_its_query(
        self, replicas: int, tmp_path: Path
    ) -> None:
        with running_proxy(tmp_path, replicas, "127.0.0.2") as (url, _):
            send_get(url, '/tea"pot?secret')
            log = tmp_path / "log"
            assert holds_soon(lambda: "pot" in log.read_text())
        assert "secret" not in log.read_text()
        (line,) = (line for line in log.read_text().splitlines() if "pot" in line)
        entry = json.loads(line)
        assert (entry["method"], entry["path"], entry["status"]) == ("GET", '/tea"pot', 200)
        assert entry["replica"] == "replica1"

    @pytest.mark.parametrize("letter", ["x", "%22", '"', "\\"])
    def test_proxy_log_shortens_long_methods_and_paths(
        self, replicas: int, tmp_path: Path, letter: str
    ) -> None:
        with running_proxy(tmp_path, replicas, "127.0.0.2") as (url, _), connect_to(url) as client:
            long = (20_000 // len(letter) * letter).encode()
            client.sendall(b"M" * 9000 + b" /" + long + b" HTTP/1.1\r\nHost: a\r\n\r\n")
            client.recv(1)
            log = tmp_path / "log"
            assert holds_soon(lambda: "MMM" in log.read_text())
        (line,) = (line for line in log.read_text().splitlines() if "MMM" in line)
        entry = json.loads(line)
        assert entry["method"] == 32 * "M"
        assert entry["path"] == f"/{long.decode()}"[:256]
        assert entry["status"]


@pytest.mark.slow
@needs("haproxy")
class TestProxyOfTheService:
    """docker/haproxy.cfg, in front of the service."""

    @pytest.mark.parametrize(
        "path",
        [
            "/metrics",
            "/metrics?a=b",
            "//metrics",
            "/%6detrics",
            "/x/../metrics",
            "http://a/metrics",
        ],
    )
    def test_proxy_hides_the_metrics(self, whole: str, path: str) -> None:
        assert status(whole, path) == 404

    def test_proxy_passes_a_batch_both_ways_at_once(self, whole: str) -> None:
        """The batch is larger than all buffers, so answers have to pass while lines do."""
        line = json.dumps({"board": ["111??????"] + 8 * ["?????????"]}).encode() + b"\n"
        more = 200 * line
        answered = threading.Event()
        with connect_to(whole) as connection:

            def send() -> None:
                connection.sendall(
                    b"POST /v1/batch?task=check HTTP/1.1\r\nHost: a\r\n"
                    b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
                connection.sendall(b"%x\r\n%b\r\n" % (len(line), line))
                answered.wait(30)
                for _ in range(500):
                    connection.sendall(b"%x\r\n%b\r\n" % (len(more), more))
                connection.sendall(b"0\r\n\r\n")

            sender = threading.Thread(target=send)
            sender.start()
            answer = HTTPResponse(connection)
            answer.begin()
            first = answer.readline()
            answered.set()
            answers = [first, *answer]
            sender.join()
        assert len(answers) == 100_001
        assert all(b'"consistent":true' in answer for answer in answers)


#: A board that ends whatever process reads it: of a replica, or of a worker as well. Its blanks are
#: read by the notation, which the test changes, and not by compiled code.
FATAL = "B 8 B 8 B"
FAULT = f"""
import multiprocessing, os, signal
from minecheck import minefield

read = minefield.parse

def parse(source, *options):
    serves = multiprocessing.parent_process() is None
    if {FATAL!r} in source and (serves or "{{where}}" == "everywhere"):
        os.kill(os.getpid(), signal.SIGKILL)
    return read(source, *options)

minefield.parse = parse
"""


@pytest.mark.slow
@needs("haproxy")
@pytest.mark.parametrize("where", ["serving", "everywhere"])
def test_request_that_ends_a_replica_does_not_end_the_next_replica(
    tmp_path: Path, where: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(FAULT.format(where=where))
    env = {"MINECHECK_WORKERS": "1", "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    addresses, port = ("127.0.0.2", "127.0.0.3"), free_port()
    with ExitStack() as running:
        servers = [
            running.enter_context(serving(env, cli=True, host=each, port=port))
            for each in addresses
        ]
        url, _ = running.enter_context(running_proxy(tmp_path, port, *addresses))
        answer = httpx2.post(f"{url}/v1/check", json={"board": FATAL}, timeout=30)
        if where == "serving":
            assert answer.json()["consistent"] is False
        else:
            assert answer.status_code == 503
            assert answer.json()["type"].endswith(":worker-lost")
        ended = [server for server in servers if server.process.poll() is not None]
        assert len(ended) == 1
        (left,) = set(servers) - set(ended)
        assert holds_soon(left.healthy)


@pytest.mark.parametrize(
    "file", sorted((DOCKER / "problems").iterdir()), ids=lambda file: file.stem
)
def test_proxy_error_pages_are_problem_documents_of_the_service(file: Path) -> None:
    head, _, body = file.read_text().partition("\n\n")
    assert head.startswith(f"HTTP/1.1 {file.stem} ")
    assert "\nContent-Type: application/problem+json" in head
    # Without, the client would wait for the end of the connection.
    assert f"\nContent-Length: {len(body)}" in head
    problem = Problem.model_validate_json(body, strict=True)
    assert (problem.type, problem.status) == ("urn:minecheck:problem:proxy", int(file.stem))
    assert problem.title == PROBLEM_TYPES["proxy"].title
    assert problem.status in PROBLEM_TYPES["proxy"].statuses
    assert "\nCache-Control: no-store" in head
    assert f"errorfile {file.stem} /usr/local/etc/haproxy/problems/{file.name}\n" in (
        (DOCKER / "haproxy.cfg").read_text()
    )


def test_proxy_has_a_problem_for_each_of_its_error_pages() -> None:
    statuses = {400, 401, 403, 404, 405, 407, 408, 410, 413, 414, 421, 422, 425, 429, 431}
    statuses |= {500, 501, 502, 503, 504}
    assert {int(file.stem) for file in (DOCKER / "problems").iterdir()} == statuses


def test_proxy_service_mounts_its_files() -> None:
    assert SERVICES["proxy"]["volumes"] == [
        f"./docker/{name}:/usr/local/etc/haproxy/{name}:ro" for name in ("haproxy.cfg", "problems")
    ]


def count_workers(processes: int) -> int:
    """Return how many worker processes a replica has with this setting."""
    workers = Workers(processes)
    try:
        return sum(pool.processes for pool in workers.pools)
    finally:
        workers.close()


def parts_of_replica(processes: int, memory_mb: int) -> list[int]:
    """Return the MB that a replica may take at once, as docs/operations.md adds them up."""
    many = count_workers(processes)
    fields = Settings.model_fields
    kept = fields["cache_mb"].default + fields["games_mb"].default
    # Requests and answers are there twice: as they come and as they are read.
    under_way = 2 * fields["requests_mb"].default
    return [AT_REST, many * WORKER_AT_REST, many * memory_mb, under_way, kept]


def limit_of(service: dict[str, Any]) -> int:
    """Return the MB that a container may take."""
    memory = service["deploy"]["resources"]["limits"]["memory"]
    return int(memory.removesuffix("G")) * 1024


def test_replica_has_room_for_its_largest_load() -> None:
    """The sum is that of docs/operations.md."""
    replica = SERVICES["minecheck"]
    given = {
        name: int(match[1])
        for name, value in replica["environment"].items()
        if (match := re.fullmatch(r"\$\{\w+:-(\d+)\}", value or ""))
    }
    processes, memory_mb = (given[f"MINECHECK_{name}"] for name in ("WORKERS", "WORKER_MEMORY_MB"))
    files = int(re.fullmatch(r"/tmp:size=(\d+)m,.*", replica["tmpfs"])[1])  # type: ignore[index]
    parts = [*parts_of_replica(processes, memory_mb), files]
    limit = limit_of(replica)
    assert sum(parts) <= limit
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    table = page.partition("| what | MB |")[2].partition("\n\n")[0]
    assert [int(one) for one in re.findall(r"\| (\d+) \|$", table, re.M)] == [*parts, sum(parts)]
    assert f"of the limit of {limit} |" in table


def test_cluster_node_has_room_for_a_replica_and_for_ray() -> None:
    nodes = yaml.safe_load((DOCKER / "compose.cluster.yml").read_text())["services"]
    node = nodes["worker"]
    given = node["environment"]
    processes, memory_mb = (
        int(given[f"MINECHECK_{name}"]) for name in ("WORKERS", "WORKER_MEMORY_MB")
    )
    files = sum(int(size) for size in re.findall(r"size=(\d+)m", " ".join(node["tmpfs"])))
    files += 1024 * sum(int(size) for size in re.findall(r"size=(\d+)g", " ".join(node["tmpfs"])))
    assert sum(parts_of_replica(processes, memory_mb)) + files + RAY_AT_REST <= limit_of(node)
    # As many processors as a replica wants, so that a node has one replica.
    assert f"--num-cpus {processes} " in node["command"]
