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
from typing import Any, Final, TypeAlias

import numpy as np

from minefield.board import Board
from minefield.reduction.constraints import Constraints
from minefield.rules import Puzzle
from solvers.answer import Conflict, Conflicts
from solvers.deadline import Deadline, DeadlinePassed
from solvers.question import Place
from solvers.reasons.guarded import Guarded, suspects

#: Clues by their numbers, ascending, and whether the total is one of them.
_Core: TypeAlias = tuple[tuple[int, ...], bool]

_SLICE_CONFLICTS: Final = 2000


def conflicts(
    puzzle: Puzzle,
    mines: int | None,
    deadline: Deadline,
    limit: int = 10,
    keep: Callable[[Conflicts], None] = lambda _: None,
) -> Conflicts:
    """Up to ``limit`` minimal conflicts of a board, or of rules, with ``mines`` mines if given.

    Smallest first: the total counts as one clue. ``keep`` is given the result, the same object
    each time, with every conflict found, for the case that the process is killed.
    """
    constraints = Constraints.of(puzzle, mines)
    found = Conflicts([], more=True)
    least = 0
    try:
        for clues, total in _cores(constraints, deadline):
            if len(found.sets) >= limit:
                return found
            places = [_place(puzzle, constraints, clue) for clue in clues]
            size = len(clues) + total
            least = least or size
            found.sets.append(Conflict(places, total, minimal=True, smallest=size == least))
            keep(found)
        found.more = False
    except DeadlinePassed:
        pass
    return found


def _place(puzzle: Puzzle, constraints: Constraints, clue: int) -> Place:
    origin = int(constraints.origin[clue])
    return divmod(origin, puzzle.width) if isinstance(puzzle, Board) else (0, origin)


def _cores(constraints: Constraints, deadline: Deadline) -> Iterator[_Core]:
    """All minimal conflicts, smallest first."""
    count = np.diff(constraints.start)
    asking = (constraints.low > 0) | (constraints.high < count)
    if constraints.total is None:
        parts = [
            _of(constraints, part, deadline) for part in suspects(constraints, asking, deadline)
        ]
        yield from merge(*parts, key=_size)
    else:
        yield from _of(constraints, np.flatnonzero(asking).tolist(), deadline)


def _size(core: _Core) -> int:
    clues, total = core
    return len(clues) + total


def _of(constraints: Constraints, clues: Sequence[int], deadline: Deadline) -> Iterator[_Core]:
    """All minimal conflicts among some clues, and the total if there is one."""
    # Imported when it is needed: most questions are answered before.
    from pysat.examples.hitman import Hitman
    from pysat.solvers import Solver

    problem = Guarded(constraints, clues)
    names = dict(zip(problem.guards.tolist(), clues, strict=True))
    with (
        Solver("glucose4", bootstrap_with=problem.clauses) as oracle,
        Hitman(htype="sorted") as hitman,
    ):
        search = _Search(problem, oracle, deadline)
        while (chosen := hitman.get()) is not None:
            if search.satisfiable(chosen):
                hitman.hit(search.correction(chosen))
                continue
            total = problem.total in chosen
            yield tuple(sorted(names[guard] for guard in chosen if guard in names)), total
            if not chosen:
                return
            hitman.block(chosen)


class _Search:
    """Asks which clues can hold together."""

    def __init__(self, problem: Guarded, oracle: Any, deadline: Deadline) -> None:
        self._problem, self._oracle, self._deadline = problem, oracle, deadline
        self._guards = [int(guard) for guard in problem.guards]
        if problem.total is not None:
            self._guards.append(problem.total)

    def satisfiable(self, guards: Sequence[int]) -> bool:
        """Whether what these guards switch on can hold together."""
        while True:
            self._deadline.check()
            self._oracle.conf_budget(_SLICE_CONFLICTS)
            verdict = self._oracle.solve_limited(assumptions=guards)
            if verdict is not None:
                return bool(verdict)

    def correction(self, chosen: Sequence[int]) -> list[int]:
        """After a layout of some clues: a least set of others without which all can hold."""
        held = self._held() | set(chosen)
        out = []
        for guard in self._guards:
            if guard in held:
                continue
            if self.satisfiable([*held, guard]):
                held |= self._held() | {guard}
            else:
                out.append(guard)
        return out

    def _held(self) -> set[int]:
        """The guards of all that the last layout satisfies."""
        model = self._oracle.get_model()
        problem = self._problem
        broken = {int(problem.guards[clue]) for clue, _ in problem.broken(model)}
        if problem.total is not None and not problem.meets_total(model):
            broken.add(problem.total)
        return set(self._guards) - broken
