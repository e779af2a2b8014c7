"""What runs in containers fits the service and is locked down; no container is needed to see it."""

import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from app import __version__
from app.main import create
from app.settings import Settings
from tests import containers

ROOT = Path(__file__).parents[1]
DOCKER = ROOT / "docker"
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ALERTS = yaml.safe_load((DOCKER / "alerts.yml").read_text())
DASHBOARD = json.loads((DOCKER / "grafana" / "minecheck.json").read_text())
PROMETHEUS = yaml.safe_load((DOCKER / "prometheus.yml").read_text())

EXPRESSIONS = [
    *(rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]),
    *(target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]),
]
NAMED = sorted(
    {name for text in EXPRESSIONS for name in re.findall(r"(?:minecheck|process)_\w+", text)}
)

#: What the text format adds to the name of a family.
ENDINGS = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")


@pytest.mark.parametrize("service", SERVICES)
class TestService:
    """Every service of docker-compose.yml."""

    def test_its_image_is_pinned(self, service: str) -> None:
        tag = SERVICES[service]["image"].partition(":")[2]
        assert re.match(r"v?\d+\.\d+", tag)

    def test_it_may_do_as_little_as_possible(self, service: str) -> None:
        containers.may_do_as_little_as_possible(SERVICES[service])

    def test_it_has_limits(self, service: str) -> None:
        containers.has_limits(SERVICES[service])

    def test_it_is_published_to_this_machine_only(self, service: str) -> None:
        for port in SERVICES[service].get("ports", []):
            assert port.startswith(("127.0.0.1:", "${HOST:-127.0.0.1}:"))

    def test_its_health_is_asked_for(self, service: str) -> None:
        if "build" in SERVICES[service]:
            assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text()
        else:
            assert SERVICES[service]["healthcheck"]["test"][0] == "CMD"

    def test_its_files_are_there_and_stay_as_they_are(self, service: str) -> None:
        for volume in SERVICES[service].get("volumes", []):
            source, _, target = volume.partition(":")
            if source.startswith("."):
                assert (ROOT / source).exists()
                assert target.endswith(":ro")
            else:
                assert source in COMPOSE["volumes"]


def test_the_image_has_the_version_of_the_project() -> None:
    assert SERVICES["minecheck"]["image"] == f"minecheck:{__version__}"


def test_the_image_runs_as_nobody_in_particular_with_all_that_is_locked() -> None:
    steps = (ROOT / "Dockerfile").read_text()
    assert "\nUSER 10001:10001\n" in steps
    assert "--require-hashes -r /src/requirements.lock" in steps
    lock = (ROOT / "requirements.lock").read_text()
    assert re.search(r"^redis==", lock, re.MULTILINE)
    assert re.search(r"^opentelemetry-exporter-otlp-proto-http==", lock, re.MULTILINE)


def test_only_the_doors_are_published() -> None:
    assert {name for name, given in SERVICES.items() if "ports" in given} == {"proxy", "grafana"}


def test_only_replicas_reach_redis() -> None:
    assert COMPOSE["networks"]["cache"] == {"internal": True}
    assert SERVICES["redis"]["networks"] == ["cache"]
    assert [name for name, given in SERVICES.items() if "cache" in given["networks"]] == [
        "minecheck",
        "redis",
    ]


def test_every_setting_can_be_set_and_nothing_else() -> None:
    environment = SERVICES["minecheck"]["environment"]
    given = {name for name in environment if name.startswith("MINECHECK_")}
    assert given == {f"MINECHECK_{field.upper()}" for field in Settings.model_fields}
    for name, value in environment.items():
        assert value is None or name == "FORWARDED_ALLOW_IPS" or value.startswith(f"${{{name}:-")


def test_the_service_starts_with_the_defaults_for_containers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in SERVICES["minecheck"]["environment"].items():
        if value and (default := re.fullmatch(r"\$\{\w+:-(.*)\}", value)):
            monkeypatch.setenv(name, default[1])
    assert Settings().redis_url == "redis://redis:6379/0"


def families() -> dict[str, str]:
    """Names and kinds of the metrics that a service has."""
    text = TestClient(create(Settings(workers=1))).get("/metrics").text
    return {family.name: family.type for family in text_string_to_metric_families(text)}


@pytest.fixture(scope="module")
def metrics() -> set[str]:
    """Names of all samples that a service may give."""
    return {
        name + ending for name, kind in families().items() for ending in ENDINGS.get(kind, ("",))
    }


@pytest.mark.parametrize("name", NAMED)
def test_metrics_that_are_shown_exist(name: str, metrics: set[str]) -> None:
    assert name in metrics


def test_what_the_service_measures_is_shown(metrics: set[str]) -> None:
    own = {name for name in metrics if name.startswith("minecheck")}
    # The rate of bytes is for closer looks; of a histogram, the buckets tell.
    spare = {"minecheck_http_response_bytes_total"}
    assert {name for name in own - spare if not name.endswith(("_sum", "_count"))} <= set(NAMED)


def test_every_panel_asks_the_provisioned_source() -> None:
    path = DOCKER / "grafana" / "provisioning" / "datasources" / "prometheus.yml"
    (source,) = yaml.safe_load(path.read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert {panel["datasource"]["uid"] for panel in DASHBOARD["panels"]} == {source["uid"]}


def test_panels_have_numbers_of_their_own() -> None:
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
        {'minecheck_http_requests_total{status="500"}': "0+1x30"},
        {'minecheck_http_requests_total{status="503"}': "0+1x30"},
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
}


