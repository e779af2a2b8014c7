"""The names of the backends.

Tested in tests/solvers/test_router.py.
"""

from enum import StrEnum


class Backend(StrEnum):
    """The engines that can be requested; `AUTO` takes the cheapest exact one."""

    AUTO = "auto"
    AUTOMATA = "automata"
    FRONTIER = "frontier"
    SAT = "sat"
    CPSAT = "cpsat"
    EXHAUSTIVE = "exhaustive"
