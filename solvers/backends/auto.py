"""The default backend: it answers each question by the cheapest exact method.

Tested in tests/solvers/test_router.py.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED, Constraints
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends import sat
from minecheck.solvers.backends.counting import Counting
from minecheck.solvers.backends.model_counters import WideCount
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.cutset import spread_count
from minecheck.solvers.counting.matching_component import MatchingComponent
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import Effort, NeedsMoreEffort
from minecheck.solvers.findings import Approximation, Forced
from minecheck.solvers.positions.solve import Position, solve_position
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question, QuestionWithTotal
from minecheck.solvers.search import search
from minecheck.solvers.search.core import Core
from minecheck.solvers.search.engine import Verdict
from minecheck.solvers.search.problem import BoxProblem

#: Counts that take less, in units of `solvers.budget.Budget` (some seconds), come first.
_CHEAP = 5_000_000_000


class Auto(Counting):
    """Ordinary positions at once; what is soon counted by counts; else search, SAT and counts."""

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        self.used: dict[Backend, None] = {}
        self.refuted: Core | None = None

    @classmethod
    def from_clues(
        cls, question: Question, constraints: Constraints, deadline: Deadline, effort: Effort
    ) -> "Auto":
        """Return the method for a board that is known to be no ordinary position.

        Args:
            question: the question.
            constraints: the clues of its board, or some of them.
            deadline: when to give up.
            effort: how much the method may spend.
        """
        method = cls(question, deadline, effort)
        method.constraints = constraints
        method.position = None
        return method

    def resume(self, progress: Progress) -> None:
        """Take over the progress of an earlier attempt."""
        super().resume(progress)
        attributes = vars(self)
        if progress.looked:
            attributes["position"] = None
        if progress.answer is not None:
            if progress.answer.witness or not progress.answer.consistent:
                attributes["first_layout"] = progress.answer.witness
            # Propagation is what is left where no other engine was used.
            left_out = (Backend.PROPAGATION, self.question.engine)
            engines = map(Backend, progress.answer.engines)
            self.used = dict.fromkeys(engine for engine in engines if engine not in left_out)

    def hand_over(self, progress: Progress) -> None:
        """Record the results so far for the effort that continues."""
        super().hand_over(progress)
        if "position" in vars(self) and self.position is None:
            progress.looked = True

    @property
    def engines(self) -> tuple[Backend, ...]:
        """The engines that found the results so far; the last one gave the latest result."""
        return tuple(self.used) or (Backend.PROPAGATION,)

    def _note_use(self, backend: Backend) -> None:
        """Note that an engine found something: the last one that did names the answer."""
        self.used.pop(backend, None)
        self.used[backend] = None

    @cached_property
    def tally(self) -> BoardTally:
        """The exact counts, noted as the work of the frontier."""
        self._note_use(Backend.FRONTIER)
        return super().tally

    @cached_property
    def position(self) -> Position | None:
        """Everything at once, if the board is an ordinary position and consistent."""
        if not isinstance(self.board, Board):
            return None
        position = solve_position(self.board, self.question.mines, self.question.density)
        if position is not None:
            self._note_use(Backend.POSITIONS)
        return position

    @cached_property
    def counts_first(self) -> bool:
        """True if layouts were counted before all else: if they will be, and that is cheap.

        Matchings are in any case: what they have in common is found neither by search nor by SAT.
        """
        if self.contradictory or not (self.question.counts or self._has_matchings):
            return False
        try:
            tally = self.tally
            if tally.cost > min(_CHEAP, tally.budget.transitions / 4):
                return False
            # If it takes longer than is thought, there is still time for the verdict.
            tally.budget.deadline = self.deadline.take_share(0.5)
            self._spread_count(by_mines=self.reduction.mines_left is not None)
            return tally.count >= 0
        except (TooWide, DeadlinePassed):
            return False
        finally:
            self.tally.budget.deadline = self.deadline

    @property
    def _has_matchings(self) -> bool:
        """True if the layouts of some component are matchings."""
        components = range(self.reduction.components)
        return any(
            MatchingComponent.is_matching(self.reduction, component) for component in components
        )

    @cached_property
    def wide(self) -> WideCount:
        """The count of a board that is too wide for the frontier.

        Raises:
            NeedsMoreEffort: only a deadline ends such a count, and the effort is bounded.
        """
        if not self.effort.unbounded:
            raise NeedsMoreEffort
        return WideCount(self.tally, self.deadline, self.effort.exact_share)

    @cached_property
    def parts(self) -> BoxProblem:
        """The boxes without the total of mines."""
        return BoxProblem.from_reduction(self.reduction, total=False)

    @cached_property
    def first_layout(self) -> Layout | None:
        """A layout, or None; then `core` says why."""
        if self.position is not None:
            return Layout(self.position.layout)
        if self.contradictory:
            return None
        if not self.reduction.components and self.reduction.mines_left is None:
            return self._layout_from_mines(np.asarray(self.reduction.state == IS_MINE))
        if self.counts_first:
            return self._find_counted_witness()
        self._note_use(Backend.SEARCH)
        verdicts, mines = search.find_witness(self.parts, self.effort.search, self.deadline)
        for component in np.flatnonzero(verdicts == Verdict.INCONSISTENT)[:1]:
            self._remember_core(self._list_clues([int(component)]))
            return None
        placed = self.parts.place_mines(mines)
        wide = np.flatnonzero(verdicts == Verdict.GAVE_UP).tolist()
        if wide:
            self._note_sat()
            result = sat.find_witness(self.reduction, self.deadline, wide)
            if result is None:
                self._remember_core(self._list_clues(wide))
                return None
            placed[result[0]] = result[1]
        if self.reduction.mines_left is None:
            return self._layout_from_mines(placed)
        return self._with_total(placed)

    def find_witness(self) -> Layout | None:
        """Return a layout, None if there is none."""
        return self.first_layout

    @property
    def has_counted_some(self) -> bool:
        """True if layouts were counted, and there are some."""
        if self.position is not None or not self.reduction.components:
            return False
        return self.counts_first and self.tally.count > 0

    def find_core(self) -> Core | None:
        """Return clues behind an inconsistency, None if none are known."""
        if not self.contradictory:
            return self.refuted
        core = Core(*self.reduction.trace_conflict())
        # Propagation may take in the total before the clues have been searched by themselves.
        return self._find_core_alone() or core if core.total else core

    def count(self) -> int:
        """Count the layouts, by Ganak where that is too wide and there is no total.

        Raises:
            TooWide: there is a total, or Ganak takes too long.
        """
        if self.position is not None:
            return self.position.count
        try:
            self._spread_count(by_mines=self.reduction.mines_left is not None)
            count = super().count()
        except TooWide:
            if self.reduction.mines_left is not None:
                raise
            count = self.wide.count_exactly()
            self._note_use(Backend.GANAK)
        else:
            self._note_use(Backend.FRONTIER)
        return count

    def by_mines(self) -> dict[int, int] | None:
        """Return the layouts by number of mines.

        Raises:
            NeedsMoreEffort: they take more than the effort allows.
        """
        if self.position is not None:
            if not (self.effort.unbounded or self.position.soon_by_mines):
                raise NeedsMoreEffort
            return self.position.by_mines()
        if self.reduction.mines_left is None:
            self._spread_count(by_mines=True)
        by_mines = super().by_mines()
        self._note_use(Backend.FRONTIER)
        return by_mines

    @property
    def soon_by_mines(self) -> bool:
        """True if layouts by number of mines take little time."""
        if self.position is not None:
            return self.position.soon_by_mines
        return super().soon_by_mines

    @cached_property
    def rounded(self) -> NDArray[np.float64]:
        """The nearest doubles to the chances, NaN for known cells, (height, width)."""
        if self.position is not None:
            return self.position.chances
        chances = super().rounded
        self._note_use(Backend.FRONTIER)
        return chances

    def compute_chances(self) -> Chances | None:
        """Return exact chances, in reading order; None if this engine has none."""
        chances = super().compute_chances()
        if chances is not None:
            self._note_use(Backend.FRONTIER)
        return chances

    def sample(self, random: Random) -> Layout:
        """Draw a layout of a consistent board at random."""
        self._note_use(Backend.FRONTIER)
        return super().sample(random)

    def rank(self, layout: Layout) -> int:
        """Return the number of a layout that fits, in the order of `iterate_layouts`."""
        self._note_use(Backend.FRONTIER)
        return super().rank(layout)

    def approximate(self) -> Approximation | None:
        """Estimate the count by ApproxMC, None if there was no need or it failed."""
        if "wide" not in vars(self):
            return None
        approximation = self.wide.count_approximately()
        if approximation is not None:
            self._note_use(Backend.APPROXMC)
        return approximation

    @property
    def note(self) -> str | None:
        """Why a wide board was not counted exactly, None if there is nothing to say."""
        return self.wide.note if "wide" in vars(self) else None

    def find_forced(self) -> tuple[Forced, bool]:
        """Return forced cells, and whether these are all."""
        if self.position is not None:
            return Forced(self.position.values), True
        if self.counts_first and self.question.forced_by_count:
            # The methods below take less memory.
            with suppress(TooWide):
                return self._find_counted_forced(), True
        assert self.first_layout is not None, "called for consistent boards only"
        mines_left, loose = self.reduction.mines_left, self.reduction.loose.size
        allowed = None if mines_left is None else range(mines_left - loose, mines_left + 1)
        mines = self.parts.count_mines(self.first_layout.mines.ravel())
        if self.reduction.components:
            self._note_use(Backend.SEARCH)
        boxes, complete, seen = search.find_forced(
            self.parts, mines, self.effort.search, self.deadline, allowed
        )
        values = self._cell_values(boxes)
        if mines_left is not None:
            # Loose cells are free once a layout has mines there and one (the same, maybe) has not.
            free = not loose or (seen.stop - 1 > mines_left - loose and seen.start < mines_left)
            if complete.all() and free:
                return self._forced_from_values(values), True
            return self._find_forced_by_total(values)
        if complete.all():
            return self._forced_from_values(values), True
        self._note_sat()
        wide = np.flatnonzero(~complete).tolist()
        layout = self.first_layout.mines.ravel()
        proved, finished = sat.find_forced(self.reduction, layout, self.deadline, wide)
        return self._forced_from_values(np.where(values == UNDECIDED, proved, values)), finished

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on, by SAT where counts are too wide."""
        layouts = super().iterate_layouts()
        try:
            if self.tally.count:
                self._note_use(Backend.FRONTIER)
            first = next(layouts, None)
        except TooWide:
            self._note_sat()
            by_sat = sat.Sat(self.question, self.deadline, self.effort)
            by_sat.constraints = self.constraints
            yield from by_sat.iterate_layouts()
            return
        if first is not None:
            yield first
            yield from layouts

    def _spread_count(self, by_mines: bool) -> None:
        """Have others count what is expensive, if there are others."""
        if self.effort.share is not None:
            spread_count(self.tally, self.effort.share, self.deadline, by_mines)

    def _find_forced_by_total(self, values: NDArray[np.int8]) -> tuple[Forced, bool]:
        """Return forced cells where the total of mines matters; ``values`` are known without it."""
        assert self.first_layout is not None
        if self.problem.size.size <= self.effort.total_boxes:
            mines = self.problem.count_mines(self.first_layout.mines.ravel())
            boxes, complete, _ = search.find_forced(
                self.problem, mines, self.effort.search, self.deadline
            )
            if complete.all():
                return self._forced_from_values(self._cell_values(boxes)), True
        try:
            forced = super().find_forced()
        except TooWide:
            self._note_sat()
            proved, finished = sat.find_forced(
                self.reduction, self.first_layout.mines.ravel(), self.deadline
            )
            return self._forced_from_values(np.where(values == UNDECIDED, proved, values)), finished
        self._note_use(Backend.FRONTIER)
        return forced

    def _find_counted_witness(self) -> Layout | None:
        """Return a layout, once they have been counted; remember why if there is none."""
        if self.tally.count:
            return self._layout_from_mines(self.tally.find_witness())
        hopeless = [index for index, part in enumerate(self.tally.parts) if not part.totals]
        if hopeless:
            clues, core = self._list_clues(hopeless[:1]), self.tally.parts[hopeless[0]].core
            if core is None:
                self._remember_core(clues)
            else:
                self._remember_core([clues[index] for index in core], minimal=True)
        else:
            self._remember_core(self.reduction.clue.tolist(), total=True)
        return None

    def _find_counted_forced(self) -> Forced:
        """Return the cells whose chances are exactly 0 or 1."""
        values = np.full(self.board.shape, UNDECIDED, np.int8)
        for value in (IS_SAFE, IS_MINE):
            values[self.rounded == value] = value
        return Forced(values)

    def _with_total(self, placed: NDArray[np.bool_]) -> Layout | None:
        """Return a layout with the right total, starting from one with any; None without one."""
        lack = (self.question.mines or 0) - int(np.count_nonzero(placed))
        if 0 <= lack <= self.reduction.loose.size:
            placed[self.reduction.loose[:lack]] = True
            return self._layout_from_mines(placed)
        if self.problem.size.size <= self.effort.total_boxes:
            verdicts, mines = search.find_witness(self.problem, self.effort.search, self.deadline)
            if verdicts[0] == Verdict.CONSISTENT:
                return self._layout_from_mines(self.problem.place_mines(mines))
            if verdicts[0] == Verdict.INCONSISTENT:
                self._remember_core(self.reduction.clue.tolist(), total=True)
                return None
        try:
            if self.tally.count:
                return self._layout_from_mines(self.tally.unrank(0))
        except TooWide:
            self._note_sat()
            result = sat.find_witness(self.reduction, self.deadline)
            if result is not None:
                return self._layout_from_mines(self._place_mines(*result))
        self._remember_core(self.reduction.clue.tolist(), total=True)
        return None

    def _find_core_alone(self) -> Core | None:
        """Return clues that cannot hold together whatever the total, None if they can.

        None may also mean that time is up.
        """
        clues = Auto(QuestionWithTotal(self.board), self.deadline, self.effort)
        clues.constraints = self.constraints.without_total
        try:
            return None if clues.find_witness() else clues.find_core()
        except DeadlinePassed:
            return None

    def _list_clues(self, components: Sequence[int]) -> list[int]:
        """Return the clues of some components, as numbered in the constraints."""
        clue_start = self.reduction.component_clues
        return [
            clue
            for component in components
            for clue in self.reduction.clue[
                clue_start[component] : clue_start[component + 1]
            ].tolist()
        ]

    def _remember_core(self, clues: list[int], total: bool = False, minimal: bool = False) -> None:
        """Remember why there is no layout: these clues, ``minimal`` if all of them are needed."""
        used, with_total = self.reduction.trace_clues(clues, total)
        # If propagation was involved, the statement is only about the part that it left open.
        self.refuted = Core(used, with_total, minimal and len(used) == len(clues))

    def _note_sat(self) -> None:
        """Note that SAT is used next, which only a deadline ends.

        Raises:
            NeedsMoreEffort: the effort is bounded.
        """
        if not self.effort.unbounded:
            raise NeedsMoreEffort
        self._note_use(Backend.SAT)
