"""Kernels as machine code by Numba: what the decorators of `minefield.compiled` make of functions.

Importing this module takes a second, nearly all of it for Numba, so `Mode.PYTHON` does without.

Tested in tests/minefield/test_compiled.py.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from inspect import signature
from types import FunctionType
from typing import Annotated, Any, Final, cast, get_args, get_origin, get_type_hints

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
from minecheck.minefield.kernel_files import log_compilation, warn_uncached
from minecheck.minefield.kernel_mode import MODE, Mode

_SCALARS: Final = {int: types.int64, float: types.float64, bool: types.boolean}
_CHECKED: Final = MODE is Mode.CHECKED

if _CHECKED:
    check_indices()


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
        for argument_type, declared in zip(sig, self.declared, strict=True):
            conversion = self.typingctx.can_convert(argument_type, declared)  # type: ignore[no-untyped-call]
            if conversion in (None, Conversion.unsafe):
                raise TypeError(
                    f"{self.py_func.__qualname__} takes {declared}, not {argument_type}"
                )
        (only,) = self.overloads.values()
        return only.entry_point  # type: ignore[attr-defined]


def make_kernel(function: Callable[..., object]) -> Kernel:
    """Make a kernel that Python calls, and that is kept on disk if that is possible."""
    kernel: Any = _declare_kernel(function, no_cfunc_wrapper=True)
    try:
        kernel._cache = KernelCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:
        warn_uncached("neither the installation nor the home directory is writable")
    return cast(Kernel, kernel)


def make_inner(function: Callable[..., object], *, counts_references: bool = True) -> Kernel:
    """Make a kernel that only kernels call, and that may go without counting references."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return _declare_kernel(function, **options, **({} if counts_references else {"_nrt": False}))


def make_inlined(function: Callable[..., object]) -> Any:
    """Make a function that becomes a part of the kernels that call it."""
    return numba.njit(inline="always", boundscheck=_CHECKED)(function)


def make_intrinsic(generate: Callable[..., Any]) -> Any:
    """Make an operation for kernels of the types and the code generator that a function returns."""
    return intrinsic(generate)


def _declare_kernel(function: Callable[..., object], **options: bool) -> Kernel:
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
