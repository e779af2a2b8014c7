"""The web page, the one with the routes, and llms.txt: static files, served as they are.

Every file is small, but for the script of Swagger UI (under 2 MB), and read
when it is asked for. Browsers keep it, but ask each time whether it is still
the same (`app.routes.constant`).
"""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from typing import Final

from fastapi import APIRouter, HTTPException, Request, Response

from minecheck.app.routes.static_files import TYPES, send_file

router: Final = APIRouter(include_in_schema=False)

_FOLDER: Final = Path(__file__).parents[1] / "page"
_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def _hash_script() -> bytes:
    """Return the source, in the words of a policy, that allows the one script in index.html."""
    (script,) = _SCRIPT.findall((_FOLDER / "index.html").read_bytes())
    return b"'sha256-%b'" % b64encode(sha256(script).digest())


#: The policy of what the page may load and do, which replaces the one of data on these paths. The
#: script in the page itself asks for the modules of a tab.
POLICY: Final = (
    b"default-src 'none'; script-src 'self' %b; "
    b"style-src 'self'; img-src 'self' data: blob:; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
) % _hash_script()

_PAGES: Final = frozenset(("/", "/docs", "/guide", "/llms.txt", "/service-worker.js"))


def is_page(path: str) -> bool:
    """Return True if a path, without a prefix, is of the pages or the guide and needs `POLICY`."""
    return path in _PAGES or path.startswith(("/page/", "/guide/"))


@cache
def _list_files() -> dict[str, Traversable]:
    """List all files by their path, Swagger UI's among them: nothing else is ever opened."""
    swagger = files("fastapi_swagger") / "resources"
    by_path: dict[str, Traversable] = {file.name: file for file in swagger.iterdir()}
    by_path.update((file.relative_to(_FOLDER).as_posix(), file) for file in _FOLDER.rglob("*"))
    return {path: file for path, file in by_path.items() if PurePath(path).suffix in TYPES}


@router.get("/")
def index(request: Request) -> Response:
    """Send the page itself."""
    return send_file(request, _list_files()["index.html"])


@router.get("/docs")
def docs(request: Request) -> Response:
    """Send the documentation."""
    return send_file(request, _list_files()["docs.html"])


@router.get("/llms.txt")
def llms(request: Request) -> Response:
    """Send the description of the service for language models."""
    return send_file(request, _list_files()["llms.txt"])


@router.get("/service-worker.js")
def service_worker(request: Request) -> Response:
    """Send the service worker, which may keep what is at or below its own path."""
    return send_file(request, _list_files()["service-worker.js"])


@router.get("/page/{path:path}")
def file(request: Request, path: str) -> Response:
    """Send a file of a page, by its path in the folder of the pages.

    Args:
        request: the request.
        path: the path.

    Raises:
        HTTPException: 404, there is no such file.
    """
    if path not in _list_files():
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return send_file(request, _list_files()[path])
