"""A game played as far as proofs go: without guesses, and by the easiest steps if it is graded.

Tested in tests/solvers/games/test_generator.py.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, UNKNOWN, Board
from minecheck.minefield.compiled import FixedMatrix, Matrix, Vector, compile_kernel, inline_kernel
from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, Constraints
from minecheck.minefield.reduction.propagation import transpose_lists
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.library.questions import forced
from minecheck.solvers.positions.solve import solve_position
from minecheck.solvers.reasons.deduction import Closure, Level, Premise, Premises
from minecheck.solvers.reasons.difficulty import Difficulty

#: A closure with more sets than this decides nothing more.
_MOST_SETS: Final = 5000
#: The value for a cell that is not known in any round.
_NEVER: Final = 2**30


class Play:
    """A game, played as far as proofs go.

    ``cells`` are known cells, numbers and mines, and ``when`` is the round in
    which each came to be known, both (height, width). A round takes the cells
    that are proved safe, and then whatever single clues decide.
    """

    def __init__(self, game: Game, deadline: Deadline) -> None:
        self.game = game
        self.cells = game.unseen.cells.copy()
        self.when = np.full_like(self.cells, _NEVER, np.int32)
        self.round = 0
        self.mines = game.layout.total
        #: When the play is stuck: cells that might be either, numbered in reading order.
        self.stuck: NDArray[np.int64] = np.empty(0, np.int64)
        self._deadline = deadline

    def play_on(self) -> bool:
        """Play on, and return whether all safe cells were shown in the end."""
        if self.round == 0:
            row, col = self.game.first
            self._take_safe_cells(np.array([row * self.cells.shape[1] + col]))
        while np.count_nonzero(self.cells <= 8) < self.cells.size - self.mines:
            self._deadline.check()
            safe = self._find_safe_cells()
            if not safe.size:
                return False
            self._take_safe_cells(safe)
        return True

    @property
    def known(self) -> int:
        """Number of known cells."""
        return int(np.count_nonzero(self.cells != UNKNOWN))

    def with_layout(self, mines: NDArray[np.bool_]) -> "Play":
        """Return the play of another layout as far as it goes the same way."""
        play = object.__new__(type(self))
        play.__dict__.update(self.__dict__)
        play.game = Game(Layout(mines), self.game.first)
        differs = (play.game.codes != self.game.codes) & (self.cells != UNKNOWN)
        play.round = min(int(self.when[differs].min(initial=_NEVER)) - 1, self.round)
        forgotten = self.when > play.round
        play.cells = np.where(forgotten, np.int8(UNKNOWN), self.cells)
        play.when = np.where(forgotten, np.int32(_NEVER), self.when)
        return play

    def _take_safe_cells(self, safe: NDArray[np.int64]) -> None:
        self.round += 1
        _clear_cells(self.game.codes, self.cells, self.when, self.round, safe)

    def _find_safe_cells(self) -> NDArray[np.int64]:
        """Return cells that are proved safe; bring `stuck` up to date where there are none."""
        forced = find_forced(self._current_board(), self.mines, self._deadline)
        safe = _with_value(forced, IS_SAFE)
        if not safe:
            unknown = np.flatnonzero(self.cells == UNKNOWN)
            self.stuck = np.setdiff1d(unknown, _with_value(forced, IS_MINE), assume_unique=True)
        return np.array(safe, np.int64)

    def _current_board(self) -> Board:
        return Board.read_only(self.cells.copy())


class GradedPlay(Play):
    """A game played by the easiest steps, none harder than ``hardest``.

    ``step`` is the level of the last one taken, ``level`` that of the hardest.
    """

    def __init__(self, game: Game, deadline: Deadline, hardest: Level) -> None:
        super().__init__(game, deadline)
        self.hardest = hardest
        self.level = self.step = Level.TRIVIAL

    def _find_safe_cells(self) -> NDArray[np.int64]:
        steps = _Steps(self._current_board(), self.mines, self._deadline)
        for level in Level:
            if level > self.hardest:
                break
            safe = steps.find_safe_at_level(level)
            if safe:
                self.step = level
                self.level = max(self.level, level)
                return np.array(sorted(safe), np.int64)
        self.stuck = np.flatnonzero(self.cells == UNKNOWN)
        return np.empty(0, np.int64)


class _Steps:
    """The proofs in a position where single clues decide nothing more."""

    def __init__(self, board: Board, mines: int, deadline: Deadline) -> None:
        self._board = board
        self._mines = mines
        self._deadline = deadline

    def find_safe_at_level(self, level: Level) -> Collection[int]:
        """Return cells that need a step of this level, where none lower proves any safe."""
        match level:
            case Level.TRIVIAL:
                return ()
            case Level.SUBSET | Level.BOUNDS:
                self._closure.close_at_level(level, _MOST_SETS)
                decided = self._closure.decided.items()
                return [cell for cell, (value, _) in decided if value == IS_SAFE]
            case Level.LOOK_AHEAD:
                levels = Difficulty(self._constraints, self._by_clues, self._deadline)
                return [cell for cell in self._safe if levels.find_level(cell) is Level.LOOK_AHEAD]
            case Level.GLOBAL:
                forced = find_forced(self._board, self._mines, self._deadline)
                return set(_with_value(forced, IS_SAFE)) - set(self._safe)
            case Level.SEARCH:
                return self._safe

    @cached_property
    def _by_clues(self) -> dict[int, int]:
        """Values of the cells that are forced without the total."""
        return find_forced(self._board, None, self._deadline)

    @cached_property
    def _safe(self) -> list[int]:
        return _with_value(self._by_clues, IS_SAFE)

    @cached_property
    def _constraints(self) -> Constraints:
        return Constraints.from_position(self._board)

    @cached_property
    def _closure(self) -> Closure:
        return Closure(_list_concerned_clues(self._constraints, self._safe), self._deadline)


def grade_steps(game: Game, deadline: Deadline | None = None) -> Level | None:
    """Return the hardest step that a game needs when easy ones come first; None for a guess.

    A step that takes too long to grade counts as the hardest.

    Args:
        game: the game.
        deadline: when to give up.

    Raises:
        DeadlinePassed: the game was not played to its end in time.
    """
    play = GradedPlay(game, deadline or Deadline(), Level.SEARCH)
    return play.level if play.play_on() else None


def find_forced(board: Board, mines: int | None, deadline: Deadline) -> dict[int, int]:
    """Return the value of each forced cell, ascending by value; raise `DeadlinePassed`."""
    position = solve_position(board, mines)
    if position is not None:
        flat = position.chances.ravel()
        safe, held = np.flatnonzero(flat == 0).tolist(), np.flatnonzero(flat == 1).tolist()
        return dict.fromkeys(safe, IS_SAFE) | dict.fromkeys(held, IS_MINE)
    answer = forced(board, mines, deadline=deadline)
    deadline.check()
    if answer.forced is None:
        return {}
    width = board.width
    values = ((answer.forced.safe, IS_SAFE), (answer.forced.mines, IS_MINE))
    return {row * width + col: value for cells, value in values for row, col in cells}


def _with_value(values: dict[int, int], value: int) -> list[int]:
    return [cell for cell, held in values.items() if held == value]


def _list_concerned_clues(constraints: Constraints, cells: Collection[int]) -> Sequence[Premise]:
    """List the clues that some cells depend on: those around, those around theirs, and so on."""
    premises = Premises(constraints)
    start, clues = transpose_lists(constraints.start, constraints.members, constraints.cells)
    reached: dict[int, Premise] = {}
    waiting = list(cells)
    while waiting:
        cell = waiting.pop()
        for clue in clues[start[cell] : start[cell + 1]].tolist():
            if clue not in reached:
                reached[clue] = premises.of_clue(clue)
                waiting += reached[clue].cells
    return [reached[clue] for clue in sorted(reached)]


@compile_kernel
def _clear_cells(
    codes: FixedMatrix[np.int8],
    cells: Matrix[np.int8],
    when: Matrix[np.int32],
    now: int,
    safe: Vector[np.int64],
) -> None:
    """Show safe cells, and decide what single clues decide, as long as they do.

    All arrays of cells have the shape (height, width); ``safe`` are numbers in reading order. A
    clue waits once at a time, so that ``cells.size`` entries suffice.
    """
    height, width = cells.shape
    waiting = np.empty(cells.size, np.int64)
    waits = np.zeros((height, width), np.bool_)
    waiting_count = 0
    for cell in safe:
        row, col = cell // width, cell % width
        cells[row, col] = codes[row, col]
        when[row, col] = now
        waiting_count = _wake_clues(cells, waits, waiting, waiting_count, row, col)
    while waiting_count > 0:
        waiting_count -= 1
        row, col = waiting[waiting_count] // width, waiting[waiting_count] % width
        waits[row, col] = False
        undecided = 0
        mines = 0
        for near_row in range(max(0, row - 1), min(height, row + 2)):
            for near_col in range(max(0, col - 1), min(width, col + 2)):
                undecided += cells[near_row, near_col] == UNKNOWN
                mines += cells[near_row, near_col] == MINE
        need = cells[row, col] - mines
        if undecided == 0 or (need > 0 and need < undecided):
            continue
        for near_row in range(max(0, row - 1), min(height, row + 2)):
            for near_col in range(max(0, col - 1), min(width, col + 2)):
                if cells[near_row, near_col] == UNKNOWN:
                    cells[near_row, near_col] = codes[near_row, near_col]
                    when[near_row, near_col] = now
                    waiting_count = _wake_clues(
                        cells, waits, waiting, waiting_count, near_row, near_col
                    )


@inline_kernel
def _wake_clues(
    cells: Matrix[np.int8],
    waits: Matrix[np.bool_],
    waiting: Vector[np.int64],
    waiting_count: int,
    row: int,
    col: int,
) -> int:
    """Let the clues around a cell, and its own, wait to be looked at; return how many wait then."""
    height, width = cells.shape
    for near_row in range(max(0, row - 1), min(height, row + 2)):
        for near_col in range(max(0, col - 1), min(width, col + 2)):
            if cells[near_row, near_col] <= 8 and not waits[near_row, near_col]:
                waits[near_row, near_col] = True
                waiting[waiting_count] = near_row * width + near_col
                waiting_count += 1
    return waiting_count
