"""The fewest clues to change, and to which numbers, that make a board consistent.

This is MaxSAT. A guard switches each clue on, every guard is a soft clause, and RC2
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
from typing import Any, Final, NamedTuple

import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.reduction.constraints import NONE, Constraints, reduce
from minecheck.minefield.rules import Puzzle
from minecheck.minefield.variant import Variant
from minecheck.solvers.backends import sat
from minecheck.solvers.backends.clauses import Clauses
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Correction, Corrections
from minecheck.solvers.reasons.guarded import Guarded, Seen, iterate_suspects


class Thresholds(NamedTuple):
    """The work at which the search for repairs changes its method; the repairs stay the same.

    Attributes:
        transitions: what `solvers.counting.component` may spend on showing that a repair fits the
            total: about 0.2 s.
        misses: repairs that may miss the total before it becomes one more constraint.
        glucose_clauses: with more clauses CaDiCaL takes over. Glucose, which is quicker with
            fewer, stops for no budget before its first restart, which may be seconds away then.
    """

    transitions: int = 50_000_000
    misses: int = 20
    glucose_clauses: int = 200_000


_THRESHOLDS: Final = Thresholds()


def find_repairs(
    puzzle: Puzzle,
    mines: int | None,
    deadline: Deadline,
    limit: int = 10,
    keep: Callable[[Corrections], None] = lambda _: None,
    constraints: Constraints | None = None,
    thresholds: Thresholds = _THRESHOLDS,
) -> Corrections:
    """Find the smallest repairs of a board, or of rules.

    Known cells and the total stay as they are; where these contradict each other, no repair is
    possible. A consistent board has one repair, of no changes. Each repair is in the order of its
    clues, and the repairs are sorted.

    Args:
        puzzle: the board or rules.
        mines: the total of mines, None for any.
        deadline: when to stop.
        limit: the most repairs to find.
        keep: a function that takes the result, the same object each time, with every repair found,
            for the case that the process is killed.
        constraints: those of the puzzle, if they are known.
        thresholds: when to change the method.
    """
    constraints = constraints or Constraints.from_position(puzzle, mines)
    left = constraints.mines_left
    if left is not None and not 0 <= left <= constraints.undecided:
        return Corrections(None, [], possible=False, more=False)
    corrections = Corrections(None, [], possible=True, more=True)
    try:
        for seen in _iterate_all_smallest(constraints, thresholds, deadline):
            corrections.changes = len(seen)
            if len(corrections.sets) >= limit:
                return corrections
            insort(corrections.sets, _list_corrections(puzzle, constraints, seen))
            keep(corrections)
        corrections.more = False
    except DeadlinePassed:
        pass
    return corrections


def _list_corrections(puzzle: Puzzle, constraints: Constraints, seen: Seen) -> list[Correction]:
    """List a repair by the cells of its clues: each says what it sees, known mines included."""
    corrections = []
    for clue, mines in seen:
        cell = constraints.locate_clue(clue, puzzle)
        was, known = None, 0
        if isinstance(puzzle, Variant):
            bounds = puzzle.clue_at(cell)
            was = bounds.low if bounds.low == bounds.high else None
            known = bounds.low - int(constraints.low[clue])
        elif isinstance(puzzle, Board):
            was = int(puzzle.cells[cell])
            known = was - int(constraints.low[clue])
        corrections.append(Correction(cell, was, mines + known))
    return sorted(corrections)


def _iterate_all_smallest(
    constraints: Constraints, thresholds: Thresholds, deadline: Deadline
) -> Iterator[Seen]:
    """Yield all smallest repairs, each sorted."""
    free = constraints.without_total
    parts = [
        _iterate_smallest_repairs(free, part, thresholds, deadline)
        for part in iterate_suspects(free, deadline)
    ]
    if constraints.total is None:
        yield from _combine_parts(parts)
        return
    # Adding the total rarely changes repairs, and takes far longer than the test of a repair.
    fitting: list[Seen] = []
    misses = 0
    for seen in _combine_parts(parts):
        fits = _leaves_layout(constraints, seen, Budget(thresholds.transitions, deadline))
        misses += not fits
        if fits is None or misses > thresholds.misses:
            break
        if fits:
            fitting.append(seen)
            yield seen
    else:
        if fitting:
            return
    clues = np.flatnonzero(constraints.asking).tolist()
    yield from (
        seen
        for seen in _iterate_smallest_repairs(constraints, clues, thresholds, deadline)
        if seen not in fitting
    )


def _leaves_layout(constraints: Constraints, seen: Seen, budget: Budget) -> bool | None:
    """Return True if a repair leaves a layout with the total; None if that is not quickly known."""
    low, high = constraints.low.copy(), constraints.high.copy()
    for clue, mines in seen:
        low[clue] = high[clue] = mines
    reduction = reduce(replace(constraints, low=low, high=high))
    if reduction.conflict != NONE:
        return False
    try:
        return BoardTally(reduction, budget).possible
    except TooWide:
        return None


def _combine_parts(parts: Sequence[Iterator[Seen]]) -> Iterator[Seen]:
    """Yield every choice of one repair from each part, joined."""
    firsts = [next(part) for part in parts]
    yield tuple(sorted(chain.from_iterable(firsts)))
    tried: list[list[Seen]] = []
    for index, (first, others) in enumerate(zip(firsts, parts, strict=True)):
        known = [first]
        for other in others:
            known.append(other)
            later = ([first] for first in firsts[index + 1 :])
            for choice in product(*tried, [other], *later):
                yield tuple(sorted(chain.from_iterable(choice)))
        tried.append(known)


def _iterate_smallest_repairs(
    constraints: Constraints, clues: Sequence[int], thresholds: Thresholds, deadline: Deadline
) -> Iterator[Seen]:
    """Yield all smallest repairs of some clues, and of the total if there is one."""
    problem = _Problem(constraints, clues, deadline)
    few = len(problem.clauses) <= thresholds.glucose_clauses
    with _open_rc2(problem, "glucose4" if few else "cadical195", deadline) as solver:
        solver.compute()
        # RC2 goes on to worse models; its last assumptions admit the optimal ones alone.
        optimal = solver.active_assumps()
        while True:
            seen = problem.list_broken(solver.oracle.get_model())
            yield tuple((clues[clue], mines) for clue, mines in seen)
            if not seen:
                return
            for clause in problem.block_repair(seen):
                solver.add_clause(clause)
            if not solver._call_oracle(optimal):
                return


def _open_rc2(problem: "_Problem", name: str, deadline: Deadline) -> Any:
    """Open an RC2 that raises `DeadlinePassed`, as a context manager."""
    # Imported when it is needed: most questions are answered before.
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula = WCNF()
    formula.nv = problem.top
    formula.soft = [[guard] for guard in problem.guards.tolist()]
    formula.wght = [1] * len(formula.soft)
    deadline.check()
    solver = RC2(formula, solver=name)
    try:
        sat.take_in(solver.oracle, problem.clauses, deadline)
    except DeadlinePassed:
        solver.delete()
        raise
    conflicts = sat.conflicts_per_slice(len(problem.clauses))

    def in_slices(assumptions: Iterable[int], expect_interrupt: bool = False) -> bool:
        return sat.solve_in_slices(solver.oracle, assumptions, conflicts, deadline)

    # RC2 takes an interrupt that comes just before its search for "no model".
    solver._call_oracle = in_slices
    return solver


class _Problem(Guarded):
    """Clues that may be wrong, and a total that may not."""

    def __init__(self, constraints: Constraints, clues: Sequence[int], deadline: Deadline) -> None:
        super().__init__(constraints, clues, deadline)
        self._sees: dict[tuple[int, int], tuple[int, int]] = {}
        if self.total is not None:
            self.clauses.append([self.total])

    def block_repair(self, seen: Seen) -> Clauses:
        """Return clauses that rule a repair out: one of its clues sees fewer or more mines."""
        clauses: Clauses = []
        either: list[int] = []
        for clue, mines in seen:
            if (clue, mines) not in self._sees:
                fewer, more = self.top + 1, self.top + 2
                row = self.variables[self.start[clue] : self.start[clue + 1]]
                clauses += self.encode_cardinality(
                    [0, row.size, 2 * row.size],
                    np.tile(row, 2),
                    [0, mines + 1],
                    [mines - 1, row.size],
                    [fewer, more],
                )
                self._sees[clue, mines] = fewer, more
            either += self._sees[clue, mines]
        return [*clauses, either]
