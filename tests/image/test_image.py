"""The image runs as in docker-compose.yml, alone and with proxy, Redis and Prometheus."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from minecheck import __version__
from minecheck.solvers import Backend
from tests.app.redis_server import Redis
from tests.image.container import ROOT, Container, config, running_container
from tests.processes import holds_soon, running_program
from tests.proxying import running_proxy

pytestmark = pytest.mark.skipif(not ROOT.exists(), reason="needs an image: make test-image")

DOCKER = Path(__file__).parents[2] / "docker"

PAGES = ["/", "/docs", "/guide/", "/llms.txt", "/openapi.json"]
BOARD = {"board": ["1?", "??"]}
#: A pattern for the files of compiled kernels.
COMPILED = "**/*.nb[ci]"


@pytest.fixture(scope="module")
def alone() -> Iterator[Container]:
    with running_container() as container:
        yield container


def request_first_example(
    url: str, method: str, path: str, described: Any, filled: dict[str, str]
) -> int:
    """Send the first example of an operation of OpenAPI, and return the status.

    Args:
        url: the service.
        method: of HTTP.
        path: as in OpenAPI, with the names of its parameters in braces.
        described: the operation in OpenAPI.
        filled: values of parameters by name, before those of their examples.
    """
    parameters = described.get("parameters", [])
    query = {
        each["name"]: filled[each["name"]]
        for each in parameters
        if each["in"] == "query" and each["required"]
    }
    own = {
        each["name"]: next(iter(each["examples"].values()))["value"]
        for each in parameters
        if each["in"] == "path" and "examples" in each
    }
    content, headers = None, {}
    if "requestBody" in described:
        kind, body = next(iter(described["requestBody"]["content"].items()))
        examples = [each["value"] for each in body.get("examples", {}).values()]
        content = examples[0] if examples else body["example"]
        headers = {"Content-Type": kind}
    how: dict[str, Any] = {"content" if isinstance(content, str) else "json": content}
    return httpx2.request(
        method, url + path.format(**own | filled), params=query, headers=headers, timeout=30, **how
    ).status_code


def test_image_answers_every_route_without_compiling(alone: Container) -> None:
    kept = ROOT / "opt/minecheck/numba"
    before = {path.relative_to(kept) for path in kept.glob(COMPILED)}
    document = httpx2.get(f"{alone.url}/openapi.json").json()
    game = alone.post("/v1/games", {"height": 5, "width": 6, "mines": 6}).json()
    filled = {"id": game["id"], "task": "check"}
    statuses = {
        (method, path): request_first_example(alone.url, method, path, described, filled)
        for path, methods in document["paths"].items()
        for method, described in methods.items()
    }
    statuses |= {("get", page): httpx2.get(alone.url + page).status_code for page in PAGES}
    assert len(statuses) > 25
    # The image has no reader of replays, and answers so.
    assert statuses.pop(("post", "/v1/replays")) == 422
    assert set(statuses.values()) <= {200, 201}, statuses
    now = alone.path("/tmp/numba")
    assert {path.relative_to(now) for path in now.glob(COMPILED)} == before


@pytest.mark.parametrize("backend", [Backend.CPSAT, Backend.SAT])
def test_image_has_every_solver(alone: Container, backend: Backend) -> None:
    answer = alone.post("/v1/count", BOARD | {"backend": backend})
    assert (answer.status_code, answer.json()["count"]) == (200, "3")


def test_image_contains_every_model_counter(alone: Container) -> None:
    code = """
