"""Effort: the work that a question may take, and the processes that do it.

Tested in tests/solvers/test_router.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from minecheck.automata import MOST_NODES
from minecheck.solvers.deadline import Deadline

if TYPE_CHECKING:
    from minecheck.solvers.progress import Progress


class NeedsMoreEffort(Exception):
    """The question takes more than the effort allowed; ``progress`` is how far it got."""

    progress: "Progress | None" = None


@dataclass(frozen=True, slots=True)
class Share:
    """Other processes that share the work, a limited number at a time.

    ``each(work, items, deadline)`` is ``[work(item, deadline) for item in items]``, or raises what
    any of them does, or `solvers.deadline.DeadlinePassed`. Work of less than ``least_work`` units
    of `solvers.budget.Budget`, about a second, is not worth sharing.
    """

    each: Callable[[Callable[[Any, Deadline], Any], Sequence[Any], Deadline], list[Any]]
    processors: int
    least_work: int = 500_000_000


class VariantLimits(NamedTuple):
    """The limits of the ways to count a variant, which are tried one after the other.

    Attributes:
        little_work: units of `solvers.budget.Budget` for which tables come first, some hundredths
            of a second.
        most_work: the units that tables may take at most, about a second.
        few_moves: moves of a sweep that come before tables that take longer, some tenths of a
            second.
        most_moves: the most moves of a sweep: a million take some seconds and some hundred
            megabytes at most.
        most_bytes: bytes of all polynomials of a sweep together.
    """

    little_work: int = 1 << 24
    most_work: int = 1 << 29
    few_moves: int = 50_000
    most_moves: int = 1_000_000
    most_bytes: int = 200_000_000


VARIANT_LIMITS: Final = VariantLimits()


@dataclass(frozen=True, slots=True)
class Effort:
    """The amount of work that is allowed.

    ``search`` and ``transitions`` are the budgets of `solvers.search.search` and of
    `solvers.counting.component`, ``nodes`` that of `automata.diagram`, ``tries`` that of
    the search for a smallest set of reasons. ``unbounded`` lets SAT and CP-SAT
    run, which only a deadline ends; without it they raise `NeedsMoreEffort`. ``share``
    names others, who count parts of expensive counts. An explanation has about ``steps`` steps
    at most. Up to ``total_boxes`` boxes, search is tried with the total of mines, too.
    ``exact_share`` is the part of the time that an exact model counter is given before an
    approximate one. ``variants`` are the limits of variants whose clues are not just intervals.
    """

    search: int
    transitions: int
    unbounded: bool
    nodes: int = MOST_NODES
    tries: int = 5000
    share: Share | None = None
    steps: int = 20_000
    total_boxes: int = 2000
    exact_share: float = 0.5
    variants: VariantLimits = VARIANT_LIMITS


#: A few milliseconds at most on boards of ordinary games.
INLINE = Effort(search=500, transitions=4_000_000, unbounded=False, nodes=10_000, tries=20)
#: Less than a second on boards of up to some ten thousand cells.
BOUNDED = Effort(search=500, transitions=400_000_000, unbounded=False, nodes=1_000_000, tries=200)
#: The effort of a process that a deadline can kill.
FULL = Effort(search=500, transitions=100_000_000_000, unbounded=True)
