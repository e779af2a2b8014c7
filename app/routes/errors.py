"""Errors of routes, answered with problems."""

import re
from http import HTTPStatus
from itertools import chain
from typing import Final
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from minecheck.app import problems
from minecheck.app.problems import ProblemError
from minecheck.app.quoting import quote_text
from minecheck.minefield.spelling import find_nearest

_LONGEST_PATH: Final = 200
#: The similarity of a path above which another one is suggested.
_ALIKE: Final = 0.75


def install_handlers(app: FastAPI) -> None:
    """Answer every error of the app with a problem."""

    async def answer_problem(_: Request, error: Exception) -> Response:
        return problems.to_problem(error).to_response()

    async def answer_http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == HTTPStatus.NOT_FOUND:
            return _redirect_slash(request) or _make_path_problem(request).to_response()
        status = HTTPStatus(error.status_code)
        headers = dict(error.headers or {})
        fix = "See /docs for the routes and their methods."
        if "Allow" in headers:
            headers["Allow"] = _format_allow(headers["Allow"])
            if request.method == "OPTIONS":
                allowed = {"Allow": headers["Allow"]}
                return Response(status_code=HTTPStatus.NO_CONTENT, headers=allowed)
            fix = f"Use one of these methods: {headers['Allow']}."
        detail = f"{error.detail}."
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            detail = f"The method {request.method} is not allowed on this path."
        code = status.phrase.lower().replace(" ", "-")
        return ProblemError(status, code, detail, fix, headers=headers).to_response()

    for kind in (ProblemError, Exception):
        app.add_exception_handler(kind, answer_problem)
    app.add_exception_handler(HTTPException, answer_http_error)


def _redirect_slash(request: Request) -> Response | None:
    """Return a redirection to the path without slashes at its end, if a route has it."""
    path = _inner_path(request)
    meant = path.rstrip("/")
    # A route that has searched in vain keeps its path.
    if meant == path or "route" in request.scope or not _is_known(request, meant):
        return None
    query = request.scope["query_string"].decode("latin-1")
    target = quote(request.scope.get("root_path", "") + meant) + (f"?{query}" if query else "")
    # 307 keeps the method and the body.
    return Response(status_code=HTTPStatus.TEMPORARY_REDIRECT, headers={"Location": target})


def _inner_path(request: Request) -> str:
    """Return the path of a request without the prefix of the app."""
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", ""))


def _is_known(request: Request, path: str) -> bool:
    """Return True if a route has a path, whatever its method."""
    scope = {**request.scope, "path": request.scope.get("root_path", "") + path}
    return any(
        route.matches(dict(scope))[0] is not Match.NONE for route in request.app.router.routes
    )


def _make_path_problem(request: Request) -> ProblemError:
    """Return the problem of an unknown path, with the path that it is closest to."""
    path = _inner_path(request)
    # All paths are in lower case, without a slash at their end or two in a row.
    meant = re.sub("/+", "/", path).rstrip("/").lower() or "/"
    is_known = _is_known(request, meant)
    fix = "See /docs for the routes."
    # A route that has searched in vain is not suggested by another spelling of its path.
    if "route" not in request.scope:
        near = _find_near_path(request.app, meant)
        if is_known and meant != path:
            fix = f"Use {quote_text(meant, _LONGEST_PATH)}."
        elif near is not None:
            fix = f"Did you mean {near}? See /docs for all routes."
    return ProblemError(
        HTTPStatus.NOT_FOUND,
        "not-found",
        f"There is nothing at {quote_text(path, _LONGEST_PATH)}.",
        fix,
    )


def _find_near_path(app: FastAPI, path: str) -> str | None:
    """Find the path of a route that is written nearly so, perhaps without its version."""
    inner = [getattr(route, "original_router", route) for route in app.router.routes]
    routes = chain.from_iterable(getattr(router, "routes", [router]) for router in inner)
    paths = [route.path for route in routes if isinstance(route, Route)]
    for spelled in (path, f"/v1{path}"):
        if near := find_nearest(spelled, paths, _ALIKE):
            return near
    return None


def _format_allow(methods: str) -> str:
    """Return the value of an Allow header, sorted, with HEAD where there is GET, and OPTIONS."""
    named = {method.strip() for method in methods.split(",")} | {"OPTIONS"}
    return ", ".join(sorted(named | ({"HEAD"} if "GET" in named else set())))
