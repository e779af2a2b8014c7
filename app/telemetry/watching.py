"""What watches every request, from when it begins to how it ended."""

from time import perf_counter
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: In place of a status, as nginx has it: the client left before it was answered.
GONE: Final = 499

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]


class Watcher:
    """What `Watched` informs of HTTP requests; by itself it does nothing."""

    def began(self, scope: Scope) -> Headers:
        """Headers for the answer to a request that has just come."""
        return ()

    def ended(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        """An answer has ended: the bytes of its body, and the time since the request came."""


class Watched:
    """ASGI middleware that informs watchers, one after the other, of each HTTP request.

    The time ends with the last byte of the answer. Answers pass piece by piece,
    unchanged but for the headers that watchers add. The status is 500, what a
    server says, if the app fails before it answers, and 499 if it says nothing.
    To see the 500s for unexpected errors too, it has to be around everything,
    not in ``app.add_middleware``.
    """

    def __init__(self, app: ASGIApp, *watchers: Watcher) -> None:
        self._app = app
        self._watchers = watchers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        headers = [header for watcher in self._watchers for header in watcher.began(scope)]
        status, size = 0, 0

        async def watched(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *headers]}
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except BaseException:
            status = status or 500
            raise
        finally:
            seconds = perf_counter() - started
            for watcher in self._watchers:
                watcher.ended(scope, status or GONE, size, seconds)
