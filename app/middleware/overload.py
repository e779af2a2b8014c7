"""Requests turned away while too many others are under way."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import Overloaded
from app.requests.scope import AHEAD, PROBES, waited

#: Seconds that a request may wait for the event loop.
_PATIENCE: Final = 0.2


class Overload:
    """ASGI middleware that refuses what comes when too many requests are under way.

    All wait for one event loop. Who would have to wait too long is told so at
    once, and who has waited too long already, too, so that others need not.
    `app.middleware.connections` counts and times them; without it, nothing is turned away.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        crowded = scope.get(AHEAD, 0) >= self._most or waited(scope) > _PATIENCE
        if crowded and scope["path"] not in PROBES:
            await Overloaded().response()(scope, receive, send)
        else:
            await self._app(scope, receive, send)
