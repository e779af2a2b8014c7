"""Tests of the service begin as a service does: loaded and rehearsed."""

import pytest

from minecheck.app.execution import warm
from minecheck.app.execution.rehearsal import rehearse_examples
from minecheck.solvers import INLINE


@pytest.fixture(scope="session", autouse=True)
def load_service() -> None:
    """Load kernels and rehearse examples, which would otherwise delay the first question."""
    warm.load_kernels()
    rehearse_examples(INLINE)
