"""The client converts numbers and cuts lines and parts, without a connection."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from minecheck_client import Client, batch, numbers
from minecheck_client.request import Service
from minecheck_client.response import LineSplitter

from minecheck.solvers.documents import numbers as exact
from tests.examples import examples


@given(st.integers(0, 10**40) | st.integers(0, 12_000).map(lambda bits: 3 << bits))
def test_numbers_convert_digits_and_integers_both_ways(number: int) -> None:
    assert numbers.digits(number) == exact.format_integer(number)
    assert numbers.integer(numbers.digits(number)) == number


def test_numbers_read_hundreds_of_thousands_of_digits() -> None:
    assert numbers.integer("9" * 200_000) == 10**200_000 - 1


@given(st.lists(st.binary()))
def test_lines_are_cut_at_line_feeds_in_any_pieces(pieces: list[bytes]) -> None:
    lines = LineSplitter()
    found = [line for piece in pieces for line in lines.more(piece)]
    assert found == b"".join(pieces).split(b"\n")[:-1]


@examples(50)
@given(st.lists(st.sampled_from([1, 50, 5_000, 40_000, 70_000]), max_size=40), st.integers(0, 400))
def test_batch_parts_have_all_lines_in_order_within_size_limit(
    widths: list[int], small: int
) -> None:
    boards = ["?" * width for width in [*[1] * small, *widths]]
    found = list(batch.cut(boards))
    lines = [line for part in found for line in part.lines]
    assert [json.loads(line)["board"] for line in lines] == boards
    first = 0
    for part in found:
        assert part.first == first
        assert len(part.lines) == 1 or sum(map(len, part.lines)) <= 65_536
        first += len(part.lines)


def test_batch_parts_grow() -> None:
    def boards() -> Iterator[str]:
        yield from ["?"] * 20_000

    sizes = [len(part.lines) for part in batch.cut(boards())]
    assert sizes[:4] == [64, 128, 256, 512]
    assert max(sizes) <= 4096


def test_client_does_not_show_its_key() -> None:
    assert "k3y" not in repr(Service("http://x", "k3y", 2, 10.0))
    with Client("http://x", key="k3y") as client:
        assert "k3y" not in repr(vars(client))


def test_client_rejects_values_that_json_lacks() -> None:
    with Client("http://x") as client, pytest.raises(ValueError, match="JSON"):
        client.count("?", density=float("nan"))
