"""Exact determinants, and products of entries with those of the inverse, from primes at a time.

Every number is found modulo primes below 2^31 and put together by the Chinese remainder theorem;
Hadamard's bound says how many primes that takes. Matrices are sparse and nearly in order: what is
far from the diagonal stays 0, and is not touched.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import log2, prod
from operator import mul
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Matrix, Vector, compile_kernel, inline_kernel
from minecheck.minefield.reduction.constraints import Index

_LARGEST_PRIME: Final = 2**31 - 1
#: Bits of each prime, at least.
_BITS: Final = 30.99
#: No number below 3.2 * 10^9 passes for a prime with all of these (Jaeschke 1993).
_BASES: Final = (2, 3, 5, 7)


class Sparse(NamedTuple):
    """A square matrix: ``value[k]`` at ``row[k], col[k]``, each pair once."""

    order: int
    row: Index
    col: Index
    value: NDArray[np.int64]

    @property
    def bits(self) -> float:
        """An upper bound of the bits of the determinant (Hadamard)."""
        squares = np.bincount(self.row, self.value.astype(np.float64) ** 2, self.order)
        return float(np.log2(np.maximum(squares, 1.0)).sum()) / 2 + 1

    @property
    def band(self) -> int:
        """The largest distance of an entry from the diagonal."""
        return int(np.abs(self.row - self.col).max(initial=0))

    @property
    def cost(self) -> float:
        """Units of `solvers.budget.Budget` that the determinant takes."""
        primes = self.bits / _BITS + 1
        return primes * 3.0 * self.order * (self.order + self.band * (2 * self.band + 1))

    @property
    def inverse_cost(self) -> float:
        """The same of products with the inverse."""
        return self.cost + (self.bits / _BITS + 1) * 6.0 * self.order**2 * (self.band + 1)


def compute_determinant(matrix: Sparse, check: Callable[[], None]) -> int:
    """Return the determinant without its sign.

    Args:
        matrix: a square matrix by its entries.
        check: a function called now and then, which may raise.
    """
    rests: list[int] = []
    primes: list[int] = []
    for prime in _primes_for(matrix.bits + 1):
        check()
        primes.append(prime)
        rests.append(int(_eliminate_modulo(*matrix, prime)[0]))
    (found,) = _combine_remainders([rests], primes)
    return min(found, prod(primes) - found)


def compute_cofactors(matrix: Sparse, whole: int, check: Callable[[], None]) -> list[int]:
    """Return ``whole * value[k] * inverse[col[k], row[k]]`` for each entry.

    They must be from 0 to ``whole``.

    Args:
        matrix: a square matrix by its entries.
        whole: the determinant without its sign, not 0.
        check: a function called now and then, which may raise.
    """
    rests: list[list[int]] = [[] for _ in matrix.value]
    primes: list[int] = []
    # A prime that divides the determinant has no inverse.
    for prime in _primes_for(log2(whole) + 1, lambda prime: whole % prime != 0):
        check()
        primes.append(prime)
        _, rows, swaps, last = _eliminate_modulo(*matrix, prime)
        products = _times_inverse(*matrix, rows, swaps, last, prime)
        for rest, product in zip(rests, products.tolist(), strict=True):
            rest.append(product * (whole % prime) % prime)
    return _combine_remainders(rests, primes)


def _primes_for(bits: float, usable: Callable[[int], bool] = lambda prime: True) -> Iterator[int]:
    """Yield primes whose product has more bits."""
    number = _LARGEST_PRIME
    while bits > 0:
        if usable(number) and _is_prime(number):
            yield number
            bits -= _BITS
        number -= 2


def _is_prime(number: int) -> bool:
    """Return True if an odd number below 2^31 is prime (Miller and Rabin)."""
    halvings = (number - 1 & 1 - number).bit_length() - 1
    return all(
        pow(base, number - 1 >> halvings, number) == 1
        or any(
            pow(base, number - 1 >> step, number) == number - 1 for step in range(1, halvings + 1)
        )
        for base in _BASES
    )


def _combine_remainders(rests: Sequence[Sequence[int]], primes: Sequence[int]) -> list[int]:
    """Return the numbers below the product of all primes with these rests, by Garner's method."""
    before = list(accumulate(primes, mul, initial=1))
    inverses = [pow(part, -1, prime) for part, prime in zip(before, primes, strict=False)]
    found = []
    for numbers in rests:
        value = 0
        for rest, prime, part, inverse in zip(numbers, primes, before, inverses, strict=False):
            value += (rest - value) * inverse % prime * part
        found.append(value)
    return found


