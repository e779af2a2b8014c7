"""Determinants and inverses modulo primes, against fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.solvers.counting.determinants import Sparse, compute_cofactors, compute_determinant

MATRICES = st.integers(1, 7).flatmap(
    lambda order: st.lists(
        st.lists(st.sampled_from([0, 0, 0, 1, -1, 2, -3]), min_size=order, max_size=order),
        min_size=order,
        max_size=order,
    )
)


def sparse(rows: list[list[int]] | NDArray[np.int64]) -> Sparse:
    full = np.array(rows, np.int64)
    row, col = full.nonzero()
    return Sparse(len(rows), row.astype(np.int32), col.astype(np.int32), full[row, col])


def eliminate_exactly(rows: list[list[int]]) -> tuple[Fraction, list[list[Fraction]]]:
    """The determinant and the inverse, if there is one, by Gauss and Jordan."""
    order = len(rows)
    full = [[*map(Fraction, row), *([Fraction(0)] * order)] for row in rows]
    for index in range(order):
        full[index][order + index] = Fraction(1)
    found = Fraction(1)
    for step in range(order):
        pivot = next((row for row in range(step, order) if full[row][step]), None)
        if pivot is None:
            return Fraction(0), []
        if pivot != step:
            full[pivot], full[step] = full[step], full[pivot]
            found = -found
        found *= full[step][step]
        full[step] = [value / full[step][step] for value in full[step]]
        for row in range(order):
            if row != step and full[row][step]:
                factor = full[row][step]
                pairs = zip(full[row], full[step], strict=True)
                full[row] = [value - factor * other for value, other in pairs]
    return found, [row[order:] for row in full]


@given(MATRICES)
def test_compute_determinant_is_exact(rows: list[list[int]]) -> None:
    assert compute_determinant(sparse(rows), lambda: None) == abs(eliminate_exactly(rows)[0])


# Most matrices of small numbers are singular.
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(MATRICES)
def test_compute_cofactors_is_exact(rows: list[list[int]]) -> None:
    found, inverse = eliminate_exactly(rows)
    assume(found)
    matrix = sparse(rows)
    whole = abs(int(found))
    expected = [
        whole * int(value) * inverse[col][row]
        for row, col, value in zip(matrix.row, matrix.col, matrix.value, strict=True)
    ]
    assume(all(0 <= number <= whole for number in expected))
    assert compute_cofactors(matrix, whole, lambda: None) == expected


def test_determinants_combine_several_primes() -> None:
    full = np.diag(np.full(30, 10**6, np.int64))
    full[3, 7] = full[7, 3] = 5
    assert compute_determinant(sparse(full), lambda: None) == 10**168 * (10**12 - 25)
    assert compute_cofactors(sparse(full), 10**168 * (10**12 - 25), lambda: None)[0] == 10**168 * (
        10**12 - 25
    )
