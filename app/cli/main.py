"""The command line: ``minecheck serve``, ``check``, ``count``, ``forced`` and so on."""

import gc
import os
import sys
from typing import Final

from minecheck import __version__
from minecheck.app.cli import stdio
from minecheck.app.cli.ending import BAD_INPUT, INTERRUPTED, NO_ANSWER

_CLOSED: Final = "standard output is closed; to discard the output, send it to /dev/null"
#: Objects made before Python looks for garbage among the new ones. It finds none while modules
#: and compiled code are loaded, and to look after every 700 takes a fifth of the start.
_FIRST_COLLECTION: Final = 100_000


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
            _run_command(sys.argv[1:])
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:
            raise
        # An interrupted command may still be at work in its thread.
        os._exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last resort of a command
        os._exit(_report_failure(error))


def _run_command(arguments: list[str]) -> None:
    """Run a command, or report that there is none of its name."""
    if arguments == ["--version"]:
        print(f"minecheck {__version__}")
        return
    # Both commands report their own progress.
    if arguments[:1] not in (["serve"], ["warm"]):
        from minecheck.app.cli import compiling

        compiling.show_compilation()
    from minecheck.app.cli.program import Program

    Program()()


def _report_failure(error: Exception) -> int:
    """Print what went wrong, and return the status for it."""
    from minecheck.app.settings import SettingsError

    if isinstance(error, SettingsError):
        for line in str(error).splitlines():
            print(f"minecheck: {line}", file=sys.stderr)
        return BAD_INPUT
    print(f"minecheck: {type(error).__name__}: {error}", file=sys.stderr)
    return NO_ANSWER
