"""From questions to HTTP requests, without sending anything."""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeAlias
from uuid import uuid4

import httpx

from minecheck_client.numbers import digits
from minecheck_client.options import Board
from minecheck_client.problem import Problem

#: A line of a batch: a board, or all that a single request would say.
Line: TypeAlias = Board | Mapping[str, Any]
#: What a route of any kind is sent: a question, a text, bytes, or nothing to read it (GET).
Body: TypeAlias = Mapping[str, Any] | str | bytes | None

_JSON: Final = "application/json"
_LINES: Final = "application/x-ndjson"

#: Seconds that an answer may take where no deadline is named.
_NO_DEADLINE: Final = 60.0
#: Too many requests, or no answer for now.
_LATER: Final = (429, 503)
#: Seconds before a connection is tried again, doubled each time.
_PAUSE: Final = 0.1
#: A service that wants a longer pause is not asked again.
_LONGEST_PAUSE: Final = 10.0


@dataclass(frozen=True, slots=True)
class Service:
    """How a service is asked: where, with which key, and with how much patience.

    ``timeout`` are the seconds for connecting and sending, and those that an
    answer may come after its deadline.
    """

    url: str
    key: str | None = field(repr=False)
    retries: int
    timeout: float

    def question(
        self, task: str, board: Line | None, options: Mapping[str, Any], stream: bool = False
    ) -> httpx.Request:
        """A single question; ``stream`` asks for lines."""
        body = json_body({**options, "board": board, "request_id": None})
        headers = {"Content-Type": _JSON, "Accept": _LINES if stream else _JSON}
        return self._request(f"v1/{task}", {}, headers, body, options)

    def route(self, route: str, body: Body, request_id: str | None) -> httpx.Request:
        """A request to any route; without a body the route is read."""
        headers = {"Accept": _JSON}
        options = {"request_id": request_id}
        if isinstance(body, Mapping):
            headers["Content-Type"] = _JSON
            options["deadline_ms"] = body.get("deadline_ms")
            body = json_body(body)
        elif isinstance(body, str):
            headers["Content-Type"] = "text/plain; charset=utf-8"
            body = body.encode()
        return self._request(f"v1/{route}", {}, headers, body, options)

    def batch(self, task: str, lines: Sequence[bytes], options: Mapping[str, Any]) -> httpx.Request:
        """Many questions, one a line."""
        body = b"".join(lines)
        headers = {"Content-Type": _LINES, "Accept": _LINES, "Accept-Encoding": "identity"}
        if options.get("gzip"):
            body = gzip.compress(body, 1)
            headers |= {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"}
        not_in_query = dict.fromkeys(("gzip", "summary", "request_id"))
        given = _without_none({**options, **not_in_query})
        query = {"task": task} | {name: _query_value(value) for name, value in given.items()}
        return self._request("v1/batch", query, headers, body, options, len(lines))

    def _request(
        self,
        path: str,
        query: Mapping[str, str],
        headers: dict[str, str],
        body: bytes | None,
        options: Mapping[str, Any],
        lines: int = 1,
    ) -> httpx.Request:
        deadline_ms = options.get("deadline_ms")
        seconds = _NO_DEADLINE if deadline_ms is None else deadline_ms / 1000
        # Lines may be answered one after the other, and come together.
        timeout = httpx.Timeout(self.timeout, read=lines * (seconds + self.timeout))
        # Named here, a request without an answer is found in the logs of the service, too.
        own = {"X-Request-ID": options.get("request_id") or uuid4().hex}
        if self.key is not None:
            own["Authorization"] = f"Bearer {self.key}"
        return httpx.Request(
            "GET" if body is None else "POST",
            f"{self.url.rstrip('/')}/{path}",
            params=query or None,
            headers={"User-Agent": "minecheck-client", "Accept-Encoding": "gzip"} | own | headers,
            content=body,
            extensions={"timeout": timeout.as_dict()},
        )

    def pause(self, error: Problem | httpx.TransportError, attempt: int) -> float | None:
        """Seconds until what failed is sent again, None if it is not; attempts count from 0."""
        if attempt >= self.retries:
            return None
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return float(_PAUSE * 2**attempt)
        if not isinstance(error, Problem) or error.status not in _LATER:
            return None
        wait = error.retry_after
        return wait if wait is not None and wait <= _LONGEST_PAUSE else None


def json_body(fields: Mapping[str, Any]) -> bytes:
    """Fields as JSON, without those that are None.

    Raises:
        TypeError, ValueError: JSON has no such thing, such as a set or NaN.
    """
    given = _without_none(fields)
    if isinstance(given.get("offset"), int):
        given["offset"] = digits(given["offset"])
    return json.dumps(given, allow_nan=False, separators=(",", ":"), default=_exact).encode()


def _exact(value: Any) -> str:
    """A density that is not a float, such as 1/3, as it is written."""
    if isinstance(value, Fraction | Decimal):
        return str(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _query_value(value: Any) -> str:
    """An option as the query of a batch has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return digits(value)
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
