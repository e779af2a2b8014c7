"""The command line: ``minecheck serve``, ``check``, ``count``, ``forced`` and so on."""

import os
import sys
from collections.abc import Sequence
from typing import Final

import typer

from app.cli import batch, board, questions, serve, stdio, verify
from app.cli.ending import INTERRUPTED, NO_ANSWER
from app.questions import QUESTIONS, Record
from app.settings import SettingsError

_CLOSED: Final = "standard output is closed; if it is not wanted, send it to /dev/null"


def commands(records: Sequence[Record] = QUESTIONS) -> typer.Typer:
    """All commands, with one for each question."""
    cli = typer.Typer(
        help="Is this Minesweeper board consistent?", no_args_is_help=True, add_completion=False
    )
    questions.add(cli, records)
    batch.add(cli, records)
    for command in (board.board, verify.verify, serve.serve, serve.key):
        cli.command()(command)
    return cli


def main() -> None:
    """Run the command line; whatever goes wrong, it is not the status of a verdict."""
    stdio.install(NO_ANSWER)
    if sys.stdout is None:
        print(f"minecheck: {_CLOSED}", file=sys.stderr)
        sys.exit(NO_ANSWER)
    try:
        try:
            commands()()
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:
            raise
        # What was interrupted may still be at work in its thread.
        os._exit(INTERRUPTED)
    except SettingsError as error:
        for fault in str(error).splitlines():
            print(f"minecheck: {fault}", file=sys.stderr)
        os._exit(NO_ANSWER)
    except Exception as error:  # noqa: BLE001 - the last resort of a command
        print(f"minecheck: {type(error).__name__}: {error}", file=sys.stderr)
        os._exit(NO_ANSWER)
