"""Nodes of a Ray cluster on loopback."""

from collections.abc import Iterator

import pytest

from tests.cluster.running import Nodes, started


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    """Two nodes of one processor, which nobody kills."""
    with started(1, 1) as found:
        yield found


@pytest.fixture
def mortal() -> Iterator[Nodes]:
    """Two nodes of one processor, the second of which may be killed."""
    with started(1, 1) as found:
        yield found
