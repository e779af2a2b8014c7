"""Standard output and standard error of the command line, which end it when nobody reads them.

What prints treats a reader that left in its own way: Typer and Rich end the command with status 1,
which is a verdict here, and Python flushes once more on exit. So the event is met where it comes
from, in the writing itself.
"""

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, TextIO


class _Read(FileIO):
    """A file that ends the process, with a status and in silence, when its reader has left."""

    def __init__(self, descriptor: int, status: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._status = status

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            # What is still to be written goes nowhere, or flushing it would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            raise SystemExit(self._status) from None


def install(status: int) -> None:
    """From here on, a reader that leaves ends the process with this status.

    A standard error that is closed says nothing; a standard output that is closed stays so.
    """
    if sys.stdout is not None:
        sys.stdout = _watched(sys.stdout, status)
    if sys.stderr is not None:
        sys.stderr = _watched(sys.stderr, status)
    else:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end


def uninstall() -> None:
    """Python's own streams again, for what outlasts those that read them."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, getattr(sys, f"__{name}__"))


def _watched(stream: TextIO, status: int) -> TextIO:
    """The same for a pipe; on a terminal, which Python writes to in its own way, nobody leaves."""
    if stream.isatty():
        return stream
    return TextIOWrapper(
        BufferedWriter(_Read(stream.fileno(), status)),
        stream.encoding,
        stream.errors,
        line_buffering=stream is sys.__stderr__,
    )
