"""Drills: positions of games whose next step needs one technique, and nothing easier is enough.

Games are dealt and played by proofs, at each position by the easiest steps that there are, until a
position needs the chosen technique. Mines that were proved on the way are marked, so that a
position has nothing easier than its next step.

There are two scales. Grades are the levels of `solvers.reasons.deduction`, easiest first. Patterns
are clues side by side that lack mines as their names say, or a ``box``: clues elsewhere, of which
one has cells beyond those of the others. No single clue decides anything in a drill for a pattern,
and two clues only where both are part of such a pattern. ``single clue`` is the same as the grade
``trivial``, and ``mine counting`` as ``global``.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.game import Game
from minecheck.minefield.reduction.constraints import TOTAL, Constraints
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import WalkStep
from minecheck.solvers.games.generator import BoardOptions, Guarantee, deal_game
from minecheck.solvers.games.proved_play import Play, find_forced
from minecheck.solvers.question import QuestionError
from minecheck.solvers.reasons.deduction import LEVELS, Level
from minecheck.solvers.reasons.difficulty import Difficulty
from minecheck.solvers.reasons.walk import Walk
from minecheck.solvers.reasons.walk_steps import describe_walk
from minecheck.solvers.router import answer_question
from minecheck.solvers.tasks.explain import Explain, ExplainAnswer

#: The size of the sets of clues in which boxes are looked for.
_BOX_CLUES: Final = (2, 3)
#: Patterns of clues side by side, by the mines that they lack.
_PATTERNS: Final = ("1-1", "1-2", "1-2-1", "1-2-2-1")
#: Techniques that are grades; two of them have another name, too.
_GRADES: Final[Mapping[str, Level]] = MappingProxyType(
    {**LEVELS, "single clue": Level.TRIVIAL, "mine counting": Level.GLOBAL}
)
#: The names of techniques that drills can have.
TECHNIQUES: Final = (*LEVELS, "single clue", *_PATTERNS, "box", "mine counting")
#: Games that are dealt for one drill, at most.
_MOST_DEALS: Final = 100_000


@dataclass(frozen=True, slots=True)
class DrillOptions(BoardOptions):
    """The options of a drill: those of the games that it may be from, and the technique.

    A drill from a board without guesses is from a game that needs none at any time.

    Raises:
        QuestionError: there is no such board, or no such technique; or the hardest step is bounded,
            too; or there is no mine to be found.
    """

    technique: str = TECHNIQUES[0]

    def __post_init__(self) -> None:
        # `super()` does not work in a dataclass with slots.
        BoardOptions.__post_init__(self)
        if self.technique not in TECHNIQUES:
            raise QuestionError("technique", f"Techniques are {', '.join(TECHNIQUES)}.")
        if self.hardest is not Level.SEARCH:
            raise QuestionError(
                "difficulty", "The technique of a drill already says how hard its next step is."
            )
        if self.mines == 0:
            raise QuestionError("mines", "A drill needs at least one mine.")


@dataclass(frozen=True, slots=True)
class Drill:
    """A position to practise on.

    Attributes:
        game: the game that the position is from.
        board: the position: numbers, and the mines that were proved before.
        steps: the proofs by this technique, each from the position itself; a later one decides
            cells that those before it do not.
    """

    game: Game
    board: Board
    steps: list[WalkStep]


@dataclass(frozen=True, slots=True)
class DrillSearch:
    """What came of a search: the drill, if one was found in time, and the number of deals."""

    drill: Drill | None
    tries: int

    @property
    def complete(self) -> bool:
        """True if a drill was found."""
        return self.drill is not None


def find_drill(
    options: DrillOptions, deadline: Deadline | None = None, most_deals: int = _MOST_DEALS
) -> DrillSearch:
    """Find a drill; equal options give equal drills, however long it takes.

    Args:
        options: the games and the technique.
        deadline: when the search ends; it changes nothing else.
        most_deals: the most games that are dealt.
    """
    deadline = deadline or Deadline()
    draws = np.random.PCG64(options.seed)
    tries = 0
    with suppress(DeadlinePassed):
        while tries < most_deals:
            game = deal_game(options, draws)
            tries += 1
            drill = _Practice(game, deadline, options.technique).find_drill()
            if drill is None:
                continue
            if options.kind is not Guarantee.GUESS_FREE or Play(game, deadline).play_on():
                return DrillSearch(drill, tries)
    return DrillSearch(None, tries)


class _Practice(Play):
    """A game played by the easiest steps up to a position that needs one technique."""

    def __init__(self, game: Game, deadline: Deadline, technique: str) -> None:
        super().__init__(game, deadline)
        self._technique = technique
        self._level = _GRADES.get(technique)

    def find_drill(self) -> Drill | None:
        """Return the first drill of this game, None if it has none."""
        if self._level is Level.TRIVIAL:
            self.cells = self.game.opened.cells.copy()
            return self._play_drill(self._list_steps(1))
        row, col = self.game.first
        self._take_safe_cells(np.array([row * self.cells.shape[1] + col]))
        while np.count_nonzero(self.cells <= 8) < self.cells.size - self.mines:
            self._deadline.check()
            level = self._level
            if level is not None:
                steps, taken = self._try_grade(level)
            else:
                steps, taken = self._try_boxes() if self._technique == "box" else self._try_lines()
            if steps:
                return self._play_drill(steps)
            if not taken:
                return None
            # Mines come to be known like numbers: single clues decide what follows.
            self._take_safe_cells(np.array(sorted(taken)))
        return None

    def _play_drill(self, steps: list[WalkStep]) -> Drill | None:
        if not steps:
            return None
        return Drill(self.game, self._current_board(), steps)

    def _list_steps(self, size: int) -> list[WalkStep]:
        """Return steps by ``size`` clues each, which decide all that these can."""
        position = _StepsFrom(self._current_board(), self.mines, self._deadline)
        deciding_sets = position.walk.iterate_deciding_sets(size)
        return _drop_repeated(position.describe(*deciding_set) for deciding_set in deciding_sets)

    def _try_boxes(self) -> tuple[list[WalkStep], Collection[int]]:
        """Return the steps by boxes, or else cells to go on with, none where that is all."""
        position = _StepsFrom(self._current_board(), self.mines, self._deadline)
        for size in _BOX_CLUES:
            deciding_sets = list(position.walk.iterate_deciding_sets(size))
            steps = [position.describe(*deciding_set) for deciding_set in deciding_sets]
            if steps and all(step.pattern == "box" for step in steps):
                return _drop_repeated(steps), ()
            if steps:
                return [], {cell for _, cells in deciding_sets for cell in cells}
        return [], self._find_forced_cells()

    def _try_lines(self) -> tuple[list[WalkStep], Collection[int]]:
        """Return the steps by the pattern, or else cells to go on with, none where that is all."""
        position = _StepsFrom(self._current_board(), self.mines, self._deadline)
        pairs = list(position.walk.iterate_deciding_sets(2))
        lines = position.list_lines(self._technique)
        if lines and all(any(set(pair) <= set(line) for line, _ in lines) for pair, _ in pairs):
            return _drop_repeated(position.describe(*line) for line in lines), ()
        decided = {cell for _, cells in pairs for cell in cells}
        return [], decided or self._find_forced_cells()

    def _try_grade(self, target: Level) -> tuple[list[WalkStep], Collection[int]]:
        """Return the steps of the grade, or else cells to go on with, none where that is all."""
        board = self._current_board()
        by_clues = find_forced(board, None, self._deadline)
        if target is Level.GLOBAL:
            forced = {} if by_clues else find_forced(board, self.mines, self._deadline)
            return self._explain(board, forced), by_clues
        if not by_clues:
            return [], self._find_forced_cells()
        constraints = Constraints.from_position(board)
        levels: dict[int, Level] = {}
        # Looking ahead costs more than all else: it is left out where something is easier.
        for hardest in (Level.BOUNDS, Level.LOOK_AHEAD):
            difficulty = Difficulty(constraints, by_clues, self._deadline, hardest)
            for cell in by_clues:
                level = difficulty.find_level(cell)
                if level is None:
                    # It is not known whether the next step is easier.
                    return [], ()
                levels[cell] = level
            if min(levels.values()) <= hardest or target <= hardest:
                break
        easiest = min(levels.values())
        least = {cell: value for cell, value in by_clues.items() if levels[cell] is easiest}
        if easiest is not target:
            return [], least if easiest < target else self._find_forced_cells()
        everything = find_forced(board, self.mines, self._deadline)
        if target is Level.SEARCH and len(everything) > len(by_clues):
            # The total is easier than a search.
            return [], everything.keys() - by_clues.keys()
        return self._explain(board, least), ()

    def _find_forced_cells(self) -> Collection[int]:
        return find_forced(self._current_board(), self.mines, self._deadline)

    def _explain(self, board: Board, forced: Mapping[int, int]) -> list[WalkStep]:
        """Return proofs of forced cells from the position, each with the clues that it needs."""
        position = _StepsFrom(board, self.mines, self._deadline)
        undecided = dict(forced)
        steps = []

        def add_step(clues: tuple[int, ...], decided: dict[int, int]) -> None:
            if newly_decided := {
                cell: value for cell, value in decided.items() if cell in undecided
            }:
                steps.append(position.describe(clues, newly_decided))
                for cell in newly_decided:
                    del undecided[cell]

        for clues, decided in position.walk.iterate_deciding_sets(2):
            add_step(clues, decided)
        while undecided:
            cell = min(undecided)
            clues = position.find_reasons(cell)
            add_step(clues, position.walk.find_decided_by(clues) or {cell: undecided[cell]})
        return sorted(steps, key=lambda step: len(step.clues))


class _StepsFrom:
    """Steps from one position, each on its own."""

    def __init__(self, board: Board, mines: int, deadline: Deadline) -> None:
        self._board = board
        self._mines = mines
        self._deadline = deadline
        self._constraints = Constraints.from_position(board, mines)
        self.walk = Walk(self._constraints, deadline)
        self._clue_at = {
            self._constraints.locate_clue(clue, board): clue
            for clue in range(self._constraints.low.size)
        }

    def describe(self, clues: tuple[int, ...], decided: dict[int, int]) -> WalkStep:
        """Return the step by which some clues decide cells."""
        step = self.walk.make_step(clues, decided)
        return describe_walk(self._board, self._constraints, [step])[0]

    def list_lines(self, technique: str) -> list[tuple[tuple[int, ...], dict[int, int]]]:
        """Return clues in a line that lack mines as a pattern says, and the cells they decide.

        Each line decides more than it would without any one of its clues.
        """
        needs = [int(need) for need in technique.split("-")]
        lines = []
        for row, col in self._clue_at:
            for down, across in ((0, 1), (1, 0)):
                cells = [(row + down * step, col + across * step) for step in range(len(needs))]
                clues = tuple(self._clue_at[cell] for cell in cells if cell in self._clue_at)
                lacking = self._constraints.low[list(clues)].tolist()
                if lacking not in (needs, needs[::-1]):
                    continue
                decided = self.walk.find_decided_by(clues)
                parts = [[other for other in clues if other != clue] for clue in clues]
                if all(len(self.walk.find_decided_by(part)) < len(decided) for part in parts):
                    lines.append((clues, decided))
        return lines

    def find_reasons(self, cell: int) -> tuple[int, ...]:
        """Return the clues that force a cell, with `TOTAL` if the total of mines is needed.

        Raises:
            DeadlinePassed: they were not found in time.
        """
        coordinates = divmod(cell, self._board.width)
        answer = answer_question(
            Explain(self._board, self._mines, cell=coordinates), self._deadline
        )
        assert isinstance(answer, ExplainAnswer)
        reasons = answer.explanations[0].reasons if answer.explanations else None
        if reasons is None or not reasons.minimal:
            raise DeadlinePassed
        total = (TOTAL,) if reasons.mines else ()
        return (*sorted(self._clue_at[clue] for clue in reasons.clues), *total)


def _drop_repeated(steps: Iterable[WalkStep]) -> list[WalkStep]:
    """Return the steps that decide a cell which those before them do not."""
    decided: set[Coordinates] = set()
    distinct = []
    for step in steps:
        if not decided.issuperset((*step.mines, *step.safe)):
            distinct.append(step)
            decided.update(step.mines, step.safe)
    return distinct
