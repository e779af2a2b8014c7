"""The one place that says how inner loops are compiled.

Four decorators, and types of arrays for the annotations of what they decorate:

    @compile_kernel              what Python calls; its annotations are its only signature
    @compile_inner               what only kernels call
    @compile_without_references  the same of what makes no arrays: it counts no references to those
                                 it is given
    @inline_kernel               what becomes a part of the kernels that call it

Compilation happens on the first call, never on import, or by `load`, and is cached on disk beside
the source (or in ``NUMBA_CACHE_DIR``). Where nothing can be written, each process compiles anew,
and says so. A cached kernel is used as long as nothing that was compiled into it has changed. An
argument of another type is an error: nothing is ever compiled for it. Kernels import the kernels
that they call by name: those of modules (``module.kernel``) are not found.

The same decorators also compile with checks of all indices, for tests, or leave kernels to the
interpreter: see `minefield.kernel_mode`. `minefield.machine_code` has what they need of Numba. It
is loaded late: see `minefield.kernel`.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from minecheck.minefield.interpreted import Interpreted
from minecheck.minefield.kernel import Kernel, KernelKind
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


def compile_kernel(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    return _make_kernel(function, KernelKind.ENTRY)


def compile_inner(function: Function) -> Function:
    """Compile ``function`` for other kernels, with which it is kept."""
    return _make_kernel(function, KernelKind.INNER)


def compile_without_references(function: Function) -> Function:
    """Compile ``function`` for other kernels, if neither it nor what it calls makes an array.

    Counting references takes up to a tenth of the time of short kernels. What it calls has to
    borrow as well, or to be inlined.
    """
    return _make_kernel(function, KernelKind.BORROWING)


def inline_kernel(function: Function) -> Function:
    """Put ``function`` into each kernel that calls it, before types are found out.

    That spares a tenth of the time to compile where it is called from one place, or is short.
    """
    return _make_kernel(function, KernelKind.INLINED)


def in_machine_code(
    generate: Callable[..., Any], *, unless_compiled: Function, trusts_indices: bool = False
) -> Function:
    """Make an operation for kernels from instructions of LLVM, which Numba lacks.

    Args:
        generate: what `numba.extending.intrinsic` takes. It imports what it needs of Numba itself.
        unless_compiled: the same operation in Python, for the interpreter.
        trusts_indices: whether the instructions use indices that they do not check. Then
            ``unless_compiled`` runs in `Mode.CHECKED` as well, as a kernel.
    """
    if MODE is Mode.CHECKED and trusts_indices:
        return inline_kernel(unless_compiled)
    kernel = Kernel(generate, KernelKind.OPERATION, Interpreted(unless_compiled), _load_numba)
    return cast(Function, kernel)


def _make_kernel(function: Function, kind: KernelKind) -> Function:
    return cast(Function, Kernel(function, kind, Interpreted(function), _load_numba))


def _load_numba(kernel: Kernel) -> Any:
    from minecheck.minefield.machine_code import make_machine_code

    return make_machine_code(kernel)
