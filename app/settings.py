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
from ipaddress import IPv6Address
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from minecheck.app.quoting import quote_text
from minecheck.app.redis_url import require_redis_url

_PREFIX: Final = "MINECHECK_"
#: Among origins: those of this machine, at any port.
LOCALHOST: Final = "localhost"
#: As browsers write it: in lower case, without a path.
ORIGIN: Final = re.compile(rf"\*|{LOCALHOST}|[a-z][a-z0-9+.-]*://[^/\sA-Z]+")
#: Among hosts: any name.
ANY: Final = "*"
#: A name or an IPv4 address, or all names below one.
_HOST: Final = re.compile(r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*")
#: Variables of clients and tests, and those that Kubernetes sets for a service named minecheck.
_OTHER: Final = re.compile(r"KEY|KERNELS|SERVICE_.*|PORT_.*")
#: One client may hold half of the memory for requests, and a body grows by more than is in it.
_BODIES: Final = 4
#: May hold a secret, well formed or not.
_HIDDEN: Final = ("api_keys", "redis_url")


class SettingsError(ValueError):
    """Settings that make no sense: a line for each fault, with its variable and the fix."""


class MissingExtra(SettingsError):
    """The packages of an ``extra`` are needed, of which ``package`` is not installed."""

    def __init__(self, extra: str, package: str | None) -> None:
        super().__init__(
            f"{_WANTING[extra]} needs {package or extra}, which is not installed: run "
            f"pip install 'minecheck[{extra}]'; in a clone, run "
            ".venv/bin/python -m pip install --no-deps --require-hashes -r requirements-image.lock"
        )


#: The setting or the command that asks for an extra.
_WANTING: Final = {
    "redis": "MINECHECK_REDIS_URL",
    "tracing": "MINECHECK_TRACING",
    "mcp": "minecheck mcp",
}


@contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Turn the failed import of an extra's package into an error that names it, in a context.

    Raises:
        MissingExtra: a package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(extra, error.name) from None


def _lower_case(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _parse_api_keys(value: Any) -> Any:
    """Parse the JSON object of API keys."""
    try:
        hashes = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        hashes = None
    if isinstance(hashes, dict) and all(isinstance(hashed, str) for hashed in hashes.values()):
        return hashes
    raise ValueError(
        """should be a JSON object of names and hashes, such as {"alice": "sha256:..."}; """
        "run `minecheck key alice` to make an entry"
    )


def _parse_origins(value: Any) -> Any:
    """Parse origins in a JSON list, or between commas."""
    origins = _split_words(value)
    if isinstance(origins, list) and all(
        isinstance(origin, str) and ORIGIN.fullmatch(origin) for origin in origins
    ):
        return origins
    raise ValueError(
        "should be origins in lower case and without paths, separated by commas or as a JSON "
        "list, such as https://game.example,https://other.example; or localhost, for pages of "
        "this machine"
    )


def _read_hosts(value: Any) -> Any:
    """Return the host names of a JSON list, or between commas, in lower case."""
    hosts = _split_words(value)
    if isinstance(hosts, list) and all(isinstance(host, str) for host in hosts):
        names = [host.lower().removesuffix(".").strip("[]") for host in hosts]
        if all(name == ANY or _HOST.fullmatch(name) or _is_ipv6(name) for name in names):
            return names
    raise ValueError(
        "should be host names without scheme, port and path, separated by commas or as a JSON "
        "list, such as minecheck.example,*.other.example; or * for any"
    )


def _is_ipv6(name: str) -> bool:
    """Return whether a name is an IPv6 address."""
    try:
        IPv6Address(name)
    except ValueError:
        return False
    return True


def _split_words(value: Any) -> Any:
    """Return what a JSON document says, or else the words between commas."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return [part.strip() for part in value.split(",")]


class Settings(BaseSettings):
    """The settings and their defaults.

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
            raise SettingsError("\n".join(map(_describe_fault, faults))) from None

    workers: int = Field(
        default=max(2, os.cpu_count() or 1),
        ge=1,
        description="Worker processes for hard requests. In addition, half as many are started for "
        "bounded requests, as many for batches, and one for chunks of batches",
    )
    worker_memory_mb: int = Field(
        default=4096,
        ge=0,
        description="Memory in MB that a request may take in a worker, in addition to that of an "
        "idle worker; 0 is no limit (503 above it)",
    )
    queue: int = Field(
        default=64,
        ge=1,
        description="Requests that may wait for workers or occupy them (503 above it)",
    )
    max_requests: int = Field(
        default=128, ge=1, description="Requests that may be in progress at once (503 above it)"
    )
    requests_mb: int = Field(
        default=96,
        ge=1,
        description="Memory in MB for requests and answers in progress; at least four bodies of "
        "MINECHECK_MAX_BODY_BYTES (503 above it)",
    )
    batches: int = Field(
        default=16, ge=1, description="Batches that may be in progress at once (503 above it)"
    )
    deadline_ms: int = Field(
        default=5_000, ge=1, description="Time in ms for a request without a deadline_ms"
    )
    max_deadline_ms: int = Field(
        default=60_000, ge=1, description="The largest deadline_ms of a request (422 above it)"
    )
    cache_mb: int = Field(
        default=64, ge=0, description="Memory in MB for cached answers; 0 turns the cache off"
    )
    redis_url: Annotated[str, AfterValidator(require_redis_url)] | None = Field(
        default=None,
        description="URL of a Redis in which replicas share cached answers and games, such as "
        "redis://redis:6379/0 (needs the extra redis)",
    )
    cache_seconds: int = Field(
        default=86_400, ge=1, description="Seconds for which an answer stays in Redis"
    )
    game_seconds: int = Field(
        default=3600,
        ge=1,
        le=10**9,
        description="Seconds for which a game is kept after its last request",
    )
    games_mb: int = Field(
        default=64, ge=1, description="Memory in MB for games, if there is no Redis"
    )
    api_keys: Annotated[dict[str, str], NoDecode, BeforeValidator(_parse_api_keys)] = Field(
        default={},
        description="Names and hashes of API keys, as a JSON object, from `minecheck key`; if it "
        "is empty, requests need no key",
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
        default=20,
        ge=1,
        description="Requests of one client that may arrive at once before its rate is limited",
    )
    tracing: bool = Field(
        default=False,
        description="Whether OpenTelemetry traces are sent, as the OTEL_ variables say (needs the "
        "extra tracing)",
    )
    max_header_bytes: int = Field(
        default=32_768,
        ge=1024,
        description="The most bytes of a request line and its headers (431 above it)",
    )
    upload_seconds: float = Field(
        default=20.0,
        gt=0,
        description="The longest pause in seconds between two pieces of a request (408 after it)",
    )
    upload_rate: int = Field(
        default=16_384,
        ge=0,
        description="The fewest bytes per second of a body, or of a line of a batch, after its "
        "first MINECHECK_UPLOAD_SECONDS; 0 is no limit (408 below it)",
    )
    download_seconds: float = Field(
        default=30.0,
        gt=0,
        description="The longest time in seconds in which a client reads nothing of an answer, and "
        "sends nothing more of its request (its connection is closed after it)",
    )
    max_body_bytes: int = Field(
        default=16 * 2**20, ge=1, description="The most bytes of a request body (413 above it)"
    )
    max_cells: int = Field(
        default=2_000_000, ge=1, description="The most cells of a board (422 above it)"
    )
    max_layouts: int = Field(
        default=10_000,
        ge=1,
        description="The largest `limit` of layouts, samples or repairs in one JSON answer (422 "
        "above it); streams have no such limit",
    )
    log_level: Annotated[
        Literal["debug", "info", "warning", "error", "critical"], BeforeValidator(_lower_case)
    ] = Field(default="info", description="The lowest level that is logged")
    log_format: Annotated[Literal["auto", "json", "text"], BeforeValidator(_lower_case)] = Field(
        default="auto",
        description="Logs as `json`, one object per line, or as plain `text`; `auto` writes text "
        "to a terminal, and JSON elsewhere",
    )
    cors_origins: Annotated[list[str], NoDecode, BeforeValidator(_parse_origins)] = Field(
        default=[],
        description="Origins whose pages may call the service, such as https://game.example, "
        "separated by commas or as a JSON list; `localhost` stands for all pages of this machine, "
        "for development",
    )

    allowed_hosts: Annotated[list[str], NoDecode, BeforeValidator(_read_hosts)] = Field(
        default=[],
        description="Host names for which requests are answered (421 for others), such as "
        "minecheck.example or *.example, separated by commas or as a JSON list; `*` allows any. "
        "If it is empty, any is allowed, but at loopback addresses only loopback names",
    )

    @property
    def requests_bytes(self) -> int:
        """The bytes for requests under way; the default gives way to larger bodies."""
        return max(self.requests_mb * 2**20, _BODIES * self.max_body_bytes)

    @model_validator(mode="after")
    def _bodies_fit(self) -> Self:
        least = -(-_BODIES * self.max_body_bytes // 2**20)
        if "requests_mb" in self.model_fields_set and self.requests_mb < least:
            raise ValueError(
                f"MINECHECK_REQUESTS_MB: {self.requests_mb} is too small for {_BODIES} bodies of "
                f"MINECHECK_MAX_BODY_BYTES ({self.max_body_bytes}); raise MINECHECK_REQUESTS_MB to "
                f"{least}, or lower MINECHECK_MAX_BODY_BYTES"
            )
        return self

    @model_validator(mode="after")
    def _deadlines_agree(self) -> Self:
        # The default gives way to a lower limit; one that somebody has set is not capped unsaid.
        if "deadline_ms" in self.model_fields_set and self.deadline_ms > self.max_deadline_ms:
            raise ValueError(
                f"MINECHECK_DEADLINE_MS: {self.deadline_ms} is above MINECHECK_MAX_DEADLINE_MS "
                f"({self.max_deadline_ms}); lower MINECHECK_DEADLINE_MS, or raise "
                "MINECHECK_MAX_DEADLINE_MS"
            )
        return self


def check_extras(settings: Settings) -> None:
    """See to it that what the settings ask for is installed.

    Raises:
        MissingExtra: it is not.
        SettingsError: an option of the URL of the Redis has a value that its package rejects.
    """
    for needed, extra, package in (
        (settings.redis_url, "redis", "redis"),
        (settings.tracing, "tracing", "opentelemetry.exporter.otlp.proto.http"),
    ):
        if needed:
            with require_extra(extra):
                import_module(package)
    if settings.redis_url:
        _check_redis_options(settings.redis_url)


def check_mcp() -> None:
    """See to it that the packages for the Model Context Protocol are installed.

    Raises:
        MissingExtra: one is not.
    """
    with require_extra("mcp"):
        import_module("mcp")


def _check_redis_options(url: str) -> None:
    """Make a connection of each kind that the service makes, without opening it."""
    from redis.asyncio import BlockingConnectionPool, ConnectionPool

    try:
        for kind in (BlockingConnectionPool, ConnectionPool):
            connection = kind.from_url(url).make_connection()  # type: ignore[no-untyped-call]
            connection.encoder.encode("minecheck")
    except Exception:  # noqa: BLE001 - what it says may have a password in it
        raise SettingsError(
            "MINECHECK_REDIS_URL: the package redis rejects the value of an option; correct the "
            "options after the ?, or leave them out"
        ) from None


def list_unknown() -> list[str]:
    """Return a line for each environment variable that looks like a setting but is unknown."""
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


def _describe_fault(fault: ErrorDetails) -> str:
    """Describe a fault in a line: the variable, its value if not secret, what it should be."""
    if not fault["loc"]:
        return str(fault["ctx"]["error"])
    name = str(fault["loc"][0])
    value = "" if name in _HIDDEN else f"{quote_text(str(fault['input']))} "
    if fault["type"] == "value_error":
        expected = str(fault["ctx"]["error"])
    else:
        # "Input should be a valid integer, unable to parse string as an integer", or
        # "Input should be 'json' or 'text'".
        said = fault["msg"].removeprefix("Input ").partition(", unable")[0]
        expected = said.replace("'", "")
    return f"{_PREFIX}{name.upper()}: {value}{expected}"
