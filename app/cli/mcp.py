"""The command ``mcp``: tools for language models, on standard input and output."""

import os
import sys
from typing import Final

from minecheck.app.settings import check_mcp

_HELLO = (
    "minecheck mcp speaks the Model Context Protocol on standard input and output: a client starts "
    "it. Ctrl-D ends it. How to configure clients: docs/mcp.md"
)


def serve_mcp() -> None:
    """Offer tools for language models over the Model Context Protocol, on stdin and stdout."""
    import anyio

    check_mcp()
    if sys.stdin.isatty():
        print(_HELLO, file=sys.stderr)
    anyio.run(_serve_stdio)


async def _serve_stdio() -> None:
    """Serve one client until it closes standard input."""
    from mcp.server.stdio import stdio_server

    from minecheck.app.mcp.local import VARIABLE, LocalAnswerer

    async with (
        stdio_server() as (received, sent),
        LocalAnswerer(os.environ.get(VARIABLE)) as answerer,
    ):
        # The process that answers starts while this one loads the rest.
        from minecheck.app.mcp.server import build_server

        server = build_server(answerer.answer_call)
        await server.run(received, sent, server.create_initialization_options())


COMMANDS: Final = {"mcp": serve_mcp}