@compile_kernel
def _eliminate_modulo(
    order: int, row: Vector[np.int32], col: Vector[np.int32], value: Vector[np.int64], prime: int
) -> tuple[int, NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Eliminate modulo a prime, and return determinant, factors and rest, swaps and last rows.

    Step j of Gauss's elimination swaps rows j and ``swaps[j]`` from column j on, and takes
    multiples of row j from those up to ``last[j]``, which stand in column j then. Entries are below
    ``prime``, which is below 2^31, so that products fit into 64 bits.
    """
    p = np.uint64(prime)
    matrix = np.zeros((order, order), np.uint64)
    # Behind its end a row is 0; so is a column below its last row.
    end = np.zeros(order, np.int64)
    last = np.arange(order)
    for entry in range(row.size):
        at, across = row[entry], col[entry]
        matrix[at, across] = value[entry] % prime
        end[at] = max(end[at], across + 1)
        last[across] = max(last[across], at)
    swaps = np.arange(order)
    found = np.uint64(1)
    for step in range(order):
        if step > 0:
            last[step] = max(last[step], last[step - 1])
        pivot = step
        while pivot <= last[step] and matrix[pivot, step] == 0:
            pivot += 1
        if pivot > last[step]:
            return 0, matrix, swaps, last
        swaps[step] = pivot
        if pivot != step:
            found = p - found
            width = max(end[pivot], end[step])
            for across in range(step, width):
                matrix[pivot, across], matrix[step, across] = (
                    matrix[step, across],
                    matrix[pivot, across],
                )
            end[pivot], end[step] = end[step], end[pivot]
        found = found * matrix[step, step] % p
        inverse = _invert_modulo(matrix[step, step], p)
        for below in range(step + 1, last[step] + 1):
            if matrix[below, step] == 0:
                continue
            factor = matrix[below, step] * inverse % p
            matrix[below, step] = factor
            end[below] = max(end[below], end[step])
            for across in range(step + 1, end[step]):
                taken = factor * matrix[step, across] % p
                matrix[below, across] = (matrix[below, across] + p - taken) % p
    return int(found), matrix, swaps, last


@compile_kernel
def _times_inverse(
    order: int,
    row: Vector[np.int32],
    col: Vector[np.int32],
    value: Vector[np.int64],
    reduced: Matrix[np.uint64],
    swaps: Vector[np.int64],
    last: Vector[np.int64],
    prime: int,
) -> NDArray[np.uint64]:
    """Return ``value[k] * inverse[col[k], row[k]]`` modulo a prime, (entries,).

    ``reduced``, ``swaps`` and ``last`` come from `_eliminate_modulo`.
    """
    p = np.uint64(prime)
    found = np.empty(value.size, np.uint64)
    inverses = np.empty(order, np.uint64)
    ends = np.empty(order, np.int64)
    for at in range(order):
        inverses[at] = _invert_modulo(reduced[at, at], p)
        ends[at] = order
        while reduced[at, ends[at] - 1] == 0:
            ends[at] -= 1
    starts = np.argsort(row)
    index = 0
    while index < row.size:
        at = row[starts[index]]
        # A column of the inverse.
        unknown = np.zeros(order, np.uint64)
        unknown[at] = 1
        for step in range(order):
            swap = swaps[step]
            unknown[step], unknown[swap] = unknown[swap], unknown[step]
            if unknown[step] != 0:
                for below in range(step + 1, last[step] + 1):
                    taken = reduced[below, step] * unknown[step] % p
                    unknown[below] = (unknown[below] + p - taken) % p
        for step in range(order - 1, -1, -1):
            known = np.uint64(0)
            for across in range(step + 1, ends[step]):
                known = (known + reduced[step, across] * unknown[across]) % p
            unknown[step] = (unknown[step] + p - known) % p * inverses[step] % p
        while index < row.size and row[starts[index]] == at:
            entry = starts[index]
            found[entry] = np.uint64(value[entry] % prime) * unknown[col[entry]] % p
            index += 1
    return found


@inline_kernel
def _invert_modulo(number: np.uint64, prime: np.uint64) -> np.uint64:
    """Return the inverse modulo a prime (Fermat).

    ``prime`` is below 2^31, so that products fit into 64 bits.
    """
    found = np.uint64(1)
    power = number
    left = prime - np.uint64(2)
    while left > 0:
        if left & np.uint64(1):
            found = found * power % prime
        power = power * power % prime
        left >>= np.uint64(1)
    return found
