"""The scope of a request identifies its client."""

import pytest

from minecheck.app.requests.scope import KEY, identify_client


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({KEY: "alice", "client": ("1.2.3.4", 5)}, {KEY: "alice", "client": ("9.9.9.9", 5)}, True),
        ({KEY: "alice", "client": ("1.2.3.4", 5)}, {KEY: "bob", "client": ("1.2.3.4", 5)}, False),
        ({"client": ("1.2.3.4", 5)}, {"client": ("1.2.3.4", 6)}, True),
        ({"client": ("1.2.3.4", 5)}, {"client": ("1.2.3.5", 5)}, False),
        ({"client": ("2001:db8::1", 5)}, {"client": ("2001:db8::2", 5)}, True),
        ({"client": ("2001:db8::1", 5)}, {"client": ("2001:db8:1::1", 5)}, False),
        ({"client": ("1.2.3.4", 5)}, {KEY: "1.2.3.4"}, False),
        ({}, {"client": None}, True),
    ],
)
def test_identify_client_distinguishes_clients_by_key_or_else_by_address(
    one: dict[str, object], other: dict[str, object], same: bool
) -> None:
    assert (identify_client(one) == identify_client(other)) is same
