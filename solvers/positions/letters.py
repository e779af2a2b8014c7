"""Letters that compiled code writes into a buffer: texts, numbers, lists.

Tested in tests/solvers/positions/test_write.py.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from minecheck.minefield.compiled import (
    FixedVector,
    Matrix,
    Vector,
    compile_without_references,
    in_machine_code,
    inline_kernel,
)
from minecheck.solvers.positions.fields import TEXT_ROOM

QUOTE: Final = ord('"')
COMMA: Final = ord(",")
OPEN: Final = ord("[")
CLOSE: Final = ord("]")
END: Final = ord("}")
ZERO: Final = ord("0")
NEWLINE: Final = ord("\n")


@inline_kernel
def write_comma(buffer: Vector[np.uint8], at: int) -> int:
    """Write a comma, and return where it ends."""
    buffer[at] = COMMA
    return int(at + 1)


@inline_kernel
def close_list(buffer: Vector[np.uint8], begin: int, end: int) -> int:
    """End a list: its last comma, if it has any, becomes the bracket; return where it ends."""
    if end == begin + 1:
        end += 1
    buffer[end - 1] = CLOSE
    return int(end)


@compile_without_references
def write_digits(buffer: Vector[np.uint8], at: int, number: int) -> int:
    """Write a number below 10 ** 18, and return where it ends."""
    end = at + _count_digits(number)
    for index in range(end - 1, at - 1, -1):
        buffer[index] = ZERO + number % 10
        number //= 10
    return end


@inline_kernel
def _count_digits(number: int) -> int:
    """Return how many digits a number below 10 ** 18 has."""
    letters, bound = 1, 10
    while number >= bound:
        bound *= 10
        letters += 1
    return letters


@inline_kernel
def write_text(buffer: Vector[np.uint8], at: int, text: FixedVector[np.uint8], length: int) -> int:
    """Write the first ``length`` letters of a text, and return where they end."""
    for letter in range(length):
        buffer[at + letter] = text[letter]
    return int(at + length)


def _copy_letters(
    buffer: Vector[np.uint8] | Matrix[np.uint8],
    at: int,
    texts: FixedVector[np.uint8] | Matrix[np.uint8],
    begin: int,
) -> None:
    """Copy all the room of a text, `TEXT_ROOM` letters, from letter ``begin`` of ``texts`` on."""
    target, source = buffer.reshape(-1), texts.reshape(-1)
    for letter in range(TEXT_ROOM):
        target[at + letter] = source[begin + letter]


def _copy_as_ir(
    typing_context: Any, buffer: Any, at: Any, texts: Any, begin: Any
) -> tuple[Any, Callable[..., Any]]:
    """Return the types of `_copy_letters` and its code generator."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba import types

    def generate_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def pointer_to_text(kind: Any, array: Any, index: Any) -> Any:
            letters = context.make_array(kind)(context, builder, array).data
            return builder.bitcast(builder.gep(letters, [index]), vector_type.as_pointer())

        vector_type = ir.VectorType(ir.IntType(8), TEXT_ROOM)
        target, index, source, first_letter = arguments
        copied = builder.load(pointer_to_text(texts, source, first_letter), align=1)
        builder.store(copied, pointer_to_text(buffer, target, index), align=1)
        return context.get_dummy_value()

    return types.void(buffer, types.int64, texts, types.int64), generate_code


# The loop over the letters takes seven times as long.
copy_text: Final = in_machine_code(_copy_as_ir, unless_compiled=_copy_letters, trusts_indices=True)
