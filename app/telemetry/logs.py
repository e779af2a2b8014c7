"""Logs, one JSON object or text a line, and the ids by which requests are found in them.

Unexpected errors are logged, with their traceback, by the server that runs
the app; `logging_config` has its records written like all others.
"""

import asyncio
import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from random import getrandbits
from time import time
from typing import Any, Final, Literal
from urllib.parse import quote

import orjson
from starlette.types import Scope

from minecheck.app.requests.scope import KEY, index_headers
from minecheck.app.telemetry.watching import Headers, Watcher

#: The id of the request that is being answered; None outside of requests.
request_id: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)

#: The most characters of client input, such as a path, in a line.
_OF_CLIENTS: Final = 256
#: Characters of a message, and of a traceback; an error may quote what a client sent.
_MESSAGE: Final = 4_000
_TRACEBACK: Final = 16_000

_ACCESS: Final = logging.getLogger("minecheck.access")

_OF_ACCESS: Final = vars(
    logging.LogRecord(_ACCESS.name, logging.INFO, __file__, 0, "%s %s %s", None, None)
)

_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,128}")
#: W3C Trace Context: version, trace id, parent id, flags; only versions to come may add more.
_TRACE: Final = re.compile(
    rb"(?:(?P<zero>00)|(?!ff)[0-9a-f]{2})-(?!0{32})(?P<trace>[0-9a-f]{32})"
    rb"-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?(zero)|(?:-.*)?)"
)


class Logged(Watcher):
    """Gives each HTTP request an id and a line in the log.

    The id is the client's X-Request-ID if it is well formed (1 to 128 letters,
    digits, dots, underscores or hyphens), else the trace id of its traceparent,
    else a new one; the answer carries it as X-Request-ID.

    Requests that end together are logged together, which takes half as long.
    """

    def __init__(self) -> None:
        self._ended: list[tuple[float, Scope, str | None, int, float]] = []

    def begin_request(self, scope: Scope) -> Headers:
        """Choose the id of a request, which is known from now on."""
        known_as = choose_request_id(scope)
        # Not reset: the server logs what the app raises afterwards, in the same task.
        request_id.set(known_as)
        return ((b"x-request-id", known_as.encode()),)

    def end_request(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        """Log the request soon."""
        if not self._ended:
            asyncio.get_running_loop().call_soon(self._log_requests)
        self._ended.append((time(), scope, request_id.get(), status, seconds))

    def _log_requests(self) -> None:
        """Log a line for each request that has ended."""
        ended, self._ended = self._ended, []
        for request in ended:
            _log_request(*request)


def choose_request_id(scope: Scope) -> str:
    """Choose the id for the request of an ASGI scope."""
    headers = index_headers(scope)
    if client_id := _ID.fullmatch(headers.get(b"x-request-id", b"")):
        return client_id[0].decode()
    if traced := _TRACE.fullmatch(headers.get(b"traceparent", b"")):
        return traced["trace"].decode()
    # The id is no secret, but unique.
    return f"{getrandbits(128):032x}"


class Access(logging.LogRecord):
    """The record of a request, without what takes long to find out and is the same for all."""

    def __init__(
        self, created: float, level: int, args: tuple[object, ...], fields: dict[str, Any]
    ) -> None:
        self.__dict__ = _OF_ACCESS | {
            "levelno": level,
            "levelname": logging.getLevelName(level),
            "args": args,
            "fields": fields,
            "created": created,
            "msecs": created % 1 * 1000,
        }


def _log_request(
    now: float, scope: Scope, known_as: str | None, status: int, seconds: float
) -> None:
    """Log the line for a request: an error if the service failed on it."""
    # Quoted again, since a path may contain line breaks; without the query.
    path = quote(shorten_text(scope["path"], _OF_CLIENTS), errors="replace")
    fields = {
        "request_id": known_as,
        "method": scope["method"],
        "path": path,
        "status": status,
        "ms": round(1000 * seconds, 3),
        # A proxy may have set it to anything.
        "client": shorten_text((scope.get("client") or ("",))[0], _OF_CLIENTS) or None,
    }
    if (key := scope.get(KEY)) is not None:
        fields["key"] = key
    level = logging.ERROR if status == 500 else logging.INFO
    if _ACCESS.isEnabledFor(level):
        _ACCESS.handle(Access(now, level, (scope["method"], path, status), fields))


def shorten_text(text: str, most: int) -> str:
    """Shorten a text by replacing its middle by three dots.

    Args:
        text: the text.
        most: the most characters.
    """
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}...{text[len(text) - most // 2 :]}"


class TextLines(logging.Formatter):
    """A record as text, with what a client may have made long cut."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging has it
        """Return the line without traceback."""
        return shorten_text(super().formatMessage(record), _MESSAGE)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - as logging has it
        """Return the traceback."""
        return shorten_text(super().formatException(ei), _TRACEBACK)


class JsonLines(TextLines):
    """A record as a JSON object on one line, in ASCII.

    It has time (ISO 8601, UTC), level, logger, message, request_id within a
    request, what a dict ``extra={"fields": ...}`` adds, and traceback if any.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        document: dict[str, Any] = {
            "time": _format_second(int(record.created))
            + f".{int(record.created % 1 * 1000):03}+00:00",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": shorten_text(record.getMessage().strip(), _MESSAGE),
        }
        if (known_as := request_id.get()) is not None:
            document["request_id"] = known_as
        document |= getattr(record, "fields", {})
        if record.exc_info:
            document["traceback"] = self.formatException(record.exc_info)
        elif record.exc_text:
            document["traceback"] = record.exc_text
        if record.stack_info:
            document["stack"] = self.formatStack(record.stack_info)
        try:
            line = orjson.dumps(document, default=str).decode()
        except TypeError:
            # Half a surrogate pair, or a number of more than 64 bits.
            line = ""
        plain = line.isascii() and line.isprintable()
        return line if line and plain else json.dumps(document, default=str)


@lru_cache(maxsize=2)
def _format_second(seconds: int) -> str:
    """Format a second since 1970, in UTC, as ISO 8601 writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def choose_form(setting: Literal["auto", "json", "text"]) -> Literal["json", "text"]:
    """Return the form of lines: for `auto`, text on a terminal, and JSON elsewhere."""
    if setting == "auto":
        return "text" if sys.stderr.isatty() else "json"
    return setting


def logging_config(level: str = "info", form: Literal["json", "text"] = "json") -> dict[str, Any]:
    """Return a configuration of `logging` that writes everything to stderr, for ``uvicorn.run``.

    uvicorn's own access log is off, since `Logged` has one.

    Args:
        level: debug, info, warning, error or critical.
        form: the form of a line.
    """
    text = {"()": TextLines, "fmt": "%(asctime)s %(levelname)s %(name)s: %(message)s"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": JsonLines} if form == "json" else text},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "stream": "ext://sys.stderr",
            }
        },
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            # A level of its own: uvicorn takes a logger without one for a verbose one.
            "uvicorn.error": {"level": level.upper()},
            "uvicorn.access": {"handlers": [], "propagate": False},
        },
    }
