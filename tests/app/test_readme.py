"""The README is true: its curl lines give what it shows, its table is that of the settings."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from app import __version__
from app.main import create
from app.settings import Settings
from tests.app.serving import Server

README_FILE = Path(__file__).parents[2] / "README.md"
README = README_FILE.read_text()


def examples() -> list[tuple[str, str]]:
    """(command, shown output) of every console block."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def without_time(line: str) -> object:
    answer = json.loads(line)
    if isinstance(answer, dict):
        for part in ("solver", "summary"):
            answer.get(part, {}).pop("elapsed_ms", None)
    return answer


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize(("command", "shown"), examples())
def test_curl_lines_give_what_is_shown(command: str, shown: str, server: Server) -> None:
    address = server.url.removeprefix("http://")
    run = subprocess.run(
        ["sh", "-c", command.replace("127.0.0.1:8000", address).replace("curl ", "curl -s ")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    given = [without_time(line) for line in run.stdout.splitlines()]
    assert given == [without_time(line) for line in shown.splitlines()]


def test_python_example_is_right() -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    names: dict[str, object] = {}
    exec(code.replace("answer.count,", "shown = answer.count,"), names)
    assert names["shown"] == (2, [(0, 3)])


@pytest.mark.parametrize("name", Settings.model_fields)
def test_settings_are_in_the_table(name: str) -> None:
    field = Settings.model_fields[name]
    row = re.search(rf"^\| `MINECHECK_{name.upper()}` \| (.*?) \| (.*) \|$", README, re.MULTILINE)
    assert row, f"MINECHECK_{name.upper()} is missing from the README"
    assert row[2] == field.description
    assert name == "workers" or row[1] == str(field.default)


def test_versions_agree() -> None:
    changelog = README_FILE.with_name("CHANGELOG.md").read_text()
    clients = README_FILE.with_name("clients")
    python = tomllib.loads((clients / "python" / "pyproject.toml").read_text())["project"]
    browser = json.loads((clients / "browser" / "package.json").read_text())
    assert create().version == __version__
    assert python["version"] == browser["version"] == __version__
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] == __version__
