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

For tests, the same four decorators also compile with checks of all indices, or leave kernels to the
interpreter: see `minefield.kernel_mode`.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
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
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from minecheck.minefield.checked_indices import check_indices
from minecheck.minefield.compiled_cache import KernelCache, find_reached
from minecheck.minefield.interpreted import Interpreted
from minecheck.minefield.kernel_files import log_compilation, warn_uncached
from minecheck.minefield.kernel_mode import MODE, Mode

Function = TypeVar("Function", bound=Callable[..., object])
Item = TypeVar("Item", bound=np.generic)


class _Shape(NamedTuple):
    """The Numba type of a C-contiguous array."""

    dimensions: int
    fixed: bool = False


# An array type like `numpy.typing.NDArray`, whose parts change with NumPy 2.5.
_Array: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[Item]]
#: Arrays that a kernel may change...
Vector: TypeAlias = Annotated[_Array[Item], _Shape(1)]
Matrix: TypeAlias = Annotated[_Array[Item], _Shape(2)]
Cube: TypeAlias = Annotated[_Array[Item], _Shape(3)]
#: ...and arrays that it only reads, which may be read-only.
FixedVector: TypeAlias = Annotated[_Array[Item], _Shape(1, fixed=True)]
FixedMatrix: TypeAlias = Annotated[_Array[Item], _Shape(2, fixed=True)]
FixedCube: TypeAlias = Annotated[_Array[Item], _Shape(3, fixed=True)]

_SCALARS: Final = {int: types.int64, float: types.float64, bool: types.boolean}
_CHECKED: Final = MODE is Mode.CHECKED

if _CHECKED:
    check_indices()


def compile_kernel(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    kernel: Any = _make_kernel(function, no_cfunc_wrapper=True)
    try:
        kernel._cache = KernelCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:
        warn_uncached("neither the installation nor the home directory is writable")
    return cast(Function, kernel)


def compile_inner(function: Function) -> Function:
    """Compile ``function`` for other kernels, with which it is kept."""
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    return cast(Function, _make_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True))


def compile_without_references(function: Function) -> Function:
    """Compile ``function`` for other kernels, if neither it nor what it calls makes an array.

    Counting references takes up to a tenth of the time of short kernels. What it calls has to
    borrow as well, or to be inlined.
    """
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return cast(Function, _make_kernel(function, **options))


def inline_kernel(function: Function) -> Function:
    """Put ``function`` into each kernel that calls it, before types are found out.

    That spares a tenth of the time to compile where it is called from one place, or is short.
    """
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    return cast(Function, numba.njit(inline="always", boundscheck=_CHECKED)(function))


def in_machine_code(
    generate: Callable[..., Any], *, unless_compiled: Function, trusts_indices: bool = False
) -> Function:
    """Make an operation for kernels from instructions of LLVM, which Numba lacks.

    Args:
        generate: what `numba.extending.intrinsic` takes.
        unless_compiled: the same operation in Python, for `Mode.PYTHON`.
        trusts_indices: whether the instructions use indices that they do not check. Then
            ``unless_compiled`` runs in `Mode.CHECKED` as well, as a kernel.
    """
    if MODE is Mode.PYTHON or (_CHECKED and trusts_indices):
        return inline_kernel(unless_compiled)
    return cast(Function, intrinsic(generate))


class Kernel(CPUDispatcher):
    """A compiled function with the one signature that its annotations declare."""

    @cached_property
    def declared(self) -> tuple[Any, ...]:
        """The types of its parameters, as Numba has them."""
        hints = get_type_hints(self.py_func, include_extras=True)
        return tuple(_to_numba_type(hints[name]) for name in signature(self.py_func).parameters)

    @property
    def loaded(self) -> bool:
        """True if the machine code is in memory."""
        return bool(self.overloads)

    @property
    def kept(self) -> bool:
        """True if the machine code is on disk or can be saved there."""
        stored: Any = self._cache  # type: ignore[attr-defined]
        if not isinstance(stored, KernelCache):
            return False
        return stored.has_kernel(self.declared, self.targetctx) or stored.can_save()

    @property
    def missing(self) -> bool:
        """True if the machine code is not on disk but can be saved there."""
        stored: Any = self._cache  # type: ignore[attr-defined]
        return (
            isinstance(stored, KernelCache)
            and not stored.has_kernel(self.declared, self.targetctx)
            and stored.can_save()
        )

    @property
    def called_from_python(self) -> bool:
        """True if Python calls this kernel; other kernels only serve as parts."""
        return "no_cpython_wrapper" not in self.targetoptions

    @property
    def borrows(self) -> bool:
        """True if the kernel counts no references to arrays."""
        return "_nrt" in self.targetoptions

    @property
    def source(self) -> frozenset[FunctionType]:
        """The functions that it is compiled from: its own and all that it calls."""
        return find_reached(self.py_func)

    def load(self) -> None:
        """Have its machine code, from the cache or, if that has none, compiled now."""
        with global_compiler_lock:
            if not self.loaded:
                # One that can be kept says so itself, once there is nothing to be loaded.
                if self.called_from_python and not isinstance(self._cache, KernelCache):  # type: ignore[attr-defined]
                    log_compilation(self.py_func.__qualname__, is_kept=False)
                super().compile(self.declared)
                self.disable_compile()

    def fold_argument_types(self, args: Any, kws: Any) -> tuple[Any, tuple[Any, ...]]:
        """Return the parameters and their types where a kernel calls itself.

        Args:
            args: types of positional arguments; the declared types stand in their place.
            kws: types of named arguments.
        """
        parameters, _ = super().fold_argument_types(args, kws)
        return parameters, self.declared

    def compile(self, sig: Any) -> Any:
        """Compile for arguments of the types ``sig``; Numba calls this until the kernel is loaded.

        Raises:
            TypeError: an argument has a type that does not convert safely to the declared one.
        """
        self.load()
        for given, declared in zip(sig, self.declared, strict=True):
            conversion = self.typingctx.can_convert(given, declared)  # type: ignore[no-untyped-call]
            if conversion in (None, Conversion.unsafe):
                raise TypeError(f"{self.py_func.__qualname__} takes {declared}, not {given}")
        (only,) = self.overloads.values()
        return only.entry_point  # type: ignore[attr-defined]


def _make_kernel(function: Callable[..., object], **options: bool) -> Kernel:
    always = {"nopython": True, "nogil": True, "boundscheck": _CHECKED}
    return Kernel(function, targetoptions=always | options)


def _to_numba_type(kind: Any) -> Any:
    """Return the type that Numba gives to an annotation."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    if get_origin(kind) is Annotated:
        array, shape = get_args(kind)
        _, dtype = get_args(array)
        (item,) = get_args(dtype)
        return types.Array(from_dtype(np.dtype(item)), shape.dimensions, "C", readonly=shape.fixed)
    if get_origin(kind) is tuple:
        return _to_numba_tuple(get_args(kind))
    if issubclass(kind, np.generic):
        return from_dtype(np.dtype(kind))
    fields = get_type_hints(kind, include_extras=True)
    return _to_numba_tuple(fields.values(), kind)


def _to_numba_tuple(kinds: Iterable[Any], named: type | None = None) -> Any:
    return types.BaseTuple.from_types(list(map(_to_numba_type, kinds)), named)  # type: ignore[no-untyped-call]
