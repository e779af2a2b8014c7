"""Layouts by number of mines, as polynomials packed into integers.

The coefficient of mines^m stands in bytes ``m * size .. (m + 1) * size`` of
one Python integer (Kronecker substitution): adding, multiplying and shifting
polynomials are the integer operations, exact as long as every coefficient
fits into ``size`` bytes.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import comb, prod

#: Packing would make the coefficients of a factor as long as those of the product: where the other
#: factor has so many times as many, that takes longer than each with each.
_MUCH_LONGER = 10
#: Up to this many cells, layouts by mines are multiplied in a few milliseconds.
SOON_CELLS = 600


def pack_polynomial(coefficients: Iterable[int], size: int) -> int:
    """Return the packed form of the layouts with 0, 1, 2, … mines.

    Args:
        coefficients: natural numbers.
        size: the bytes of each coefficient.
    """
    return int.from_bytes(b"".join(n.to_bytes(size, "little") for n in coefficients), "little")


def unpack_polynomial(packed: int, size: int) -> list[int]:
    """Return the layouts with 0, 1, 2, … mines of a packed polynomial, up to the most mines.

    Args:
        packed: the packed form.
        size: the bytes of each coefficient.
    """
    digits = packed.to_bytes(-(-packed.bit_length() // (8 * size)) * size, "little")
    starts = range(0, len(digits), size)
    return [int.from_bytes(digits[start : start + size], "little") for start in starts]


def multiply_polynomials(factors: Iterable[Mapping[int, int]], width: int) -> dict[int, int]:
    """Return the layouts by mines of independent parts together.

    Args:
        factors: the layouts by mines of each part.
        width: bits in which each coefficient of the product fits.
    """
    size = max(1, -(-width // 8))
    packed = [pack_from_fewest(factor, size) for factor in factors]
    product = multiply_balanced([factor for factor, _ in packed])
    return unpack_from_fewest(product, size, sum(fewest for _, fewest in packed))


def count_by_mines(parts: Sequence[Mapping[int, int]], free: int, decided: int) -> dict[int, int]:
    """Return the layouts by mines of parts, free cells and decided mines together, ascending.

    Args:
        parts: the layouts by mines of each part, ascending.
        free: the number of free cells.
        decided: the number of decided mines.
    """
    factors = [*parts, list_binomials(free)] if free else parts
    if len(factors) == 1:
        (by_mines,) = factors
    else:
        layouts = prod(sum(part.values()) for part in parts) << free
        # Without layouts there would be no room for the coefficients of single factors.
        by_mines = multiply_polynomials(factors, layouts.bit_length()) if layouts else {}
    return {mines + decided: layouts for mines, layouts in by_mines.items() if layouts}


def convolve(left_factor: Sequence[int], right_factor: Sequence[int]) -> list[int]:
    """Return the product of two polynomials, which may have fewer or more zeros at its end.

    Args:
        left_factor: coefficients from that of x^0 on, natural numbers.
        right_factor: the coefficients of the other.
    """
    short, long = sorted((left_factor, right_factor), key=len)
    if _MUCH_LONGER * len(short) < len(long):
        product = [0] * (len(short) + len(long) - 1)
        for power, factor in enumerate(short):
            if factor:
                for shift, number in enumerate(long):
                    product[power + shift] += factor * number
        return product
    size = (sum(short) * sum(long)).bit_length() // 8 + 1
    packed = pack_polynomial(short, size) * pack_polynomial(long, size)
    return unpack_polynomial(packed, size)


def pack_from_fewest(coefficients: Mapping[int, int], size: int) -> tuple[int, int]:
    """Return the packed form from the fewest mines on, and these; zeros below would be multiplied.

    Args:
        coefficients: layouts by mines.
        size: the bytes of each coefficient.
    """
    fewest, most = min(coefficients, default=0), max(coefficients, default=-1)
    layouts = (coefficients.get(mines, 0) for mines in range(fewest, most + 1))
    return pack_polynomial(layouts, size), fewest


def unpack_from_fewest(packed: int, size: int, fewest: int) -> dict[int, int]:
    """Return {mines: layouts} of a polynomial that is packed from the fewest mines on.

    Args:
        packed: the packed form.
        size: the bytes of each coefficient.
        fewest: the fewest mines.

    Returns:
        The layouts without the zeros, mines ascending.
    """
    layouts_by_mines = enumerate(unpack_polynomial(packed, size), fewest)
    return {mines: layouts for mines, layouts in layouts_by_mines if layouts}


def count_completed(layouts: Iterable[tuple[int, int]], loose: int, mines_left: int) -> int:
    """Count the layouts with ``mines_left`` mines in all, of parts and free cells.

    Args:
        layouts: pairs of mines in the parts, ascending, and their layouts.
        loose: the number of free cells.
        mines_left: the total of mines.
    """
    total = loose_layouts = loose_mines = 0
    for mines, part_layouts in layouts:
        mines_needed = mines_left - mines
        if mines_needed < 0:
            break
        if mines_needed > loose:
            continue
        # Each binomial follows from the previous one; computing it anew costs hundreds of times
        # more.
        if not loose_layouts:
            loose_mines, loose_layouts = mines_needed, comb(loose, mines_needed)
        while loose_mines > mines_needed:
            loose_layouts = loose_layouts * loose_mines // (loose - loose_mines + 1)
            loose_mines -= 1
        total += part_layouts * loose_layouts
    return total


def multiply_balanced(factors: list[int]) -> int:
    """Return the product of integers, balanced so that large factors meet large ones."""
    if len(factors) <= 2:
        return prod(factors)
    half = len(factors) // 2
    return multiply_balanced(factors[:half]) * multiply_balanced(factors[half:])


def list_binomials(cells: int) -> dict[int, int]:
    """Return the layouts by mines of cells under no constraint: the binomials of ``cells``."""
    row = 1
    binomials = {}
    for mines in range(cells + 1):
        binomials[mines] = row
        row = row * (cells - mines) // (mines + 1)
    return binomials
