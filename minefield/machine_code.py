"""Kernels as machine code by Numba: what the decorators of `minefield.compiled` make of functions.

Importing this module takes a fifth of a second, nearly all of it for Numba, so `minefield.kernel`
does that late.

Tested in tests/minefield/test_compiled.py.
"""

from collections.abc import Iterable
from functools import cached_property
from inspect import signature
from types import FunctionType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

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
from minecheck.minefield.kernel import Kernel, KernelKind, copy_without_globals, link_globals
from minecheck.minefield.kernel_files import log_compilation, warn_uncached
from minecheck.minefield.kernel_mode import MODE, Mode

_SCALARS: Final = {int: types.int64, float: types.float64, bool: types.boolean}
_CHECKED: Final = MODE is Mode.CHECKED
_ONLY_FOR_KERNELS: Final = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_OPTIONS: Final[dict[KernelKind, dict[str, bool]]] = {
    KernelKind.ENTRY: {"no_cfunc_wrapper": True},
    KernelKind.INNER: _ONLY_FOR_KERNELS,
    KernelKind.BORROWING: _ONLY_FOR_KERNELS | {"_nrt": False},
}

if _CHECKED:
    check_indices()


class CompiledKernel(CPUDispatcher):
    """A kernel of its own in machine code, with the one signature that its annotations declare."""

    #: The kernel that it is made of...
    kernel: Kernel
    #: ...and the copy of its function that is compiled, which is linked when it is loaded: kernels
    #: may call themselves and each other.
    linked: Any

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
    def source(self) -> frozenset[FunctionType]:
        """The functions that it is compiled from: its own and all that it calls."""
        return find_reached(self.kernel.py_func)

    def load(self) -> None:
        """Have its machine code, from the cache or, if that has none, compiled now."""
        with global_compiler_lock:
            if not self.loaded:
                # One that can be kept says so itself, once there is nothing to be loaded.
                if self.called_from_python and not isinstance(self._cache, KernelCache):  # type: ignore[attr-defined]
                    log_compilation(self.py_func.__qualname__, is_kept=False)
                link_globals(self.linked, self.kernel.py_func, _to_machine_code)
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


def make_machine_code(kernel: Kernel) -> Any:
    """Make what Numba compiles of a kernel: nothing is compiled yet."""
    if kernel.kind is KernelKind.OPERATION:
        return intrinsic(kernel.py_func)
    function = copy_without_globals(kernel.py_func)
    if kernel.kind is KernelKind.INLINED:
        link_globals(function, kernel.py_func, _to_machine_code)
        return numba.njit(inline="always", boundscheck=_CHECKED)(function)
    options = {"nopython": True, "nogil": True, "boundscheck": _CHECKED} | _OPTIONS[kernel.kind]
    compiled: Any = CompiledKernel(function, targetoptions=options)
    compiled.kernel, compiled.linked = kernel, function
    if kernel.kind is KernelKind.ENTRY:
        try:
            compiled._cache = KernelCache(kernel.py_func)  # type: ignore[no-untyped-call]
        except RuntimeError:
            warn_uncached("neither the installation nor the home directory is writable")
    return compiled


def _to_machine_code(value: Any) -> Any:
    """Return a global variable of a kernel as Numba takes it."""
    return value.machine_code if isinstance(value, Kernel) else value


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
