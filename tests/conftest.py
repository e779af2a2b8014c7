"""Settings that every test shares."""

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.processes import end_with_parent

# The first example compiles inner loops, so neither a deadline nor a slow start is a fault.
# Examples are always the same ones: what fails here fails for everybody.
settings.register_profile(
    "quick",
    deadline=None,
    derandomize=True,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("full", settings.get_profile("quick"), max_examples=100)
# Other examples each time: `make test-all ARGS=--hypothesis-profile=random`.
settings.register_profile("random", settings.get_profile("full"), derandomize=False)
# `make hunt` tries all properties again and again, with other seeds. What it finds it writes down.
settings.register_profile(
    "hunt", settings.get_profile("random"), max_examples=400, database=None, print_blob=True
)
# `make mutants` wants to know whether tests fail, not for which example they do.
settings.register_profile(
    "mutants", settings.get_profile("quick"), phases=[Phase.explicit, Phase.generate]
)
# `--hypothesis-profile=full` comes later and wins.
settings.load_profile("quick")


def pytest_configure(config: pytest.Config) -> None:
    """The processes among which pytest-xdist divides the tests end with the one that divides."""
    if hasattr(config, "workerinput"):
        end_with_parent()


def pytest_addoption(parser: pytest.Parser) -> None:
    """More of what the suite has only some of."""
    parser.addoption(
        "--expert-boards", type=int, default=10, help="expert boards to be played without a guess"
    )
