"""Where compiled kernels are kept, and when what is kept is still true."""

from functools import cache
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Annotated, Any, Final, NamedTuple, get_origin

import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys

#: Globals of these types are compiled in by value.
_CONSTANTS: Final = (int, float, complex, str, bytes, np.generic)


class KernelCache(FunctionCache):
    """Numba's cache of one kernel, made stale by a change in anything that is compiled into it.

    Numba itself only looks at the file that the kernel stands in. The kernels that it calls and the
    constants that it uses are compiled in as well, and may come from other files.
    """

    def load_overload(self, signature: Any, context: Any) -> Any:
        """As Numba has it, which asks here before it compiles anything."""
        self._look()
        # It also makes ready to compile, which takes longer than to load; whatever compiles does
        # that for itself.
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)  # type: ignore[no-untyped-call]

    def holds(self, signature: Any, context: Any) -> bool:
        """Whether there is machine code of this signature, for this processor."""
        self._look()
        index = self._cache_file._load_index()  # type: ignore[no-untyped-call]
        key = self._index_key(signature, context.codegen())  # type: ignore[no-untyped-call]
        return key in index

    def _look(self) -> None:
        """See what is kept for the source as it is now."""
        # Not sooner: a kernel may use what is defined below it.
        stamp = (self._impl.locator.get_source_stamp(), _stamp(self._py_func))
        self._cache_file = IndexDataCacheFile(  # type: ignore[no-untyped-call]
            self.cache_path, self._impl.filename_base, stamp
        )


@cache
def _stamp(function: FunctionType) -> bytes:
    """A digest of all that is compiled along with a function."""
    return sha256(b"".join(sorted(_parts(one).digest for one in reached(function)))).digest()


@cache
def reached(function: FunctionType) -> frozenset[FunctionType]:
    """All that is compiled along with a function: itself and whatever it calls."""
    found = {function}
    waiting = [function]
    while waiting:
        new = _parts(waiting.pop()).calls - found
        found |= new
        waiting += new
    return frozenset(found)


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
    if get_origin(value) is Annotated:
        return repr(value)
    name = str(getattr(value, "__qualname__", type(value)))
    if isinstance(value, type) and issubclass(value, tuple):
        kinds = getattr(value, "__annotations__", {})
        fields = [
            f"{field}: {_described(kinds.get(field))}" for field in getattr(value, "_fields", ())
        ]
        return f"{name}({', '.join(fields)})"
    return name
