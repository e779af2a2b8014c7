"""Work on a certificate is bounded before it is done, and pauses now and then."""

import pytest

from minecheck.minefield.certificates.meter import Meter, TooMuchWork, count_longest_bits


def test_a_meter_allows_what_is_left_and_no_more() -> None:
    meter = Meter(left=10)
    meter.spend_products(4)
    meter.spend_products(6)
    with pytest.raises(TooMuchWork) as error:
        meter.spend_products(1)
    assert error.value.field == "components"


def test_products_of_long_numbers_cost_more() -> None:
    meter = Meter(left=100)
    meter.spend_products(10, 1 << 10, (1 << 10) - 1)
    assert meter.left == 90
    meter.spend_products(10, 1 << 10, 1 << 11)
    assert meter.left == 60


def test_small_steps_add_up_to_a_pause() -> None:
    pauses: list[None] = []
    meter = Meter(lambda: pauses.append(None))
    for expected in (0, 1, 1, 2):
        meter.tick(1000)
        assert len(pauses) == expected
    meter.spend_products(2000)
    assert len(pauses) == 3


def test_the_longest_number_counts_in_bits() -> None:
    assert (count_longest_bits([]), count_longest_bits([0]), count_longest_bits([3, 8, 1])) == (
        0,
        0,
        4,
    )
