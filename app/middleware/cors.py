"""Pages of other origins: what they may ask."""

import re
from http import HTTPStatus
from typing import Final

from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.responses import Response

from minecheck.app.problems import ProblemError
from minecheck.app.settings import LOCALHOST

#: The origins that `LOCALHOST` stands for.
_THIS_MACHINE: Final = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?")


class Cors(CORSMiddleware):
    """CORS, with a word for all origins of this machine, and with a problem for what it rejects."""

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
        return ProblemError(
            HTTPStatus.BAD_REQUEST,
            "cors-refused",
            f"Pages of this origin may not send such a request: {bytes(answer.body).decode()}.",
            "Add the origin of the page to MINECHECK_CORS_ORIGINS, and send only methods and "
            "headers that /docs lists.",
            headers={name: value for name, value in answer.headers.items() if name not in response},
        ).to_response()
