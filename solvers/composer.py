"""How an answer is put together from what a backend and the explainer find in time.

First comes a layout, or the clues that have none; what else a task asks for are the steps in its
row of `_STEPS`. A new question needs a member of `solvers.question.Task`, a row there, and
the module that solves it, which a step calls. What it finds goes into a field of `Answer`:

    def moves(self) -> None:
        self.answer.moves = self.in_time(lambda: best_moves(self.question.board, self.deadline))

`in_time` leaves the field None, and the answer incomplete, where time or memory is not enough.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

from minefield.board import Board
from minefield.certificates.document import Certificate
from minefield.layout import Layout
from minefield.reduction.constraints import NONE, Constraints, reduce
from minefield.rules import Plain, Rules
from minefield.variant import Variant
from solvers.answer import Answer, Composed, Conflicts, Corrections, Either, Explanation, Flags
from solvers.backends.method import Method
from solvers.backends.search import Auto
from solvers.backends.strip_chances import StripChances
from solvers.budget import Budget, TooWide
from solvers.counting.board import Tally
from solvers.counting.chances import Chances
from solvers.counting.ratio import Ratio
from solvers.counting.safest import SAFEST, ranked
from solvers.deadline import Deadline, DeadlinePassed
from solvers.effort import Effort, NeedsWorker
from solvers.progress import Progress
from solvers.question import Composition, Place, Question, Task
from solvers.search.core import Core

if TYPE_CHECKING:
    from solvers.reasons.explain import Explainer

T = TypeVar("T")


class Composer:
    """Puts the answer to one question together.

    ``keep`` is given the answer after each part of it. Steps raise `NeedsWorker` where something
    is missing that more effort would find.
    """

    def __init__(
        self,
        question: Question,
        method: Method,
        deadline: Deadline,
        effort: Effort,
        keep: Callable[[Answer], None],
        progress: Progress | None = None,
    ) -> None:
        self.question = question
        self.method = method
        self.deadline = deadline
        self.effort = effort
        self.progress = progress or Progress()
        self.answer = self.progress.answer or Answer(loosened=method.loosened)
        #: Clues that cannot hold together, where there is no layout.
        self.core: Core | None = self.progress.core if self.answer.conflict else None
        self._keep = keep

    def compose(self) -> Answer:
        """The answer, as far as there is time for it.

        Raises:
            NeedsWorker: there is more to it than the effort allows; it carries the progress.
        """
        self.method.resume(self.progress)
        try:
            if not self.progress.steps:
                self._decide()
            for step in self._steps()[self.progress.steps - 1 :]:
                step(self)
                self.progress.steps += 1
        except NeedsWorker:
            self.answer.method = self.method.name
            raise
        self.answer.method = self.method.name
        return self.answer

    def _decide(self) -> None:
        """The verdict, with a layout."""
        later = self.question.by_mines is None
        # What is counted when it is read leaves the layout for then, too; a count needs none.
        if (later or self.question.task is Task.COUNT) and self.method.has_counted_some:
            self.answer.witness = self.method.witness if later else None
            self._decided(True)
        elif found := self.in_time(lambda: (self.method.witness(),)):
            (self.answer.witness,) = found
            self._decided(self.answer.witness is not None)
        self.progress.answer = self.answer
        self.progress.steps = 1

    def _decided(self, consistent: bool) -> None:
        self.answer.consistent = consistent
        self.answer.method = self.method.name
        self.keep()

    def _steps(self) -> list["_Step"]:
        """What is done once the verdict is known."""
        if self.answer.consistent is None:
            return []
        return self._consistent() if self.answer.consistent else self._inconsistent()

    def _consistent(self) -> list["_Step"]:
        """What is done once there is a layout."""
        steps = _STEPS[self.question.task]
        first = [Composer.forced] if self.question.flags else []
        last = steps.certified if self.question.certificate else ()
        return [*first, *(step for step in steps.consistent if step not in first), *last]

    def _inconsistent(self) -> list["_Step"]:
        """What is done once it is known that there is no layout."""
        board = self.question.board
        if isinstance(board, Variant) and board.beyond is not None:
            # Only of intervals it is known which ones contradict each other.
            return [Composer.nothing]
        steps = _STEPS[self.question.task]
        counts = Composer.certify_count in steps.certified
        certify = Composer.certify_count if counts else Composer.certify_conflict
        certified = [certify] if self.question.certificate else []
        return [Composer.conflict, *certified, *steps.inconsistent, Composer.feasible]

    @cached_property
    def explainer(self) -> "Explainer":
        """What knows the reasons."""
        # Most questions ask for no reasons, and a command starts sooner without what finds them.
        from solvers.reasons.explain import Explainer

        return Explainer(self.question, self.deadline, self.effort)

    def keep(self) -> None:
        """Hand on what is known so far."""
        self._keep(self.answer)

    def in_time(self, find: Callable[[], T]) -> T | None:
        """What ``find`` returns, or None with the answer marked incomplete."""
        try:
            return find()
        except (DeadlinePassed, TooWide):
            self._incomplete()
            return None

    def _incomplete(self) -> None:
        """Something is missing, for good or until more effort is allowed."""
        if not self.effort.unbounded:
            raise NeedsWorker
        self.answer.complete = False

    # Layouts and their number.

    def layouts(self) -> None:
        """Layouts from the question's offset on."""
        offset, limit = self.question.offset, self.question.limit
        found = self.answer.layouts = []
        more = False
        try:
            for layout in self.method.layouts():
                if len(found) == limit:
                    more = True
                    break
                found.append(layout)
        except (DeadlinePassed, TooWide):
            self._incomplete()
            more = True
        self.answer.next_offset = offset + len(found) if more else None
        if not more and (found or not offset):
            self.answer.count = offset + len(found)
        self.keep()

    def samples(self) -> None:
        """Sample number k depends on the seed and on k alone, so that pages fit together."""
        question = self.question
        found = self.answer.layouts = []
        try:
            for number in range(question.offset, question.offset + question.limit):
                self.deadline.check()
                found.append(self.method.sample(Random(f"{question.seed:x},{number:x}")))
        except (DeadlinePassed, TooWide):
            self._incomplete()
        self.answer.next_offset = question.offset + len(found)
        self.keep()

    def rank(self) -> None:
        """The number of the question's layout, if it has one."""
        layout = self.question.layout
        if layout is not None:
            self.answer.rank = self.in_time(lambda: self.method.rank(layout))

    def count(self) -> None:
        """The number of layouts, unless they have all been listed."""
        if self.answer.count is None:
            self.answer.count = self.in_time(self.method.count)
            self.answer.estimate = self.method.estimate
            self.keep()

    def by_mines(self) -> None:
        """The layouts by number of mines, or about how many there are if they were not counted."""
        if self.answer.count is None:
            self.answer.approximate = self.in_time(self.method.approximate)
            self.answer.note = self.method.note
        elif self.question.by_mines is None:
            self.answer.by_mines = self.method.by_mines
        elif self.question.by_mines or self.in_time(lambda: self.method.soon_by_mines):
            found = self.answer.by_mines = self.in_time(self.method.by_mines)
            self.answer.complete &= found is not None
        self.keep()

    # Chances.

    def likelihood(self) -> None:
        """The chance that random mines fit, for a question with a density."""
        density = self.question.density
        if density is None:
            return
        found = self.in_time(lambda: self.method.likelihood(density))
        if found is not None:
            self.answer.likelihood = self.in_time(lambda: self._in_form(found))
        self.answer.complete &= self.answer.likelihood is not None

    def chances(self) -> None:
        """Probabilities, exact where the method knows them so, and the safest cells."""
        density = self.question.density
        chances = self.in_time(lambda: self.method.chances(density))
        if chances is not None:
            self._exact(chances)
        elif not self.question.fractions:
            self.answer.probabilities = self.in_time(lambda: self.method.probabilities(density))
            self._rank_rounded()
        if self.answer.probabilities is None:
            self.answer.complete = False
            if not self.method.tells_chances:
                self.answer.note = f"{self.method.name} knows no chances"

    def _exact(self, chances: Chances | StripChances) -> None:
        """What exact chances tell."""
        question = self.question
        rows, width = question.board.shape
        budget = Budget(self.effort.transitions, self.deadline)
        found = self.in_time(
            lambda: chances.exact(budget) if question.fractions else chances.nearest()
        )
        if found is None:
            return
        self.answer.probabilities = found.reshape(rows, width)
        named = self._named_cells
        safest = self.in_time(
            lambda: [
                (divmod(cell, width), self._in_form(chance))
                for cell, chance in chances.least(SAFEST, named)
            ]
        )
        self.answer.safest = safest

    @property
    def _named_cells(self) -> int:
        """Cells that are told of one by one; they come first."""
        board = self.question.board
        return len(board.number) if isinstance(board, Rules) else self.question.cells

    def _rank_rounded(self) -> None:
        """The safest cells from rounded chances; these are in the order of the exact ones."""
        chances = self.answer.probabilities
        if chances is None or self.question.window is not None:
            return
        self.answer.safest = ranked(chances, self._named_cells)

    def _in_form(self, chance: Ratio) -> float | Fraction:
        """A chance as the question wants it."""
        if not self.question.fractions:
            return chance.nearest
        return chance.exact(Budget(self.effort.transitions, self.deadline))

    # Forced cells.

    def forced(self) -> None:
        """Forced cells, and what they say of the flags."""
        found = self.in_time(self.method.forced)
        if not found:
            return
        forced, complete = found
        self.answer.forced = forced
        self.keep()
        self.answer.complete &= complete
        flags = self.question.flags
        if flags:
            mines, safe = set(forced.mines), set(forced.safe)
            self.answer.flags = Flags(
                [flag for flag in flags if flag in mines],
                [flag for flag in flags if flag in safe],
                [flag for flag in flags if flag not in mines and flag not in safe],
            )

    def outside(self) -> None:
        """What must hold outside the window."""
        self.answer.outside = self.in_time(self.method.outside)
        self.keep()

    def explain(self) -> None:
        """Why cells are forced, or that the one that was asked about is not."""
        forced, asked, layout = self.answer.forced, self.question.cell, self.answer.witness
        if forced is None or layout is None:
            return

        def keep(found: list[Explanation]) -> None:
            self.answer.explanations = found
            self.keep()

        if asked is not None and asked not in forced.mines and asked not in forced.safe:
            self.answer.explanations = []
            if self.answer.complete:
                self.answer.either = self.in_time(lambda: self._either(asked, layout))
            return
        found = self.explainer.forced(layout, forced, asked, keep)
        keep(found)
        if self.explainer.too_long:
            self.answer.note = "too many steps to show: ask for one cell"
        self.answer.complete &= self.explainer.complete
        self.answer.complete &= all(
            one.reasons is not None and one.reasons.minimal and one.steps is not None
            for one in found
        )

    def _either(self, cell: Place, layout: Layout) -> Either:
        """A layout in which the cell is a mine and one in which it is safe."""
        question = self.question
        held = bool(layout.mines[cell])
        board = question.board.supposing(cell, not held)
        supposed = Question(Task.CHECK, board, question.mines)
        other = Auto(supposed, self.deadline, self.effort).witness()
        assert other is not None, "the cell is not forced"
        return Either(cell, layout, other) if held else Either(cell, other, layout)

    def certify_layout(self) -> None:
        """The layout proves the verdict."""
        from solvers.reasons.proofs import witnessed

        question, layout = self.question, self.answer.witness
        assert layout is not None, "certified once it is found"
        assert not isinstance(question.board, Variant), "as the question checks"
        self.answer.certificates = [witnessed(question.board, question.mines, layout)]

    def certify_forced(self) -> None:
        """A proof for each forced cell."""
        layout, forced = self.answer.witness, self.answer.forced
        if layout is not None and forced is not None:
            proved = self.answer.certificates = []
            self.in_time(lambda: proved.extend(self.explainer.proofs(layout, forced)))

    def certify_count(self) -> None:
        """The tables that count the layouts, if they are not too large."""
        board, count = self.question.board, self.answer.count
        by_mines = self.question.by_mines is not None and self.answer.by_mines is not None
        assert not isinstance(board, Variant), "as the question checks"
        if count is None:
            return
        found = self.in_time(lambda: self._counted(board, count, by_mines))
        if found is not None:
            self.answer.certificates = [found]
        else:
            self.answer.note = "the tables that certify the count are too large, or take too long"

    def _counted(self, board: Plain, count: int, by_mines: bool) -> Certificate:
        """The certificate of a count, or of the conflict where there is no layout."""
        from solvers.reasons.tables import counted

        budget = Budget(self.effort.transitions, self.deadline)
        try:
            return counted(board, self.question.mines, by_mines, count, budget)
        except TooWide:
            if count or self.core is None or not self.effort.unbounded:
                raise
            return self.explainer.refuted(self.core)

    # Conflicts.

    def nothing(self) -> None:
        """There are no layouts."""
        self.answer.count = 0
        if self.question.density is not None:
            self.answer.likelihood = Fraction(0) if self.question.fractions else 0.0

    def conflict(self) -> None:
        """Clues that cannot hold together, none to spare if the effort allows."""
        self.nothing()
        core = self.core = self.in_time(self._core)
        if core is not None:
            self.answer.conflict = self.explainer.named(core)
            self.answer.complete &= core.minimal and self.explainer.complete
            self.keep()

    def _core(self) -> Core:
        question = self.question
        core = self.progress.core or self.method.core()
        if core is None:
            asked = Question(Task.CHECK, question.clued, question.mines)
            plain = Auto(asked, self.deadline, self.effort)
            plain.witness()
            clues = self.explainer.constraints.low.size
            core = plain.core() or Core(list(range(clues)), question.mines is not None)
        self.progress.core = core
        self.progress.core = self.explainer.conflict(core)
        return self.progress.core

    def refute(self) -> None:
        """The steps that lead from the conflict's clues to a contradiction."""
        core = self.core
        if core is not None:
            self.answer.steps = self.in_time(lambda: self.explainer.refutation(core))

    def certify_conflict(self) -> None:
        """A proof that the conflict's clues cannot hold together."""
        core = self.core
        if core is not None:
            self.answer.certificates = self.in_time(lambda: [self.explainer.refuted(core)])

    def feasible(self) -> None:
        """The least and the most mines of any layout, where the total is that of none."""
        # Where the clues alone cannot hold, no total is feasible.
        if self.question.mines is not None and (self.core is None or self.core.total):
            self.keep()
            self.answer.feasible = self.in_time(self._feasible)

    def _feasible(self) -> tuple[int, int] | None:
        reduction = reduce(Constraints.of(self.question.board))
        if reduction.conflict != NONE:
            return None
        return Tally(reduction, Budget(self.effort.transitions, self.deadline)).feasible

    def repair(self) -> None:
        """The fewest corrections that help."""
        from solvers.reasons.repair import repairs

        self._list("repairs", repairs)

    def conflicts(self) -> None:
        """All minimal conflicts, up to the limit."""
        from solvers.reasons.conflicts import conflicts

        self._list("conflicts", conflicts)

    def _list(self, name: str, find: Callable[..., Conflicts | Corrections]) -> None:
        """The sets that are found in time, up to the limit, as the answer's field of a name."""
        question = self.question

        def keep(found: Conflicts | Corrections) -> None:
            setattr(self.answer, name, found)
            self.keep()

        def sets() -> Conflicts | Corrections:
            if not self.effort.unbounded:
                raise NeedsWorker
            return find(question.board, question.mines, self.deadline, question.limit, keep)

        found = self.in_time(sets)
        setattr(self.answer, name, found)
        if found is not None and found.more and len(found.sets) < question.limit:
            self.answer.complete = False

    def contradict_nothing(self) -> None:
        """A consistent board has no conflicts."""
        self.answer.conflicts = Conflicts([], more=False)

    def leave_as_it_is(self) -> None:
        """A consistent board needs no corrections."""
        self.answer.repairs = Corrections(0, [], possible=True, more=False)

    # Clues.

    def clues(self) -> None:
        """The fewest clues that keep what they have to, and the hidden ones that decide most."""
        from solvers.reasons.compose import compose

        if not self.effort.unbounded:
            raise NeedsWorker
        question, forced = self.question, self.answer.forced
        asked = question.composition or Composition()
        assert isinstance(question.board, Board), "as the question checks"
        if self.answer.consistent and (forced is None or not self.answer.complete):
            return

        def keep(found: Composed) -> None:
            self.answer.composed = found
            self.keep()

        revealing = asked.reveals > 0 and self.answer.consistent
        until = self.deadline.part(0.5) if revealing else self.deadline
        found = compose(question.board, question.mines, asked, forced, until, keep)
        keep(found)
        self.answer.complete &= found.enough is False or found.optimal
        if revealing:
            self._reveals(found, question.board, asked)

    def _reveals(self, found: Composed, board: Board, asked: Composition) -> None:
        """The hidden clues of the board that decide most."""
        from solvers.reasons.reveals import Reveals

        assert self.answer.forced is not None, "they were asked for before"
        reveals = Reveals(
            board, self.question.mines, self.answer.forced, self.deadline, self.effort
        )
        found.reveals = reveals.best(asked.reveals, asked.layout)
        self.answer.complete &= reveals.complete

    # Moves.

    def moves(self) -> None:
        """The best moves, as far as chances are known; at least those that are proved."""
        # Loaded only for this question, as the explainer is for its own.
        from solvers.play.moves import Adviser, proved_moves

        question, answer = self.question, self.answer
        board, mines = question.board, question.mines
        assert isinstance(board, Board), "as the question checks"
        assert mines is not None, "as the question checks"
        forced, chances = answer.forced, answer.probabilities
        if chances is None:
            if forced is not None:
                answer.moves = proved_moves(board, forced.safe, question.limit)
            self._incomplete()
            return
        adviser = Adviser(board, mines, chances, self.effort.transitions, self.deadline)
        answer.moves = adviser.moves(question.limit, question.cell)
        if not answer.moves.complete:
            self._incomplete()


