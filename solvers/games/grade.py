"""How hard a game is: the steps that it takes, and where it needs its first guess."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minefield.board import UNKNOWN, Board
from minefield.game import Game
from minefield.openings import NONE, beside, least_clicks, openings
from solvers.answer import Answer
from solvers.deadline import Deadline, DeadlinePassed
from solvers.games.proved_play import GradedPlay
from solvers.question import Question, Task
from solvers.reasons.deduction import Level
from solvers.router import answer


@dataclass(frozen=True, slots=True)
class Stuck:
    """Where a game needs a guess: what is shown then, and what is known of the best moves."""

    board: Board
    answer: Answer


@dataclass(frozen=True, slots=True)
class Grade:
    """How hard a game is when it is played by the easiest steps, and no guess is made.

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
        """Whether nothing is missing."""
        if self.guess_free is None:
            return False
        return self.stuck is None or self.stuck.answer.complete


def grade(game: Game, limit: int, deadline: Deadline | None = None) -> Grade:
    """Play a game as far as proofs go; where they end, look for at most ``limit`` moves."""
    deadline = deadline or Deadline()
    play = _CountedPlay(game, deadline)
    guess_free: bool | None = None
    stuck = None
    try:
        guess_free = play.finish()
        if not guess_free:
            board = Board(np.where(play.cells <= 8, play.cells, np.int8(UNKNOWN)))
            asked = Question(Task.MOVES, board, game.layout.total, limit=limit)
            stuck = Stuck(board, answer(asked, deadline))
    except DeadlinePassed:
        pass
    return Grade(
        game,
        guess_free,
        play.level,
        {level: play.steps[level] for level in Level},
        int(play.openings.max(initial=NONE)) + 1,
        least_clicks(game.layout),
        stuck,
    )


class _CountedPlay(GradedPlay):
    """A graded play that counts the ``steps`` of each level."""

    def __init__(self, game: Game, deadline: Deadline) -> None:
        super().__init__(game, deadline, Level.SEARCH)
        self.openings = openings(game.layout)
        self.steps: Counter[Level] = Counter()

    def _take(self, safe: NDArray[np.int64]) -> None:
        """Show cells that the last step proved safe, and count what was clicked on for it."""
        before = self.cells <= 8
        super()._take(safe)
        shown = (self.cells <= 8) & ~before
        proved = np.zeros_like(shown)
        proved.ravel()[safe] = True
        at_once = np.isin(self.openings, self._opened(proved))
        # The first click is given.
        self.steps[self.step] += self._clicks(proved, at_once) - (self.round == 1)
        # What single clues prove thereafter is shown in the same round.
        self.steps[Level.TRIVIAL] += self._clicks(shown & ~proved & ~beside(at_once), shown)

    def _clicks(self, cells: NDArray[np.bool_], shown: NDArray[np.bool_]) -> int:
        """Clicks that open some cells, where 0s among those that are ``shown`` open more."""
        numbers = cells & ~beside(shown & (self.openings != NONE))
        return int(np.count_nonzero(numbers)) + self._opened(cells).size

    def _opened(self, cells: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The openings that some cells belong to."""
        found = np.unique(self.openings[cells])
        return np.asarray(found[found != NONE], np.int32)
