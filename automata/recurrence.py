"""Generating functions of what a finite machine counts: quotients of polynomials, exact.

Source: J. L. Massey, *Shift-register synthesis and BCH decoding*, IEEE Transactions on Information
Theory 15 (1969), over the rationals. That the result has whole coefficients is a lemma of P. Fatou,
*Séries trigonométriques et séries de Taylor*, Acta Mathematica 30 (1906).

Tested in tests/automata/test_language.py.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class Rational(NamedTuple):
    """A quotient of polynomials in lowest terms, as whole coefficients from x^0 on.

    The denominator begins with 1.
    """

    numerator: list[int]
    denominator: list[int]


def find_rational(terms: Sequence[int]) -> Rational:
    """Find the generating function of whole numbers that obey a linear recurrence.

    ``terms`` are at least twice as many as the terms that the recurrence looks back, and as the
    degree of the numerator plus one.
    """
    denominator = _find_recurrence(terms)
    numerator = [
        sum(factor * terms[power - step] for step, factor in enumerate(denominator[: power + 1]))
        for power in range(len(terms))
    ]
    while numerator and not numerator[-1]:
        numerator.pop()
    return Rational(numerator, denominator)


def _find_recurrence(terms: Sequence[int]) -> list[int]:
    """Find the shortest recurrence 1, c1, c2, …, by Massey's algorithm.

    It says that terms[n] + c1 terms[n - 1] + … = 0.
    """
    current, previous = [Fraction(1)], [Fraction(1)]
    length, since, last_discrepancy = 0, 1, Fraction(1)
    for index in range(len(terms)):
        pairs = zip(current, reversed(terms[: index + 1]), strict=False)
        discrepancy = sum((factor * term for factor, term in pairs), Fraction(0))
        if not discrepancy:
            since += 1
            continue
        factor = discrepancy / last_discrepancy
        changed = current + [Fraction(0)] * (len(previous) + since - len(current))
        for power, coefficient in enumerate(previous):
            changed[power + since] -= factor * coefficient
        if 2 * length <= index:
            previous, last_discrepancy, length, since = current, discrepancy, index + 1 - length, 1
        else:
            since += 1
        current = changed
    while not current[-1]:
        current.pop()
    assert all(coefficient.denominator == 1 for coefficient in current), "as Fatou's lemma says"
    return [int(coefficient) for coefficient in current]
