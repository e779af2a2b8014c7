"""Messages while a command compiles its kernels, which happens once on a machine."""

import logging
import sys
from typing import TextIO

from minecheck.app.cli.ending import NO_ANSWER, fail_with
from minecheck.app.cli.waiting import show_waiting


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
