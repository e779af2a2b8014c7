"""Settings of the service, read from the environment.

Each field is the environment variable ``MINECHECK_`` plus its name in
capitals; docs/operations.md has them in a table. An empty variable counts as unset.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

_PREFIX: Final = "MINECHECK_"
#: Among origins: those of this machine, at any port.
LOCALHOST: Final = "localhost"
#: As browsers write it: in lower case, without a path.
_ORIGIN: Final = re.compile(rf"\*|{LOCALHOST}|[a-z][a-z0-9+.-]*://[^/\sA-Z]+")
#: Of clients, and what Kubernetes tells of a service that is named minecheck.
_OTHER: Final = re.compile(r"KEY|SERVICE_.*|PORT_.*")
#: May hold a secret, well formed or not.
_HIDDEN: Final = ("api_keys", "redis_url")


class SettingsError(ValueError):
    """Settings that make no sense: a line for each fault, with its variable and the fix."""


class MissingExtra(SettingsError):
    """A setting asks for the packages of an ``extra``, of which ``package`` is not installed."""

    def __init__(self, extra: str, package: str | None) -> None:
        super().__init__(
            f"{_WANTING[extra]} needs {package or extra}, which is not installed: run "
            f"pip install 'minecheck[{extra}]'; in a clone, "
            ".venv/bin/python -m pip install --no-deps --require-hashes -r requirements-image.lock"
        )


#: The setting that asks for an extra.
_WANTING: Final = {"redis": "MINECHECK_REDIS_URL", "tracing": "MINECHECK_TRACING"}


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Within, packages of an extra are imported.

    Raises:
        MissingExtra: one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(extra, error.name) from None


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _names_and_hashes(value: Any) -> Any:
    """The JSON object of API keys."""
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and all(isinstance(hashed, str) for hashed in found.values()):
        return found
    raise ValueError(
        """should be a JSON object of names and hashes, such as {"alice": "sha256:..."}; """
        "`minecheck key alice` makes an entry"
    )


def _origins(value: Any) -> Any:
    """Origins in a JSON list, or between commas."""
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        found = [part.strip() for part in value.split(",")]
    if isinstance(found, list) and all(
        isinstance(one, str) and _ORIGIN.fullmatch(one) for one in found
    ):
        return found
    raise ValueError(
        "should be origins, separated by commas or as a JSON list, without paths and in lower "
        "case: https://game.example,https://other.example; or localhost, for pages of this machine"
    )


class Settings(BaseSettings):
    """What can be set, with the defaults.

    Raises:
        SettingsError: a value makes no sense.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", frozen=True
    )

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            faults = error.errors(include_url=False)
            # The error shows all values, and so would a traceback with it.
            raise SettingsError("\n".join(map(_told, faults))) from None

    workers: int = Field(
        default=max(2, os.cpu_count() or 1),
        ge=1,
        description="Processes for hard questions; half as many more for bounded ones, as many "
        "again for batches",
    )
    worker_memory_mb: int = Field(
        default=4096,
        ge=0,
        description="Memory that a question may take in a worker, beyond what an idle worker maps; "
        "0 is no limit (503 above it)",
    )
    queue: int = Field(
        default=64,
        ge=1,
        description="Questions that may wait for workers or occupy them (503 above it)",
    )
    max_requests: int = Field(
        default=128, ge=1, description="Requests that may be in progress at once (503 above it)"
    )
    deadline_ms: int = Field(
        default=5_000, ge=1, description="Time for a question without a deadline_ms"
    )
    max_deadline_ms: int = Field(
        default=60_000, ge=1, description="The longest deadline_ms allowed (422 above it)"
    )
    cache_mb: int = Field(
        default=64, ge=0, description="Memory for answers that are kept; 0 keeps none"
    )
    redis_url: str | None = Field(
        default=None,
        description="A Redis through which replicas share answers and games, such as "
        "redis://redis:6379/0 (needs the extra redis)",
    )
    cache_seconds: int = Field(
        default=86_400, ge=1, description="How long an answer stays in Redis"
    )
    game_seconds: int = Field(
        default=3600,
        ge=1,
        le=10**9,
        description="How long a game is kept after it was last asked for",
    )
    games_mb: int = Field(
        default=64, ge=1, description="Memory for games that are kept, if there is no Redis"
    )
    api_keys: Annotated[dict[str, str], NoDecode, BeforeValidator(_names_and_hashes)] = Field(
        default={},
        description="Who may ask: names and hashes from `minecheck key`, as JSON; all if empty",
    )
    rate_per_second: float = Field(
        default=0.0,
        ge=0,
        le=1e6,
        allow_inf_nan=False,
        description="Requests per second for each key, or for each address if there are no keys; "
        "0 is no limit (429 above it)",
    )
    rate_burst: int = Field(
        default=20, ge=1, description="Requests that may come at once before that limit applies"
    )
    tracing: bool = Field(
        default=False,
        description="OpenTelemetry traces, configured by the OTEL_ variables (needs the extra "
        "tracing)",
    )
    max_header_bytes: int = Field(
        default=32_768, ge=1024, description="The largest request head (431 above it)"
    )
    upload_seconds: float = Field(
        default=20.0,
        gt=0,
        description="The longest pause between two pieces of a request (408 after it)",
    )
    max_body_bytes: int = Field(
        default=16 * 2**20, ge=1, description="The largest request body (413 above it)"
    )
    max_cells: int = Field(
        default=2_000_000, ge=1, description="The most cells of a board (422 above it)"
    )
    max_layouts: int = Field(
        default=10_000,
        ge=1,
        description="The largest limit of layouts, samples or repairs in one JSON answer (422 "
        "above it; streams have none)",
    )
    log_level: Annotated[
        Literal["debug", "info", "warning", "error", "critical"], BeforeValidator(_lower)
    ] = Field(default="info", description="The lowest level that is logged")
    log_format: Annotated[Literal["json", "text"], BeforeValidator(_lower)] = Field(
        default="json", description="Logs as JSON, one object per line, or as text to read"
    )
    cors_origins: Annotated[list[str], NoDecode, BeforeValidator(_origins)] = Field(
        default=[],
        description="Origins whose pages may call the service, such as https://game.example, "
        "separated by commas or as a JSON list; `localhost` stands for pages of this machine at "
        "any port, for development",
    )

    @model_validator(mode="after")
    def _deadlines_agree(self) -> Self:
        # The default gives way to a lower limit; one that somebody has set is not capped unsaid.
        if "deadline_ms" in self.model_fields_set and self.deadline_ms > self.max_deadline_ms:
            raise ValueError(
                f"MINECHECK_DEADLINE_MS: {self.deadline_ms} is above MINECHECK_MAX_DEADLINE_MS, "
                f"{self.max_deadline_ms}; lower the first or raise the second"
            )
        return self


