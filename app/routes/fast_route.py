"""Questions past FastAPI's router, which takes longer than many an answer.

It takes 50 of the 207 microseconds that a check costs the service; with a plain route of Starlette,
30 of them stay.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from fastapi import FastAPI, Request, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from minecheck.app import problems
from minecheck.app.problems import ProblemError

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]

_METHOD: Final = "POST"


class FastRoute:
    """ASGI middleware that has a POST to one of some paths answered at once.

    ``handlers`` of requests to ``service`` are by path, as declared. What has another
    path or method, or stands behind a prefix, takes the way through ``app``. ``name_route`` is
    called with the path, where there are traces.
    """

    def __init__(
        self,
        app: ASGIApp,
        service: FastAPI,
        handlers: Mapping[str, Handler],
        name_route: Callable[[str], None] | None,
    ) -> None:
        self._app = app
        self._service = service
        self._name_route = name_route
        # Code that counts requests by route finds it where the router leaves it.
        self._handlers = {
            path: (handler, Route(path, handler, methods=[_METHOD]))
            for path, handler in handlers.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the handler of a path at once, or pass the request on to the router."""
        entry = self._handlers.get(scope["path"]) if scope["type"] == "http" else None
        if entry is None or scope["method"] != _METHOD:
            await self._app(scope, receive, send)
            return
        handler, scope["route"] = entry
        scope["app"] = self._service
        if self._name_route is not None:
            self._name_route(scope["path"])
        try:
            response = await handler(Request(scope, receive))
        except ProblemError as error:
            response = error.to_response()
        except Exception as error:
            await problems.to_problem(error).to_response()(scope, receive, send)
            raise  # for the server to log
        await response(scope, receive, send)
