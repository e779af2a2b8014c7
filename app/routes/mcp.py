"""The route /mcp: tools for language models, by the Streamable HTTP of their protocol.

A client sends one message a request and has one JSON answer: there are no sessions, so that any
replica may answer. The packages of the protocol are loaded by the first request.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from anyio import to_thread
from fastapi import FastAPI, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minecheck.app.problems import ProblemError
from minecheck.app.requests.body import read_body
from minecheck.app.settings import Settings

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from minecheck.app.mcp.tool import ToolAnswer

PATH: Final = "/mcp"
#: The most bytes of a message. Boards of tools are small.
_MOST_BYTES: Final = 512 * 1024
#: The key of a scope under which `receive` stands, which says that the client has left.
_LEFT: Final = "minecheck.client_left"


class McpEndpoint:
    """The endpoint of an app, which is started by the first request."""

    def __init__(self, app: FastAPI) -> None:
        settings: Settings = app.state.settings
        self._app = app
        self._settings = settings.model_copy(
            update={"max_body_bytes": min(settings.max_body_bytes, _MOST_BYTES)}
        )
        self._starting: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._running: asyncio.Task[None] | None = None

    async def handle_message(self, request: Request) -> ASGIApp:
        """Return the response to a message.

        Args:
            request: the request that brings it.

        Raises:
            ProblemError: its body is too large or too slow.
        """
        try:
            body = await read_body(request, self._settings)
        except ProblemError as error:
            if error.document["status"] == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                error.document["fix"] = "Ask about a smaller board."
            raise
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._starting))
        manager = await asyncio.shield(self._starting)

        async def respond(scope: Scope, receive: Receive, send: Send) -> None:
            again = _replay_body(body, request.receive)
            await manager.handle_request({**scope, _LEFT: request.receive}, again, send)

        return respond

    async def close(self) -> None:
        """End what the first request has started."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    async def _run(self, starting: "asyncio.Future[StreamableHTTPSessionManager]") -> None:
        """Load the packages, and serve until cancelled."""
        try:
            manager = await to_thread.run_sync(self._build_manager)
        except Exception as error:  # noqa: BLE001 - raised for each request that waits for it
            # The next request tries again.
            self._starting = None
            starting.set_exception(error)
            return
        async with manager.run():
            starting.set_result(manager)
            await asyncio.Event().wait()

    def _build_manager(self) -> "StreamableHTTPSessionManager":
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        # It logs the beginning and end of each request, which the access log has.
        logging.getLogger("mcp").setLevel(logging.WARNING)
        from minecheck.app.mcp.calls import limit_calls
        from minecheck.app.mcp.ladder_answers import answer_by_ladder
        from minecheck.app.mcp.server import build_server

        state = self._app.state
        limits = limit_calls(self._settings)

        async def answer_call(
            name: str, arguments: Mapping[str, Any], request: Any
        ) -> "ToolAnswer":
            return await answer_by_ladder(
                name, arguments, state.ladder, limits, request.scope[_LEFT], state.report_fault
            )

        return StreamableHTTPSessionManager(
            build_server(answer_call), json_response=True, stateless=True
        )


def add_route(app: FastAPI) -> None:
    """Add the route to an app, if the packages of the protocol are installed.

    Args:
        app: the application, whose state has the settings.
    """
    app.state.mcp = None
    if find_spec("mcp") is not None:
        app.state.mcp = endpoint = McpEndpoint(app)
        app.add_route(PATH, endpoint.handle_message, methods=["POST"], include_in_schema=False)  # type: ignore[arg-type]


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a function that receives a body that was read, and then what follows it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
