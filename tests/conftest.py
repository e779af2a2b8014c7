"""Settings that every test shares."""

import pytest
from hypothesis import HealthCheck, settings

# The first example compiles inner loops, so neither a deadline nor a slow start is a fault.
settings.register_profile(
    "minecheck", deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("minecheck")


def pytest_addoption(parser: pytest.Parser) -> None:
    """More of what the suite has only some of."""
    parser.addoption(
        "--expert-boards", type=int, default=10, help="expert boards to be played without a guess"
    )
