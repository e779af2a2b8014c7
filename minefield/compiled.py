"""The one place that says how inner loops are compiled.

Compilation happens on the first call, never on import, and is cached on disk
beside the source (or in ``NUMBA_CACHE_DIR``).
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
