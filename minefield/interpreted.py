"""Kernels as plain Python, for small boards and tests: the same answers, and more checks.

The interpreter's numbers are not those of machine code, so a kernel sees arrays of another kind
here. What is read from them is a Python number, which does not wrap, unless it is of 64 bits
without sign: those wrap, and kernels rely on it. An index or a slice outside an array is an
IndexError, a negative one too, and an integer that an array cannot hold is an OverflowError. A new
array without values holds numbers that lead nowhere.

Tested in tests/minefield/test_kernel_mode.py.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from inspect import signature
from threading import RLock
from types import FunctionType, ModuleType
from typing import Any, Final, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.kernel import Kernel, copy_without_globals, link_globals

_LINKING: Final = RLock()
#: Every byte of a new array. Its integers are large, and its doubles about -1e-103.
_GARBAGE: Final = 0xAA


class Interpreted:
    """A kernel that the interpreter runs, with its parameters checked as Numba checks them."""

    def __init__(self, function: Callable[..., object]) -> None:
        assert isinstance(function, FunctionType), "a kernel is a function"
        self.py_func = function
        self._inside: FunctionType | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run as Python calls it: with arrays of NumPy, which it also returns."""
        bound = signature(self.py_func).bind(*arguments, **named)
        for name, value in bound.arguments.items():
            if name in self._kinds:
                bound.arguments[name] = _admit_argument(value, self._kinds[name], name)
        # Unsigned integers of 64 bits wrap on purpose.
        with np.errstate(over="ignore"):
            return _release_arrays(self.inside(*bound.args, **bound.kwargs))

    @cached_property
    def _kinds(self) -> dict[str, Any]:
        return get_type_hints(self.py_func, include_extras=True)

    @property
    def inside(self) -> FunctionType:
        """The function as kernels call it."""
        with _LINKING:
            if self._inside is None:
                self._inside = copy_without_globals(self.py_func)
                link_globals(self._inside, self.py_func, _to_kernel_value)
            return self._inside


def _to_kernel_value(value: Any) -> Any:
    """Return a global variable of a kernel as interpreted kernels see it."""
    if isinstance(value, Kernel):
        return value.interpreted.inside
    if value is np:
        return _NUMPY
    return _guard_arrays(value, fixed=True)


# --- arrays ---------------------------------------------------------------------------------------


class GuardedArray(np.ndarray[Any, Any]):
    """An array whose indices have to lie within it, and whose items are Python numbers."""

    def __getitem__(self, index: Any) -> Any:
        return _to_kernel_number(super().__getitem__(_check_index(index, self.shape)))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(_check_index(index, self.shape), value)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))


def _check_index(index: Any, shape: tuple[int, ...]) -> Any:
    """Return the index of an array of this shape, after checking that it lies inside.

    Raises:
        IndexError: it lies outside.
    """
    parts = index if isinstance(index, tuple) else (index,)
    # Kernels do not use None, which adds an axis, or an ellipsis.
    for part, size in zip(parts, shape, strict=False):
        if isinstance(part, slice):
            bounds = () if part.step is not None else (part.start, part.stop)
            if any(bound is not None and not -1 <= bound <= size for bound in bounds):
                raise IndexError(f"the slice {part.start}:{part.stop} reaches beyond {size} items")
        elif isinstance(part, np.ndarray):
            if part.dtype != bool and part.size and not 0 <= part.min() <= part.max() < size:
                raise IndexError(f"some of {part.tolist()} lie outside {size} items")
        elif part is not None and not 0 <= part < size:
            raise IndexError(f"{part} lies outside {size} items")
    return index


def _to_kernel_number(value: Any) -> Any:
    """Return a NumPy scalar as kernels have it; anything else as it is."""
    if isinstance(value, np.generic) and not isinstance(value, np.uint64):
        return value.item()
    return value


