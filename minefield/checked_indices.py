"""Stricter checks of indices in the kernels of `Mode.CHECKED`.

Numba's own bounds checks let a negative index count from the end of an array, and cut a slice off
where the array ends, as Python does. A kernel that computes such an index or slice has miscounted,
so both become an IndexError here. Only where Numba checks bounds at all does anything change.

Tested in tests/minefield/test_kernel_mode.py.
"""

from typing import Any, Final

from numba import types
from numba.core import cgutils
from numba.np import arrayobj

#: Changes whenever the checks do: kernels that were compiled with other checks are not run.
VERSION: Final = 1

_fix_integer_index: Final = arrayobj.fix_integer_index
_basic_indexing: Final = arrayobj.basic_indexing


def check_indices() -> None:
    """Have kernels that are compiled from now on, with bounds checks, check all indices."""
    arrayobj.fix_integer_index = _keep_negative_index
    arrayobj.basic_indexing = _check_slices


def _keep_negative_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Leave a negative index as it is, for the check of bounds that follows."""
    if not (context.enable_boundscheck and kind.signed):
        return _fix_integer_index(context, builder, kind, index, size)  # type: ignore[no-untyped-call]
    return context.cast(builder, index, kind, types.intp)


def _check_slices(
    context: Any,
    builder: Any,
    array_kind: Any,
    array: Any,
    kinds: Any,
    indices: Any,
    boundscheck: Any = None,
) -> Any:
    """Check where slices begin and end, then index."""
    if boundscheck:
        # Kernels do not use None, which adds an axis, or an ellipsis.
        count = array_kind.ndim
        shape = cgutils.unpack_tuple(builder, array.shape, count)  # type: ignore[no-untyped-call]
        for kind, index, size in zip(kinds, indices, shape, strict=False):
            if isinstance(kind, types.SliceType) and not kind.has_step:
                part = context.make_helper(builder, kind, value=index)
                _check_bound(context, builder, part.start, size)
                _check_bound(context, builder, part.stop, size)
    return _basic_indexing(  # type: ignore[no-untyped-call]
        context, builder, array_kind, array, kinds, indices, boundscheck
    )


def _check_bound(context: Any, builder: Any, bound: Any, size: Any) -> None:
    """Raise an IndexError unless a bound of a slice lies within an array.

    A slice without an end has the largest integer there, and ``[:-1]`` is written, not computed.
    """
    kind = bound.type
    least, no_end = kind(-1), kind(2 ** (kind.width - 1) - 1)
    too_low = builder.icmp_signed("<", bound, least)
    too_high = builder.and_(
        builder.icmp_signed(">", bound, size), builder.icmp_signed("!=", bound, no_end)
    )
    with builder.if_then(builder.or_(too_low, too_high), likely=False):
        message = "a slice reaches beyond the array"
        context.call_conv.return_user_exc(builder, IndexError, (message,))
