"""Layouts by number of mines, as polynomials packed into integers.

The coefficient of mines^m stands in bits ``m * width .. (m + 1) * width`` of
one Python integer (Kronecker substitution): adding, multiplying and shifting
polynomials are the integer operations, exact as long as every coefficient
stays below ``2 ** width``. No count of layouts of n cells reaches
``2 ** (n + 1)``, so ``width = n + 1`` is enough for all of them.
"""

from collections.abc import Iterable, Mapping
from math import comb, prod

#: Up to this many cells, layouts by mines are multiplied in a few milliseconds.
SOON_CELLS = 600


def pack_polynomial(coefficients: Mapping[int, int], width: int) -> int:
    """Return the packed form of {mines: layouts}.

    Args:
        coefficients: layouts by mines, each below ``2 ** width``.
        width: the bits of each coefficient.
    """
    terms = sorted(coefficients.items())
    if len(terms) < 32:
        return sum(layouts << mines * width for mines, layouts in terms)
    # Halving keeps the sums short: one by one they would be quadratic.
    half = len(terms) // 2
    shift = terms[half][0]
    upper = pack_polynomial({mines - shift: layouts for mines, layouts in terms[half:]}, width)
    return pack_polynomial(dict(terms[:half]), width) | upper << shift * width


def unpack_polynomial(packed: int, width: int) -> dict[int, int]:
    """Return {mines: layouts} of a packed polynomial, without the zeros, mines ascending.

    Args:
        packed: the packed form.
        width: the bits of each coefficient.
    """
    mask = (1 << width) - 1
    degree = packed.bit_length() // width
    # Halving keeps the shifts short: one by one they would be quadratic.
    if degree < 32:
        coefficients = ((mines, packed >> mines * width & mask) for mines in range(degree + 1))
        return {mines: layouts for mines, layouts in coefficients if layouts}
    half = degree // 2
    lower = unpack_polynomial(packed & ((1 << half * width) - 1), width)
    upper = unpack_polynomial(packed >> half * width, width)
    return lower | {mines + half: layouts for mines, layouts in upper.items()}


def multiply_polynomials(factors: Iterable[Mapping[int, int]], width: int) -> dict[int, int]:
    """Return the layouts by mines of independent parts together.

    Args:
        factors: the layouts by mines of each part.
        width: bits in which each coefficient of the product fits.
    """
    packed = [pack_from_fewest(factor, width) for factor in factors]
    product = _multiply_balanced([factor for factor, _ in packed])
    return unpack_from_fewest(product, width, sum(fewest for _, fewest in packed))


def pack_from_fewest(coefficients: Mapping[int, int], width: int) -> tuple[int, int]:
    """Return the packed form from the fewest mines on, and these; zeros below would be multiplied.

    Args:
        coefficients: layouts by mines, each below ``2 ** width``.
        width: the bits of each coefficient.
    """
    fewest = min(coefficients, default=0)
    shifted = {mines - fewest: layouts for mines, layouts in coefficients.items()}
    return pack_polynomial(shifted, width), fewest


def unpack_from_fewest(packed: int, width: int, fewest: int) -> dict[int, int]:
    """Return {mines: layouts} of a polynomial that is packed from the fewest mines on.

    Args:
        packed: the packed form.
        width: the bits of each coefficient.
        fewest: the fewest mines.
    """
    unpacked = unpack_polynomial(packed, width)
    return {mines + fewest: layouts for mines, layouts in unpacked.items()}


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


def _multiply_balanced(factors: list[int]) -> int:
    """Return the product of integers, balanced so that large factors meet large ones."""
    if len(factors) <= 2:
        return prod(factors)
    half = len(factors) // 2
    return _multiply_balanced(factors[:half]) * _multiply_balanced(factors[half:])


def list_binomials(cells: int) -> dict[int, int]:
    """Return the layouts by mines of cells under no constraint: the binomials of ``cells``."""
    row = 1
    binomials = {}
    for mines in range(cells + 1):
        binomials[mines] = row
        row = row * (cells - mines) // (mines + 1)
    return binomials
