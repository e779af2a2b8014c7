"""Slots that work in progress takes."""

import pytest

from minecheck.app.execution.work_slots import WorkSlots
from minecheck.app.problems import TooManyBatches


def test_slots_limit_what_is_in_progress() -> None:
    slots = WorkSlots(2, TooManyBatches)
    with slots.take_slot():
        with slots.take_slot():
            with pytest.raises(TooManyBatches) as caught, slots.take_slot():
                pytest.fail("there is a third")
            assert caught.value.headers == {"Retry-After": "1"}
        with slots.take_slot():
            pass
    assert (slots.taken, slots.refused) == (0, 1)
