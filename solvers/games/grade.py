"""How hard a game is: the steps that it takes, and where it needs its first guess."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.game import Game
from minecheck.minefield.openings import NONE, count_least_clicks, dilate_cells, find_openings
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.games.proved_play import GradedPlay
from minecheck.solvers.reasons.deduction import Level
from minecheck.solvers.router import answer_question
from minecheck.solvers.tasks.moves import Moves, MovesAnswer


@dataclass(frozen=True, slots=True)
class Stuck:
    """Where a game needs a guess: what is shown then, and what is known of the best moves."""

    board: Board
    answer: MovesAnswer


@dataclass(frozen=True, slots=True)
class Grade:
    """The difficulty of a game played by the easiest steps and without guesses.

    ``steps`` counts the clicks after the first one by what proved them safe: a click shows a
    number, or an opening. ``difficulty`` is the hardest of them, so far where the time was over.
    ``guess_free`` is None then. ``openings`` and ``clicks``, the 3BV, are those of the whole game.
    """

    game: Game
    guess_free: bool | None
    difficulty: Level
    steps: Mapping[Level, int]
    openings: int
    clicks: int
    stuck: Stuck | None = None

    @property
    def complete(self) -> bool:
        """True if nothing is missing."""
        if self.guess_free is None:
            return False
        return self.stuck is None or self.stuck.answer.complete


def grade_game(game: Game, limit: int, deadline: Deadline | None = None) -> Grade:
    """Play a game as far as proofs go, and grade it.

    Args:
        game: the game.
        limit: how many moves to look for at most where proofs end.
        deadline: when to stop.
    """
    deadline = deadline or Deadline()
    play = _CountedPlay(game, deadline)
    guess_free: bool | None = None
    stuck = None
    try:
        guess_free = play.play_on()
        if not guess_free:
            board = Board(np.where(play.cells <= 8, play.cells, np.int8(UNKNOWN)))
            moves_shown = Moves(board, game.layout.total, limit=limit)
            stuck = Stuck(board, answer_question(moves_shown, deadline))
    except DeadlinePassed:
        pass
    return Grade(
        game,
        guess_free,
        play.level,
        {level: play.steps[level] for level in Level},
        int(play.openings.max(initial=NONE)) + 1,
        count_least_clicks(game.layout),
        stuck,
    )


class _CountedPlay(GradedPlay):
    """A graded play that counts the ``steps`` of each level."""

    def __init__(self, game: Game, deadline: Deadline) -> None:
        super().__init__(game, deadline, Level.SEARCH)
        self.openings = find_openings(game.layout)
        self.steps: Counter[Level] = Counter()

    def _take_safe_cells(self, safe: NDArray[np.int64]) -> None:
        """Show cells that the last step proved safe, and count what was clicked on for it."""
        before = self.cells <= 8
        super()._take_safe_cells(safe)
        shown = (self.cells <= 8) & ~before
        proved = np.zeros_like(shown)
        proved.ravel()[safe] = True
        at_once = np.isin(self.openings, self._list_openings(proved))
        # The first click is given.
        self.steps[self.step] += self._count_clicks(proved, at_once) - (self.round == 1)
        # Cells that single clues prove afterwards are shown in the same round.
        self.steps[Level.TRIVIAL] += self._count_clicks(
            shown & ~proved & ~dilate_cells(at_once), shown
        )

    def _count_clicks(self, cells: NDArray[np.bool_], shown: NDArray[np.bool_]) -> int:
        """Count clicks that open some cells, where 0s among those that are ``shown`` open more."""
        numbers = cells & ~dilate_cells(shown & (self.openings != NONE))
        return int(np.count_nonzero(numbers)) + self._list_openings(cells).size

    def _list_openings(self, cells: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the openings that some cells belong to."""
        openings = np.unique(self.openings[cells])
        return np.asarray(openings[openings != NONE], np.int32)
