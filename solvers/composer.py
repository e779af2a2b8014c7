"""Composition of an answer from the results of a backend and of the explainer, within a deadline.

First comes a layout, or the clues that have none; what else a question asks for are its ``steps``.
Those that only one question has stand beside it, in `solvers.tasks`; the others are methods here.
What a step finds goes into a field of the answer:

    def _find_outside(composer: "Composer[Strips, StripsAnswer]") -> None:
        composer.answer.outside = composer.run_in_time(composer.method.find_outside)

`run_in_time` leaves the field None, and the answer incomplete, where time or memory is not enough.

Tested in tests/solvers/test_router.py and tests/app/execution/test_ladder.py.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from minecheck.minefield.reduction.constraints import NONE
from minecheck.minefield.rules import Rules
from minecheck.minefield.variant import Variant
from minecheck.solvers.answer import Answer, ChancesAnswer, CountedAnswer
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.backends.method import Method
from minecheck.solvers.backends.strip_chances import StripChances
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.safest import SAFEST, rank_safest
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import Effort, NeedsMoreEffort
from minecheck.solvers.findings import Conflicts, Corrections, Flags
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question, QuestionWithTotal, Step
from minecheck.solvers.search.core import Core

if TYPE_CHECKING:
    from minecheck.solvers.reasons.explain import Explainer

T = TypeVar("T")
Q_co = TypeVar("Q_co", bound=Question, covariant=True)
A_co = TypeVar("A_co", bound=Answer, covariant=True)


class Composer(Generic[Q_co, A_co]):
    """Puts the answer to one question together.

    ``keep`` is given the answer after each part of it. Steps raise `NeedsMoreEffort` where
    something is missing that more effort would find.
    """

    def __init__(
        self,
        question: Q_co,
        method: Method,
        deadline: Deadline,
        effort: Effort,
        keep: Callable[[A_co], None],
        progress: Progress | None = None,
    ) -> None:
        self.question = question
        self.method = method
        self.deadline = deadline
        self.effort = effort
        self.progress = progress or Progress()
        # The results so far belong to the same question.
        self.answer: A_co = self.progress.answer or question.answer_type()  # type: ignore[assignment]
        #: Clues that cannot hold together, where there is no layout.
        self.core: Core | None = self.progress.core if self.answer.conflict else None
        self._keep = keep

    def compose(self) -> A_co:
        """Compose the answer, as far as there is time for it.

        Raises:
            NeedsMoreEffort: there is more to it than the effort allows; it carries the progress.
        """
        self.method.resume(self.progress)
        try:
            if not self.progress.steps:
                self._decide_verdict()
            for step in self._choose_steps()[self.progress.steps - 1 :]:
                step(self)
                self.progress.steps += 1
        except NeedsMoreEffort:
            self._name_engines()
            self.method.hand_over(self.progress)
            raise
        self._name_engines()
        return self.answer

    def _name_engines(self) -> None:
        """Record the engines so far; the last one, or that of the question, is the method."""
        own = self.question.engine
        engines = [engine for engine in self.method.engines if engine is not own]
        if own is not None:
            engines.append(own)
        self.answer.engines = tuple(engine.value for engine in engines)
        self.answer.method = self.answer.engines[-1]
        self.answer.automata = self.method.machines

    def _decide_verdict(self) -> None:
        """Decide the verdict, with a layout."""
        for step in self.question.steps.known:
            step(self)
        later = self.question.by_mines is None
        # A lazy count needs no layout, so the layout stays lazy, too.
        if (later or not self.question.needs_layout) and self.method.has_counted_some:
            self.answer.witness = self.method.find_witness if later else None
            self._record_verdict(True)
        elif result := self.run_in_time(lambda: (self.method.find_witness(),)):
            (self.answer.witness,) = result
            self._record_verdict(self.answer.witness is not None)
        self.progress.answer = self.answer
        self.progress.steps = 1

    def _record_verdict(self, consistent: bool) -> None:
        self.answer.consistent = consistent
        if not consistent:
            for step in self.question.steps.nothing:
                step(self)
        self._name_engines()
        self.report_progress()

    def _choose_steps(self) -> Sequence[Step]:
        """Return the steps once the verdict is known."""
        if self.answer.consistent is None:
            return []
        return (
            self._find_steps_if_consistent()
            if self.answer.consistent
            else self._find_steps_if_inconsistent()
        )

    def _find_steps_if_consistent(self) -> Sequence[Step]:
        """Return the steps once a layout is known."""
        steps = self.question.steps
        first = [Composer.find_forced] if self.question.flags else []
        last = steps.certified if self.question.certificate else ()
        return [*first, *(step for step in steps.consistent if step not in first), *last]

    def _find_steps_if_inconsistent(self) -> Sequence[Step]:
        """Return the steps once it is known that no layout exists."""
        board = self.question.board
        if isinstance(board, Variant) and board.beyond is not None:
            # Only of intervals it is known which ones contradict each other.
            return []
        steps = self.question.steps
        certified = steps.refuted if self.question.certificate else ()
        return [
            Composer.find_conflict,
            *certified,
            *steps.inconsistent,
            Composer.find_feasible_totals,
        ]

    @cached_property
    def explainer(self) -> "Explainer":
        """The explainer of this board."""
        # Most questions ask for no reasons, and a command starts sooner without what finds them.
        from minecheck.solvers.reasons.explain import Explainer

        return Explainer(self.question, self.method.constraints, self.deadline, self.effort)

    def report_progress(self) -> None:
        """Hand on what is known so far."""
        self._keep(self.answer)

    def run_in_time(self, find: Callable[[], T]) -> T | None:
        """Return the result of ``find``; at the deadline None, and mark the answer incomplete."""
        try:
            return find()
        except (DeadlinePassed, TooWide):
            self.leave_incomplete()
            return None

    def leave_incomplete(self) -> None:
        """Mark the answer as incomplete, for good or until more effort is allowed.

        Raises:
            NeedsMoreEffort: more effort would find what is missing.
        """
        if not self.effort.unbounded:
            raise NeedsMoreEffort
        self.answer.complete = False

    def count_layouts(self: "Composer[Any, CountedAnswer]") -> None:
        """Count the layouts, unless they have all been listed."""
        if self.answer.count is None:
            self.answer.count = self.run_in_time(self.method.count)
            self.answer.estimate = self.method.estimate
            self.report_progress()

    # Chances.

    def compute_chances(self: "Composer[Any, ChancesAnswer]") -> None:
        """Compute probabilities, exact where the method knows them so, and the safest cells."""
        chances = self.run_in_time(self.method.compute_chances)
        if chances is not None:
            self._record_chances(chances)
        elif not self.question.fractions:
            self.answer.probabilities = self.run_in_time(self.method.compute_probabilities)
            self._rank_rounded()
        if self.answer.probabilities is None:
            self.answer.complete = False
            if not self.method.tells_chances:
                self.answer.note = f"{self.method.engines[-1]} knows no chances"

    def _record_chances(
        self: "Composer[Any, ChancesAnswer]", chances: Chances | StripChances
    ) -> None:
        """Record the fields that exact chances determine."""
        question = self.question
        rows, width = question.board.shape
        budget = Budget(self.effort.transitions, self.deadline)
        by_cell = self.run_in_time(
            lambda: chances.to_fractions(budget) if question.fractions else chances.round_chances()
        )
        if by_cell is None:
            return
        self.answer.probabilities = by_cell.reshape(rows, width)
        named = self._named_cells
        safest = self.run_in_time(
            lambda: [
                (divmod(cell, width), self.format_chance(chance))
                for cell, chance in chances.find_safest(SAFEST, named)
            ]
        )
        self.answer.safest = safest

    @property
    def _named_cells(self) -> int:
        """The number of cells that answers list one by one; they come first."""
        board = self.question.board
        return len(board.number) if isinstance(board, Rules) else self.question.cells

    def _rank_rounded(self: "Composer[Any, ChancesAnswer]") -> None:
        """Rank the safest cells by rounded chances, which are in the order of the exact ones."""
        chances = self.answer.probabilities
        if chances is None or self.question.cutout is not None:
            return
        self.answer.safest = rank_safest(chances, self._named_cells)

    def format_chance(self, chance: Ratio) -> float | Fraction:
        """Return a chance as the question asks for it, a double or a fraction."""
        if not self.question.fractions:
            return chance.nearest
        return chance.to_fraction(Budget(self.effort.transitions, self.deadline))

    # Forced cells.

    def find_forced(self) -> None:
        """Find forced cells, and which flags they prove right or wrong."""
        result = self.run_in_time(self.method.find_forced)
        if not result:
            return
        forced, complete = result
        self.answer.forced = forced
        self.report_progress()
        self.answer.complete &= complete
        flags = self.question.flags
        if flags:
            mines, safe = set(forced.mines), set(forced.safe)
            self.answer.flags = Flags(
                [flag for flag in flags if flag in mines],
                [flag for flag in flags if flag in safe],
                [flag for flag in flags if flag not in mines and flag not in safe],
            )

    # Conflicts.

    def count_nothing(self: "Composer[Any, CountedAnswer]") -> None:
        """Record that there are no layouts."""
        self.answer.count = 0

    def find_conflict(self) -> None:
        """Find clues that cannot hold together, none to spare if the effort allows."""
        # What is known may have clues to spare.
        core = self.core = self.run_in_time(self._find_core) or self.progress.core
        if core is not None:
            self.answer.conflict = self.explainer.name_core(core)
            self.answer.complete &= core.minimal and self.explainer.cores.complete
            self.report_progress()

    def _find_core(self) -> Core:
        question = self.question
        core = self.progress.core or self.method.find_core()
        if core is None:
            with_total = QuestionWithTotal(question.clued, question.mines)
            plain = Auto.from_clues(with_total, self.method.constraints, self.deadline, self.effort)
            plain.find_witness()
            clues = self.explainer.constraints.low.size
            core = plain.find_core() or Core(list(range(clues)), question.mines is not None)
        self.progress.core = core
        self.progress.core = self.explainer.cores.minimise_conflict(core)
        return self.progress.core

    def find_feasible_totals(self) -> None:
        """Find the least and the most mines of any layout if no layout has the given total."""
        # No total is feasible if the clues alone contradict each other.
        if self.question.mines is not None and (self.core is None or self.core.total):
            self.report_progress()
            self.answer.feasible = self.run_in_time(self._compute_feasible_totals)

    def _compute_feasible_totals(self) -> tuple[int, int] | None:
        reduction = self.method.constraints.without_total.reduction
        if reduction.conflict != NONE:
            return None
        return BoardTally(reduction, Budget(self.effort.transitions, self.deadline)).feasible

    def list_sets(
        self,
        find: Callable[..., Conflicts | Corrections],
        field: Literal["conflicts", "repairs"],
    ) -> None:
        """List sets of clues that are found in time, up to the limit.

        Args:
            find: a search for `Conflicts` or `Corrections`.
            field: the field of the answer for what is found so far, and at last all or None.

        Raises:
            NeedsMoreEffort: only a deadline ends the search, and the effort is bounded.
        """
        question = self.question

        def keep_sets(result: Conflicts | Corrections) -> None:
            setattr(self.answer, field, result)
            self.report_progress()

        def read_sets() -> Conflicts | Corrections:
            if not self.effort.unbounded:
                raise NeedsMoreEffort
            constraints = self.method.constraints
            return find(
                question.board,
                question.mines,
                self.deadline,
                question.limit,
                keep_sets,
                constraints=constraints,
            )

        result = self.run_in_time(read_sets)
        setattr(self.answer, field, result)
        if result is not None and result.more and len(result.sets) < question.limit:
            self.answer.complete = False
