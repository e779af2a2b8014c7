"""Files of compiled kernels, on a disk that may be full, and that may have damaged them.

A file that cannot be read counts as missing: the kernel is compiled again, and the file rewritten.
Where nothing can be written, kernels are compiled by each process, and the log says so once.
"""

import errno
import logging
import os
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from numba.core.caching import IndexDataCacheFile

_LOG: Final = logging.getLogger("minecheck.compiled")
#: Behind the pickle of a kernel: this, and the digest of all before it. Files of older versions end
#: with the pickle, which ends itself with a full stop.
_MARK: Final = b"minecheck sha256 "
_DIGEST_BYTES: Final = 32
_END_OF_PICKLE: Final = b"."
#: Bytes that a folder has to take: the largest kernels are about as large.
_LEAST_ROOM: Final = 1 << 20


class KernelFiles(IndexDataCacheFile):
    """The index and the data files of one kernel, as Numba has them."""

    def __init__(self, folder: str, name: str, stamp: object) -> None:
        super().__init__(folder, name, stamp)  # type: ignore[no-untyped-call]

    def has_key(self, key: Any) -> bool:
        """Return True if there is machine code under this key that looks undamaged."""
        name = self._load_index().get(key)
        return name is not None and self._read_file(name) is not None

    def load(self, key: Any) -> Any:
        """Return the object saved under this key; None if nothing readable is there."""
        # Damaged pickles raise whatever they like.
        with suppress(Exception):
            name = self._load_index().get(key)
            if name is not None and self._read_file(name) is not None:
                return self._load_data(name)  # type: ignore[no-untyped-call]
        return None

    def save(self, key: Any, data: Any) -> None:
        """Keep machine code by this key; if there is no room for it, say so in the log.

        Args:
            key: Numba's key of the signature and the processor.
            data: the machine code as Numba serialises it.
        """
        try:
            super().save(key, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            warn_uncached(error.strerror or type(error).__name__)

    def _load_index(self) -> dict[Any, str]:
        """Return the names of data files by their keys; none without an index that can be read."""
        with suppress(Exception):
            index = super()._load_index()  # type: ignore[no-untyped-call]
            if isinstance(index, dict):
                return index
        return {}

    def _dump(self, obj: Any) -> bytes:
        pickled: bytes = super()._dump(obj)  # type: ignore[no-untyped-call]
        # Bytes behind the end of a pickle would be ignored, so they are checked here.
        return pickled + _MARK + sha256(pickled).digest()

    def _read_file(self, name: str) -> bytes | None:
        """Return the bytes of a data file; None if they cannot be read, or were changed."""
        try:
            data = Path(self._data_path(name)).read_bytes()  # type: ignore[no-untyped-call]
        except OSError:
            return None
        pickled = data[: -_DIGEST_BYTES - len(_MARK)]
        if data[len(pickled) : -_DIGEST_BYTES] == _MARK:
            return data if data.endswith(sha256(pickled).digest()) else None
        return data if data.endswith(_END_OF_PICKLE) else None


@cache
def explain_unwritable(folder: str) -> str | None:
    """Return why no kernel can be kept in a folder, None if one can be.

    The folder is tried once in a process.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            written = file.write(bytes(_LEAST_ROOM))
            if written < _LEAST_ROOM:
                return os.strerror(errno.ENOSPC)
    except OSError as error:
        return error.strerror or type(error).__name__
    return None


def log_compilation(name: str, *, is_kept: bool) -> None:
    """Log that a kernel is being compiled; the command line shows these records.

    The first one is announced by a warning, which programs also show that configure no logging.

    Args:
        name: the qualified name of the kernel.
        is_kept: whether the machine code can be kept on disk.
    """
    _announce_compilation()
    _LOG.debug("Compiling %s, %s", name, "once on this machine" if is_kept else "at each start")


@cache
def _announce_compilation() -> None:
    """Say, once in a process, why the first answers take long."""
    _LOG.warning(
        "Compiling for this machine, for up to some minutes. `minecheck warm` does it ahead."
    )


@cache
def warn_uncached(reason: str) -> None:
    """Say, once for each reason, why it takes so long to start."""
    _LOG.warning(
        "Compiled code cannot be kept: %s. Each start takes up to some minutes. Set "
        "NUMBA_CACHE_DIR to a writable directory with 30 MB of room.",
        reason,
    )
