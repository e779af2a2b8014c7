"""Twice the precision of a double, against exact fractions."""

from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from minecheck.minefield.compiled import compile_kernel
from minecheck.minefield.double_double import (
    Twofold,
    add_twofold,
    divide_twofold,
    multiply_twofold,
    round_twofold,
)


@compile_kernel
def product(one: Twofold, other: Twofold) -> Twofold:
    return multiply_twofold(one, other)


@compile_kernel
def total(one: Twofold, other: Twofold) -> Twofold:
    return add_twofold(one, other)


@compile_kernel
def quotient(one: Twofold, other: Twofold) -> Twofold:
    return divide_twofold(one, other)


@compile_kernel
def round_number(number: Twofold) -> tuple[float, bool]:
    return round_twofold(number)


doubles = st.floats(min_value=1e-60, max_value=1e60)


@st.composite
def numbers(draw: st.DrawFn) -> Twofold:
    """A double and what is less than half a unit in its last place."""
    high = draw(doubles)
    return total((high, 0.0), (draw(st.floats(0, 1e-16)) * high, 0.0))


def exact(number: Twofold) -> Fraction:
    return Fraction(number[0]) + Fraction(number[1])


def close(found: Twofold, expected: Fraction) -> bool:
    # Next to a tie the nearest double is in doubt, and `rounded` says so.
    nearest = found[0] == float(expected) or not round_number(found)[1]
    return nearest and abs(exact(found) / expected - 1) < Fraction(1, 2**98)


@given(numbers(), numbers())
def test_double_double_operations_are_nearly_exact(one: Twofold, other: Twofold) -> None:
    assert close(product(one, other), exact(one) * exact(other))
    assert close(total(one, other), exact(one) + exact(other))
    assert close(quotient(one, other), exact(one) / exact(other))


@given(st.integers(1, 2**53), st.integers(1, 2**53))
@example(1, 2**53 - 1023)
def test_double_double_quotients_of_integers_are_rounded_correctly(one: int, other: int) -> None:
    value, certain = round_number(quotient((float(one), 0.0), (float(other), 0.0)))
    expected = Fraction(one, other)
    slack = expected / 2**85
    next_to_a_tie = float(expected - slack) != float(expected + slack)
    assert value == one / other or not certain
    assert certain or next_to_a_tie


def test_double_double_rounding_of_a_tie_is_uncertain() -> None:
    assert round_number((1.0, 2.0**-53)) == (1.0, False)
    assert round_number((1.0, 2.0**-54)) == (1.0, True)
    assert round_number((0.5, 0.0)) == (0.5, True)
