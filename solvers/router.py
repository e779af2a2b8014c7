"""Which method answers which question, and how an answer is put together."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from random import Random
from time import perf_counter
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from minefield.board import Board
from minefield.layout import Layout
from minefield.reduction.constraints import NONE, Constraints, reduce
from minefield.rules import Puzzle, Rules
from solvers.answer import (
    Answer,
    Backend,
    BackendRefusal,
    Correction,
    Corrections,
    Either,
    Explanation,
    Flags,
    Place,
    Question,
    Task,
    fresh_seed,
)
from solvers.backends.methods import (
    FULL,
    Automata,
    CpSat,
    Effort,
    Exhaustive,
    Frontier,
    Method,
    NeedsWorker,
    Reduced,
    Sat,
    Windowed,
)
from solvers.backends.search import Auto
from solvers.counting.board import Chances, Ratio, Tally
from solvers.counting.component import Budget, TooWide
from solvers.counting.safest import safest
from solvers.deadline import Deadline, DeadlinePassed
from solvers.reasons.explain import Explainer
from solvers.reasons.proofs import witnessed
from solvers.reasons.repair import Change, Repairs, repairs
from solvers.search.core import Core

Found = TypeVar("Found")

_METHODS: Mapping[Backend, type[Automata | Exhaustive | Reduced]] = MappingProxyType(
    {
        Backend.AUTOMATA: Automata,
        Backend.FRONTIER: Frontier,
        Backend.SAT: Sat,
        Backend.CPSAT: CpSat,
        Backend.EXHAUSTIVE: Exhaustive,
    }
)

#: What asks for everything there is to say.
_ALL = (Task.ANALYZE, Task.STRIPS)

#: What tells how many layouts there are.
_COUNTED = (Task.COUNT, Task.LAYOUTS, Task.SAMPLE, *_ALL)
#: Those that know an order of the layouts, and so draw and rank them.
_ORDERED = (Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER)
#: Strips of up to so many unknown cells are counted by the frontier, longer ones by automata.
_EXACT_STRIP_CELLS = 10_000
#: So many cells are named as the safest.
SAFEST = 10


def answer(
    question: Question,
    deadline: Deadline | None = None,
    effort: Effort = FULL,
    keep: Callable[[Answer], None] = lambda _: None,
) -> Answer:
    """Answer a question, as far as the deadline and the effort allow.

    ``keep`` is given the answer after each part of it, for the case that the
    process does not live to return it.

    Raises:
        BackendRefusal: the backend that was asked for cannot take the board.
        WindowError: the window is not on the board, or too wide.
        NeedsWorker: it takes more than ``effort``, which excludes unbounded methods.
    """
    started = perf_counter()
    deadline = deadline or Deadline()
    composer = _Composer(question, deadline, effort, keep)
    composer.compose()
    composer.answer.elapsed = perf_counter() - started
    return composer.answer


class _Composer:
    """Puts an answer together from what the method finds in time."""

    def __init__(
        self,
        question: Question,
        deadline: Deadline,
        effort: Effort,
        keep: Callable[[Answer], None],
    ) -> None:
        self.question = question
        self.deadline = deadline
        self.effort = effort
        self.keep = keep
        self.method = choose(question, deadline, effort)
        self.answer = Answer()

    @cached_property
    def explainer(self) -> Explainer:
        """What knows the reasons."""
        return Explainer(self.question, self.deadline, self.effort)

    def compose(self) -> None:
        """Fill in the answer."""
        self.answer.loosened = self.method.loosened
        found = self._in_time(lambda: (self.method.witness(),))
        if found is not None:
            (self.answer.witness,) = found
            self.answer.consistent = self.answer.witness is not None
            self.answer.method = self.method.name
            self.keep(self.answer)
            if self.answer.consistent:
                self._consistent()
            else:
                self._inconsistent()
        self.answer.method = self.method.name

    def _consistent(self) -> None:
        task = self.question.task
        if task in (Task.FORCED, Task.EXPLAIN, *_ALL) or self.question.flags:
            self._forced()
        if task is Task.EXPLAIN:
            self._explain()
        if task is Task.REPAIR:
            self.answer.repairs = Corrections(0, [], possible=True, more=False)
        if self.question.certificate:
            self._certify()
        if task is Task.LAYOUTS:
            self._layouts()
        if task is Task.SAMPLE:
            self._samples()
        layout = self.question.layout
        if layout is not None:
            self.answer.rank = self._in_time(lambda: self.method.rank(layout))
        if task in _COUNTED and self.answer.count is None:
            self._count()
        if task in (Task.COUNT, Task.ANALYZE) and self.question.density is not None:
            self._likelihood(self.question.density)
        if task in _ALL:
            self._chances()

    def _count(self) -> None:
        self.answer.count = self._in_time(self.method.count)
        self.answer.estimate = self.method.estimate
        self.keep(self.answer)
        if self.question.task not in (Task.COUNT, Task.ANALYZE):
            return
        if self.answer.count is None:
            self.answer.approximate = self._in_time(self.method.approximate)
            self.answer.note = self.method.note
        else:
            self.answer.by_mines = self._in_time(self.method.by_mines)
        self.keep(self.answer)

    def _inconsistent(self) -> None:
        self.answer.count = 0
        if self.question.density is not None:
            self.answer.likelihood = Fraction(0) if self.question.fractions else 0.0
        core = self._in_time(self._conflict)
        if core is not None:
            self.answer.conflict = self.explainer.named(core)
            self.answer.complete &= core.minimal and self.explainer.complete
            self.keep(self.answer)
            if self.question.task is Task.EXPLAIN:
                self.answer.steps = self._in_time(lambda: self.explainer.refutation(core))
            if self.question.certificate:
                self.answer.certificates = self._in_time(lambda: [self.explainer.refuted(core)])
        if self.question.task is Task.REPAIR:
            found = self.answer.repairs = self._in_time(self._repaired)
            if found is not None and found.more and len(found.sets) < self.question.limit:
                self.answer.complete = False
        # Where the clues alone cannot hold, no total is feasible.
        if self.question.mines is not None and (core is None or core.total):
            self.keep(self.answer)
            self.answer.feasible = self._in_time(self._feasible)

    def _explain(self) -> None:
        """Why cells are forced, or that the one that was asked about is not."""
        forced, asked, layout = self.answer.forced, self.question.cell, self.answer.witness
        if forced is None or layout is None:
            return

        def keep(found: list[Explanation]) -> None:
            self.answer.explanations = found
            self.keep(self.answer)

        if asked is not None and asked not in forced.mines and asked not in forced.safe:
            self.answer.explanations = []
            if self.answer.complete:
                self.answer.either = self._in_time(lambda: self._either(asked, layout))
            return
        found = self.explainer.forced(layout, forced, asked, keep)
        keep(found)
        if self.explainer.too_long:
            self.answer.note = "the steps are too many to tell: ask for one cell"
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

    def _certify(self) -> None:
        """The layout, or a proof for each forced cell."""
        question, layout, forced = self.question, self.answer.witness, self.answer.forced
        assert layout is not None
        if question.task is Task.CHECK:
            self.answer.certificates = [witnessed(question.board, question.mines, layout)]
        elif forced is not None:
            proved = self.answer.certificates = []
            self._in_time(lambda: proved.extend(self.explainer.proofs(layout, forced)))

    def _repaired(self) -> Corrections:
        """The fewest changes that help."""
        if not self.effort.unbounded:
            raise NeedsWorker
        question = self.question

        def keep(found: Repairs) -> None:
            self.answer.repairs = self._corrections(found)
            self.keep(self.answer)

        return self._corrections(
            repairs(question.board, question.mines, self.deadline, question.limit, keep)
        )

    def _corrections(self, found: Repairs) -> Corrections:
        """Repairs by the places of clues."""
        board = self.question.board
        rows = board.cells.tolist() if isinstance(board, Board) else None
        place = self.explainer.place_of_clue

        def correction(change: Change) -> Correction:
            row, col = place(change.clue)
            return Correction((row, col), rows and rows[row][col], change.number)

        sets = [[correction(change) for change in repair] for repair in found.repairs]
        return Corrections(found.changes, sets, found.possible, not found.all)

    def _feasible(self) -> tuple[int, int] | None:
        """The least and the most mines without the total, None if there is no layout then."""
        reduction = reduce(Constraints.of(self.question.board))
        if reduction.conflict != NONE:
            return None
        return Tally(reduction, Budget(self.effort.transitions, self.deadline)).feasible

    def _likelihood(self, density: Fraction) -> None:
        found = self._in_time(lambda: self.method.likelihood(density, self.answer.by_mines))
        if found is not None:
            self.answer.likelihood = self._in_time(lambda: self._in_form(found))
        self.answer.complete &= self.answer.likelihood is not None

    def _chances(self) -> None:
        """Probabilities, exact where the method knows them so, and the safest cells."""
        density = self.question.density
        chances = self._in_time(lambda: self.method.chances(density))
        if chances is not None:
            self._exact(chances)
        elif not self.question.fractions:
            self.answer.probabilities = self._in_time(lambda: self.method.probabilities(density))
            self._rank_rounded()
        if self.answer.probabilities is None:
            self.answer.complete = False
            if not self.method.tells_chances:
                self.answer.note = f"{self.method.name} does not tell chances"

    def _exact(self, chances: Chances) -> None:
        """What exact chances tell."""
        question = self.question
        rows, width = question.board.shape
        budget = Budget(self.effort.transitions, self.deadline)
        found = self._in_time(
            lambda: chances.exact(budget) if question.fractions else chances.nearest()
        )
        if found is None:
            return
        self.answer.probabilities = found.reshape(rows, width)
        named = len(question.board.number) if isinstance(question.board, Rules) else question.cells
        self.answer.safest = self._in_time(
            lambda: [
                (divmod(cell, width), self._in_form(chance))
                for cell, chance in chances.least(SAFEST, named)
            ]
        )

    def _rank_rounded(self) -> None:
        """The safest cells from rounded chances; these are in the order of the exact ones."""
        chances = self.answer.probabilities
        if chances is None or self.question.task is not Task.ANALYZE:
            return
        flat = chances.ravel()
        width = chances.shape[1]
        self.answer.safest = [
            (divmod(cell, width), float(flat[cell])) for cell in safest(flat, SAFEST).tolist()
        ]

    def _in_form(self, chance: Ratio) -> float | Fraction:
        """A chance as the question wants it."""
        if not self.question.fractions:
            return chance.nearest
        return chance.exact(Budget(self.effort.transitions, self.deadline))

    def _forced(self) -> None:
        found = self._in_time(self.method.forced)
        if not found:
            return
        forced, complete = found
        self.answer.forced = forced
        self.keep(self.answer)
        self.answer.complete &= complete
        flags = self.question.flags
        if flags:
            mines, safe = set(forced.mines), set(forced.safe)
            self.answer.flags = Flags(
                [flag for flag in flags if flag in mines],
                [flag for flag in flags if flag in safe],
                [flag for flag in flags if flag not in mines and flag not in safe],
            )

    def _layouts(self) -> None:
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
        self.keep(self.answer)

    def _samples(self) -> None:
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
        self.keep(self.answer)

    def _conflict(self) -> Core:
        """Clues that cannot hold together, none to spare if the effort allows."""
        question = self.question
        core = self.method.core()
        if core is None:
            asked = Question(Task.CHECK, question.clued, question.mines)
            plain = Auto(asked, self.deadline, self.effort)
            plain.witness()
            clues = self.explainer.constraints.low.size
            core = plain.core() or Core(list(range(clues)), question.mines is not None)
        return self.explainer.conflict(core)

    def _in_time(self, find: Callable[[], Found]) -> Found | None:
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


def choose(question: Question, deadline: Deadline, effort: Effort) -> Method:
    """The method: the automaton of a window, the backend asked for, automata, else search."""
    if question.window is not None:
        return Windowed(question, deadline, effort)
    ordered = question.task is Task.SAMPLE or question.layout is not None
    if ordered and question.backend not in _ORDERED:
        raise BackendRefusal("it knows no order of the layouts to draw or rank them by")
    inexact = question.task is Task.ANALYZE and question.fractions
    if inexact and question.backend is Backend.AUTOMATA:
        raise BackendRefusal("its chances are no exact fractions")
    if question.backend is not Backend.AUTO:
        if not effort.unbounded and question.backend not in (Backend.AUTOMATA, Backend.FRONTIER):
            raise NeedsWorker
        return _METHODS[question.backend](question, deadline, effort)
    if _for_automata(question):
        return Automata(question, deadline, effort)
    return Auto(question, deadline, effort)


def _for_automata(question: Question) -> bool:
    """Whether automata answer best: strips, unless exact chances are wanted."""
    if isinstance(question.board, Rules) or min(question.board.shape) > 2:
        return False
    if question.mines is not None:
        return False
    if question.task in (Task.COUNT, Task.ANALYZE):
        # Strips fall into small components, of which the frontier tells exact chances, too.
        short = np.count_nonzero(question.board.unknown) <= _EXACT_STRIP_CELLS
        counting = question.task is Task.COUNT and question.density is not None
        return not (short or counting or question.fractions)
    return question.density is None


def check(board: Puzzle, mines: int | None = None, deadline: Deadline | None = None) -> Answer:
    """Whether any layout fits, with a witness or a conflict."""
    return answer(Question(Task.CHECK, board, mines), deadline)


def count(
    board: Puzzle,
    mines: int | None = None,
    density: Fraction | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """How many layouts fit, in all and by number of mines; how likely with this density."""
    return answer(Question(Task.COUNT, board, mines, density), deadline)


def forced(board: Puzzle, mines: int | None = None, deadline: Deadline | None = None) -> Answer:
    """Which unknown cells are the same in every layout."""
    return answer(Question(Task.FORCED, board, mines), deadline)


def layouts(
    board: Puzzle,
    mines: int | None = None,
    offset: int = 0,
    limit: int = 100,
    layout: Layout | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """Layouts number ``offset`` to ``offset + limit - 1``, and the rank of ``layout``."""
    question = Question(Task.LAYOUTS, board, mines, offset=offset, limit=limit, layout=layout)
    return answer(question, deadline)


def sample(
    board: Puzzle,
    mines: int | None = None,
    density: Fraction | None = None,
    limit: int = 1,
    seed: int | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """So many layouts drawn at random, the same for the same ``seed`` (None: a fresh one)."""
    seed = fresh_seed() if seed is None else seed
    question = Question(Task.SAMPLE, board, mines, density, limit=limit, seed=seed)
    return answer(question, deadline)


def analyze(
    board: Puzzle,
    mines: int | None = None,
    density: Fraction | None = None,
    fractions: bool = False,
    deadline: Deadline | None = None,
) -> Answer:
    """All of these, and the chance of a mine for each unknown cell, as fractions if wanted."""
    question = Question(Task.ANALYZE, board, mines, density, fractions=fractions)
    return answer(question, deadline)
