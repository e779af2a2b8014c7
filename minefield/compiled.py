"""The one place that says how inner loops are compiled.

Three decorators, and types of arrays for the annotations of what they decorate:

    @compiled  what Python calls; its annotations are its only signature
    @inner     what kernels call; the same, without what it takes to be called from Python
    @inlined   what becomes a part of the kernels that call it, as if it were written there

Compilation happens on the first call, never on import, or by `Kernel.load`, and is cached on disk
beside the source (or in ``NUMBA_CACHE_DIR``). Where nothing can be written, each process compiles
anew, and says so. A cached kernel is used as long as nothing that was compiled into it has changed.
An argument of another type is an error: nothing is ever compiled for it.
"""

import logging
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from hashlib import sha256
from inspect import signature
from types import CodeType, FunctionType, ModuleType
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numba
import numpy as np
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher
from numba.core.typeconv.castgraph import Conversion
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., object])
Item = TypeVar("Item", bound=np.generic)


class _Shape(NamedTuple):
    """Of an array whose items lie close together, row by row."""

    dimensions: int
    fixed: bool = False


#: Arrays that a kernel may change...
Vector: TypeAlias = Annotated[NDArray[Item], _Shape(1)]
Matrix: TypeAlias = Annotated[NDArray[Item], _Shape(2)]
Cube: TypeAlias = Annotated[NDArray[Item], _Shape(3)]
#: ...and arrays that it only reads, which may be read-only.
FixedVector: TypeAlias = Annotated[NDArray[Item], _Shape(1, fixed=True)]
FixedMatrix: TypeAlias = Annotated[NDArray[Item], _Shape(2, fixed=True)]
FixedCube: TypeAlias = Annotated[NDArray[Item], _Shape(3, fixed=True)]

_LOG: Final = logging.getLogger("minecheck.compiled")
#: Globals of these types are compiled in by value.
_CONSTANTS: Final = (int, float, complex, str, bytes, np.generic)
_SCALARS: Final = {int: types.int64, float: types.float64, bool: types.boolean}


def compiled(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    kernel: Any = _kernel(function, no_cfunc_wrapper=True)
    try:
        kernel._cache = _KernelCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:
        _warn()
    return cast(Function, kernel)


def inner(function: Function) -> Function:
    """Compile ``function`` for other kernels, with which it is kept."""
    return cast(Function, _kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True))


def inlined(function: Function) -> Function:
    """Put ``function`` into each kernel that calls it, before types are found out.

    That spares a tenth of the time to compile where it is called from one place, or is short.
    """
    return cast(Function, numba.njit(inline="always")(function))


class Kernel(CPUDispatcher):
    """A compiled function with the one signature that its annotations declare."""

    @cached_property
    def declared(self) -> tuple[Any, ...]:
        """The types of its parameters, as Numba has them."""
        hints = get_type_hints(self.py_func, include_extras=True)
        return tuple(_type(hints[name]) for name in signature(self.py_func).parameters)

    @property
    def loaded(self) -> bool:
        """Whether its machine code is there."""
        return bool(self.overloads)

    def load(self) -> None:
        """Have its machine code, from the cache or, if that has none, compiled now."""
        with global_compiler_lock:
            if not self.loaded:
                super().compile(self.declared)
                self.disable_compile()

    def compile(self, sig: Any) -> Any:
        """What Numba calls for arguments of types ``sig`` before it is loaded."""
        self.load()
        for given, declared in zip(sig, self.declared, strict=True):
            conversion = self.typingctx.can_convert(given, declared)  # type: ignore[no-untyped-call]
            if conversion in (None, Conversion.unsafe):
                raise TypeError(f"{self.py_func.__qualname__} takes {declared}, not {given}")
        (only,) = self.overloads.values()
        return only.entry_point  # type: ignore[attr-defined]


def _kernel(function: Callable[..., object], **options: bool) -> Kernel:
    return Kernel(function, targetoptions={"nopython": True, "nogil": True, **options})


def _type(kind: Any) -> Any:
    """The type that Numba gives to what is annotated."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    if get_origin(kind) is Annotated:
        array, shape = get_args(kind)
        # NDArray[item] is ndarray[shape, dtype[item]].
        (item,) = get_args(get_args(array)[1])
        return types.Array(from_dtype(np.dtype(item)), shape.dimensions, "C", readonly=shape.fixed)
    if get_origin(kind) is tuple:
        return _tuple(get_args(kind))
    if issubclass(kind, np.generic):
        return from_dtype(np.dtype(kind))
    fields = get_type_hints(kind, include_extras=True)
    return _tuple(fields.values(), kind)


def _tuple(kinds: Iterable[Any], named: type | None = None) -> Any:
    return types.BaseTuple.from_types(list(map(_type, kinds)), named)  # type: ignore[no-untyped-call]


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
