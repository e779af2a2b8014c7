"""Questions turned away while the service compiles, which happens once on a machine.

Tested in tests/app/routes/test_operations.py and tests/app/cli/test_interim.py.
"""

from typing import Final

from starlette.datastructures import State
from starlette.types import ASGIApp, Receive, Scope, Send

from minecheck.app import problems
from minecheck.app.execution.compilation import Compilation
from minecheck.app.requests.scope import index_headers

#: Paths of questions.
_QUESTIONS: Final = ("/v1/", "/mcp")
#: Paths of those for which the interpreter is too slow, or whose games end with an interim server.
_WAITING: Final = ("/v1/batch", "/v1/games", "/mcp")
#: The longest body for the interpreter: the largest boards of players have some hundred cells.
_MOST_BYTES: Final = 4096


class Starting:
    """ASGI middleware that rejects questions as long as ``state.compiling`` says how far that is.

    They would be compiled for one by one, on the event loop. An interim server, which is ready,
    lets the interpreter answer small ones.
    """

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that compiling is in progress."""
        compiling: Compilation | None = self._state.compiling
        if (
            compiling is None
            or scope["type"] != "http"
            or not scope["path"].startswith(_QUESTIONS)
            or (self._state.ready and _is_small(scope))
        ):
            await self._app(scope, receive, send)
            return
        problem = problems.make_unready_problem(
            (compiling.done, compiling.whole),
            compiling.seconds_left(),
            answers_small=self._state.ready,
        )
        await problem.to_response()(scope, receive, send)


def _is_small(scope: Scope) -> bool:
    """Return True if the interpreter answers a question soon enough."""
    headers = index_headers(scope)
    length = headers.get(b"content-length", b"0")
    return (
        not scope["path"].startswith(_WAITING)
        and b"transfer-encoding" not in headers
        and length.isdigit()
        and int(length[:18]) <= _MOST_BYTES
    )