def test_every_alert_is_tried() -> None:
    assert {rule["alert"] for group in ALERTS["groups"] for rule in group["rules"]} == set(FIRING)


@needs("promtool")
@pytest.mark.parametrize("fires", [True, False])
@pytest.mark.parametrize("alert", FIRING)
def test_an_alert_fires_when_it_should_and_only_then(
    alert: str, fires: bool, tmp_path: Path
) -> None:
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


class Backend(BaseHTTPRequestHandler):
    """In place of a replica: says what it was told of the client."""

    protocol_version = "HTTP/1.1"
    released = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/held":
            self.released.wait(30)
        said = (self.headers["X-Forwarded-For"] or "").encode()
        self.send_response(418 if self.path == "/teapot" else 200)
        self.send_header("Content-Length", str(len(said)))
        # Who asked may have left.
        with suppress(OSError):
            self.end_headers()
            self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        pass


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def configured(folder: Path, port: int, service: str) -> list[str]:
    """The command for the proxy, with its files in a folder and a service elsewhere."""
    text = (DOCKER / "nginx.conf").read_text()
    for before, after in (
        ("/tmp/", f"{folder}/"),
        ("/dev/stdout", f"{folder}/access.log"),
        ("listen 8080", f"listen 127.0.0.1:{port}"),
        ("http://minecheck:8000", service),
        ("worker_processes auto", "worker_processes 1"),
    ):
        assert before in text
        text = text.replace(before, after)
    (folder / "nginx.conf").write_text(text)
    # Where nobody else may write, its workers run as who started it.
    folder.chmod(0o755)
    user = ["-g", "user root;"] if os.getuid() == 0 else []
    return ["nginx", "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf"), *user]


@pytest.fixture(scope="module")
def backend() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def proxied(folder: Path, service: str) -> Iterator[str]:
    """The address of a proxy in front of a service, as long as it runs."""
    port = free_port()
    process = subprocess.Popen(configured(folder, port, service), stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 10
        while time.monotonic() < until and process.poll() is None:
            try:
                asked(url, "/proxy-health")
                break
            except OSError:
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def proxy(backend: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from proxied(tmp_path_factory.mktemp("proxy"), backend)


@pytest.fixture(scope="module")
def lonely_proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One that reaches no replica."""
    nobody = f"http://127.0.0.1:{free_port()}"
    yield from proxied(tmp_path_factory.mktemp("lonely"), nobody)


def asked(url: str, path: str, headers: dict[str, str] | None = None) -> tuple[int, str, bytes]:
    """Status, type and body of the answer to a request that is sent just as it is given."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=10)
    with closing(connection):
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers["content-type"] or "", answer.read()


@needs("nginx")
class TestProxy:
    """docker/nginx.conf, in front of something simpler than the service."""

    def test_it_can_be_read(self, tmp_path: Path) -> None:
        command = configured(tmp_path, free_port(), "http://127.0.0.1:9")
        subprocess.run([*command, "-t"], check=True)

    def test_it_passes_on_what_the_service_says(self, proxy: str) -> None:
        assert asked(proxy, "/teapot")[0] == 418

    def test_it_tells_who_asks_whatever_they_say(self, proxy: str) -> None:
        assert asked(proxy, "/", {"X-Forwarded-For": "1.2.3.4"})[2] == b"127.0.0.1"

    @pytest.mark.parametrize(
        "path", ["/metrics", "/metrics?a=b", "//metrics", "/%6detrics", "/x/../metrics"]
    )
    def test_it_hides_the_metrics(self, proxy: str, path: str) -> None:
        assert asked(proxy, path)[0] == 404

    @pytest.mark.parametrize(
        ("path", "headers", "status"),
        [
            ("/" + 9000 * "x", {}, 414),
            ("/", {"X-Long": 9000 * "x"}, 400),
            ("/", {f"X-{number}": 8000 * "x" for number in range(5)}, 400),
            ("/", {"Content-Length": str(18 * 2**20)}, 413),
        ],
        ids=["long line", "long header", "many headers", "large body"],
    )
    def test_what_it_refuses_is_a_problem(
        self, proxy: str, path: str, headers: dict[str, str], status: int
    ) -> None:
        answered, kind, body = asked(proxy, path, headers)
        assert (answered, kind) == (status, "application/problem+json")
        assert json.loads(body)["status"] == status

    def test_its_problems_are_no_page(self, proxy: str) -> None:
        assert asked(proxy, "/problem")[0] == 404

    def test_an_address_has_so_many_requests_under_way(self, proxy: str) -> None:
        address = ("127.0.0.1", int(proxy.rpartition(":")[2]))
        with ExitStack() as held:
            held.callback(Backend.released.set)
            for _ in range(64):
                connection = held.enter_context(socket.create_connection(address, 10))
                connection.sendall(b"GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
            until = time.monotonic() + 10
            while (answer := asked(proxy, "/"))[0] != 429 and time.monotonic() < until:
                time.sleep(0.05)
        assert json.loads(answer[2])["status"] == 429

    def test_a_service_that_is_gone_is_a_problem(self, lonely_proxy: str) -> None:
        status, _, body = asked(lonely_proxy, "/healthz")
        assert status == json.loads(body)["status"] == 502
        assert "replica" in json.loads(body)["detail"]
