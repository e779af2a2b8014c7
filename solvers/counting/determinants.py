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
    remainders: list[int] = []
    primes: list[int] = []
    for prime in _iterate_primes(matrix.bits + 1):
        check()
        primes.append(prime)
        remainders.append(int(_eliminate_modulo(*matrix, prime)[0]))
    (remainder,) = _combine_remainders([remainders], primes)
    return min(remainder, prod(primes) - remainder)


def compute_cofactors(matrix: Sparse, determinant: int, check: Callable[[], None]) -> list[int]:
    """Return ``determinant * value[k] * inverse[col[k], row[k]]`` for each entry.

    They must be from 0 to ``determinant``.

    Args:
        matrix: a square matrix by its entries.
        determinant: the determinant without its sign, not 0.
        check: a function called now and then, which may raise.
    """
    remainders_by_entry: list[list[int]] = [[] for _ in matrix.value]
    primes: list[int] = []
    # A prime that divides the determinant has no inverse.
    for prime in _iterate_primes(log2(determinant) + 1, lambda prime: determinant % prime != 0):
        check()
        primes.append(prime)
        _, rows, swaps, last_rows = _eliminate_modulo(*matrix, prime)
        products = _multiply_by_inverse(*matrix, rows, swaps, last_rows, prime)
        for remainders, product in zip(remainders_by_entry, products.tolist(), strict=True):
            remainders.append(product * (determinant % prime) % prime)
    return _combine_remainders(remainders_by_entry, primes)


def _iterate_primes(
    bits: float, usable: Callable[[int], bool] = lambda prime: True
) -> Iterator[int]:
    """Yield primes whose product has more bits."""
    candidate = _LARGEST_PRIME
    while bits > 0:
        if usable(candidate) and _is_prime(candidate):
            yield candidate
            bits -= _BITS
        candidate -= 2


def _is_prime(candidate: int) -> bool:
    """Return True if an odd number below 2^31 is prime (Miller and Rabin)."""
    halvings = (candidate - 1 & 1 - candidate).bit_length() - 1
    return all(
        pow(base, candidate - 1 >> halvings, candidate) == 1
        or any(
            pow(base, candidate - 1 >> step, candidate) == candidate - 1
            for step in range(1, halvings + 1)
        )
        for base in _BASES
    )


def _combine_remainders(
    remainder_rows: Sequence[Sequence[int]], primes: Sequence[int]
) -> list[int]:
    """Return the numbers below the primes' product with these remainders (Garner's method)."""
    prefix_products = list(accumulate(primes, mul, initial=1))
    inverses = [
        pow(prefix, -1, prime) for prefix, prime in zip(prefix_products, primes, strict=False)
    ]
    integers = []
    for remainders in remainder_rows:
        combined = 0
        for remainder, prime, prefix, inverse in zip(
            remainders, primes, prefix_products, inverses, strict=False
        ):
            combined += (remainder - combined) * inverse % prime * prefix
        integers.append(combined)
    return integers


