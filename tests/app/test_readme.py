"""The README and its neighbours are true: examples, settings, versions and links."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from minecheck import __version__
from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from tests.app.serving import Server

ROOT = Path(__file__).parents[2]
#: What has examples for the console.
SHOWING = ("README.md", "docs/api.md", "docs/cli.md")
DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("clients/*.md"))
)
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()


def examples() -> list[tuple[str, str]]:
    """(command, shown output) of every console block."""
    found = []
    for name in SHOWING:
        for block in re.findall(r"```console\n(.*?)```", (ROOT / name).read_text(), re.DOTALL):
            for part in block.split("$ ")[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def without_time(line: str) -> object:
    """A line of output, if it is JSON as its value without the time that it took."""
    try:
        answer = json.loads(line)
    except ValueError:
        return line
    if isinstance(answer, dict):
        for part in ("solver", "summary"):
            answer.get(part, {}).pop("elapsed_ms", None)
    return answer


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize(("command", "shown"), examples())
def test_commands_print_what_is_shown(command: str, shown: str, server: Server) -> None:
    for ours, theirs in (
        ("127.0.0.1:8000", server.url.removeprefix("http://")),
        ("curl ", "curl -s "),
        (".venv/bin/minecheck", f"{sys.executable} -m minecheck"),
    ):
        command = command.replace(ours, theirs)
    run = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    given = [without_time(line) for line in run.stdout.splitlines()]
    assert given == [without_time(line) for line in shown.splitlines()]


def test_python_example_is_right() -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    names: dict[str, object] = {}
    exec(code.replace("answer.count,", "shown = answer.count,"), names)
    assert names["shown"] == (2, [(0, 3)])


@pytest.mark.parametrize("name", Settings.model_fields)
def test_settings_are_in_the_table(name: str) -> None:
    field = Settings.model_fields[name]
    pattern = rf"^\| `MINECHECK_{name.upper()}` \| (.*?) \| (.*) \|$"
    row = re.search(pattern, OPERATIONS, re.MULTILINE)
    assert row, f"MINECHECK_{name.upper()} is missing from docs/operations.md"
    assert row[2] == field.description
    assert name == "workers" or row[1] == str(field.default)


def test_no_setting_in_the_table_is_unknown() -> None:
    named = re.findall(r"^\| `MINECHECK_(\w+)` \|", OPERATIONS, re.MULTILINE)
    assert named == [name.upper() for name in Settings.model_fields]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    document = ROOT / name
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text()):
        assert ":" in link or (document.parent / link).exists(), link


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_that_are_named_exist(name: str) -> None:
    tops = "app|automata|benchmarks|docker|docs|minefield|solvers|tests"
    named = re.findall(rf"`((?:{tops})/[\w./-]*)`", (ROOT / name).read_text())
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_versions_agree() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    python = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]
    browser = json.loads((ROOT / "clients/browser/package.json").read_text())
    assert create_app().version == __version__
    assert python["version"] == browser["version"] == __version__
    latest = re.search(r"^## (\d\S+)", changelog, re.MULTILINE)
    assert latest is not None
    assert latest[1] == __version__
