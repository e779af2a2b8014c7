"""Which method answers which question, and how an answer is put together."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from time import perf_counter
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from minefield.board import Board
from minefield.constraints import Constraints
from solvers.answer import (
    Answer,
    Backend,
    Conflict,
    Flags,
    Question,
    Task,
)
from solvers.auto import Auto
from solvers.conflict import Core, by_search, minimised
from solvers.counting import BY_MINES_CELLS
from solvers.deadline import Deadline, DeadlinePassed
from solvers.frontier import TooWide
from solvers.methods import (
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
from solvers.sat import Refuter as SatRefuter

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

#: Conflicts of more clues than this are minimised by SAT, in a worker.
_SEARCHED_CONFLICT = 48


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
        if task in (Task.FORCED, *_ALL) or self.question.flags:
            self._forced()
        if task is Task.LAYOUTS:
            self._layouts()
        if task is not Task.FORCED and task is not Task.CHECK and self.answer.count is None:
            counted = self._in_time(self.method.count)
            if counted:
                self.answer.count, self.answer.by_mines = counted
                self.keep(self.answer)
        if task in _ALL:
            self.answer.probabilities = self._in_time(
                lambda: self.method.probabilities(self.question.density)
            )
            # A backend that was asked for may not know them: then they are not missing.
            if self.question.backend is Backend.AUTO and self.answer.probabilities is None:
                self.answer.complete = False

    def _inconsistent(self) -> None:
        self.answer.count = 0
        self.answer.conflict = self._in_time(self._conflict)
        if self.answer.conflict and not self.answer.conflict.minimal:
            self.answer.complete = False

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

    def _conflict(self) -> Conflict:
        question = self.question
        constraints = Constraints.of_board(question.clued, question.mines)
        core = self.method.core()
        if core is None:
            asked = Question(Task.CHECK, question.clued, question.mines)
            plain = Auto(asked, self.deadline, self.effort)
            plain.witness()
            core = plain.core() or Core(
                list(range(constraints.low.size)), question.mines is not None
            )
        core = self._minimised(constraints, core)
        places = [
            divmod(int(constraints.origin[clue]), question.board.width) for clue in core.clues
        ]
        return Conflict(sorted(places), core.total, core.minimal)

    def _minimised(self, constraints: Constraints, core: Core) -> Core:
        """By search where that is enough, else by SAT."""
        small = len(core.clues) <= _SEARCHED_CONFLICT
        # SAT is poor at counting mines: with a total, search is worth trying on large ones too.
        if self.question.backend is Backend.AUTO and (
            small or (core.total and self.effort.unbounded)
        ):
            effort = self.effort
            refute = by_search(constraints, effort.search, effort.transitions, self.deadline)
            core = minimised(core, refute)
            if core.minimal:
                return core
        if not self.effort.unbounded:
            raise NeedsWorker
        with SatRefuter(constraints, core.clues, core.total, self.deadline) as refute:
            return minimised(core, refute)

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
    if question.backend is not Backend.AUTO:
        if not effort.unbounded and question.backend not in (Backend.AUTOMATA, Backend.FRONTIER):
            raise NeedsWorker
        return _METHODS[question.backend](question, deadline, effort)
    # Short strips fall into small components, which the frontier counts by mines, too.
    counting = question.task in (Task.COUNT, Task.ANALYZE)
    short = np.count_nonzero(question.board.unknown) <= BY_MINES_CELLS
    strip = min(question.board.shape) <= 2 and question.mines is None
    if strip and not (counting and short):
        return Automata(question, deadline, effort)
    return Auto(question, deadline, effort)


def check(board: Board, mines: int | None = None, deadline: Deadline | None = None) -> Answer:
    """Whether any layout fits, with a witness or a conflict."""
    return answer(Question(Task.CHECK, board, mines), deadline)


def count(board: Board, mines: int | None = None, deadline: Deadline | None = None) -> Answer:
    """How many layouts fit, in all and by number of mines."""
    return answer(Question(Task.COUNT, board, mines), deadline)


def forced(board: Board, mines: int | None = None, deadline: Deadline | None = None) -> Answer:
    """Which unknown cells are the same in every layout."""
    return answer(Question(Task.FORCED, board, mines), deadline)


def layouts(
    board: Board,
    mines: int | None = None,
    offset: int = 0,
    limit: int = 100,
    deadline: Deadline | None = None,
) -> Answer:
    """Layouts number ``offset`` to ``offset + limit - 1``."""
    return answer(Question(Task.LAYOUTS, board, mines, offset=offset, limit=limit), deadline)


def analyze(
    board: Board,
    mines: int | None = None,
    density: Fraction | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """All of these, and the chance of a mine for each unknown cell."""
    return answer(Question(Task.ANALYZE, board, mines, density), deadline)
