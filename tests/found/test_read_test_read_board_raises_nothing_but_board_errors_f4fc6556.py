"""An example that once falsified `tests.minefield.reader.test_read.test_read_board_raises_nothing_but_board_errors`."""

# ruff: noqa: E501
import tests.minefield.reader.test_read
from tests.found.replaying import replay


def test_read_test_read_board_raises_nothing_but_board_errors() -> None:
    replay(
        tests.minefield.reader.test_read.test_read_board_raises_nothing_but_board_errors,
        text="{|",
    )
