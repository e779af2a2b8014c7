"""Pages of other origins: what they may ask."""

import re
from http import HTTPStatus
from typing import Final

from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.responses import Response

from app.problems import ProblemError
from app.settings import LOCALHOST

#: What `LOCALHOST` stands for.
_THIS_MACHINE: Final = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?")


class Cors(CORSMiddleware):
    """CORS, with a word for all origins of this machine, and with a problem for what it rejects."""

    def is_allowed_origin(self, origin: str) -> bool:
        """Whether pages of the origin may ask."""
        if LOCALHOST in self.allow_origins and _THIS_MACHINE.fullmatch(origin):
            return True
        return super().is_allowed_origin(origin)

    def preflight_response(self, request_headers: Headers) -> Response:
        """What a browser is told before it asks."""
        answer = super().preflight_response(request_headers)
        if answer.status_code != HTTPStatus.BAD_REQUEST:
            return answer
        told = ("content-type", "content-length")
        return ProblemError(
            HTTPStatus.BAD_REQUEST,
            "cors-refused",
            f"{bytes(answer.body).decode()}.",
            "Add the origin to MINECHECK_CORS_ORIGINS; /docs lists methods and headers.",
            headers={name: value for name, value in answer.headers.items() if name not in told},
        ).response()
