"""What every service has done before it answers."""

import pytest

from app.execution import rungs, warm
from solvers import INLINE


@pytest.fixture(scope="session", autouse=True)
def loaded() -> None:
    """What is loaded at first use would take the turn of a question."""
    warm.load()
    rungs.rehearse(INLINE)
