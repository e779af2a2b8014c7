"""The command ``warm``: compile ahead what is compiled."""

import os
import sys
from typing import Annotated, Final

import typer

from minecheck.app.cli.compiling import compile_ahead

_NICE: Final = 10


def warm(
    apart: Annotated[
        bool, typer.Option("--apart", hidden=True, help="Compile beside a service")
    ] = False,
) -> None:
    """Compile what is not compiled yet, once on a machine: afterwards every start is quick."""
    from minecheck.app.execution.warm import leave_warnings_to_caller

    if apart:
        # Clients are waiting for answers, and the service says what cannot be kept.
        os.nice(_NICE)
        leave_warnings_to_caller()
    compile_ahead(sys.stdout)


def add_command(cli: typer.Typer, name: str) -> None:
    """Add the command to a program, under this name."""
    cli.command(name)(warm)
