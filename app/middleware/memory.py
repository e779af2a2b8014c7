"""The memory that requests and answers under way hold, counted and bounded."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minecheck.app.requests.budget import (
    BUDGET,
    CONNECTION_BYTES,
    MemoryBudget,
    OutOfMemoryBudget,
    find_memory_share,
    release_memory,
)


class Memory:
    """ASGI middleware that accounts for the memory of requests and answers.

    An answer for which there is no room is dropped, and the request answered with 503: the head
    of an answer waits for the first piece of its body. Later pieces exist already, so they count,
    and are sent; `app.middleware.connections` has an app wait until the client has taken most of
    a piece before the next. What the request holds is given back when it ends; bytes that the
    client has not taken by then count for the connection.
    """

    def __init__(self, app: ASGIApp, budget: MemoryBudget) -> None:
        self._app = app
        self._budget = budget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the memory that a request and its answer hold."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope[BUDGET] = self._budget
        start: Message | None = None
        rejected = False

        async def count_message(message: Message) -> None:
            nonlocal start, rejected
            if message["type"] == "http.response.start":
                start = message
                return
            if rejected:
                return
            size = len(message.get("body", b""))
            head, start = start, None
            if size <= CONNECTION_BYTES:
                if head is not None:
                    await send(head)
                await send(message)
                return
            share = find_memory_share(scope)
            if head is not None and not share.has_room(share.held + size):
                rejected = True
                self._budget.refused += 1
                share.set(0)
                await OutOfMemoryBudget().to_response()(scope, receive, send)
                return
            share.set(share.held + size)
            if head is not None:
                await send(head)
            await send(message)
            share.set(share.held - size)

        try:
            await self._app(scope, receive, count_message)
            if start is not None:
                await send(start)
        finally:
            release_memory(scope)
