"""Requests turned away while too many others are in progress."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import Overloaded
from app.requests.scope import AHEAD, PROBES, waited

#: Seconds that a request may wait for the event loop.
_PATIENCE: Final = 0.2


class Overload:
    """ASGI middleware that rejects requests while too many others are in progress.

    All wait for one event loop. Requests that would have to wait too long are
    rejected at once, and so are those that have, so that others need not wait.
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
