"""What every service has done before it answers."""

import pytest

from app.execution import warm
from app.execution.rehearsal import rehearse
from solvers import INLINE


@pytest.fixture(scope="session", autouse=True)
def loaded() -> None:
    """What is loaded at first use would take the turn of a question."""
    warm.load()
    rehearse(INLINE)
