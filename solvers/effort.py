"""Effort: the work that a question may take, and the processes that do it.

Tested in tests/solvers/test_router.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from minecheck.automata import MOST_NODES
from minecheck.solvers.deadline import Deadline

if TYPE_CHECKING:
    from minecheck.solvers.progress import Progress


class NeedsWorker(Exception):
    """The question takes more than the effort allowed; ``progress`` is how far it got."""

    progress: "Progress | None" = None


@dataclass(frozen=True, slots=True)
class Share:
    """Other processes that share the work, a limited number at a time.

    ``each(work, items, deadline)`` is ``[work(item, deadline) for item in items]``, or raises what
    any of them does, or `solvers.deadline.DeadlinePassed`.
    """

    each: Callable[[Callable[[Any, Deadline], Any], Sequence[Any], Deadline], list[Any]]
    processors: int


@dataclass(frozen=True, slots=True)
class Effort:
    """The amount of work that is allowed.

    ``search`` and ``transitions`` are the budgets of `solvers.search.search` and of
    `solvers.counting.component`, ``nodes`` that of `automata.diagram`, ``tries`` that of
    the search for a smallest set of reasons. ``unbounded`` lets SAT and CP-SAT
    run, which only a deadline ends; without it they raise `NeedsWorker`. ``share``
    names others, who count parts of expensive counts.
    """

    search: int
    transitions: int
    unbounded: bool
    nodes: int = MOST_NODES
    tries: int = 5000
    share: Share | None = None


#: A few milliseconds at most on boards of ordinary games.
INLINE = Effort(search=500, transitions=4_000_000, unbounded=False, nodes=10_000, tries=20)
#: Less than a second on boards of up to some ten thousand cells.
BOUNDED = Effort(search=500, transitions=400_000_000, unbounded=False, nodes=1_000_000, tries=200)
#: The effort of a process that a deadline can kill.
FULL = Effort(search=500, transitions=100_000_000_000, unbounded=True)
