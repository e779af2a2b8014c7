"""All minimal sets of clues that contradict each other, the smallest first.

Minimal conflicts and minimal corrections are hitting sets of each other (Reiter 1987). Of the
corrections that are known the smallest hitting set is taken: if its clues cannot hold together they
are a conflict, and no smaller one is left; else a layout of them is made to satisfy as many others
as it can, and what it cannot is one more correction. FORQES finds the smallest conflict like this
(Ignatiev, Previti, Liffiton and Marques-Silva, *Smallest MUS extraction with minimal hitting set
dualization*, CP 2015); here it goes on until none is left, as MARCO does without order (Liffiton,
Previti, Malik and Marques-Silva, *Fast, flexible MUS enumeration*, Constraints 2016).

The total of mines counts as one more clue. Without it, conflicts lie within a component of clues.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from typing import TypeAlias

import numpy as np

from minecheck.minefield.reduction.constraints import Constraints
from minecheck.minefield.rules import Puzzle
from minecheck.solvers.backends import sat
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Conflict, Conflicts
from minecheck.solvers.reasons.guarded import Guarded, iterate_suspects

#: Clues by their numbers, ascending, and whether the total is one of them.
_Core: TypeAlias = tuple[tuple[int, ...], bool]


def find_conflicts(
    puzzle: Puzzle,
    mines: int | None,
    deadline: Deadline,
    limit: int = 10,
    keep: Callable[[Conflicts], None] = lambda _: None,
    constraints: Constraints | None = None,
) -> Conflicts:
    """Find minimal conflicts of a board, or of rules, smallest first.

    The total counts as one clue.

    Args:
        puzzle: the board or rules.
        mines: the total of mines, None for any.
        deadline: when to stop.
        limit: the most conflicts to find.
        keep: a function that takes the result, the same object each time, with every conflict
            found, for the case that the process is killed.
        constraints: those of the puzzle, if they are known.
    """
    constraints = constraints or Constraints.from_position(puzzle, mines)
    conflicts = Conflicts([], more=True)
    least = 0
    try:
        for clues, total in _iterate_cores(constraints, deadline):
            if len(conflicts.sets) >= limit:
                return conflicts
            cells = [constraints.locate_clue(clue, puzzle) for clue in clues]
            size = len(clues) + total
            least = least or size
            conflicts.sets.append(Conflict(cells, total, minimal=True, smallest=size == least))
            keep(conflicts)
        conflicts.more = False
    except DeadlinePassed:
        pass
    return conflicts


def _iterate_cores(constraints: Constraints, deadline: Deadline) -> Iterator[_Core]:
    """Yield all minimal conflicts, smallest first."""
    if constraints.total is None:
        parts = [
            _iterate_cores_of(constraints, part, deadline)
            for part in iterate_suspects(constraints, deadline)
        ]
        yield from merge(*parts, key=_count_clues)
    else:
        yield from _iterate_cores_of(
            constraints, np.flatnonzero(constraints.asking).tolist(), deadline
        )


def _count_clues(core: _Core) -> int:
    clues, total = core
    return len(clues) + total


def _iterate_cores_of(
    constraints: Constraints, clues: Sequence[int], deadline: Deadline
) -> Iterator[_Core]:
    """Yield all minimal conflicts among some clues, and the total if there is one."""
    # Imported when it is needed: most questions are answered before.
    from pysat.examples.hitman import Hitman

    problem = Guarded(constraints, clues, deadline)
    names = dict(zip(problem.guards.tolist(), clues, strict=True))
    with sat.Oracle(problem.clauses, deadline) as oracle, Hitman(htype="sorted") as hitman:
        while (chosen := hitman.get()) is not None:
            if oracle.solve(chosen):
                hitman.hit(_find_correction(problem, oracle, chosen))
                continue
            total = problem.total in chosen
            yield tuple(sorted(names[guard] for guard in chosen if guard in names)), total
            if not chosen:
                return
            hitman.block(chosen)


def _find_correction(problem: Guarded, oracle: sat.Oracle, chosen: Sequence[int]) -> list[int]:
    """Return a least set of other clues without which all can hold, after a layout of some."""
    held = _list_satisfied(problem, oracle) | set(chosen)
    excluded = []
    for guard in problem.switches:
        if guard in held:
            continue
        if oracle.solve([*held, guard]):
            held |= _list_satisfied(problem, oracle) | {guard}
        else:
            excluded.append(guard)
    return excluded


def _list_satisfied(problem: Guarded, oracle: sat.Oracle) -> set[int]:
    """Return the guards of all that the last layout satisfies."""
    layout = oracle.read_model(problem.cells.size)
    broken = {int(problem.guards[clue]) for clue, _ in problem.list_broken(layout)}
    if problem.total is not None and not problem.meets_total(layout):
        broken.add(problem.total)
    return set(problem.switches) - broken
