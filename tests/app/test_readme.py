"""The examples, settings, versions and links of the README and other documents are true."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from docs import console
from minecheck import __version__
from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from tests.app.serving import Server

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("clients/*.md"))
)
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each document, which its examples share."""
    return {name: tmp_path_factory.mktemp("examples") for name in console.DOCUMENTS}


def list_examples() -> list[object]:
    """Return each console example with its document; those of the README are quick."""
    return [
        pytest.param(
            name,
            example,
            id=f"{name}-{number}",
            marks=[] if name == "README.md" else [pytest.mark.slow],
        )
        for name in console.DOCUMENTS
        for number, example in enumerate(console.find_examples((ROOT / name).read_text()))
    ]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize(("name", "example"), list_examples())
def test_commands_of_documents_print_shown_output(
    name: str, example: console.Example, server: Server, folders: dict[str, Path]
) -> None:
    printed = console.run_command(example.command, server.port, folders[name])
    given = [console.drop_times(line) for line in printed.splitlines()]
    shown = [console.drop_times(line) for line in example.output.splitlines()]
    assert given == shown, f"run python -m docs.console {name}"


def test_every_document_with_console_examples_is_tested() -> None:
    shown = {name for name in DOCUMENTS if "```console\n" in (ROOT / name).read_text("utf-8")}
    # Those of batches are tested by tests/app/batch/test_recipes.py.
    assert shown - set(console.DOCUMENTS) == {"docs/batch.md"}


def test_console_example_may_take_several_lines() -> None:
    text = "```console\n$ printf 'a\n> $b'\na\n$b\n$ true\n```\n"
    assert console.find_examples(text) == [("printf 'a\n> $b'\n", "a\n$b\n"), ("true\n", "")]
    assert console.run_command("printf 'a\n> $b'\n", 1, ROOT) == "a\n$b"


def test_console_command_that_fails_is_rejected() -> None:
    with pytest.raises(RuntimeError, match="status 2"):
        console.run_command("exit 2\n", 1, ROOT)


def test_console_recording_keeps_lines_that_differ_in_time_alone(tmp_path: Path) -> None:
    line = '{"solver": {"elapsed_ms": 1}}'
    text = f"```console\n$ echo '{line.replace('1', '2')}'\n{line}\n$ echo new\nold\n```\n"
    recorded = console.record_document(text, 1, tmp_path)
    assert recorded == text.replace("\nold\n", "\nnew\n")


def test_python_example_of_readme_is_right() -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    names: dict[str, object] = {}
    exec(code.replace("answer.count,", "shown = answer.count,"), names)
    assert names["shown"] == (2, [(0, 3)])


@pytest.mark.parametrize("name", Settings.model_fields)
def test_table_of_settings_has_every_setting(name: str) -> None:
    field = Settings.model_fields[name]
    pattern = rf"^\| `MINECHECK_{name.upper()}` \| (.*?) \| (.*) \|$"
    row = re.search(pattern, OPERATIONS, re.MULTILINE)
    assert row, f"MINECHECK_{name.upper()} is missing from docs/operations.md"
    assert row[2] == field.description
    assert name == "workers" or row[1] == str(field.default)


def test_table_of_settings_has_no_unknown_setting() -> None:
    named = re.findall(r"^\| `MINECHECK_(\w+)` \|", OPERATIONS, re.MULTILINE)
    assert named == [name.upper() for name in Settings.model_fields]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_of_documents_lead_to_files(name: str) -> None:
    document = ROOT / name
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text()):
        assert ":" in link or (document.parent / link).exists(), link


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_named_in_documents_exist(name: str) -> None:
    tops = "app|automata|benchmarks|docker|docs|minefield|solvers|tests"
    named = re.findall(rf"`((?:{tops})/[\w./-]*)`", (ROOT / name).read_text())
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_versions_of_packages_and_changelog_agree() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    python = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]
    browser = json.loads((ROOT / "clients/browser/package.json").read_text())
    assert create_app().version == __version__
    assert python["version"] == browser["version"] == __version__
    latest = re.search(r"^## (\d\S+)", changelog, re.MULTILINE)
    assert latest is not None
    assert latest[1] == __version__
