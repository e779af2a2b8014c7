"""Files of batches: what goes wrong says with which of them, and none is written in part."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


class FileError(ValueError):
    """A file of boards that cannot be read, or one for answers that cannot be written, and why."""


@contextmanager
def name_file(path: Path) -> Iterator[None]:
    """Add a file's name to errors of writing to it, within a context.

    Raises:
        OSError: it cannot be written, as for lack of room; with its name, which the system leaves
            out.
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        reason = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, reason, str(path)) from error


@contextmanager
def close_file(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """Close a file in the end, which writes what is left.

    Raises:
        OSError: it cannot be written; see `name_file`.
    """
    try:
        yield file
    finally:
        with name_file(path):
            file.close()


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that has its name only when it is whole.

    Args:
        path: its name; an older file of that name stays until then.

    Raises:
        OSError: it cannot be written; see `name_file`.
    """
    partial = path.with_name(path.name + ".partial")
    with name_file(partial), partial.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
