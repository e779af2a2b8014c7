"""HEAD on all that is read, in one place."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

_READ: Final = "GET"
_HEAD: Final = "HEAD"


class Head:
    """ASGI middleware that has HEAD answered as GET: servers leave out the body themselves.

    Whoever watches requests from outside sees the method as it came.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer HEAD as GET; the server leaves the body out."""
        if scope["type"] != "http" or scope["method"] != _HEAD:
            await self._app(scope, receive, send)
            return
        # A server looks into its own scope for whether to send the body.
        read = {**scope, "method": _READ}
        try:
            await self._app(read, receive, send)
        finally:
            # Watchers find there what the router has left.
            scope.update({**read, "method": _HEAD})
