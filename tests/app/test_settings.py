"""Settings have several spellings, and invalid settings are rejected with their names."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.settings import MissingExtra, Settings, SettingsError, check_extras, list_unknown
from tests.processes import ROOT

SECRET = "minecheck_SECRETKEY"
HASHES = {"ann": "sha256:" + "a" * 64}
#: Both commands that start the service, and a command that only reads settings.
SERVE = ["minecheck", "serve", "--port", "0"]
UVICORN = ["uvicorn", "minecheck.app.main:app", "--port", "0"]
BATCH = ["minecheck", "batch", "-"]


def run_command(command: list[str], env: dict[str, str]) -> tuple[int, list[str]]:
    """Return the status of a command that ends by itself, and the lines of its standard error."""
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
    ("name", "value", "expected"),
    [
        ("WORKERS", "0", '"0" should be greater than or equal to 1'),
        ("MAX_CELLS", "many", '"many" should be a valid integer'),
        ("DEADLINE_MS", "-1", '"-1" should be greater than or equal to 1'),
        ("TRACING", "maybe", '"maybe" should be a valid boolean'),
        ("LOG_LEVEL", "loud", '"loud" should be debug, info, warning, error or critical'),
        ("CORS_ORIGINS", "game.example", '"game.example" should be origins'),
        ("CORS_ORIGINS", "['https://game.example']", "should be origins"),
        ("CORS_ORIGINS", "https://game.example/play", "should be origins"),
        ("CORS_ORIGINS", "{}", "should be origins"),
        ("API_KEYS", "ann", "should be a JSON object"),
    ],
)
def test_invalid_settings_are_rejected(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(f"MINECHECK_{name}", value)
    with pytest.raises(SettingsError) as caught:
        Settings()
    message = str(caught.value)
    assert message.startswith(f"MINECHECK_{name}: ")
    assert expected in message
    assert "\n" not in message


@pytest.mark.slow
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
def test_message_about_malformed_keys_hides_keys(value: str) -> None:
    status, lines = run_command(SERVE, {"MINECHECK_API_KEYS": value})
    assert status == 2
    assert [line.partition(": ")[2].partition(":")[0] for line in lines] == ["MINECHECK_API_KEYS"]
    assert "SECRET" not in lines[0]


@pytest.mark.slow
@pytest.mark.parametrize("command", [SERVE, UVICORN, BATCH], ids=lambda one: " ".join(one[:2]))
def test_every_command_prints_a_line_for_each_invalid_setting(command: list[str]) -> None:
    faults = {"MINECHECK_WORKERS": "0", "MINECHECK_QUEUE": "x", "MINECHECK_API_KEYS": SECRET}
    status, lines = run_command(command, faults)
    assert status == 2
    assert len(lines) == len(faults)
    for name, line in zip(faults, lines, strict=True):
        assert line.removeprefix("minecheck: ").startswith(f"{name}: ")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_empty_setting_has_default_value(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
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
def test_cors_origins_setting_is_json_or_list_with_commas(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MINECHECK_CORS_ORIGINS", value)
    assert Settings().cors_origins == ["https://game.example", "http://localhost:3000"]


def test_settings_ignore_case_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_LOG_LEVEL", "INFO")
    monkeypatch.setenv("MINECHECK_LOG_FORMAT", "Text")
    assert (Settings().log_level, Settings().log_format) == ("info", "text")


def test_api_keys_setting_is_a_json_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_API_KEYS", json.dumps(HASHES))
    assert Settings().api_keys == HASHES


def test_unknown_setting_is_named_with_closest_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINECHECK_WORKER", "3")
    monkeypatch.setenv("MINECHECK_XYZZY", "4")
    assert list_unknown() == [
        "MINECHECK_WORKER: unknown setting; did you mean MINECHECK_WORKERS?",
        "MINECHECK_XYZZY: unknown setting",
    ]


def test_variables_with_another_use_are_not_unknown_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {
        "MINECHECK_WORKERS": "2",
        "minecheck_queue": "3",
        "MINECHECK_KEY": "minecheck_abc",
        "MINECHECK_KERNELS": "checked",
        "MINECHECK_PORT": "tcp://10.0.0.7:8000",
        "MINECHECK_PORT_8000_TCP_ADDR": "10.0.0.7",
        "MINECHECK_SERVICE_HOST": "10.0.0.7",
    }.items():
        monkeypatch.setenv(name, value)
    assert list_unknown() == []


def test_service_warns_of_unknown_settings(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MINECHECK_WORKER", "3")
    with TestClient(create_app(Settings(workers=1))):
        assert "MINECHECK_WORKERS" in caplog.text


def test_default_deadline_above_longest_deadline_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MINECHECK_DEADLINE_MS", "9000")
    assert Settings().deadline_ms == 9000
    monkeypatch.setenv("MINECHECK_MAX_DEADLINE_MS", "8999")
    with pytest.raises(SettingsError, match=r"^MINECHECK_DEADLINE_MS: .*MINECHECK_MAX_DEADLINE_MS"):
        Settings()


def test_longest_deadline_below_default_deadline_is_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MINECHECK_MAX_DEADLINE_MS", "10")
    assert Settings().max_deadline_ms == 10


@pytest.mark.parametrize(
    ("given", "variable", "extra", "module"),
    [
        ({"redis_url": "redis://127.0.0.1"}, "MINECHECK_REDIS_URL", "redis", "redis"),
        ({"tracing": True}, "MINECHECK_TRACING", "tracing", "opentelemetry.exporter"),
    ],
)
def test_setting_of_missing_extra_is_rejected_with_fix(
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


REDIS_URLS = [
    "redis://redis:6379/0",
    "redis://redis",
    "redis://redis/",
    "redis://:p%40ss@redis:6379/15",
    "redis://ann:secret@[::1]:6379/0?health_check_interval=5",
    "rediss://ann:secret@redis.example:6380/1?ssl_cert_reqs=none&ssl_check_hostname=false",
    "redis://redis?db=3&socket_timeout=0.5&protocol=3&client_name=minecheck",
    "unix:///run/redis.sock",
    "unix:///run/redis.sock?db=2",
    "unix://ann:secret@/run/redis.sock",
    "unix:/run/redis.sock",
]


@pytest.mark.parametrize("url", REDIS_URLS)
def test_redis_url_setting_accepts_valid_urls(url: str) -> None:
    settings = Settings(redis_url=url)
    check_extras(settings)
    assert settings.redis_url == url


@pytest.mark.parametrize(
    "url",
    [
        "redis",
        "redis:6379",
        "//redis",
        "http://redis",
        "sentinel://redis:26379/main",
        "redis+sentinel://redis/main",
        "redis://",
        "redis:///0",
        "redis://:6379",
        f"redis://:{SECRET}@",
        f"redis://:{SECRET}@/0",
        f"redis://:{SECRET}@[::1",
        f"redis://:{SECRET}@[redis]",
        f"redis://:{SECRET}@redis:port",
        f"redis://:{SECRET}@redis:",
        f"redis://:{SECRET}@redis:0",
        f"redis://:{SECRET}@redis:99999999/0",
        f"redis://:{SECRET}@redis/main",
        f"redis://:{SECRET}@redis/-1",
        f"redis://:{SECRET}@redis/0/1",
        f"redis://:{SECRET}@redis?db=main",
        f"redis://:{SECRET}@redis?db=-1",
        f"redis://:{SECRET}@redis?db=1&db=2",
        f"redis://:{SECRET}@redis?timeout=1",
        f"redis://:{SECRET}@redis?{SECRET}=1",
        f"redis://:{SECRET}@redis?db",
        f"redis://:{SECRET}@redis?retry=1",
        f"redis://:{SECRET}@redis?decode_responses=true",
        f"redis://:{SECRET}@redis?connection_class=x",
        f"redis://:{SECRET}@redis?socket_timeout=soon",
        f"redis://:{SECRET}@redis?socket_timeout=-1",
        f"redis://:{SECRET}@redis?socket_timeout=nan",
        f"redis://:{SECRET}@redis?protocol=9",
        f"redis://:{SECRET}@redis?encoding=klingon",
        f"rediss://:{SECRET}@redis?ssl_cert_reqs=maybe",
        f"redis://:{SECRET}@redis?ssl_cert_reqs=none",
        f"redis://:{SECRET}#1@redis",
        f"redis://:{SECRET}/1@redis",
        f"redis://:{SECRET}?1@redis",
        f"redis://:{SECRET}%@redis",
        f"redis://:{SECRET} @redis",
        f"redis://:{SECRET}\n@redis",
        f"redis://:{SECRET}\u00e9@redis",
        f"redis://:{SECRET}@re dis",
        "unix:",
        "unix://",
        "unix:///",
        "unix:///run/",
        "unix:run/redis.sock",
        f"unix://:{SECRET}@run/redis.sock",
        f"unix:///run/redis.sock?db={SECRET}",
        f"unix:///run/redis.sock?ssl_certfile={SECRET}",
    ],
)
def test_malformed_redis_url_is_rejected_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        check_extras(Settings(redis_url=url))
    message = str(caught.value)
    assert message.startswith("MINECHECK_REDIS_URL: ")
    assert SECRET not in message
    assert "\n" not in message


@pytest.mark.slow
@pytest.mark.parametrize("command", [SERVE, UVICORN])
@pytest.mark.parametrize("url", [f"redis://:{SECRET}@[::1", f"redis://:{SECRET}@r?protocol=9"])
def test_service_does_not_start_with_malformed_redis_url(command: list[str], url: str) -> None:
    status, lines = run_command(command, {"MINECHECK_REDIS_URL": url})
    assert (status, len(lines)) == (2, 1)
    assert "MINECHECK_REDIS_URL: " in lines[0]
    assert SECRET not in lines[0]
