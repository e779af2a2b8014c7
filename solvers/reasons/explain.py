"""Why cells are forced and why a board is inconsistent: the clues that do it, step by step.

The reasons for a forced cell are clues (and maybe the total of mines) that
cannot hold together with the cell being otherwise, none of them to spare; of
a conflict, clues that cannot hold together at all. `solvers.reasons.cores` finds both.
`solvers.reasons.deduction` turns them into a chain of deductions, and `solvers.reasons.narration`
into English.
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
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import Effort, NeedsMoreEffort
from minecheck.solvers.findings import Conflict, Explanation, Forced, Statement, WalkStep
from minecheck.solvers.question import Question
from minecheck.solvers.reasons import proofs
from minecheck.solvers.reasons.cores import NO_BOX, CoreFinder, sort_clues
from minecheck.solvers.reasons.deduction import (
    Deduction,
    Inference,
    Level,
    Premise,
    Premises,
    Prover,
)
from minecheck.solvers.reasons.difficulty import Difficulty
from minecheck.solvers.reasons.mus import CoreSearch
from minecheck.solvers.reasons.narration import Narrator
from minecheck.solvers.reasons.walk import Reason, Walk
from minecheck.solvers.reasons.walk_steps import describe_walk
from minecheck.solvers.search.core import Core
from minecheck.solvers.search.engine import Verdict

#: Seconds between two notes of what was found so far.
_NOTE_SECONDS = 0.2
#: Cells that no clue distinguishes are explained one by one, up to this many.
_ALIKE = 8


@dataclass(slots=True)
class _Case:
    """Cells that are forced alike, and what is known of why."""

    cells: list[int]
    value: int
    core: Core | None = None
    level: Level | None = None
    steps: tuple[Deduction, ...] | None = None
    box: int = NO_BOX
    found: Core | None = None
    explanation: Explanation | None = None


class Explainer:
    """Explains one board, as far as the deadline and the effort allow.

    ``cores.complete`` turns False when the deadline cuts something short, ``too_long``
    True when there are too many steps to tell. Methods raise `NeedsMoreEffort` where
    the effort is too small. Notes of what was found so far are ``note_seconds`` apart.
    """

    def __init__(
        self,
        question: Question,
        constraints: Constraints,
        deadline: Deadline,
        effort: Effort,
        note_seconds: float = _NOTE_SECONDS,
    ) -> None:
        self.question = question
        self.constraints = constraints
        self.deadline = deadline
        self.effort = effort
        self.note_seconds = note_seconds
        # People who request reasons will wait for the best ones.
        self.cores = CoreFinder(constraints, deadline, effort, question.patient)
        self.too_long = False
        self._steps = 0
        # A layout, (cells,), and the forced cells with their values.
        self._layout: NDArray[np.bool_] | None = None
        self._forced: Mapping[int, int] = {}
        self._provers: dict[tuple[int, ...], Prover] = {}
        self._narrator = Narrator(question.clued, self.constraints)

    # Walks.

    def walk_through(self, explanations: Sequence[Explanation]) -> tuple[list[WalkStep], bool]:
        """Return one walk that decides the cells of explanations, and whether it decides all.

        Args:
            explanations: those without reasons are left to small steps.
        """
        board, width = self.question.clued, self.question.clued.shape[1]
        limits = self.constraints
        clue_at = {limits.locate_clue(clue, board): clue for clue in range(len(limits.origin))}
        reasons = [
            Reason(
                tuple(clue_at[cell] for cell in explanation.reasons.clues)
                + ((TOTAL,) if explanation.reasons.mines else ()),
                tuple(row * width + col for row, col in explanation.cells),
            )
            for explanation in explanations
            if explanation.reasons is not None
        ]
        walk = Walk(limits, self.deadline)
        whole = False
        with suppress(DeadlinePassed):
            whole = walk.decide_cells(reasons) and len(reasons) == len(explanations)
        return describe_walk(board, limits, walk.steps), whole

    # Conflicts.

    def name_core(self, core: Core) -> Conflict:
        """Return a core by the cells of its clues."""
        cells = sorted(map(self._narrator.locate_clue, core.clues))
        return Conflict(cells, core.total, core.minimal, core.smallest)

    def derive_refutation(self, core: Core) -> list[Statement]:
        """Derive a contradiction from the clues of a core, step by step.

        Raises:
            DeadlinePassed: no chain was found in time.
        """
        return self._narrator.narrate_steps(
            Prover(self._list_premises(core), self.deadline).refute_premises().steps
        )

    # Forced cells.

    def explain_forced(
        self,
        layout: Layout,
        forced: Forced,
        target: Coordinates | None,
        keep: Callable[[list[Explanation]], None],
        cases: list[_Case],
    ) -> list[Explanation]:
        """Explain forced cells, or one of them, in order of their first cells.

        What the deadline leaves unexplained has no reasons.

        Args:
            layout: one of the layouts of the board.
            forced: all its forced cells.
            target: (row, col) of the one cell to explain, None for all.
            keep: a function that is given what is known now and then.
            cases: what less effort has found out, empty at first; what is found out is added.

        Raises:
            NeedsMoreEffort: more effort would find more.
        """
        self._layout = layout.mines.ravel()
        self._forced = values = self._values_of_forced(forced)
        selected = values
        if target is not None:
            cell = target[0] * self.question.board.shape[1] + target[1]
            selected = {cell: values[cell]}
        if not cases:
            cases += self._list_cases(selected)
        # Clues that are a reason by themselves are no work.
        self._steps = sum(len(case.steps) for case in cases if case.steps and len(case.steps) > 1)
        due = monotonic() + self.note_seconds

        def note_progress() -> None:
            nonlocal due
            self.deadline.check()
            now = monotonic()
            if now > due:
                keep(self._list_explanations(cases))
                # Reports of progress may take at most a tenth of the time.
                due = monotonic() + max(self.note_seconds, 9 * (monotonic() - now))

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
            self.cores.note_cut()
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
            raise NeedsMoreEffort
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
        if case.box != NO_BOX:
            verdict, case.found = self._around.find_core(case.box, case.value)
        if case.found is None:
            case.core = self.cores.find_hard_core(
                case.cells[0], case.value, verdict is Verdict.CONSISTENT
            )
            return
        core = sort_clues(case.found)
        if not core.minimal:
            otherwise = self.constraints.with_assumption(case.cells[0], 1 - case.value)
            core = case.found = self.cores.minimise(otherwise, core)
        # Where more effort is needed, the case has no core yet, and more effort begins here.
        case.core = core

    def _derive_steps(self, case: _Case) -> list[_Case]:
        """Find steps from the core of a case to its cells; return cells that need their own."""
        assert case.core is not None
        if case.steps is not None or self._steps > self.effort.steps:
            self.too_long |= case.steps is None
            return []
        case.explanation = None
        main_cell, *further = case.cells
        prover = self._prover_of_core(case.core)
        steps = prover.prove_cell(main_cell, case.value).steps
        apart = []
        if not set(further) <= set(steps[-1].cells):
            if len(case.cells) > _ALIKE:
                steps = prover.trust_cells(case.cells, case.value).steps
            else:
                apart = [
                    replace(case, cells=[cell], steps=prover.prove_cell(cell, case.value).steps)
                    for cell in further
                ]
        # The case stays as it was if there was no time for all of this.
        case.steps = steps
        self._steps += len(steps)
        if apart:
            case.cells = [main_cell]
        return apart

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
            case.level = Level.GLOBAL if case.core.total else self._levels.find_level(case.cells[0])

    def _improve_case(self, case: _Case) -> list[_Case]:
        """Look for fewer clues that do the same, and derive the case from these."""
        if case.found is None or case.core is None or case.core.smallest:
            return []
        case.explanation = None
        fewer = self.cores.find_fewest_within(self._around, case.found, case.box, case.value)
        shorter = len(fewer.clues) < len(case.found.clues)
        case.core, case.found = sort_clues(fewer), fewer
        if not shorter:
            return []
        case.steps = None
        return self._derive_steps(case)

    @cached_property
    def _around(self) -> CoreSearch:
        """The search for cores around forced cells."""
        return self.cores.make_core_search(self._layout)

    @cached_property
    def _levels(self) -> Difficulty:
        """The grading of forced cells."""
        return Difficulty(self.constraints.without_total, self._forced, self.deadline)

    def _list_explanations(self, cases: list[_Case]) -> list[Explanation]:
        for case in cases:
            case.explanation = case.explanation or self._make_explanation(case)
        explanations = [case.explanation for case in sorted(cases, key=lambda case: case.cells[0])]
        return [explanation for explanation in explanations if explanation is not None]

    def _make_explanation(self, case: _Case) -> Explanation:
        return Explanation(
            [self._narrator.locate_cell(cell) for cell in case.cells],
            case.value == IS_MINE,
            None if case.level is None else case.level.label,
            None if case.core is None else self.name_core(case.core),
            None if case.steps is None else self._narrator.narrate_steps(case.steps),
        )

    # The parts that both share.

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
