"""Watchers of every request, from its beginning to its end."""

from time import perf_counter
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The status for a client that left before it was answered, as in nginx.
CLIENT_LEFT: Final = 499

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]


class Watcher:
    """A watcher that `Watched` notifies of HTTP requests; the default methods do nothing."""

    def begin_request(self, scope: Scope) -> Headers:
        """Return headers for the answer to a request that has just come."""
        return ()

    def fail_request(self) -> None:
        """Note that an unexpected exception ended the request; the server logs it."""

    def end_request(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        """Note that an answer has ended.

        Args:
            scope: the ASGI scope of the request.
            status: the status of the answer.
            size: the bytes of its body.
            seconds: the time since the request came.
        """


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
        """Pass a request on, and notify the watchers when it begins, fails and ends."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        headers = [header for watcher in self._watchers for header in watcher.begin_request(scope)]
        status, size = 0, 0

        async def send_watched(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *headers]}
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, send_watched)
        except BaseException as error:
            status = status or 500
            # Cancellation and the end of the process are no exceptions of this kind.
            if isinstance(error, Exception):
                for watcher in self._watchers:
                    watcher.fail_request()
            raise
        finally:
            seconds = perf_counter() - started
            for watcher in self._watchers:
                watcher.end_request(scope, status or CLIENT_LEFT, size, seconds)