@compile_kernel
def _eliminate_modulo(
    order: int, row: Vector[np.int32], col: Vector[np.int32], value: Vector[np.int64], prime: int
) -> tuple[int, NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Eliminate modulo a prime, and return determinant, factors and rest, swaps and last rows.

    Step j of Gauss's elimination swaps rows j and ``swaps[j]`` from column j on, and takes
    multiples of row j from those up to ``last_row[j]``, which stand in column j then. Entries are
    below ``prime``, which is below 2^31, so that products fit into 64 bits.
    """
    modulus = np.uint64(prime)
    matrix = np.zeros((order, order), np.uint64)
    # Behind its end a row is 0; so is a column below its last row.
    end = np.zeros(order, np.int64)
    last_row = np.arange(order)
    for entry in range(row.size):
        row_index, column = row[entry], col[entry]
        matrix[row_index, column] = value[entry] % prime
        end[row_index] = max(end[row_index], column + 1)
        last_row[column] = max(last_row[column], row_index)
    swaps = np.arange(order)
    determinant = np.uint64(1)
    for step in range(order):
        if step > 0:
            last_row[step] = max(last_row[step], last_row[step - 1])
        pivot = step
        while pivot <= last_row[step] and matrix[pivot, step] == 0:
            pivot += 1
        if pivot > last_row[step]:
            return 0, matrix, swaps, last_row
        swaps[step] = pivot
        if pivot != step:
            determinant = modulus - determinant
            width = max(end[pivot], end[step])
            for column in range(step, width):
                matrix[pivot, column], matrix[step, column] = (
                    matrix[step, column],
                    matrix[pivot, column],
                )
            end[pivot], end[step] = end[step], end[pivot]
        determinant = determinant * matrix[step, step] % modulus
        inverse = _invert_modulo(matrix[step, step], modulus)
        for below in range(step + 1, last_row[step] + 1):
            if matrix[below, step] == 0:
                continue
            factor = matrix[below, step] * inverse % modulus
            matrix[below, step] = factor
            end[below] = max(end[below], end[step])
            for column in range(step + 1, end[step]):
                subtrahend = factor * matrix[step, column] % modulus
                matrix[below, column] = (matrix[below, column] + modulus - subtrahend) % modulus
    return int(determinant), matrix, swaps, last_row


@compile_kernel
def _multiply_by_inverse(
    order: int,
    row: Vector[np.int32],
    col: Vector[np.int32],
    value: Vector[np.int64],
    reduced: Matrix[np.uint64],
    swaps: Vector[np.int64],
    last_row: Vector[np.int64],
    prime: int,
) -> NDArray[np.uint64]:
    """Return ``value[k] * inverse[col[k], row[k]]`` modulo a prime, (entries,).

    ``reduced``, ``swaps`` and ``last_row`` come from `_eliminate_modulo`.
    """
    modulus = np.uint64(prime)
    products = np.empty(value.size, np.uint64)
    inverses = np.empty(order, np.uint64)
    ends = np.empty(order, np.int64)
    for row_index in range(order):
        inverses[row_index] = _invert_modulo(reduced[row_index, row_index], modulus)
        ends[row_index] = order
        while reduced[row_index, ends[row_index] - 1] == 0:
            ends[row_index] -= 1
    starts = np.argsort(row)
    index = 0
    while index < row.size:
        row_index = row[starts[index]]
        # A column of the inverse.
        unknown = np.zeros(order, np.uint64)
        unknown[row_index] = 1
        for step in range(order):
            swap = swaps[step]
            unknown[step], unknown[swap] = unknown[swap], unknown[step]
            if unknown[step] != 0:
                for below in range(step + 1, last_row[step] + 1):
                    subtrahend = reduced[below, step] * unknown[step] % modulus
                    unknown[below] = (unknown[below] + modulus - subtrahend) % modulus
        for step in range(order - 1, -1, -1):
            known_sum = np.uint64(0)
            for column in range(step + 1, ends[step]):
                known_sum = (known_sum + reduced[step, column] * unknown[column]) % modulus
            unknown[step] = (
                (unknown[step] + modulus - known_sum) % modulus * inverses[step] % modulus
            )
        while index < row.size and row[starts[index]] == row_index:
            entry = starts[index]
            products[entry] = np.uint64(value[entry] % prime) * unknown[col[entry]] % modulus
            index += 1
    return products


@inline_kernel
def _invert_modulo(residue: np.uint64, prime: np.uint64) -> np.uint64:
    """Return the inverse modulo a prime (Fermat).

    ``prime`` is below 2^31, so that products fit into 64 bits.
    """
    inverse = np.uint64(1)
    power = residue
    exponent = prime - np.uint64(2)
    while exponent > 0:
        if exponent & np.uint64(1):
            inverse = inverse * power % prime
        power = power * power % prime
        exponent >>= np.uint64(1)
    return inverse