_Step: TypeAlias = Callable[[Composer], None]


class _Steps(NamedTuple):
    """What a task asks for beyond the verdict.

    ``consistent`` is done where there is a layout, ``certified`` thereafter, if proof is asked for;
    ``inconsistent`` where there is none, once the conflict is known.
    """

    consistent: tuple[_Step, ...] = ()
    certified: tuple[_Step, ...] = ()
    inconsistent: tuple[_Step, ...] = ()


_STEPS: Final[Mapping[Task, _Steps]] = MappingProxyType(
    {
        Task.CHECK: _Steps(certified=(Composer.certify_layout,)),
        Task.LAYOUTS: _Steps((Composer.layouts, Composer.rank, Composer.count)),
        Task.COUNT: _Steps(
            (Composer.count, Composer.by_mines, Composer.likelihood),
            certified=(Composer.certify_count,),
        ),
        Task.FORCED: _Steps((Composer.forced,), certified=(Composer.certify_forced,)),
        Task.ANALYZE: _Steps(
            (
                Composer.forced,
                Composer.count,
                Composer.by_mines,
                Composer.likelihood,
                Composer.chances,
            ),
            certified=(Composer.certify_count,),
        ),
        Task.STRIPS: _Steps((Composer.forced, Composer.outside, Composer.count, Composer.chances)),
        Task.SAMPLE: _Steps((Composer.samples, Composer.count)),
        Task.EXPLAIN: _Steps((Composer.forced, Composer.explain), inconsistent=(Composer.refute,)),
        Task.MOVES: _Steps((Composer.forced, Composer.chances, Composer.moves)),
        Task.COMPOSE: _Steps((Composer.forced, Composer.clues), inconsistent=(Composer.clues,)),
        Task.REPAIR: _Steps((Composer.leave_as_it_is,), inconsistent=(Composer.repair,)),
        Task.CONFLICTS: _Steps((Composer.contradict_nothing,), inconsistent=(Composer.conflicts,)),
    }
)
