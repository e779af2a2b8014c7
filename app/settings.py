"""Settings of the service, read from the environment.

Each field is the environment variable ``MINECHECK_`` plus its name in
capitals; the README shows them as a table.
"""

import os
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What can be set, with the defaults."""

    model_config = SettingsConfigDict(env_prefix="MINECHECK_", extra="ignore", frozen=True)

    workers: int = Field(
        default=max(2, os.cpu_count() or 1),
        ge=1,
        description="Processes for hard questions; half as many more take what is bounded, "
        "as many again batches",
    )
    worker_memory_mb: int = Field(
        default=4096,
        ge=0,
        description="Memory a question may take in a worker, beyond what an idle one maps; "
        "0 is no limit (503 above it)",
    )
    queue: int = Field(
        default=64,
        ge=1,
        description="The most questions that wait for workers or occupy them (503 above it)",
    )
    max_requests: int = Field(
        default=128, ge=1, description="The most requests under way at once (503 above it)"
    )
    deadline_ms: int = Field(
        default=5_000, ge=1, description="Time for a question that names no deadline_ms"
    )
    max_deadline_ms: int = Field(
        default=60_000, ge=1, description="The longest deadline_ms that may be asked for"
    )
    cache_mb: int = Field(
        default=64, ge=0, description="Memory for answers already given; 0 keeps none"
    )
    redis_url: str | None = Field(
        default=None,
        description="A Redis that replicas share answers through, such as redis://redis:6379/0 "
        "(needs the extra redis)",
    )
    cache_seconds: int = Field(
        default=86_400, ge=1, description="How long an answer stays in Redis"
    )
    api_keys: dict[str, str] = Field(
        default={},
        description="Who may ask: names and hashes from `minecheck key`, as JSON; all if empty",
    )
    rate_per_second: float = Field(
        default=0.0,
        ge=0,
        le=1e6,
        allow_inf_nan=False,
        description="Requests a second for each key, or each address without keys; 0 is no limit "
        "(429 above it)",
    )
    rate_burst: int = Field(
        default=20, ge=1, description="Requests that may come at once before that limit counts"
    )
    tracing: bool = Field(
        default=False,
        description="OpenTelemetry traces, set up by the OTEL_ variables (needs the extra tracing)",
    )
    max_header_bytes: int = Field(
        default=32_768, ge=1024, description="The largest request head (431 above it)"
    )
    upload_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Time a client may take between two pieces of a request (408 after it)",
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
        description="The largest limit of /v1/layouts in one JSON answer (NDJSON has none)",
    )
    log_level: Literal["debug", "info", "warning", "error", "critical"] = Field(
        default="info", description="The least that is logged"
    )
    log_format: Literal["json", "text"] = Field(
        default="json", description="Logs as one JSON object a line, or as text to read"
    )
    cors_origins: list[str] = Field(
        default=[],
        description='Origins whose pages may call the service, as JSON: ["https://game.example"]',
    )
