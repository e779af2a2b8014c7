"""Files that are sent as they are.

Browsers keep them but ask each time whether they are still the same, by a hash of what is in
them, which is the same on all replicas.
"""

from hashlib import blake2b
from http import HTTPStatus
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Final

from fastapi import Request, Response

#: The types of files that are sent, by the suffixes of their names.
TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}


def send_file(request: Request, file: Traversable) -> Response:
    """Return a file, or an answer without a body if the client has it as it is.

    Args:
        request: the request.
        file: the file; its name has a suffix of `TYPES`.
    """
    body = file.read_bytes()
    tag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    known = [known.strip().removeprefix("W/") for known in _none_of(request).split(",")]
    if tag in known or known == ["*"]:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(body, media_type=TYPES[PurePath(file.name).suffix], headers=headers)


def _none_of(request: Request) -> str:
    """Return the versions that the client has, as one header."""
    return ",".join(request.headers.getlist("if-none-match"))
