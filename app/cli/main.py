"""The command line: ``minecheck serve``, ``check``, ``count``, ``forced`` and so on."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from minecheck.app.cli import compiling, stdio
from minecheck.app.cli.ending import INTERRUPTED, NO_ANSWER

if TYPE_CHECKING:
    import typer

    from minecheck.app.operation import Operation

_CLOSED: Final = "standard output is closed; to discard the output, send it to /dev/null"
#: Objects made before Python looks for garbage among the new ones. It finds none while modules
#: and compiled code are loaded, and to look after every 700 takes a fifth of the start.
_FIRST_COLLECTION: Final = 100_000


def build_program(operations: "Sequence[Operation] | None" = None) -> "typer.Typer":
    """Build the program of all commands, with one for each question."""
    from minecheck.app.catalogue import OPERATIONS
    from minecheck.app.cli import (
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
        warm,
    )
    from minecheck.app.questions import QuestionOperation

    operations = OPERATIONS if operations is None else operations
    cli = program.Program()
    program.add_version(cli)
    questions.add_commands(cli, [one for one in operations if isinstance(one, QuestionOperation)])
    batch.add_command(cli, operations)
    cli.command("formats")(formats.show_formats)
    for part in (board, grade, automaton, language, circuit, export):
        for name, command in part.COMMANDS.items():
            command.add_to(cli, name)
    for other in (play.play, verify.verify, serve.serve, serve.key, warm.warm):
        cli.command()(other)
    return cli


def build_question(name: str) -> "typer.Typer":
    """Build the command for one question alone: what only others need is not loaded."""
    from minecheck.app.cli import program, questions
    from minecheck.app.questions import find_question

    cli = program.Program()
    # Typer takes a command that is alone for the whole program, unless there is a callback.
    cli.callback()(lambda: None)
    questions.add_commands(cli, [find_question(name)])
    return cli


def main() -> None:
    """Run the command line; whatever goes wrong, it is not the status of a verdict.

    Raises:
        SystemExit: with the status of the command.
        KeyboardInterrupt: the command was interrupted.
    """
    stdio.install_streams(NO_ANSWER)
    if sys.stdout is None:
        print(f"minecheck: {_CLOSED}", file=sys.stderr)
        sys.exit(NO_ANSWER)
    gc.set_threshold(_FIRST_COLLECTION)
    try:
        try:
            _run_command(sys.argv[1] if len(sys.argv) > 1 else "")
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:
            raise
        # An interrupted command may still be at work in its thread.
        os._exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last resort of a command
        for fault in _list_faults(error):
            print(f"minecheck: {fault}", file=sys.stderr)
        os._exit(NO_ANSWER)


def _run_command(name: str) -> None:
    """Run the command of this name, or report that there is none."""
    from minecheck.app.questions import NAMES

    # Both commands report their own progress.
    if name not in ("serve", "warm"):
        compiling.show_compilation()
    cli = build_question(name) if name in NAMES else build_program()
    cli()


def _list_faults(error: Exception) -> list[str]:
    from minecheck.app.settings import SettingsError

    if isinstance(error, SettingsError):
        return str(error).splitlines()
    return [f"{type(error).__name__}: {error}"]
