"""The command ``warm``, and messages while any command compiles: once on a machine."""

import logging
import os
import sys
from typing import Annotated, Final, TextIO

import typer

from minecheck.app.cli.ending import NO_ANSWER, fail_with
from minecheck.app.cli.waiting import show_waiting

_NICE: Final = 10


class CompilationLog(logging.Handler):
    """Prints on standard error what is compiled, and warnings that it cannot be kept."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line for a record."""
        line = record.getMessage()
        if record.levelno == logging.DEBUG:
            self._count += 1
            line = f"{line} ({self._count} so far)"
        print(line, file=sys.stderr, flush=True)


def show_compilation() -> None:
    """Show on standard error what this process compiles from now on."""
    log = logging.getLogger("minecheck.compiled")
    log.setLevel(logging.DEBUG)
    log.addHandler(CompilationLog())
    log.propagate = False


def compile_ahead(stream: TextIO) -> None:
    """Compile missing kernels on all cores, and report progress on ``stream``."""
    from concurrent.futures.process import BrokenProcessPool

    from minecheck.app.execution.warm import compile_missing, report_progress

    line = ""

    def report(done: int, whole: int) -> None:
        nonlocal line
        line = f"Compiling {done} of {whole}, once on this machine" if done < whole else ""
        report_progress(done, whole, stream)

    try:
        with show_waiting(lambda: line, stream):
            compile_missing(report)
    except (KeyboardInterrupt, BrokenProcessPool):
        fail_with(
            "interrupted: the next command compiles only the kernels that are still missing",
            NO_ANSWER,
        )


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


COMMANDS: Final = {"warm": warm}
