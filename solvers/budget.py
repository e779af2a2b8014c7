"""Budgets: limits on the cost of a count.

Tested in tests/solvers/counting/test_component.py.
"""

from dataclasses import dataclass

from minecheck.solvers.deadline import Deadline


class TooWide(Exception):
    """A component needs more work or memory than there is."""


@dataclass(slots=True)
class Budget:
    """How much a count may cost: multiplications of 64-bit limbs, and a deadline.

    A unit takes one or two nanoseconds.
    """

    transitions: int
    deadline: Deadline

    def spend(self, states: int, bits: int) -> None:
        """Account for ``states`` steps on values of up to ``bits`` bits, one unit a limb.

        Args:
            states: how many steps there are.
            bits: the bits of the longest value.

        Raises:
            TooWide: the budget is spent.
            DeadlinePassed: the deadline is over.
        """
        self.transitions -= states * (1 + bits // 64)
        if self.transitions < 0:
            raise TooWide
        self.deadline.check()
