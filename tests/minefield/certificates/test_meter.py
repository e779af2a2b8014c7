"""Work on a certificate is bounded before it is done, and pauses now and then."""

import pytest

from minecheck.minefield.certificates.meter import Meter, TooMuchWork, count_longest_bits


def test_meter_allows_exactly_the_work_that_is_left() -> None:
    meter = Meter(left=10)
    meter.spend_products(4)
    meter.spend_products(6)
    with pytest.raises(TooMuchWork) as error:
        meter.spend_products(1)
    assert error.value.field == "components"


def test_meter_charges_more_for_products_of_long_numbers() -> None:
    meter = Meter(left=100)
    meter.spend_products(10, 1 << 10, (1 << 10) - 1)
    assert meter.left == 90
    meter.spend_products(10, 1 << 10, 1 << 11)
    assert meter.left == 60


def test_meter_pauses_when_small_steps_add_up() -> None:
    pauses: list[None] = []
    meter = Meter(lambda: pauses.append(None))
    for expected in (0, 1, 1, 2):
        meter.tick(1000)
        assert len(pauses) == expected
    meter.spend_products(2000)
    assert len(pauses) == 3


def test_count_longest_bits_returns_the_bits_of_the_longest_number() -> None:
    assert (count_longest_bits([]), count_longest_bits([0]), count_longest_bits([3, 8, 1])) == (
        0,
        0,
        4,
    )
