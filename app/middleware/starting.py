"""Questions turned away while the service compiles, which happens once on a machine."""

from starlette.datastructures import State
from starlette.types import ASGIApp, Receive, Scope, Send

from minecheck.app import problems


class Starting:
    """ASGI middleware that rejects questions as long as ``state.compiling`` says how far that is.

    They would be compiled for one by one, on the event loop.
    """

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that compiling is in progress."""
        compiling = self._state.compiling
        if compiling is not None and scope["type"] == "http" and scope["path"].startswith("/v1/"):
            await problems.not_ready(compiling).to_response()(scope, receive, send)
        else:
            await self._app(scope, receive, send)
