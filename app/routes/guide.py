"""The guide: the documentation as a site, which ``make docs`` builds into the folder app/guide.

An image has it, and a wheel that was built after it. A clone has it once it is built.
"""

import re
from http import HTTPStatus
from pathlib import Path
from typing import Final

from fastapi import APIRouter, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from minecheck.app.problems import ProblemError
from minecheck.app.routes.static_files import TYPES, send_file

router: Final = APIRouter(include_in_schema=False)

FOLDER: Final = Path(__file__).parents[1] / "guide"
_INDEX: Final = "index.html"
#: A path of names that do not begin with a dot, so that it leads nowhere but down.
_PATH: Final = re.compile(r"([\w-][\w.-]{0,99}/){0,9}([\w-][\w.-]{0,99})?", re.ASCII)


@router.get("/guide")
def redirect_to_guide(request: Request) -> Response:
    """Send browsers on to the folder of the guide, which its relative links start from."""
    return _redirect_to_folder(request)


@router.get("/guide/{path:path}")
def guide(request: Request, path: str) -> Response:
    """Send a page or another file of the guide.

    Args:
        request: the request.
        path: the path in the folder of the guide; a folder is its page.

    Raises:
        HTTPException: 404, there is no such page.
        ProblemError: 404, the guide is not built.
    """
    _require_guide()
    if not _PATH.fullmatch(path):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    file = FOLDER / path
    if not path or path.endswith("/"):
        file /= _INDEX
    elif file.is_dir():
        return _redirect_to_folder(request)
    if file.suffix not in TYPES or not file.is_file():
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return send_file(request, file)


def _redirect_to_folder(request: Request) -> Response:
    """Redirect to the same path with a slash, relatively: a proxy may have taken a prefix off."""
    name = request.scope["path"].rpartition("/")[2]
    return RedirectResponse(f"{name}/", HTTPStatus.TEMPORARY_REDIRECT)


def _require_guide() -> None:
    """Check that the guide is built.

    Raises:
        ProblemError: it is not.
    """
    if not (FOLDER / _INDEX).is_file():
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "not-found",
            "The guide is not a part of this installation.",
            "In a clone of minecheck, run `make docs` to build it; its pages are also in the "
            "folder docs. The routes and their fields are at /docs.",
        )
