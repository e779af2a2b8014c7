"""What answers when no backend is asked for: each question by the cheapest exact method."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from minefield.board import Board
from minefield.layout import Layout
from minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED
from solvers.answer import Approximation, Forced
from solvers.backends import sat
from solvers.backends.counting import Counting
from solvers.backends.model_counters import WideCount
from solvers.budget import TooWide
from solvers.counting.board import Tally
from solvers.counting.cutset import spread
from solvers.counting.matching_component import MatchingComponent
from solvers.counting.position import Position, position
from solvers.deadline import Deadline, DeadlinePassed
from solvers.effort import Effort, NeedsWorker
from solvers.progress import Progress
from solvers.question import Question, Task
from solvers.search import search
from solvers.search.core import Core
from solvers.search.engine import Verdict
from solvers.search.problem import BoxProblem

#: Above this many boxes, the total of mines is not searched as one more clue.
_TOTAL_BOXES = 2000

#: What needs the layouts counted.
_COUNTED = (Task.COUNT, Task.ANALYZE)
#: Counts that take less, in units of `solvers.budget.Budget` (some seconds), come first.
_CHEAP = 5_000_000_000


class Auto(Counting):
    """Ordinary positions at once; what is soon counted by counts; else search, SAT and counts."""

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        self.used: dict[str, None] = {}
        self.refuted: Core | None = None

    def resume(self, progress: Progress) -> None:
        known = vars(self)
        if progress.no_position:
            known["position"] = None
        if progress.answer is not None:
            if progress.answer.witness or not progress.answer.consistent:
                known["found"] = progress.answer.witness
            self.used = dict.fromkeys(progress.answer.method.split("+"))
            self.used.pop("propagation", None)

    @property
    def name(self) -> str:
        return "+".join(self.used) or "propagation"

    @cached_property
    def tally(self) -> Tally:
        self.used["frontier"] = None
        return super().tally

    @cached_property
    def position(self) -> Position | None:
        """Everything at once, if the board is an ordinary position and consistent."""
        if not isinstance(self.board, Board):
            return None
        found = position(self.board, self.question.mines, self.question.density)
        if found is not None:
            self.used["frontier"] = None
        return found

    @cached_property
    def counted(self) -> bool:
        """Whether layouts were counted before all else: if they will be, and that is cheap.

        Matchings are in any case: what they have in common is found neither by search nor by SAT.
        """
        if self.contradictory or not (self.question.task in _COUNTED or self._has_matchings):
            return False
        try:
            tally = self.tally
            if tally.cost > min(_CHEAP, tally.budget.transitions / 4):
                return False
            # If it takes longer than is thought, there is still time for the verdict.
            tally.budget.deadline = self.deadline.part(0.5)
            self._spread(by_mines=self.reduction.mines_left is not None)
            return tally.count >= 0
        except (TooWide, DeadlinePassed):
            return False
        finally:
            self.tally.budget.deadline = self.deadline

    @property
    def _has_matchings(self) -> bool:
        """Whether layouts of some component are matchings."""
        components = range(self.reduction.components)
        return any(MatchingComponent.fits(self.reduction, component) for component in components)

    @cached_property
    def wide(self) -> WideCount:
        """The count of a board that is too wide for the frontier."""
        if not self.effort.unbounded:
            raise NeedsWorker
        return WideCount(self.tally, self.deadline)

    @cached_property
    def parts(self) -> BoxProblem:
        """The boxes without the total of mines."""
        return BoxProblem.of(self.reduction, total=False)

    @cached_property
    def found(self) -> Layout | None:
        """A layout, or None; then `core` says why."""
        if self.position is not None:
            return Layout(self.position.layout)
        if self.contradictory:
            return None
        if not self.reduction.components and self.reduction.mines_left is None:
            return self._layout(np.asarray(self.reduction.state == IS_MINE))
        if self.counted:
            return self._counted_witness()
        self.used["search"] = None
        verdicts, mines = search.witness(self.parts, self.effort.search, self.deadline)
        for component in np.flatnonzero(verdicts == Verdict.INCONSISTENT)[:1]:
            self._refute(self._clues([int(component)]))
            return None
        placed = self.parts.place(mines)
        wide = np.flatnonzero(verdicts == Verdict.GAVE_UP).tolist()
        if wide:
            self._unbounded("sat")
            result = sat.witness(self.reduction, self.deadline, wide)
            if result is None:
                self._refute(self._clues(wide))
                return None
            placed[result[0]] = result[1]
        if self.reduction.mines_left is None:
            return self._layout(placed)
        return self._with_total(placed)

    def witness(self) -> Layout | None:
        return self.found

    @property
    def has_counted_some(self) -> bool:
        if self.position is not None or not self.reduction.components:
            return False
        return self.counted and self.tally.count > 0

    def core(self) -> Core | None:
        if not self.contradictory:
            return self.refuted
        core = Core(*self.reduction.conflict_trace())
        # Propagation may take in the total before the clues have been searched by themselves.
        return self._alone() or core if core.total else core

    def count(self) -> int:
        if self.position is not None:
            return self.position.count
        try:
            self._spread(by_mines=self.reduction.mines_left is not None)
            return super().count()
        except TooWide:
            if self.reduction.mines_left is not None:
                raise
            found = self.wide.exact()
            self.used["ganak"] = None
            return found

    def by_mines(self) -> dict[int, int] | None:
        if self.position is not None:
            if not (self.effort.unbounded or self.position.soon_by_mines):
                raise NeedsWorker
            return self.position.by_mines()
        if self.reduction.mines_left is None:
            self._spread(by_mines=True)
        return super().by_mines()

    @property
    def soon_by_mines(self) -> bool:
        if self.position is not None:
            return self.position.soon_by_mines
        return super().soon_by_mines

    @cached_property
    def rounded(self) -> NDArray[np.float64]:
        return self.position.chances if self.position is not None else super().rounded

    def approximate(self) -> Approximation | None:
        if "wide" not in vars(self):
            return None
        found = self.wide.approximate()
        if found is not None:
            self.used["approxmc"] = None
        return found

    @property
    def note(self) -> str | None:
        return self.wide.note if "wide" in vars(self) else None

    def forced(self) -> tuple[Forced, bool]:
        if self.position is not None:
            return Forced(self.position.values), True
        if self.counted and self.question.task in (Task.ANALYZE, Task.FORCED):
            # What follows takes less memory.
            with suppress(TooWide):
                return self._counted_forced(), True
        assert self.found is not None, "asked of consistent boards only"
        left, loose = self.reduction.mines_left, self.reduction.loose.size
        allowed = None if left is None else range(left - loose, left + 1)
        mines = self.parts.held(self.found.mines.ravel())
        boxes, complete, seen = search.forced_within(
            self.parts, mines, allowed, self.effort.search, self.deadline
        )
        values = self._cell_values(boxes)
        if left is not None:
            # Loose cells are free once a layout has mines there and one (the same, maybe) has not.
            free = not loose or (seen.stop - 1 > left - loose and seen.start < left)
            if complete.all() and free:
                return self._decided(values), True
            return self._forced_by_total(values)
        if complete.all():
            return self._decided(values), True
        self._unbounded("sat")
        wide = np.flatnonzero(~complete).tolist()
        layout = self.found.mines.ravel()
        proved, finished = sat.forced(self.reduction, layout, self.deadline, wide)
        return self._decided(np.where(values == UNDECIDED, proved, values)), finished

    def layouts(self) -> Iterator[Layout]:
        try:
            count = self.tally.count
        except TooWide:
            self._unbounded("sat")
            yield from sat.Sat(self.question, self.deadline, self.effort).layouts()
            return
        if count:
            yield from super().layouts()

    def _spread(self, by_mines: bool) -> None:
        """Have others count what is expensive, if there are others."""
        if self.effort.share is not None:
            spread(self.tally, self.effort.share, self.deadline, by_mines)

    def _forced_by_total(self, values: NDArray[np.int8]) -> tuple[Forced, bool]:
        """Forced cells where the total of mines matters; ``values`` are known without it."""
        assert self.found is not None
        if self.problem.size.size <= _TOTAL_BOXES:
            mines = self.problem.held(self.found.mines.ravel())
            boxes, complete = search.forced(self.problem, mines, self.effort.search, self.deadline)
            if complete.all():
                return self._decided(self._cell_values(boxes)), True
        try:
            return super().forced()
        except TooWide:
            self._unbounded("sat")
            proved, finished = sat.forced(self.reduction, self.found.mines.ravel(), self.deadline)
            return self._decided(np.where(values == UNDECIDED, proved, values)), finished

    def _counted_witness(self) -> Layout | None:
        """A layout, once they have been counted."""
        if self.tally.count:
            return self._layout(self.tally.witness())
        hopeless = [place for place, part in enumerate(self.tally.parts) if not part.totals]
        if hopeless:
            clues, core = self._clues(hopeless[:1]), self.tally.parts[hopeless[0]].core
            if core is None:
                self._refute(clues)
            else:
                self._refute([clues[place] for place in core], minimal=True)
        else:
            self._refute(self.reduction.clue.tolist(), total=True)
        return None

    def _counted_forced(self) -> Forced:
        """The cells whose chances are exactly 0 or 1."""
        values = np.full(self.board.shape, UNDECIDED, np.int8)
        for value in (IS_SAFE, IS_MINE):
            values[self.rounded == value] = value
        return Forced(values)

    def _with_total(self, placed: NDArray[np.bool_]) -> Layout | None:
        """A layout with the right total, starting from one with any; None if there is none."""
        lack = (self.question.mines or 0) - int(np.count_nonzero(placed))
        if 0 <= lack <= self.reduction.loose.size:
            placed[self.reduction.loose[:lack]] = True
            return self._layout(placed)
        if self.problem.size.size <= _TOTAL_BOXES:
            verdicts, mines = search.witness(self.problem, self.effort.search, self.deadline)
            if verdicts[0] == Verdict.CONSISTENT:
                return self._layout(self.problem.place(mines))
            if verdicts[0] == Verdict.INCONSISTENT:
                self._refute(self.reduction.clue.tolist(), total=True)
                return None
        try:
            if self.tally.count:
                return self._layout(self.tally.layout(0))
        except TooWide:
            self._unbounded("sat")
            result = sat.witness(self.reduction, self.deadline)
            if result is not None:
                return self._layout(self._placed(*result))
        self._refute(self.reduction.clue.tolist(), total=True)
        return None

    def _alone(self) -> Core | None:
        """Clues that cannot hold together whatever the total; None: they can, or time is up."""
        clues = Auto(Question(Task.CHECK, self.board), self.deadline, self.effort)
        try:
            return None if clues.witness() else clues.core()
        except DeadlinePassed:
            return None

    def _clues(self, components: Sequence[int]) -> list[int]:
        """Clues of some components, as numbered in the constraints."""
        first = self.reduction.component_clues
        return [
            clue
            for component in components
            for clue in self.reduction.clue[first[component] : first[component + 1]].tolist()
        ]

    def _refute(self, clues: list[int], total: bool = False, minimal: bool = False) -> None:
        """Remember why there is no layout: these clues, ``minimal`` if all of them are needed."""
        used, with_total = self.reduction.trace(clues, total)
        # Where propagation had a part in it, that is said of what it left only.
        self.refuted = Core(used, with_total, minimal and len(used) == len(clues))

    def _unbounded(self, name: str) -> None:
        """About to run a method that only a deadline ends."""
        if not self.effort.unbounded:
            raise NeedsWorker
        self.used[name] = None
