"""The fewest clues that keep a board's information, with a lower bound.

Clues are enough iff each layout that says otherwise contradicts one of them. Such layouts are not
listed: of the sets of clues that those known so far contradict the least cover is taken
(`solvers.reasons.covers`). If its clues are enough there are no fewer; else a layout that says
otherwise is brought near to the clues, until it contradicts as few clues as can be, which is
one more set. The weight of each least cover is a lower bound. This is the implicit hitting set
scheme (E. Moreno-Centeno and R. Karp, *The implicit hitting set approach to solve combinatorial
optimization problems*, Operations Research 2013; for smallest cores A. Ignatiev, A. Previti,
M. Liffiton and J. Marques-Silva, CP 2015). It needs no layouts: for whatever more clues never
spoil, the clues outside of a largest set that is not enough are such a set.

Under a symmetry, orbits of clues take the place of clues, each as heavy as it is large.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from random import Random
from typing import Final, Protocol

from minecheck.minefield.board import Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.composition import Composition, Keep
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Composed, Forced
from minecheck.solvers.reasons.covers import Covers
from minecheck.solvers.reasons.deduction import LEVELS, Level
from minecheck.solvers.reasons.entailment import Entailment
from minecheck.solvers.reasons.hidden_clues import HiddenClues
from minecheck.solvers.reasons.orbits import list_orbits
from minecheck.solvers.reasons.solvability import Solvability

#: The default grade of boards that are to be solvable.
DIFFICULTY: Final = Level.BOUNDS
#: Orders in which clues are taken away at first.
_ORDERS: Final = 3
#: Work for the first cover; where it is not enough, more is spent on the next ones.
_PATIENCE: Final = 0.2
#: Number of covers that are extended until they suffice, for a unit of work spent on it.
_TRIES: Final = 60
_FEWEST_TRIES: Final = 5
#: Probability of choosing a group of the best cover if there are others.
_FAITH: Final = 0.5


class Judge(Protocol):
    """The test that decides which groups of clues, by number, suffice; more never spoil it."""

    @property
    def exact(self) -> bool:
        """True if all its decisions so far are reliable."""
        ...

    def find_sufficient(self, groups: Collection[int]) -> set[int] | None:
        """Return groups among these that are enough, or None if even all of them are not."""
        ...

    def find_missed(self, groups: Collection[int]) -> set[int] | None:
        """Return groups of which one more is needed, none to spare; None if these are enough."""
        ...


def compose_clues(
    board: Board,
    mines: int | None,
    composition: Composition,
    forced: Forced | None,
    deadline: Deadline,
    keep: Callable[[Composed], None] = lambda _: None,
) -> Composed:
    """Choose the fewest clues of a board, as far as there is time.

    Args:
        board: the board.
        mines: the total of mines, None for any.
        composition: what the clues have to keep.
        forced: the forced cells of the board, None if it is inconsistent.
        deadline: when to stop.
        keep: a function that takes the result, the same object each time, with whatever is found,
            for the case that the process is killed.
    """
    hidden = HiddenClues.from_board(board, mines, composition, forced)
    groups = list_orbits(board.shape, list(hidden.numbers), composition.symmetry)
    composed = Composed(_locate_cells(groups, board.width))
    try:
        with _make_judge(hidden, groups, composition, deadline) as judge:
            search = _Search(judge, groups, hidden, deadline, composed, lambda: keep(composed))
            search.search()
    except DeadlinePassed:
        pass
    return composed


def _make_judge(
    hidden: HiddenClues,
    groups: Sequence[Sequence[int]],
    composition: Composition,
    deadline: Deadline,
) -> AbstractContextManager[Judge]:
    """Return the test that decides whether clues keep the required information."""
    if composition.keep is Keep.SOLVABLE:
        level = DIFFICULTY if composition.difficulty is None else LEVELS[composition.difficulty]
        # A board that only a search can solve is solvable if it has one layout.
        if level < Level.SEARCH:
            return Solvability(hidden, groups, level, deadline)
    return Entailment(hidden, groups, deadline)


class _Search:
    """The search for the fewest clues; what it finds goes into a `Composed`."""

    def __init__(
        self,
        judge: Judge,
        groups: Sequence[Sequence[int]],
        hidden: HiddenClues,
        deadline: Deadline,
        found: Composed,
        report: Callable[[], None],
    ) -> None:
        self._judge = judge
        self._groups = groups
        self._weights = list(map(len, groups))
        self._hidden = hidden
        self._deadline = deadline
        self._found = found
        self._tell = report
        self._random = Random(0)
        self._best: set[int] = set(range(len(groups)))
        self._covers = Covers(self._weights)
        self._patience = _PATIENCE
        #: The bound of the last cover.
        self._last = -1

    def search(self) -> None:
        """Search until the fewest are known; raises `DeadlinePassed`."""
        composed = self._found
        sufficient = self._judge.find_sufficient(self._best)
        if sufficient is None:
            composed.enough = False if self._judge.exact else None
            self._tell()
            return
        composed.enough = True
        self._take_groups(sufficient)
        self._shrink_groups(range(len(self._groups)))
        needed = self._find_needed()
        for _ in range(_ORDERS - 1):
            order = [group for group in range(len(self._groups)) if group not in needed]
            self._random.shuffle(order)
            self._shrink_groups(order)
        while not composed.optimal and self._judge.exact:
            self._tighten_cover()

    def _find_needed(self) -> set[int]:
        """Find the groups without which all others are not enough."""
        # Groups that can be removed together can be removed alone.
        everything = set(range(len(self._groups)))
        needed = {
            group
            for group in self._best
            if self._judge.find_sufficient(everything - {group}) is None
        }
        for group in needed:
            self._covers.add_set([group])
        self._found.redundant = self._list_cells(everything - needed)
        self._raise_bound(self._weigh_groups(needed))
        return needed

    def _shrink_groups(self, order: Sequence[int], start: Collection[int] | None = None) -> None:
        """Take away one group after the other, the heaviest first, from all or some of them."""
        groups_left = set(range(len(self._groups)) if start is None else start)
        for group in sorted(order, key=lambda group: -self._weights[group]):
            if group in groups_left:
                groups_left = self._judge.find_sufficient(groups_left - {group}) or groups_left
        self._take_groups(groups_left)

    def _tighten_cover(self) -> None:
        """Take a least cover; what it misses are more sets, until it is enough or the best is."""
        cover, bound, work = self._covers.find_lightest(self._patience, self._deadline, self._best)
        stalled, self._last = bound <= self._last, bound
        if self._judge.exact:
            self._raise_bound(bound)
        if self._found.optimal:
            return
        covers_before = len(self._covers)
        if cover is not None:
            self._learn_sets(cover)
            # The more work a cover is, the more sets are needed to exclude it.
            for _ in range(_FEWEST_TRIES + int(_TRIES * work) if stalled else 0):
                self._extend_cover(cover)
        if cover is None or self._weigh_groups(cover) > bound:
            self._patience *= 2 if len(self._covers) == covers_before else 1.2

    def _learn_sets(self, cover: set[int]) -> None:
        """Add sets that a cover misses and that have nothing in common."""
        chosen = set(cover)
        while (missed := self._judge.find_missed(chosen)) is not None:
            self._covers.add_set(missed)
            chosen |= missed

    def _extend_cover(self, cover: set[int]) -> None:
        """Add to a cover what it misses, one by one, until it is enough."""
        chosen = set(cover)
        while (missed := self._judge.find_missed(chosen)) is not None:
            self._covers.add_set(missed)
            chosen.add(self._choose_group(missed))
        uncovered = sorted(chosen - cover)
        self._random.shuffle(uncovered)
        self._shrink_groups([*uncovered, *cover], chosen)

    def _choose_group(self, groups: Collection[int]) -> int:
        """Choose the group that is taken next: one of the best, if there is any."""
        good = self._random.random() < _FAITH and sorted(self._best.intersection(groups))
        return self._random.choice(good or sorted(groups))

    def _weigh_groups(self, groups: Collection[int]) -> int:
        return sum(self._weights[group] for group in groups)

    def _raise_bound(self, bound: int) -> None:
        """Raise the lower bound: no fewer clues are enough."""
        if bound > self._found.lower_bound:
            self._found.lower_bound = bound
            self._tell()

    def _take_groups(self, groups: set[int]) -> None:
        """Take groups that are enough, if they are the fewest so far."""
        if self._found.kept is None or self._weigh_groups(groups) < self._weigh_groups(self._best):
            self._best = groups
            self._found.kept = self._list_cells(groups)
            self._found.board = self._hidden.show_clues(
                [cell for group in groups for cell in self._groups[group]]
            )
            self._tell()

    def _list_cells(self, groups: Collection[int]) -> list[Coordinates]:
        """Return the cells of some groups, in reading order."""
        return _locate_cells([self._groups[group] for group in groups], self._hidden.base.width)


def _locate_cells(groups: Iterable[Sequence[int]], width: int) -> list[Coordinates]:
    """Return the cells of groups as (row, col), in reading order."""
    return [divmod(cell, width) for cell in sorted(chain.from_iterable(groups))]
