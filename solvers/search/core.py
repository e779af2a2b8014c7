"""Why a board is inconsistent: clues that cannot hold together, none of them to spare."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from minecheck.minefield.reduction.constraints import NONE, Constraints
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.search import hitting_sets
from minecheck.solvers.search.engine import Verdict
from minecheck.solvers.search.problem import BoxProblem
from minecheck.solvers.search.search import find_witness


@dataclass(frozen=True, slots=True)
class Core:
    """Clues (numbers in `Constraints`), and whether the total of mines, that cannot all hold.

    ``minimal`` means that dropping any one of them makes the rest satisfiable,
    ``smallest`` that it is known that no fewer cannot hold. ``necessary`` are clues of it
    that every core is known to have.
    """

    clues: list[int]
    total: bool
    minimal: bool = False
    smallest: bool = False
    necessary: tuple[int, ...] = ()


Refuter: TypeAlias = Callable[[Sequence[int], bool], Core | None]


class Undecided(Exception):
    """A refuter gave up on a subset."""


def minimise_core(core: Core, refute: Refuter) -> Core:
    """Drop from a core all that is not needed, in chunks that double and halve.

    Where ``refute`` gives up or the deadline passes, what could not be dropped stays and the result
    is not called minimal.

    Args:
        core: the core.
        refute: a function that returns a core within clues (and the total), None if they can hold.
    """
    minimal = True
    try:
        try:
            if core.total and (smaller := refute(core.clues, False)):
                core = smaller
        except Undecided:
            minimal = False
        needed: list[int] = []
        chunk = max(1, len(core.clues) // 2)
        untried = core.clues
        while untried:
            chunk = min(chunk, len(untried))
            rest = untried[chunk:]
            try:
                smaller = refute(needed + rest, core.total)
            except Undecided:
                smaller = None
                minimal = minimal and chunk > 1
            if smaller:
                kept = set(smaller.clues)
                core = smaller
                needed = [clue for clue in needed if clue in kept]
                untried = [clue for clue in rest if clue in kept]
                chunk *= 2
            elif chunk == 1:
                needed.append(untried[0])
                untried = rest
            else:
                chunk //= 2
        return Core(sorted(needed), core.total, minimal)
    except DeadlinePassed:
        return Core(sorted(core.clues), core.total)


def mark_if_smallest(core: Core, clues: Sequence[int], refute: Refuter) -> Core:
    """Return the core, called smallest if it is minimal and every core of the clues has all of it.

    So it is when the others of the clues (and the total) can hold without any one of it, and when
    it has one clue at most.

    Args:
        core: the core.
        clues: all clues among which cores are looked for.
        refute: a function that returns a core within clues (and the total), None if they can hold.

    Raises:
        DeadlinePassed: it was not found out in time.
    """
    try:
        alone = core.minimal and (
            len(core.clues) <= 1
            or all(
                refute([clue for clue in clues if clue != spare], core.total) is None
                for spare in core.clues
            )
        )
    except Undecided:
        return core
    return replace(core, smallest=alone)


def find_fewest(core: Core, clues: Sequence[int], refute: Refuter, tries: int) -> Core:
    """Return a smallest core of the clues (and the total), or ``core`` if tries run out.

    Args:
        core: a minimal core.
        clues: all clues among which cores are looked for.
        refute: a function that returns a core within clues (and the total), None if they can hold;
            each try calls it for every clue at most once.
        tries: how many hitting sets to try.

    Raises:
        DeadlinePassed: it was not found out in time.
    """

    def find_missed(tried: list[int]) -> set[int]:
        if refute(tried, core.total):
            return set()
        held = list(tried)
        for clue in clues:
            if clue not in tried and refute([*held, clue], core.total) is None:
                held.append(clue)
        return set(clues).difference(held)

    with suppress(Undecided):
        if (fewest := hitting_sets.find_smallest_core(core.clues, find_missed, tries)) is not None:
            return Core(sorted(fewest), core.total, minimal=True, smallest=True)
    return core


def make_search_refuter(
    constraints: Constraints, budget: int, transitions: int, deadline: Deadline
) -> Refuter:
    """Return a refuter by propagation, search, and the possible mines of the components.

    The refuter raises `Undecided` when its budget is spent.

    Args:
        constraints: the clues.
        budget: the budget of `solvers.search.search.find_witness`.
        transitions: the budget of `solvers.counting.component`.
        deadline: when the refuter gives up.
    """

    def refute_clues(clues: Sequence[int], total: bool) -> Core | None:
        deadline.check()
        reduction = constraints.with_clues(clues, total).reduction
        if reduction.conflict != NONE:
            used, with_total = reduction.trace_conflict()
            return Core([clues[index] for index in used], with_total)
        parts = BoxProblem.from_reduction(reduction, total=False)
        verdicts, _ = find_witness(parts, budget, deadline)
        if Verdict.INCONSISTENT in verdicts:
            return Core(list(clues), total)
        if Verdict.GAVE_UP in verdicts:
            raise Undecided
        if reduction.mines_left is None:
            return None
        try:
            possible = BoardTally(reduction, Budget(transitions, deadline)).possible
        except TooWide:
            raise Undecided from None
        return None if possible else Core(list(clues), total)

    return refute_clues
