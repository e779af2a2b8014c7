"""Settings: how they may be written, and what is said of those that make no sense."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.main import create
from app.settings import MissingExtra, Settings, SettingsError, check_extras, unknown
from tests.processes import ROOT

SECRET = "minecheck_SECRETKEY"
HASHES = {"ann": "sha256:" + "a" * 64}
#: Both ways to start the service, and a command that only reads settings.
SERVE = ["app.cli", "serve", "--port", "0"]
UVICORN = ["uvicorn", "app.main:app", "--port", "0"]
BATCH = ["app.cli", "batch", "-"]


def started(command: list[str], env: dict[str, str]) -> tuple[int, list[str]]:
    """The status of a command that ends by itself, and the lines of its standard error."""
    ran = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "HOME": str(Path.home()), **env},
        input='{"board": ["?"]}\n',
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stderr.splitlines()


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("WORKERS", "0", "'0' should be greater than or equal to 1"),
        ("MAX_CELLS", "many", "'many' should be a valid integer"),
        ("DEADLINE_MS", "-1", "'-1' should be greater than or equal to 1"),
        ("TRACING", "maybe", "'maybe' should be a valid boolean"),
        ("LOG_LEVEL", "loud", "'loud' should be 'debug', 'info'"),
        ("CORS_ORIGINS", "game.example", "'game.example' should be origins"),
        ("CORS_ORIGINS", "['https://game.example']", "should be origins"),
        ("CORS_ORIGINS", "https://game.example/play", "should be origins"),
        ("CORS_ORIGINS", "{}", "should be origins"),
        ("API_KEYS", "ann", "should be a JSON object"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, wanted: str
) -> None:
    monkeypatch.setenv(f"MINECHECK_{name}", value)
    with pytest.raises(SettingsError) as caught:
        Settings()
    said = str(caught.value)
    assert said.startswith(f"MINECHECK_{name}: ")
    assert wanted in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "value",
    [
        json.dumps({"alice": [SECRET]}),
        json.dumps({"alice": {"key": SECRET}}),
        json.dumps({"alice": SECRET}),
        json.dumps({SECRET: "alice"}),
        json.dumps({f"alice {SECRET}": HASHES["ann"]}),
        json.dumps([SECRET]),
        json.dumps(SECRET),
        SECRET,
        f"{{{SECRET}",
    ],
)
def test_nothing_of_malformed_keys_is_shown(value: str) -> None:
    status, said = started(SERVE, {"MINECHECK_API_KEYS": value})
    assert status == 2
    assert [line.partition(": ")[2].partition(":")[0] for line in said] == ["MINECHECK_API_KEYS"]
    assert "SECRET" not in said[0]


@pytest.mark.parametrize("command", [SERVE, UVICORN, BATCH], ids=lambda one: " ".join(one[:2]))
def test_each_fault_is_a_line_wherever_settings_are_read(command: list[str]) -> None:
    faults = {"MINECHECK_WORKERS": "0", "MINECHECK_QUEUE": "x", "MINECHECK_API_KEYS": SECRET}
    status, said = started(command, faults)
    assert status == 2
    assert len(said) == len(faults)
    for name, line in zip(faults, said, strict=True):
        assert line.removeprefix("minecheck: ").startswith(f"{name}: ")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_an_empty_one_is_none(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"MINECHECK_{name.upper()}", "")
    assert Settings() == Settings(**{name: Settings.model_fields[name].default})


@pytest.mark.parametrize(
    "value",
    [
        "https://game.example,http://localhost:3000",
        "https://game.example , http://localhost:3000",
        '["https://game.example", "http://localhost:3000"]',
    ],
)
def test_origins_are_a_list_as_json_or_with_commas(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MINECHECK_CORS_ORIGINS", value)
    assert Settings().cors_origins == ["https://game.example", "http://localhost:3000"]


def test_the_case_of_words_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_LOG_LEVEL", "INFO")
    monkeypatch.setenv("MINECHECK_LOG_FORMAT", "Text")
    assert (Settings().log_level, Settings().log_format) == ("info", "text")


def test_keys_are_a_json_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_API_KEYS", json.dumps(HASHES))
    assert Settings().api_keys == HASHES


def test_a_name_that_is_none_is_told_with_the_closest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_WORKER", "3")
    monkeypatch.setenv("MINECHECK_XYZZY", "4")
    assert unknown() == [
        "MINECHECK_WORKER: unknown setting; did you mean MINECHECK_WORKERS?",
        "MINECHECK_XYZZY: unknown setting",
    ]


def test_names_with_another_use_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "MINECHECK_WORKERS": "2",
        "minecheck_queue": "3",
        "MINECHECK_KEY": "minecheck_abc",
        "MINECHECK_PORT": "tcp://10.0.0.7:8000",
        "MINECHECK_PORT_8000_TCP_ADDR": "10.0.0.7",
        "MINECHECK_SERVICE_HOST": "10.0.0.7",
    }.items():
        monkeypatch.setenv(name, value)
    assert unknown() == []


def test_the_service_warns_of_them(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MINECHECK_WORKER", "3")
    with TestClient(create(Settings(workers=1))):
        assert "MINECHECK_WORKERS" in caplog.text


def test_a_deadline_above_the_longest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_DEADLINE_MS", "9000")
    assert Settings().deadline_ms == 9000
    monkeypatch.setenv("MINECHECK_MAX_DEADLINE_MS", "8999")
    with pytest.raises(SettingsError, match=r"^MINECHECK_DEADLINE_MS: .*MINECHECK_MAX_DEADLINE_MS"):
        Settings()


def test_a_longest_deadline_below_the_default_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_MAX_DEADLINE_MS", "10")
    assert Settings().max_deadline_ms == 10


@pytest.mark.parametrize(
    ("given", "variable", "extra", "module"),
    [
        ({"redis_url": "redis://127.0.0.1"}, "MINECHECK_REDIS_URL", "redis", "redis"),
        ({"tracing": True}, "MINECHECK_TRACING", "tracing", "opentelemetry.exporter"),
    ],
)
def test_what_is_asked_for_and_not_installed_is_named_with_the_fix(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], variable: str, extra: str, module: str
) -> None:
    check_extras(Settings())
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtra, match=rf"{variable} .*minecheck\[{extra}\].*--no-deps --require-hashes"
    ):
        check_extras(Settings(**given))
