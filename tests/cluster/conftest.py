"""Tests share nodes of a Ray cluster on loopback."""

from collections.abc import Iterator

import pytest

from tests.cluster.running import Nodes, running_nodes


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    """Two nodes of one processor each, which no test kills."""
    with running_nodes(1, 1) as found:
        yield found


@pytest.fixture
def mortal() -> Iterator[Nodes]:
    """Two nodes of one processor each, the second of which may be killed."""
    with running_nodes(1, 1) as found:
        yield found
