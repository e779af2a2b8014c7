"""The files that run a cluster in containers and on Kubernetes fit the code."""

import re
from typing import Any

import pytest
import yaml

from minecheck import __version__
from tests import containers
from tests.cluster.running import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.cluster.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SERVE = yaml.safe_load((ROOT / "docker" / "ray" / "serve.yaml").read_text())
VALUES = yaml.safe_load((ROOT / "docker" / "ray" / "kuberay-values.yaml").read_text())
RAY_SERVICE = yaml.safe_load((ROOT / "docker" / "ray" / "rayservice.yaml").read_text())
CLUSTER = RAY_SERVICE["spec"]["rayClusterConfig"]


@pytest.mark.parametrize("service", SERVICES)
class TestService:
    """Every service of docker/compose.cluster.yml."""

    def test_cluster_service_has_least_privileges(self, service: str) -> None:
        containers.may_do_as_little_as_possible(SERVICES[service])

    def test_cluster_service_has_limits(self, service: str) -> None:
        containers.has_limits(SERVICES[service])

    def test_cluster_service_has_image_of_this_version_with_locked_packages(
        self, service: str
    ) -> None:
        given = SERVICES[service]
        assert given["image"] == f"minecheck-ray:{__version__}"
        assert (ROOT / "docker" / given["build"]["context"]).resolve() == ROOT
        lock = given["build"]["args"]["LOCK"]
        assert f"!{lock}" in (ROOT / ".dockerignore").read_text().split()
        assert re.search(r"^ray==", (ROOT / lock).read_text(), re.MULTILINE)

    def test_cluster_service_requires_secret_token(self, service: str) -> None:
        environment = SERVICES[service]["environment"]
        assert environment["RAY_AUTH_MODE"] == "token"
        # The token has no default.
        assert environment["RAY_AUTH_TOKEN"].startswith("${RAY_AUTH_TOKEN:?")

    def test_files_of_cluster_service_exist(self, service: str) -> None:
        for volume in SERVICES[service].get("volumes", []):
            if isinstance(volume, str):
                assert (ROOT / "docker" / volume.partition(":")[0]).exists()
            else:
                # Docker would create the folder for root alone.
                assert volume["bind"] == {"create_host_path": False}


def test_cluster_publishes_only_service_and_only_to_this_machine() -> None:
    published = {name: given["ports"] for name, given in SERVICES.items() if "ports" in given}
    assert published == {"head": ["${HOST:-127.0.0.1}:${PORT:-8000}:8000"]}
    assert COMPOSE["networks"]["cluster"] == {"internal": True}
    assert [name for name, given in SERVICES.items() if "front" in given["networks"]] == ["head"]


def test_commands_of_cluster_nodes_name_head() -> None:
    assert "--head" in SERVICES["head"]["command"]
    assert "--port 6379" in SERVICES["head"]["command"]
    assert "--address head:6379" in SERVICES["worker"]["command"]
    assert "-a http://head:8265" in SERVICES["serve"]["command"]


def test_ray_serve_configuration_names_existing_application() -> None:
    (application,) = SERVE["applications"]
    module, _, name = application["import_path"].partition(":")
    assert module == "minecheck.app.ray_serve"
    assert f"\ndef {name}(" in (ROOT / "app" / "ray_serve.py").read_text()
    (deployment,) = application["deployments"]
    assert 'name="minecheck"' in (ROOT / "app" / "ray_serve.py").read_text()
    assert deployment["name"] == "minecheck"
    scaling = deployment["autoscaling_config"]
    assert 1 <= scaling["min_replicas"] < scaling["max_replicas"]
    # A replica rejects requests itself, with a problem, before Ray rejects them.
    assert scaling["target_ongoing_requests"] < 128 <= deployment["max_ongoing_requests"]


def test_ray_serve_replicas_have_as_many_processors_as_workers() -> None:
    processors = SERVE["applications"][0]["deployments"][0]["ray_actor_options"]["num_cpus"]
    for service in ("head", "worker"):
        assert SERVICES[service]["environment"]["MINECHECK_WORKERS"] == str(processors)


def test_kubernetes_serves_configuration_of_containers() -> None:
    assert yaml.safe_load(RAY_SERVICE["spec"]["serveConfigV2"]) == SERVE


def test_kubernetes_has_locked_ray_and_image_of_this_version() -> None:
    lock = (ROOT / "requirements-cluster.lock").read_text()
    version = re.search(r"^ray==(\S+)", lock, re.MULTILINE)
    assert version is not None
    assert VALUES["head"]["rayVersion"] == CLUSTER["rayVersion"] == version[1]
    assert VALUES["image"]["tag"] == __version__
    image = f"{VALUES['image']['repository']}:{__version__}"
    pods = [CLUSTER["headGroupSpec"], *CLUSTER["workerGroupSpecs"]]
    for pod in (one["template"]["spec"] for one in pods):
        assert {one["image"] for one in pod["containers"] + pod["initContainers"]} == {image}


def test_kubernetes_restricts_rights_of_nodes() -> None:
    for node in (VALUES["head"], VALUES["worker"]):
        assert node["securityContext"]["runAsNonRoot"] is True
        assert node["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        environment = {one["name"]: one for one in node["containerEnv"]}
        assert "secretKeyRef" in environment["RAY_AUTH_TOKEN"]["valueFrom"]
