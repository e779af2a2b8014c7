"""Pages of other origins: what they may ask."""

from http import HTTPStatus

from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.responses import Response

from app.problems import ProblemError


class Cors(CORSMiddleware):
    """CORS, with a problem for what it rejects."""

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
