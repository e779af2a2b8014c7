"""Pages of other origins: what they may ask."""

import logging
import re
from http import HTTPStatus
from typing import Any, Final

from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from minecheck.app.problems import ProblemError
from minecheck.app.quoting import quote_text
from minecheck.app.requests.scope import index_headers
from minecheck.app.settings import LOCALHOST, ORIGIN

_LOG: Final = logging.getLogger("minecheck.cors")
#: Origins that are logged, each once: pages may come from anywhere.
_LOGGED: Final = 100
#: Characters of an origin that a fix repeats.
_LONGEST_ORIGIN: Final = 100
#: The origins that `LOCALHOST` stands for.
_THIS_MACHINE: Final = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?")


class Cors(CORSMiddleware):
    """CORS, with a word for all origins of this machine, and with a problem for what it rejects.

    Without any origin it rejects every preflight, and says which setting changes that.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._logged: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight, and say in other answers which pages may read them."""
        if self.allow_origins or is_preflight(scope):
            await super().__call__(scope, receive, send)
        else:
            # No page may read it, which browsers take for granted.
            await self.app(scope, receive, send)

    def is_allowed_origin(self, origin: str) -> bool:
        """Return True if pages of the origin may send requests."""
        if LOCALHOST in self.allow_origins and _THIS_MACHINE.fullmatch(origin):
            return True
        return super().is_allowed_origin(origin)

    def preflight_response(self, request_headers: Headers) -> Response:
        """Return the answer to a preflight request."""
        answer = super().preflight_response(request_headers)
        if answer.status_code != HTTPStatus.BAD_REQUEST:
            return answer
        response = ("content-type", "content-length")
        origin = request_headers["origin"]
        shown = quote_text(origin)
        if not self.is_allowed_origin(origin):
            detail = f"Pages of {shown} may not send requests to this service."
            fix = (
                f"Add the origin to the setting MINECHECK_CORS_ORIGINS of the service, "
                f"as in {_show_setting(origin)}, and restart it."
            )
            self._log_once(origin, f"{detail} {fix}")
        else:
            detail = f"Pages may not send such a request: {bytes(answer.body).decode()}."
            fix = "Send only methods and headers that /docs lists."
        return ProblemError(
            HTTPStatus.BAD_REQUEST,
            "cors-refused",
            detail,
            fix,
            headers={name: value for name, value in answer.headers.items() if name not in response},
        ).to_response()

    def _log_once(self, origin: str, message: str) -> None:
        """Log why pages of an origin get no answer: browsers show it to nobody but developers."""
        if origin not in self._logged and len(self._logged) < _LOGGED:
            self._logged.add(origin)
            _LOG.warning("%s", message)


def is_preflight(scope: Scope) -> bool:
    """Return True for the question of a browser before a request of a page of another origin."""
    return (
        scope["type"] == "http"
        and scope["method"] == "OPTIONS"
        and b"access-control-request-method" in index_headers(scope)
    )


def _show_setting(origin: str) -> str:
    """Return the setting for an origin; for what is none, an example."""
    is_valid = ORIGIN.fullmatch(origin) and len(origin) <= _LONGEST_ORIGIN
    return f"MINECHECK_CORS_ORIGINS={origin if is_valid else 'https://game.example'}"