def check_extras(settings: Settings) -> None:
    """See to it that what the settings ask for is installed.

    Raises:
        MissingExtra: it is not.
    """
    for wanted, extra, package in (
        (settings.redis_url, "redis", "redis"),
        (settings.tracing, "tracing", "opentelemetry.exporter.otlp.proto.http"),
    ):
        if wanted:
            with needing(extra):
                import_module(package)


def unknown() -> list[str]:
    """A line for each environment variable that looks like a setting but is unknown."""
    names = [name.upper() for name in Settings.model_fields]
    lines = []
    for variable, value in sorted(os.environ.items()):
        prefix, name = variable[: len(_PREFIX)].upper(), variable[len(_PREFIX) :].upper()
        other = _OTHER.fullmatch(name) or value.startswith("tcp://")
        if prefix == _PREFIX and name not in names and not other:
            near = get_close_matches(name, names, 1)
            meant = f"; did you mean {_PREFIX}{near[0]}?" if near else ""
            lines.append(f"{variable}: unknown setting{meant}")
    return lines


def _told(fault: ErrorDetails) -> str:
    """A fault in a line: the variable, its value unless it may be secret, what it should be."""
    if not fault["loc"]:
        return str(fault["ctx"]["error"])
    name = str(fault["loc"][0])
    value = "" if name in _HIDDEN else f"{str(fault['input'])[:80]!a} "
    if fault["type"] == "value_error":
        wanted = str(fault["ctx"]["error"])
    else:
        # "Input should be a valid integer, unable to parse string as an integer"
        wanted = fault["msg"].removeprefix("Input ").partition(", unable")[0]
    return f"{_PREFIX}{name.upper()}: {value}{wanted}"
