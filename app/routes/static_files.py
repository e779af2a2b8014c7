"""Files that are sent as they are; see `app.routes.constant` for what clients keep of them."""

from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Final

from fastapi import Request, Response

from minecheck.app.routes.constant import answer_constant, tag_content

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
    content = file.read_bytes()
    media_type = TYPES[PurePath(file.name).suffix]
    return answer_constant(request, content, media_type, tag_content(content))
