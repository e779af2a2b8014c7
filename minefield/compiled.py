"""The one place that says how inner loops are compiled.

Four decorators, and types of arrays for the annotations of what they decorate:

    @compiled   what Python calls; its annotations are its only signature
    @inner      what kernels call; the same, without what it takes to be called from Python
    @borrowing  the same of what makes no arrays: it counts no references to those it is given
    @inlined    what becomes a part of the kernels that call it, as if it were written there

Compilation happens on the first call, never on import, or by `Kernel.load`, and is cached on disk
beside the source (or in ``NUMBA_CACHE_DIR``). Where nothing can be written, each process compiles
anew, and says so. A cached kernel is used as long as nothing that was compiled into it has changed.
An argument of another type is an error: nothing is ever compiled for it.
"""

import logging
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from inspect import signature
from types import FunctionType
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
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.typeconv.castgraph import Conversion
from numba.np.numpy_support import from_dtype

from minefield.compiled_cache import KernelCache, reached

Function = TypeVar("Function", bound=Callable[..., object])
Item = TypeVar("Item", bound=np.generic)


class _Shape(NamedTuple):
    """Of an array whose items lie close together, row by row."""

    dimensions: int
    fixed: bool = False


# As `numpy.typing.NDArray`, which has other parts from NumPy 2.5 on.
_Array: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[Item]]
#: Arrays that a kernel may change...
Vector: TypeAlias = Annotated[_Array[Item], _Shape(1)]
Matrix: TypeAlias = Annotated[_Array[Item], _Shape(2)]
Cube: TypeAlias = Annotated[_Array[Item], _Shape(3)]
#: ...and arrays that it only reads, which may be read-only.
FixedVector: TypeAlias = Annotated[_Array[Item], _Shape(1, fixed=True)]
FixedMatrix: TypeAlias = Annotated[_Array[Item], _Shape(2, fixed=True)]
FixedCube: TypeAlias = Annotated[_Array[Item], _Shape(3, fixed=True)]

_LOG: Final = logging.getLogger("minecheck.compiled")
_SCALARS: Final = {int: types.int64, float: types.float64, bool: types.boolean}


def compiled(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    kernel: Any = _kernel(function, no_cfunc_wrapper=True)
    try:
        kernel._cache = KernelCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:
        _warn()
    return cast(Function, kernel)


def inner(function: Function) -> Function:
    """Compile ``function`` for other kernels, with which it is kept."""
    return cast(Function, _kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True))


def borrowing(function: Function) -> Function:
    """Compile ``function`` for other kernels, if neither it nor what it calls makes an array.

    Counting references takes up to a tenth of the time of short kernels. What it calls has to
    borrow as well, or to be inlined.
    """
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return cast(Function, _kernel(function, **options))


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
        """Whether its machine code is in memory."""
        return bool(self.overloads)

    @property
    def kept(self) -> bool:
        """Whether there is a place on disk for its machine code."""
        return isinstance(self._cache, KernelCache)  # type: ignore[attr-defined]

    @property
    def missing(self) -> bool:
        """Whether there is a place on disk for its machine code, and nothing there."""
        stored: Any = self._cache  # type: ignore[attr-defined]
        return self.kept and not stored.holds(self.declared, self.targetctx)

    @property
    def called_from_python(self) -> bool:
        """Whether it is not for other kernels only."""
        return "no_cpython_wrapper" not in self.targetoptions

    @property
    def borrows(self) -> bool:
        """Whether it counts no references to arrays."""
        return "_nrt" in self.targetoptions

    @property
    def source(self) -> frozenset[FunctionType]:
        """The functions that it is compiled from: its own and all that it calls."""
        return reached(self.py_func)

    def load(self) -> None:
        """Have its machine code, from the cache or, if that has none, compiled now."""
        with global_compiler_lock:
            if not self.loaded:
                super().compile(self.declared)
                self.disable_compile()

    def fold_argument_types(self, args: Any, kws: Any) -> tuple[Any, tuple[Any, ...]]:
        """The parameters and their types where it calls itself: as declared, for any arguments."""
        parameters, _ = super().fold_argument_types(args, kws)
        return parameters, self.declared

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
        _, dtype = get_args(array)
        (item,) = get_args(dtype)
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
