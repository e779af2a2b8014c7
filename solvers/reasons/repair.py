"""The fewest clues to change, and to which numbers, that make a board consistent.

This is MaxSAT. A guard switches each clue on, every guard is wanted, and RC2
(Ignatiev, Morgado and Marques-Silva 2019) finds the fewest that cannot be had:
in an optimal model exactly the clues whose guard is false are broken, and the
mines that they see are what they should say. The assumptions RC2 ends with
hold in all optimal models and in no others, so a plain SAT loop under them
finds the other repairs, each blocked by the clues and numbers that make it up.

Any clue may be wrong, so nothing is propagated: only known cells are folded
in. Without a total of mines the components of clues are repaired one by one;
so they are with a total, as long as what is found that way fits the total.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any, Final

import numpy as np

from minefield.board import Board
from minefield.reduction.constraints import NONE, Constraints, reduce
from minefield.rules import Puzzle
from minefield.variant import Variant
from solvers.answer import Correction, Corrections
from solvers.backends import sat
from solvers.budget import Budget, TooWide
from solvers.counting.board import Tally
from solvers.deadline import Deadline, DeadlinePassed
from solvers.reasons.guarded import Guarded, Seen, suspects

#: What `solvers.counting.component` may spend on showing that a repair fits the total: about 0.2 s.
_TRANSITIONS: Final = 50_000_000
#: Repairs that may miss the total before it becomes one more constraint.
_MISSES: Final = 20
_SLICE_CONFLICTS: Final = 2000


def repairs(
    puzzle: Puzzle,
    mines: int | None,
    deadline: Deadline,
    limit: int = 10,
    keep: Callable[[Corrections], None] = lambda _: None,
) -> Corrections:
    """Up to ``limit`` smallest repairs of a board, or of rules, with ``mines`` mines if given.

    Known cells and the total stay as they are; where these contradict each other, no
    repair is possible. A consistent board has one repair, of no changes. Each repair is
    in the order of its clues, and the repairs are sorted. ``keep`` is given the result, the
    same object each time, with every repair found, for the case that the process is killed.
    """
    constraints = Constraints.of(puzzle, mines)
    left = constraints.mines_left
    if left is not None and not 0 <= left <= constraints.undecided:
        return Corrections(None, [], possible=False, more=False)
    found = Corrections(None, [], possible=True, more=True)
    try:
        for seen in _all_smallest(constraints, deadline):
            found.changes = len(seen)
            if len(found.sets) >= limit:
                return found
            insort(found.sets, _corrections(puzzle, constraints, seen))
            keep(found)
        found.more = False
    except DeadlinePassed:
        pass
    return found


def _corrections(puzzle: Puzzle, constraints: Constraints, seen: Seen) -> list[Correction]:
    """A repair by the places of its clues: each says what it sees, known mines included."""
    corrections = []
    for clue, mines in seen:
        place = constraints.place_of(clue, puzzle)
        was, known = None, 0
        if isinstance(puzzle, Variant):
            asked = puzzle.clue_at(place)
            was = asked.low if asked.low == asked.high else None
            known = asked.low - int(constraints.low[clue])
        elif isinstance(puzzle, Board):
            was = int(puzzle.cells[place])
            known = was - int(constraints.low[clue])
        corrections.append(Correction(place, was, mines + known))
    return sorted(corrections)


def _all_smallest(constraints: Constraints, deadline: Deadline) -> Iterator[Seen]:
    """All smallest repairs, each sorted."""
    free = replace(constraints, total=None)
    parts = [_smallest(free, part, deadline) for part in suspects(free, deadline)]
    if constraints.total is None:
        yield from _combined(parts)
        return
    # To add the total changes repairs rarely and takes far longer than to ask what fits it.
    fitting: list[Seen] = []
    misses = 0
    for seen in _combined(parts):
        fits = _fits(constraints, seen, deadline)
        misses += not fits
        if fits is None or misses > _MISSES:
            break
        if fits:
            fitting.append(seen)
            yield seen
    else:
        if fitting:
            return
    clues = np.flatnonzero(constraints.asking).tolist()
    yield from (seen for seen in _smallest(constraints, clues, deadline) if seen not in fitting)


def _fits(constraints: Constraints, seen: Seen, deadline: Deadline) -> bool | None:
    """Whether a repair leaves a layout with the total; None if that is not quickly known."""
    low, high = constraints.low.copy(), constraints.high.copy()
    for clue, mines in seen:
        low[clue] = high[clue] = mines
    reduction = reduce(replace(constraints, low=low, high=high))
    if reduction.conflict != NONE:
        return False
    try:
        return Tally(reduction, Budget(_TRANSITIONS, deadline)).possible
    except TooWide:
        return None


def _combined(parts: Sequence[Iterator[Seen]]) -> Iterator[Seen]:
    """Every choice of one repair from each part, joined."""
    firsts = [next(part) for part in parts]
    yield tuple(sorted(chain.from_iterable(firsts)))
    tried: list[list[Seen]] = []
    for place, (first, others) in enumerate(zip(firsts, parts, strict=True)):
        known = [first]
        for other in others:
            known.append(other)
            later = ([first] for first in firsts[place + 1 :])
            for choice in product(*tried, [other], *later):
                yield tuple(sorted(chain.from_iterable(choice)))
        tried.append(known)


def _smallest(constraints: Constraints, clues: Sequence[int], deadline: Deadline) -> Iterator[Seen]:
    """All smallest repairs of some clues, and of the total if there is one."""
    problem = _Problem(constraints, clues)
    with _rc2(problem, deadline) as solver:
        solver.compute()
        # RC2 goes on to worse models; its last assumptions admit the optimal ones alone.
        optimal = solver.active_assumps()
        while True:
            seen = problem.broken(solver.oracle.get_model())
            yield tuple((clues[clue], mines) for clue, mines in seen)
            if not seen:
                return
            for clause in problem.blocking(seen):
                solver.add_clause(clause)
            if not solver._call_oracle(optimal):
                return


def _rc2(problem: "_Problem", deadline: Deadline) -> Any:
    """RC2 that raises `DeadlinePassed`, as a context manager."""
    # Imported when it is needed: most questions are answered before.
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula = WCNF()
    # Set as a whole: to append clause by clause takes longer than to solve.
    formula.hard, formula.nv = problem.clauses, problem.top
    formula.soft = [[guard] for guard in problem.guards.tolist()]
    formula.wght = [1] * len(formula.soft)
    deadline.check()
    solver = RC2(formula, solver="glucose4")

    def in_slices(assumptions: Iterable[int], expect_interrupt: bool = False) -> bool:
        while True:
            deadline.check()
            solver.oracle.conf_budget(_SLICE_CONFLICTS)
            verdict = solver.oracle.solve_limited(assumptions=assumptions)
            if verdict is not None:
                return bool(verdict)

    # RC2 takes an interrupt that comes just before its search for "no model".
    solver._call_oracle = in_slices
    return solver


class _Problem(Guarded):
    """Clues that may be wrong, and a total that may not."""

    def __init__(self, constraints: Constraints, clues: Sequence[int]) -> None:
        super().__init__(constraints, clues)
        self._sees: dict[tuple[int, int], tuple[int, int]] = {}
        if self.total is not None:
            self.clauses.append([self.total])

    def blocking(self, seen: Seen) -> sat.Clauses:
        """Clauses without this repair: one of its clues sees fewer or more mines."""
        clauses: sat.Clauses = []
        either: list[int] = []
        for clue, mines in seen:
            if (clue, mines) not in self._sees:
                fewer, more = self.top + 1, self.top + 2
                row = self.variables[self.start[clue] : self.start[clue + 1]]
                clauses += self.added(
                    [0, row.size, 2 * row.size],
                    np.tile(row, 2),
                    [0, mines + 1],
                    [mines - 1, row.size],
                    [fewer, more],
                )
                self._sees[clue, mines] = fewer, more
            either += self._sees[clue, mines]
        return [*clauses, either]
