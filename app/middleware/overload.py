"""Requests turned away while too many others are in progress."""

from starlette.types import ASGIApp, Receive, Scope, Send

from minecheck.app.problems import Overloaded
from minecheck.app.requests.scope import AHEAD, PROBES


class Overload:
    """ASGI middleware that rejects requests while too many others are in progress.

    All wait for one event loop, each for a turn of the others (`app.execution.ladder`): how long
    that takes follows from how many they are. `app.middleware.connections` counts them; without
    it, nothing is turned away.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on unless too many are ahead of it."""
        if scope.get(AHEAD, 0) >= self._most and scope["path"] not in PROBES:
            await Overloaded().to_response()(scope, receive, send)
        else:
            await self._app(scope, receive, send)
