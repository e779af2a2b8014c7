"""Errors of routes, answered with problems."""

import re
from http import HTTPStatus
from itertools import chain
from typing import Final

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from app import problems
from app.problems import ProblemError
from minefield.spelling import nearest

_LONGEST_PATH: Final = 200
#: How much of a path must be the same for another one to be meant.
_ALIKE: Final = 0.75


def install(app: FastAPI) -> None:
    """Answer every error of the app with a problem."""

    async def problem(_: Request, error: Exception) -> Response:
        return problems.of(error).response()

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == HTTPStatus.NOT_FOUND:
            return _of_path(request).response()
        status = HTTPStatus(error.status_code)
        headers = dict(error.headers or {})
        fix = "See /docs."
        if "Allow" in headers:
            headers["Allow"] = _allowed(headers["Allow"])
            fix = f"Use {headers['Allow']}."
        code = status.phrase.lower().replace(" ", "-")
        return ProblemError(status, code, f"{error.detail}.", fix, headers=headers).response()

    for kind in (ProblemError, Exception):
        app.add_exception_handler(kind, problem)
    app.add_exception_handler(HTTPException, http)


def _of_path(request: Request) -> ProblemError:
    """A path with nothing there, and the one that may be meant, if there is one."""
    scope = request.scope
    prefix = scope.get("root_path", "")
    path = scope["path"].removeprefix(prefix)
    # All paths are in lower case, without a slash at their end or two in a row.
    meant = re.sub("/+", "/", path).rstrip("/").lower() or "/"
    known = any(
        route.matches({**scope, "path": prefix + meant})[0] is not Match.NONE
        for route in request.app.router.routes
    )
    fix = "See /docs for the routes."
    # What a route has looked for in vain is not named by another spelling of its path.
    if "route" not in scope:
        near = _near(request.app, meant)
        if known and meant != path:
            fix = f"Use {meant[:_LONGEST_PATH]!a}."
        elif near is not None:
            fix = f"Did you mean {near!a}?"
    return ProblemError(
        HTTPStatus.NOT_FOUND, "not-found", f"There is nothing at {path[:_LONGEST_PATH]!a}.", fix
    )


def _near(app: FastAPI, path: str) -> str | None:
    """The path of a route that is written nearly so, perhaps without its version."""
    inner = [getattr(route, "original_router", route) for route in app.router.routes]
    routes = chain.from_iterable(getattr(one, "routes", [one]) for one in inner)
    paths = [route.path for route in routes if isinstance(route, Route)]
    for spelled in (path, f"/v1{path}"):
        if near := nearest(spelled, paths, _ALIKE):
            return near
    return None


def _allowed(methods: str) -> str:
    """What an Allow header says, sorted, with HEAD where GET is."""
    named = {method.strip() for method in methods.split(",")}
    return ", ".join(sorted(named | ({"HEAD"} if "GET" in named else set())))
