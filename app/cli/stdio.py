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
            # The rest of the output is discarded, since flushing it would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            raise SystemExit(self._status) from None


def install_streams(status: int) -> None:
    """End the process with this status, from now on, if the reader of its output leaves.

    A standard error that is closed says nothing; a standard output that is closed stays so.
    """
    if sys.stdout is not None:
        sys.stdout = _watch_stream(sys.stdout, status)
    if sys.stderr is not None:
        sys.stderr = _watch_stream(sys.stderr, status)
    else:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end


def restore_streams() -> None:
    """Restore Python's own streams, for what outlasts those that read them."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, getattr(sys, f"__{name}__"))


def _watch_stream(stream: TextIO, status: int) -> TextIO:
    """Return a stream that ends the command when its reader leaves; nobody leaves a terminal."""
    if stream.isatty():
        return stream
    return TextIOWrapper(
        BufferedWriter(_Read(stream.fileno(), status)),
        stream.encoding,
        stream.errors,
        line_buffering=stream is sys.__stderr__,
    )