from minecheck.minefield import parse
from minecheck.minefield.reduction.constraints import Constraints
from minecheck.solvers.backends import model_counters
from minecheck.solvers.deadline import Deadline
reduction = Constraints.from_position(parse("1?\\n??")).reduction
print(model_counters.count_exactly(reduction, 0, Deadline()))
print(model_counters.count_approximately(reduction, 0, Deadline()))
"""
    done = alone.run("python", "-c", code)
    assert done.stdout.split()[0] == "3", done.stderr
    assert "3" in done.stdout.splitlines()[1]


def test_image_can_write_only_to_memory(alone: Container) -> None:
    mounts = [line.split() for line in alone.path("/proc/1/mounts").read_text().splitlines()]
    written = {
        folder: kind
        for _, folder, kind, options, *_ in mounts
        if "rw" in options.split(",") and not folder.startswith("/dev/")
    }
    assert written == {"/tmp": "tmpfs", "/proc": "proc"}


def test_image_runs_without_rights(alone: Container) -> None:
    lines = alone.path("/proc/1/status").read_text()
    status = dict(line.split(":\t", 1) for line in lines.splitlines())
    assert status["Uid"].split() == status["Gid"].split() == 4 * ["10001"]
    assert {int(status[f"Cap{kind}"], 16) for kind in ("Prm", "Eff", "Bnd", "Amb")} == {0}
    assert status["NoNewPrivs"] == "1"


def test_image_health_check_succeeds(alone: Container) -> None:
    kind, *check = config()["Healthcheck"]["Test"]
    assert kind == "CMD"
    done = alone.run(*check)
    assert done.returncode == 0, done.stderr


def test_image_has_labels() -> None:
    labels = config()["Labels"]
    assert labels["org.opencontainers.image.title"] == "minecheck"
    assert labels["org.opencontainers.image.version"] == __version__


def test_image_ends_at_sigterm() -> None:
    with running_container("127.0.0.4") as container:
        container.stop(patience=3)
        assert not container.family()


@pytest.mark.skipif(
    not all(map(shutil.which, ("haproxy", "redis-server", "prometheus"))),
    reason="needs haproxy, redis-server and prometheus",
)
def test_two_image_replicas_behind_proxy_share_games_and_are_watched(tmp_path: Path) -> None:
    redis = Redis(tmp_path)
    addresses = ("127.0.0.2", "127.0.0.3")
    watch = yaml.safe_load((DOCKER / "prometheus.yml").read_text())
    (job,) = watch["scrape_configs"]
    del job["dns_sd_configs"]
    job["static_configs"] = [{"targets": [f"{address}:8000" for address in addresses]}]
    watch["global"]["scrape_interval"] = "1s"
    (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(watch))
    shutil.copy(DOCKER / "alerts.yml", tmp_path)
    options = ["--config.file", str(tmp_path / "prometheus.yml")]
    options += ["--storage.tsdb.path", str(tmp_path)]
    env = {
        "FORWARDED_ALLOW_IPS": "*",
        "MINECHECK_WORKERS": "2",
        "MINECHECK_WORKER_MEMORY_MB": "300",
        "MINECHECK_REDIS_URL": redis.url,
    }
    with ExitStack() as running:
        running.callback(redis.end)
        first, second = (running.enter_context(running_container(each, env)) for each in addresses)
        running.enter_context(running_program(["prometheus", *options]))
        url, _ = running.enter_context(running_proxy(tmp_path, 8000, *addresses))

        def up() -> set[str]:
            found = httpx2.get("http://127.0.0.1:9090/api/v1/query", params={"query": "up"}).json()
            return {each["value"][1] for each in found["data"]["result"]}

        game = httpx2.post(f"{url}/v1/games", json={"height": 5, "width": 6, "mines": 6}).json()
        paths = [f"{each}/v1/games/{game['id']}" for each in (url, first.url, second.url)]
        assert [httpx2.get(path).json()["id"] for path in paths] == 3 * [game["id"]]
        assert holds_soon(lambda: up() == {"1"})
        first.stop()
        # The proxy asks every two seconds which replicas are ready.
        assert holds_soon(lambda: up() == {"0", "1"})
        assert all(httpx2.post(f"{url}/v1/count", json=BOARD).status_code == 200 for _ in range(20))
