"""The commands for operators: ``serve`` and ``key``."""

import json
from typing import Annotated, Final

import typer

from minecheck.app.cli import stdio
from minecheck.app.cli.ending import fail_with
from minecheck.app.quoting import quote_text
from minecheck.app.settings import Settings, SettingsError, check_extras


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one")
    ] = 8000,
) -> None:
    """Start the HTTP service."""
    # Only this command and the next need what the service is made of.
    from minecheck.app.cli import interim, server
    from minecheck.app.execution.fork_server import start_fork_server
    from minecheck.app.middleware import auth, connections

    settings = Settings()
    auth.digest_keys(settings.api_keys)
    check_extras(settings)
    shown = f"[{host}]" if ":" in host else host
    # First, since to get ready takes some seconds.
    try:
        listening = server.bind_socket(host, port)
    except OSError as error:
        fail_with(
            f"{shown}:{port}: {error.strerror}. Choose another --port, or as --host an address of "
            "this machine: 127.0.0.1 for this machine only, 0.0.0.0 for all its addresses"
        )
    connections.raise_open_files()
    # The reader of a log may leave and come back.
    stdio.restore_streams()
    address = f"{shown}:{listening.getsockname()[1]}"
    with interim.answer_meanwhile(listening, address) as announce:
        # It loads what workers need, while this process loads the service.
        start_fork_server()
        server.run_server(listening, settings, announce)


def key(
    name: Annotated[str, typer.Argument(help="Name of its owner: letters, digits, - and _")],
) -> None:
    """Make a key for the HTTP service; it is shown once, and the service knows its hash only."""
    from minecheck.app.middleware import auth

    fresh, hashed = auth.new_key()
    try:
        auth.digest_keys({name: hashed})
    except SettingsError:
        fail_with(f"NAME: {quote_text(name)} is not 1 to 64 letters, digits, - or _")
    print(f"The key, for the client:\n  {fresh}")
    print(f"The entry for MINECHECK_API_KEYS:\n  {json.dumps({name: hashed})}")


COMMANDS: Final = {"serve": serve, "key": key}
