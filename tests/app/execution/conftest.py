"""What every service has done before it answers."""

import pytest

from minecheck.app.execution import warm
from minecheck.app.execution.rehearsal import rehearse_examples
from minecheck.solvers import INLINE


@pytest.fixture(scope="session", autouse=True)
def loaded() -> None:
    """What is loaded at first use would take the turn of a question."""
    warm.load_kernels()
    rehearse_examples(INLINE)
