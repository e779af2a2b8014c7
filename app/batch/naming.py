"""Files that are written to: what goes wrong says with which of them."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def name_file(path: Path) -> Iterator[None]:
    """Within, this file is written to.

    Raises:
        OSError: it cannot be, as for lack of room; with its name, which the system leaves out.
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        said = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, said, str(path)) from error


@contextmanager
def close_file(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """A file that is closed in the end, which writes what is left. Raises as `naming`."""
    try:
        yield file
    finally:
        with name_file(path):
            file.close()
