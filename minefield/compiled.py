"""The one place that says how inner loops are compiled.

Compilation happens on the first call, never on import, and is cached on disk
beside the source (or in ``NUMBA_CACHE_DIR``). Where nothing can be written, each
process compiles anew, and says so. A cached kernel is used as long as nothing
that was compiled into it has changed.
"""

import logging
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

Function = TypeVar("Function", bound=Callable[..., object])

_LOG: Final = logging.getLogger("minecheck.compiled")
#: Globals of these types are compiled in by value.
_CONSTANTS: Final = (int, float, complex, str, bytes, np.generic)


def compiled(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    kernel: Any = numba.njit(nogil=True)(function)
    try:
        kernel._cache = _KernelCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:
        _warn()
    return cast(Function, kernel)


@cache
def _warn() -> None:
    """Say why it is slow, once."""
    _LOG.warning(
        "Compiled code cannot be kept: neither the installation nor the home directory is "
        "writable, so each start takes up to some minutes. Set NUMBA_CACHE_DIR to a writable "
        "directory."
    )


class _KernelCache(FunctionCache):
    """Numba's cache of one kernel, made stale by a change in anything that is compiled into it.

    Numba itself only looks at the file that the kernel stands in. The kernels that it calls and the
    constants that it uses are compiled in as well, and may come from other files.
    """

    def load_overload(self, signature: Any, context: Any) -> Any:
        """As Numba has it, which asks here before it compiles anything."""
        # Not sooner: a kernel may use what is defined below it.
        stamp = (self._impl.locator.get_source_stamp(), _stamp(self._py_func))
        self._cache_file = IndexDataCacheFile(  # type: ignore[no-untyped-call]
            self.cache_path, self._impl.filename_base, stamp
        )
        return super().load_overload(signature, context)  # type: ignore[no-untyped-call]


@cache
def _stamp(function: FunctionType) -> bytes:
    """A digest of all that is compiled along with a function: itself and whatever it calls."""
    reached = {function}
    waiting = [function]
    while waiting:
        new = _parts(waiting.pop()).calls - reached
        reached |= new
        waiting += new
    return sha256(b"".join(sorted(_parts(one).digest for one in reached))).digest()


class _Parts(NamedTuple):
    """What a function is made of: a digest of its code and constants, and what it calls."""

    digest: bytes
    calls: frozenset[FunctionType]


@cache
def _parts(function: FunctionType) -> _Parts:
    codes = [function.__code__]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    texts = [f"{function.__module__}.{function.__qualname__} {function.__defaults__}"]
    for code in codes:
        literals = [one for one in code.co_consts if not isinstance(one, CodeType)]
        texts.append(repr((code.co_code, code.co_names, code.co_varnames, literals)))
    used = _used(function, {name for code in codes for name in code.co_names})
    texts += [f"{name} = {_described(value)}" for name, value in used.items()]
    # The types of tuples are known by their fields, in this order.
    texts += [_described(kind) for kind in function.__annotations__.values()]
    calls = frozenset(callee for callee in map(_callee, used.values()) if callee is not None)
    return _Parts(sha256("\n".join(texts).encode()).digest(), calls)


def _used(function: FunctionType, names: set[str]) -> dict[str, object]:
    """The globals of a function that have one of these names, and the attributes of modules."""
    found = {name: function.__globals__[name] for name in names & function.__globals__.keys()}
    modules = [(name, vars(one)) for name, one in found.items() if isinstance(one, ModuleType)]
    for module, attributes in modules:
        found |= {f"{module}.{name}": attributes[name] for name in names & attributes.keys()}
    return dict(sorted(found.items()))


def _callee(value: object) -> FunctionType | None:
    """The function that a kernel, or an intrinsic of Numba, was made from; None for all else."""
    made_from = value.py_func if isinstance(value, Dispatcher) else getattr(value, "_defn", None)
    return made_from if isinstance(made_from, FunctionType) else None


def _described(value: object) -> str:
    """Constants by value, types of tuples by their fields, and all else by name."""
    if isinstance(value, _CONSTANTS):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_described, value))})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    name = str(getattr(value, "__qualname__", type(value)))
    if isinstance(value, type) and issubclass(value, tuple):
        kinds = getattr(value, "__annotations__", {})
        fields = [
            f"{field}: {_described(kinds.get(field))}" for field in getattr(value, "_fields", ())
        ]
        return f"{name}({', '.join(fields)})"
    return name
