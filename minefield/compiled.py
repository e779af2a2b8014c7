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

The same four decorators also compile with checks of all indices, for tests, or leave kernels to the
interpreter, for tests and small boards: see `minefield.kernel_mode`. `minefield.machine_code` has
what they need of Numba.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from minecheck.minefield.interpreted import Interpreted
from minecheck.minefield.kernel_mode import MODE, Mode

if MODE is not Mode.PYTHON:
    # It loads Numba, which takes longer than to interpret the kernels of a small question.
    import minecheck.minefield.machine_code as machine_code

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


def compile_kernel(function: Function) -> Function:
    """Compile ``function`` to machine code; it runs without holding the GIL."""
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    return cast(Function, machine_code.make_kernel(function))


def compile_inner(function: Function) -> Function:
    """Compile ``function`` for other kernels, with which it is kept."""
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    return cast(Function, machine_code.make_inner(function))


def compile_without_references(function: Function) -> Function:
    """Compile ``function`` for other kernels, if neither it nor what it calls makes an array.

    Counting references takes up to a tenth of the time of short kernels. What it calls has to
    borrow as well, or to be inlined.
    """
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    return cast(Function, machine_code.make_inner(function, counts_references=False))


def inline_kernel(function: Function) -> Function:
    """Put ``function`` into each kernel that calls it, before types are found out.

    That spares a tenth of the time to compile where it is called from one place, or is short.
    """
    if MODE is Mode.PYTHON:
        return cast(Function, Interpreted(function))
    return cast(Function, machine_code.make_inlined(function))


def in_machine_code(
    generate: Callable[..., Any], *, unless_compiled: Function, trusts_indices: bool = False
) -> Function:
    """Make an operation for kernels from instructions of LLVM, which Numba lacks.

    Args:
        generate: what `numba.extending.intrinsic` takes. It imports what it needs of Numba itself.
        unless_compiled: the same operation in Python, for `Mode.PYTHON`.
        trusts_indices: whether the instructions use indices that they do not check. Then
            ``unless_compiled`` runs in `Mode.CHECKED` as well, as a kernel.
    """
    if MODE is Mode.PYTHON or (MODE is Mode.CHECKED and trusts_indices):
        return inline_kernel(unless_compiled)
    return cast(Function, machine_code.make_intrinsic(generate))