def _guard_arrays(value: Any, fixed: bool = False) -> Any:
    """Return arrays, in tuples too, as kernels see them; ``fixed`` ones may not be written to."""
    if isinstance(value, np.ndarray):
        seen = value.view(GuardedArray)
        seen.flags.writeable &= not fixed
        return seen
    if isinstance(value, tuple):
        return _of_kind(value, [_guard_arrays(part, fixed) for part in value])
    return _to_kernel_number(value)


def _release_arrays(value: Any) -> Any:
    """Return arrays, in tuples too, as NumPy has them."""
    if isinstance(value, GuardedArray):
        return value.view(np.ndarray)
    if isinstance(value, tuple):
        return _of_kind(value, [_release_arrays(part) for part in value])
    return value


def _of_kind(value: tuple[Any, ...], parts: list[Any]) -> Any:
    return value._make(parts) if hasattr(value, "_make") else tuple(parts)


# --- parameters -----------------------------------------------------------------------------------


def _admit_argument(value: Any, kind: Any, name: str) -> Any:
    """Return an argument that Python passes as kernels see it.

    Raises:
        TypeError: it is not of the kind that the annotation names.
    """
    if isinstance(value, np.ndarray):
        (array, shape), fixed = get_args(kind), not value.flags.writeable
        (item,) = get_args(get_args(array)[1])
        fits = value.dtype == np.dtype(item) and value.ndim == shape.dimensions
        if not fits or not value.flags.c_contiguous or (fixed and not shape.fixed):
            raise TypeError(f"{name} is {kind}, not {value.dtype} of shape {value.shape}")
        return _guard_arrays(value, shape.fixed)
    if isinstance(value, tuple):
        named = get_type_hints(kind, include_extras=True) if hasattr(value, "_make") else {}
        kinds = list(named.values()) or get_args(kind)
        return _of_kind(
            value,
            [
                _admit_argument(part, kind_of_part, name)
                for part, kind_of_part in zip(value, kinds, strict=True)
            ],
        )
    if not isinstance(value, int | float | np.generic) or get_origin(kind) is not None:
        raise TypeError(f"{name} is {kind}, not {type(value).__name__}")
    if isinstance(kind, type) and issubclass(kind, np.generic):
        return _Item(kind)(value)
    return kind(value)


# --- NumPy ----------------------------------------------------------------------------------------


class _Item:
    """A type of items, which also converts a number, as machine code does: it wraps."""

    def __init__(self, kind: type[np.generic]) -> None:
        self.dtype = np.dtype(kind)

    def __call__(self, value: Any) -> Any:
        if self.dtype.kind in "iu":
            bits = 8 * self.dtype.itemsize
            wrapped = int(value) & ((1 << bits) - 1)
            if self.dtype.kind == "u":
                return np.uint64(wrapped) if bits == 64 else wrapped
            return wrapped - (wrapped >> bits - 1 << bits)
        return self.dtype.type(value).item()


class _Numpy:
    """NumPy as kernels see it: it makes guarded arrays, and gives numbers of Python."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        original = getattr(self._module, name)
        if isinstance(original, type) and issubclass(original, np.generic):
            replacement: Any = _Item(original)
        elif callable(original):
            replacement = _guard_function(original)
        else:
            replacement = original
        setattr(self, name, replacement)
        return replacement

    @staticmethod
    def empty(shape: Any, dtype: Any = np.float64) -> NDArray[Any]:
        """Return a new array full of numbers that lead nowhere: a kernel has to replace them."""
        array = np.empty(shape, _to_dtype(dtype))
        array.reshape(-1).view(np.uint8)[:] = 1 if array.dtype == bool else _GARBAGE
        return array.view(GuardedArray)


def _guard_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of NumPy so that its arrays are guarded."""

    def run(*given: Any, **named: Any) -> Any:
        plain = [_release_arrays(_to_dtype(argument)) for argument in given]
        return _guard_arrays(
            function(*plain, **{name: _to_dtype(argument) for name, argument in named.items()})
        )

    return run


def _to_dtype(value: Any) -> Any:
    return value.dtype if isinstance(value, _Item) else value


_NUMPY: Final = _Numpy(np)
