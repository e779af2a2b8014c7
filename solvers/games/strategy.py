"""Games played to their end: what is proved safe is opened, guesses are a matter of strategy."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from time import perf_counter
from typing import Final

import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.game import Game
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.play.moves import Adviser
from minecheck.solvers.positions.solve import solve_position
from minecheck.solvers.router import answer_question
from minecheck.solvers.tasks.moves import Moves

#: The effort for the end of a game, see `solvers.play.endgame.Endgame`.
_EFFORT: Final = 40_000_000


class Strategy(StrEnum):
    """The choice of a cell where none is proved safe.

    BEST: the first of the best moves, as `solvers.tasks.moves` has them. SAFEST: the cell that is
    least likely a mine, the first one in reading order. RANDOM: any that is not proved to be a
    mine.
    """

    BEST = "best"
    SAFEST = "safest"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """What is opened in a position, and how likely there is a mine: 0 where that is proved safe.

    It took some ``seconds`` to choose.
    """

    board: Board
    cells: list[Coordinates]
    mine: float
    seconds: float

    @property
    def guessed(self) -> bool:
        """True if it is not proved safe."""
        return self.mine > 0


@dataclass(frozen=True, slots=True)
class Player:
    """Plays games by a strategy; ``seconds`` for each guess at most, ``seed`` for random ones."""

    strategy: Strategy
    seconds: float = 1.0
    seed: int = 0

    def iterate_turns(self, game: Game) -> Iterator[PlayedTurn]:
        """Yield the turns after the first click, up to the end of the game."""
        board, mines = game.opened, game.layout.total
        draws = Random(self.seed)
        while not game.is_won(board):
            started = perf_counter()
            cells, mine = self.choose_cells(board, mines, draws)
            yield PlayedTurn(board, cells, mine, perf_counter() - started)
            if any(game.layout.mines[cell] for cell in cells):
                return
            board = game.open_cells(board, cells)

    def choose_cells(
        self, board: Board, mines: int, draws: Random
    ) -> tuple[list[Coordinates], float]:
        """Return the cells to open, and the chance of a mine there.

        Args:
            board: the position.
            mines: the total of mines.
            draws: where a random choice comes from.
        """
        position = solve_position(board, mines)
        if position is None:
            return self._choose_otherwise(board, mines)
        chances = np.where(np.isnan(position.chances), 1.0, position.chances)
        safe = [(row, col) for row, col in np.argwhere(chances == 0.0).tolist()]
        if safe:
            return safe, 0.0
        if self.strategy is Strategy.BEST:
            until = Deadline.in_seconds(self.seconds)
            adviser = Adviser(board, mines, position.chances, position, _EFFORT, until)
            cell = adviser.rank_moves(1).moves[0].cell
        elif self.strategy is Strategy.SAFEST:
            cell = divmod(int(np.argmin(chances)), board.width)
        else:
            number = draws.choice(np.flatnonzero(chances < 1.0).tolist())
            cell = divmod(number, board.width)
        return [cell], float(chances[cell])

    def _choose_otherwise(self, board: Board, mines: int) -> tuple[list[Coordinates], float]:
        """Choose the cells to open where the position is no ordinary one, which is seldom."""
        question = Moves(board, mines, limit=board.cells.size)
        answer = answer_question(question, Deadline.in_seconds(self.seconds)).moves
        moves = [] if answer is None else answer.moves
        safe = [move.cell for move in moves if move.safe]
        if safe or moves:
            return (safe, 0.0) if safe else ([moves[0].cell], moves[0].mine)
        # Nothing is known of any cell.
        row, col = np.argwhere(board.unknown)[0].tolist()
        return [(row, col)], mines / board.cells.size
