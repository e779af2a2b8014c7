"""The command line: ``minecheck serve``, ``check``, ``count``, ``forced`` and so on."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from app.cli import stdio
from app.cli.ending import INTERRUPTED, NO_ANSWER

if TYPE_CHECKING:
    import typer

    from app.questions import Record

_CLOSED: Final = "standard output is closed; if it is not wanted, send it to /dev/null"
#: Objects made before Python looks for garbage among the new ones. It finds none while modules
#: and compiled code are loaded, and to look after every 700 takes a fifth of the start.
_FIRST_COLLECTION: Final = 100_000


def commands(records: "Sequence[Record] | None" = None) -> "typer.Typer":
    """All commands, with one for each question."""
    from app.cli import (
        automaton,
        batch,
        board,
        circuit,
        export,
        formats,
        grade,
        language,
        play,
        program,
        questions,
        serve,
        verify,
    )
    from app.errands.catalogue import ERRANDS
    from app.questions.catalogue import QUESTIONS

    records = QUESTIONS if records is None else records
    cli = program.Program()
    program.versioned(cli)
    questions.add(cli, records)
    batch.add(cli, (*records, *ERRANDS))
    cli.command("formats")(formats.show_formats)
    for part in (board, grade, automaton, language, circuit, export):
        for name, command in part.COMMANDS.items():
            command.add(cli, name)
    for other in (play.play, verify.verify, serve.serve, serve.key):
        cli.command()(other)
    return cli


def question(name: str) -> "typer.Typer":
    """The command for one question alone: what only others need is not loaded."""
    from app.cli import program, questions
    from app.questions import named

    cli = program.Program()
    # Typer takes a command that is alone for the whole program, unless there is a callback.
    cli.callback()(lambda: None)
    questions.add(cli, [named(name)])
    return cli


def main() -> None:
    """Run the command line; whatever goes wrong, it is not the status of a verdict."""
    stdio.install(NO_ANSWER)
    if sys.stdout is None:
        print(f"minecheck: {_CLOSED}", file=sys.stderr)
        sys.exit(NO_ANSWER)
    gc.set_threshold(_FIRST_COLLECTION)
    try:
        try:
            _run(sys.argv[1] if len(sys.argv) > 1 else "")
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:
            raise
        # What was interrupted may still be at work in its thread.
        os._exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last resort of a command
        for fault in _faults(error):
            print(f"minecheck: {fault}", file=sys.stderr)
        os._exit(NO_ANSWER)


def _run(name: str) -> None:
    """Run the command of this name, or whatever else was typed."""
    from app.questions import NAMES

    cli = question(name) if name in NAMES else commands()
    cli()


def _faults(error: Exception) -> list[str]:
    from app.settings import SettingsError

    if isinstance(error, SettingsError):
        return str(error).splitlines()
    return [f"{type(error).__name__}: {error}"]
