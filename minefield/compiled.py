"""The one place that says how inner loops are compiled.

Compilation happens on the first call, never on import, and is cached on disk
beside the source (or in ``NUMBA_CACHE_DIR``). Where nothing can be written, each
process compiles anew, and says so.
"""

import logging
from collections.abc import Callable
from functools import cache
from typing import Final, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])

_LOG: Final = logging.getLogger("minecheck.compiled")


def compiled(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    try:
        return cast(Function, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:
        _warn()
        return cast(Function, numba.njit(nogil=True)(function))


@cache
def _warn() -> None:
    """Say why it is slow, once."""
    _LOG.warning(
        "Compiled code cannot be kept: neither the installation nor the home can be written to, "
        "so this takes up to some minutes each time. Let NUMBA_CACHE_DIR name a folder that can."
    )
