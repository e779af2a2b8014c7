"""Why cells are forced and why a board is inconsistent: the clues that do it, step by step.

The reasons for a forced cell are clues (and maybe the total of mines) that
cannot hold together with the cell being otherwise, none of them to spare; of
a conflict, clues that cannot hold together at all. `solvers.reasons.mus` finds
both by local search; where the total matters, or local search gives up,
`solvers.search.core` does, by counting and by SAT. `solvers.reasons.deduction` turns them
into a chain of deductions, and `solvers.reasons.narration` into English.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.certificates.document import Certificate
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, TOTAL, Constraints
from minecheck.minefield.variant import Variant
from minecheck.solvers.annotations import Place
from minecheck.solvers.answer import Conflict, Explanation, Forced, Statement
from minecheck.solvers.backends.sat import Refuter as SatRefuter
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import INLINE, Effort, NeedsWorker
from minecheck.solvers.question import Question
from minecheck.solvers.reasons import proofs
from minecheck.solvers.reasons.deduction import (
    Deduction,
    Inference,
    Level,
    Premise,
    Premises,
    Prover,
    refute_premises,
)
from minecheck.solvers.reasons.difficulty import Difficulty
from minecheck.solvers.reasons.mus import Reasons
from minecheck.solvers.reasons.narration import Narrator
from minecheck.solvers.search.core import (
    Core,
    Refuter,
    Undecided,
    by_search,
    find_fewest,
    mark_if_smallest,
    minimise_core,
)
from minecheck.solvers.search.engine import Verdict

#: Larger cores are left to a worker, and to SAT where search gives up.
_SEARCHED = 48
#: Larger cores are first reduced by SAT, in a worker.
_LARGE = 200
#: Cores of more clues are not minimised.
_LARGEST = 5000
#: The budget of the search for a smallest set, for each of its tries.
_ALLOWANCE_A_TRY = 20_000
#: The approximate number of steps in an answer.
_MOST_STEPS = 20_000
#: Seconds between two notes of what was found so far.
_BETWEEN_NOTES = 0.2
#: Cells that no clue distinguishes are explained one by one, up to this many.
_ALIKE = 8
#: The value for no box: cells that no clue touches.
_NO_BOX = -1


@dataclass(slots=True)
class _Case:
    """Cells that are forced alike, and what is known of why."""

    cells: list[int]
    value: int
    core: Core | None = None
    level: Level | None = None
    steps: tuple[Deduction, ...] | None = None
    box: int = _NO_BOX
    found: Core | None = None
    explanation: Explanation | None = None


class Explainer:
    """Explains one board, as far as the deadline and the effort allow.

    ``complete`` turns False when the deadline cuts something short, ``too_long``
    True when there are too many steps to tell. Methods raise `NeedsWorker` where
    the effort is too small.
    """

    def __init__(
        self, question: Question, constraints: Constraints, deadline: Deadline, effort: Effort
    ) -> None:
        self.question = question
        self.constraints = constraints
        self.deadline = deadline
        self.effort = effort
        self.complete = True
        self.too_long = False
        self._steps = 0
        # A layout, (cells,), and the forced cells with their values.
        self._layout: NDArray[np.bool_] | None = None
        self._forced: Mapping[int, int] = {}
        # Cores with the total that were found for other cells.
        self._counted: list[list[int]] = []
        self._provers: dict[tuple[int, ...], Prover] = {}
        self._narrator = Narrator(question.clued, self.constraints)
        # People who request reasons will wait for the best ones.
        self._patient = question.patient
        self._tries = effort.tries if self._patient else min(effort.tries, INLINE.tries)

    # Conflicts.

    def minimise_conflict(self, core: Core) -> Core:
        """Reduce contradictory clues to those that are needed, the fewest if possible."""
        if core.minimal:
            # A theorem says so, and no solver would find fewer in time.
            return core
        if not core.total:
            core = self._trim_core(core)
            reasons = self._make_reasons(None)
            found = reasons.find_within(core.clues)
            if found is not None and found.minimal:
                return self._fewest_in_conflict(reasons, found)
            core = core if found is None else _in_order(found)
        core = self._minimise_core(self.constraints, core)
        core = self._mark_if_only(self.constraints, core)
        return self._fewest_of_all(core) if self._patient else core

    def _fewest_in_conflict(self, reasons: Reasons, found: Core) -> Core:
        """Return the smallest core, or the one found if that takes longer than the client waits."""
        if not found.smallest and not reasons.settled and self._patient:
            if not self.effort.unbounded:
                raise NeedsWorker
            try:
                reasons = self._make_reasons(self._find_near_layout())
            except DeadlinePassed:
                self.complete = False
        if reasons.settled:
            found = self._find_fewest(reasons, found, _NO_BOX, IS_MINE)
        return _in_order(found)

    def _fewest_of_all(self, core: Core) -> Core:
        """Return the smallest core like this one, or the core if that takes too long."""
        if core.smallest or not core.minimal:
            return core
        effort, many = self.effort, self.constraints.low.size
        # The other half of the time is for the steps.
        deadline = Deadline.in_seconds(self.deadline.left / 2)
        refute = by_search(self.constraints, effort.search, effort.transitions, deadline)
        try:
            core = find_fewest(core, range(many), refute, self._tries // many)
        except DeadlinePassed:
            self._note_cut()
        if not core.smallest and not effort.unbounded:
            raise NeedsWorker
        return core

    def _find_near_layout(self) -> NDArray[np.bool_]:
        """Return mines that satisfy nearly all clues, (cells,)."""
        clues = list(range(self.constraints.low.size))
        with SatRefuter(self.constraints, clues, False, self.deadline) as refute:
            while core := refute(clues, False):
                clues.remove(core.clues[0])
            return refute.read_layout()

    def name_core(self, core: Core) -> Conflict:
        """Return a core by the places of its clues."""
        places = sorted(map(self._narrator.place_of_clue, core.clues))
        return Conflict(places, core.total, core.minimal, core.smallest)

    def derive_refutation(self, core: Core) -> list[Statement]:
        """Derive a contradiction from the clues of a core, step by step.

        Raises:
            DeadlinePassed: no chain was found in time.
        """
        return self._narrator.narrate_steps(
            refute_premises(self._list_premises(core), self.deadline).steps
        )

    # Forced cells.

    def explain_forced(
        self,
        layout: Layout,
        forced: Forced,
        asked: Place | None,
        keep: Callable[[list[Explanation]], None],
    ) -> list[Explanation]:
        """Explain forced cells, or one of them, in order of their first cells.

        What the deadline leaves unexplained has no reasons.

        Args:
            layout: one of the layouts of the board.
            forced: all its forced cells.
            asked: (row, col) of the one cell to explain, None for all.
            keep: a function that is given what is known now and then.

        Raises:
            NeedsWorker: more effort would find more.
        """
        self._layout = layout.mines.ravel()
        self._forced = values = self._values_of_forced(forced)
        selected = values
        if asked is not None:
            cell = asked[0] * self.question.board.shape[1] + asked[1]
            selected = {cell: values[cell]}
        cases = self._list_cases(selected)
        due = monotonic() + _BETWEEN_NOTES

        def note_progress() -> None:
            nonlocal due
            self.deadline.check()
            now = monotonic()
            if now > due:
                keep(self._list_explanations(cases))
                # At most a tenth of the time is spent on reporting progress.
                due = monotonic() + max(_BETWEEN_NOTES, 9 * (monotonic() - now))

        try:
            for case in list(cases):
                self._find_core(case)
                cases += self._derive_steps(case)
                note_progress()
            for case in cases:
                self._grade_case(case)
                note_progress()
            for case in list(cases):
                cases += self._improve_case(case)
                note_progress()
        except DeadlinePassed:
            keep(self._list_explanations(cases))
            self._note_cut()
        return self._list_explanations(cases)

    def iterate_certificates(self, layout: Layout, forced: Forced) -> Iterator[Certificate]:
        """Yield a certificate for each forced cell.

        Args:
            layout: one of the layouts of the board.
            forced: all its forced cells.

        Raises:
            DeadlinePassed: not all were certified in time.
        """
        self._layout = layout.mines.ravel()
        for case in self._list_cases(self._values_of_forced(forced)):
            self._find_core(case)
            for cell in case.cells:
                yield self._certify_core(case.core, (cell, case.value))

    def certify_refutation(self, core: Core) -> Certificate:
        """Certify that the board is inconsistent.

        Raises:
            DeadlinePassed: it was not certified in time.
        """
        return self._certify_core(core, None)

    def _certify_core(self, core: Core | None, forced: tuple[int, int] | None) -> Certificate:
        assert core is not None, "only what has reasons is certified"
        if not self.effort.unbounded:
            raise NeedsWorker
        question, board = self.question, self.question.board
        assert not isinstance(board, Variant), "as the question checks"
        return proofs.certify_refutation(
            board,
            question.mines,
            core.clues,
            core.total,
            self.deadline,
            forced,
            self.constraints,
        )

    def _values_of_forced(self, forced: Forced) -> dict[int, int]:
        """Return the values of forced cells by their numbers."""
        width = self.question.board.shape[1]
        mines = {row * width + col: IS_MINE for row, col in forced.mines}
        return mines | {row * width + col: IS_SAFE for row, col in forced.safe}

    def _list_cases(self, selected: Mapping[int, int]) -> list[_Case]:
        """List forced cells, put together by the clue that forces them alone, or else by box."""
        value = dict(selected)
        cases = []
        constraints = self.constraints
        size = np.diff(constraints.start)
        alone = (size > 0) & ((constraints.high <= 0) | (constraints.low >= size))
        is_forced = np.zeros(constraints.cells, np.bool_)
        is_forced[list(value)] = True
        before = np.concatenate(([0], np.cumsum(is_forced[constraints.members])))
        alone &= before[constraints.start[1:]] > before[constraints.start[:-1]]
        for clue in np.flatnonzero(alone).tolist():
            premise = self._clues.of_clue(clue)
            cells = sorted(cell for cell in premise.cells if cell in value)
            if cells:
                held = value[cells[0]]
                core = Core([clue], False, True, True)
                cases.append(_Case(cells, held, core, Level.TRIVIAL, (_state_premise(premise),)))
                for cell in cells:
                    del value[cell]
        alike: dict[int, _Case] = {}
        for cell, held in value.items():
            box = self._around.box_of(cell)
            case = alike.setdefault(box, _Case([], held, box=box))
            case.cells.append(cell)
        return cases + list(alike.values())

    def _find_core(self, case: _Case) -> None:
        """Find a core of the case, none of it to spare."""
        if case.core is not None:
            return
        case.explanation = None
        verdict = Verdict.CONSISTENT
        if case.box != _NO_BOX:
            verdict, case.found = self._around.of_box(case.box, case.value)
        if case.found is None:
            case.core = self._find_hard_core(
                case.cells[0], case.value, verdict is Verdict.CONSISTENT
            )
            return
        case.core = _in_order(case.found)
        if not case.core.minimal:
            otherwise = self.constraints.with_assumption(case.cells[0], 1 - case.value)
            core = case.core = self._minimise_core(otherwise, case.core)
            case.found = core

    def _find_hard_core(self, cell: int, value: int, total: bool) -> Core:
        """Find a core for a cell where search gave up, or where the total of mines is needed."""
        many = self.constraints.low.size
        if not self.effort.unbounded and (not total or many > _SEARCHED):
            raise NeedsWorker
        otherwise = self.constraints.with_assumption(cell, 1 - value)
        everything = list(range(many))
        if total:
            everything = self._known_to_count(otherwise) or everything
        else:
            # Unless SAT says that the clues alone are enough, the total is needed.
            with SatRefuter(otherwise, range(many + 1), False, self.deadline) as refute:
                total = refute(range(many + 1), False) is None
        core = self._minimise_core(otherwise, Core(everything, total))
        if core.total and core.clues not in self._counted:
            self._counted.append(core.clues)
        return self._mark_if_only(otherwise, core)

    def _known_to_count(self, otherwise: Constraints) -> list[int] | None:
        """Return clues that were enough for another cell, with the total, and are for this one."""
        effort, last = self.effort, self.constraints.low.size
        refute = by_search(otherwise, effort.search, effort.transitions, self.deadline)
        for clues in self._counted:
            with suppress(Undecided):
                if refute([*clues, last], True):
                    return clues
        return None

    def _derive_steps(self, case: _Case) -> list[_Case]:
        """Find steps from the core of a case to its cells; return cells that need their own."""
        assert case.core is not None
        if case.steps is not None or self._steps > _MOST_STEPS:
            self.too_long |= case.steps is None
            return []
        case.explanation = None
        first, *others = case.cells
        prover = self._prover_of_core(case.core)
        case.steps = prover.prove_cell(first, case.value).steps
        self._steps += len(case.steps)
        if set(others) <= set(case.steps[-1].cells):
            return []
        if len(case.cells) > _ALIKE:
            case.steps = prover.trust_cells(case.cells, case.value).steps
            return []
        case.cells = [first]
        return [
            replace(case, cells=[cell], steps=prover.prove_cell(cell, case.value).steps)
            for cell in others
        ]

    def _prover_of_core(self, core: Core) -> Prover:
        """Return the prover of a core, which cells forced by the same clues share."""
        key = (*core.clues, TOTAL) if core.total else tuple(core.clues)
        if key not in self._provers:
            self._provers[key] = Prover(self._list_premises(core), self.deadline)
        return self._provers[key]

    def _grade_case(self, case: _Case) -> None:
        """Find out how hard the case is on the whole board."""
        assert case.core is not None
        if case.level is None:
            case.explanation = None
            case.level = Level.GLOBAL if case.core.total else self._levels.level_of(case.cells[0])

    def _improve_case(self, case: _Case) -> list[_Case]:
        """Look for fewer clues that do the same, and derive the case from these."""
        if case.found is None or case.core is None or case.core.smallest:
            return []
        case.explanation = None
        fewer = self._find_fewest(self._around, case.found, case.box, case.value)
        shorter = len(fewer.clues) < len(case.found.clues)
        case.core, case.found = _in_order(fewer), fewer
        if not shorter:
            return []
        case.steps = None
        return self._derive_steps(case)

    @cached_property
    def _around(self) -> Reasons:
        """The search for cores around forced cells."""
        return self._make_reasons(self._layout)

    @cached_property
    def _levels(self) -> Difficulty:
        """The grading of forced cells."""
        return Difficulty(self.constraints.without_total, self._forced, self.deadline)

    def _list_explanations(self, cases: list[_Case]) -> list[Explanation]:
        for case in cases:
            case.explanation = case.explanation or self._make_explanation(case)
        found = [case.explanation for case in sorted(cases, key=lambda case: case.cells[0])]
        return [one for one in found if one is not None]

    def _make_explanation(self, case: _Case) -> Explanation:
        return Explanation(
            [self._narrator.place_of_cell(cell) for cell in case.cells],
            case.value == IS_MINE,
            None if case.level is None else case.level.label,
            None if case.core is None else self.name_core(case.core),
            None if case.steps is None else self._narrator.narrate_steps(case.steps),
        )

    # The parts that both share.

    def _note_cut(self) -> None:
        """Note that the time is over: for good, or until more effort is allowed."""
        if not self.effort.unbounded:
            raise NeedsWorker
        self.complete = self.complete and not self._patient

    def _make_reasons(self, mines: NDArray[np.bool_] | None) -> Reasons:
        """Return the search for cores, given a layout (cells,); small ones run in this process."""
        most = _LARGEST if self.effort.unbounded else _SEARCHED
        allowance = self._tries * _ALLOWANCE_A_TRY
        return Reasons(self.constraints, mines, self.effort.search, most, allowance, self.deadline)

    def _find_fewest(self, reasons: Reasons, found: Core, box: int, value: int) -> Core:
        """Return the smallest core, or the one found if that takes too long."""

        def check_time() -> None:
            self.deadline.check()
            self._tries -= 1

        try:
            found = reasons.find_smallest(found, box, value, check_time, self._tries)
        except DeadlinePassed:
            self._note_cut()
        if not found.smallest and self._patient and not self.effort.unbounded:
            raise NeedsWorker
        return found

    def _trim_core(self, core: Core) -> Core:
        """Return the part of a large core that SAT needs."""
        if len(core.clues) <= _LARGE:
            return core
        if not self.effort.unbounded:
            raise NeedsWorker
        try:
            with SatRefuter(self.constraints, core.clues, False, self.deadline) as refute:
                return refute(core.clues, False) or core
        except DeadlinePassed:
            return core

    def _minimise_core(self, constraints: Constraints, core: Core) -> Core:
        """Return a minimal core, by search where that is enough, else by SAT.

        Clues of ``constraints`` beyond the board's stay in whatever is asked.
        """
        effort, deadline = self.effort, self.deadline
        held = list(range(self.constraints.low.size, constraints.low.size))
        # SAT is poor at counting mines: with a total, search is worth trying on large ones too.
        if len(core.clues) <= _SEARCHED or (core.total and effort.unbounded):
            refute = by_search(constraints, effort.search, effort.transitions, deadline)
            core = minimise_core(core, _make_refuter(held, refute))
            if core.minimal:
                return core
        if not effort.unbounded:
            raise NeedsWorker
        clues = [*core.clues, *held]
        with SatRefuter(constraints, clues, core.total, deadline) as refute_by_sat:
            return minimise_core(core, _make_refuter(held, refute_by_sat))

    def _mark_if_only(self, constraints: Constraints, core: Core) -> Core:
        """Mark the core as the smallest if no other is possible and that is cheap to see."""
        effort = self.effort
        many = self.constraints.low.size
        if len(core.clues) * many > self._tries * _SEARCHED:
            return core
        held = list(range(many, constraints.low.size))
        refute = by_search(constraints, effort.search, effort.transitions, self.deadline)
        try:
            return mark_if_smallest(core, range(many), _make_refuter(held, refute))
        except DeadlinePassed:
            self._note_cut()
            return core

    def _list_premises(self, core: Core) -> list[Premise]:
        """Return the statements of the clues of a core, and of the total if it is part of it."""
        premises = [self._clues.of_clue(clue) for clue in core.clues]
        return [*premises, self._clues.of_total()] if core.total else premises

    @cached_property
    def _clues(self) -> Premises:
        return Premises(self.constraints)


def _state_premise(premise: Premise) -> Deduction:
    """Return the statement of a clue as a step."""
    cells = tuple(sorted(premise.cells))
    return Deduction(Inference.CLUE, cells, premise.low, premise.high, clue=premise.clue)


def _in_order(core: Core) -> Core:
    return replace(core, clues=sorted(core.clues))


def _make_refuter(held: Sequence[int], refute: Refuter) -> Refuter:
    """Return a refuter that takes some more clues for granted."""

    def with_held(clues: Sequence[int], total: bool) -> Core | None:
        core = refute([*clues, *held], total)
        return core and replace(core, clues=[clue for clue in core.clues if clue not in held])

    return with_held
