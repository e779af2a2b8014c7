"""Any player, judged by the truth: which moves were proved, and what its guesses threw away.

A player is asked for one cell after the other. Each is compared with the exact chances of the
position that the player saw, so that a game tells more than whether it was won.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from time import perf_counter
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board
from minecheck.minefield.game import Game
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.games.series import Series
from minecheck.solvers.positions.solve import solve_position
from minecheck.solvers.router import answer_question
from minecheck.solvers.tasks.analyze import Analyze

#: Seconds for the chances of a position that is no ordinary one.
_PATIENCE: Final = 10.0


class GameEnd(StrEnum):
    """The end of a game; all but the first are losses.

    MINE: a mine was opened. ILLEGAL: the answer was no unopened cell of the board. LATE: there was
    no answer in time. DIED: the player ended, or could not be started.
    """

    WON = "won"
    MINE = "mine"
    ILLEGAL = "illegal"
    LATE = "late"
    DIED = "died"


class PlayerFaultError(Exception):
    """A player did not answer with a cell; ``outcome`` is how the game ends."""

    def __init__(self, outcome: GameEnd) -> None:
        super().__init__(outcome.value)
        self.outcome = outcome


class EvaluatedPlayer(Protocol):
    """A player that can be evaluated."""

    def begin_game(self) -> None:
        """Prepare for the first position of a game."""

    def choose_cell(self, board: Board, mines: int) -> Coordinates:
        """Return the cell to open; it need not be a legal one.

        Args:
            board: the position.
            mines: the total of mines.

        Raises:
            PlayerFaultError: there is no cell.
        """


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game that was judged.

    Attributes:
        outcome: how it ended.
        moves: the cells that were opened, a mine included.
        guesses: those of them that were not proved safe.
        unproved: those guesses while another cell was proved safe.
        thrown: the sum over guesses of the chance of a mine beyond the lowest one.
        expected_mines: the sum over guesses of the chance of a mine.
        unjudged: moves in positions whose chances were not found.
        seconds: the time of all moves.
        slowest: the time of the slowest move, in seconds.
        digest: of where the mines are.
    """

    outcome: GameEnd
    moves: int
    guesses: int
    unproved: int
    thrown: float
    expected_mines: float
    unjudged: int
    seconds: float
    slowest: float
    digest: bytes


def evaluate_games(
    series: Series, numbers: Iterable[int], player: EvaluatedPlayer
) -> list[GameResult]:
    """Return the results of the games of these numbers, in order.

    Args:
        series: the kind of the games; its strategy is not used.
        numbers: numbers from 0, one a game.
        player: the player.
    """
    return [evaluate_game(series.deal_game(number), player) for number in numbers]


def evaluate_game(game: Game, player: EvaluatedPlayer) -> GameResult:
    """Return the result of a game from the first click on.

    Args:
        game: the game.
        player: the player.
    """
    board, mines = game.opened, game.layout.total
    moves = guesses = unproved = unjudged = 0
    thrown = expected_mines = seconds = slowest = 0.0
    outcome = GameEnd.WON
    try:
        player.begin_game()
        while not game.is_won(board):
            started = perf_counter()
            try:
                cell = player.choose_cell(board, mines)
            finally:
                taken = perf_counter() - started
                seconds, slowest = seconds + taken, max(slowest, taken)
            if not is_legal(board, cell):
                raise PlayerFaultError(GameEnd.ILLEGAL)
            moves += 1
            chances = find_chances(board, mines)
            if chances is None:
                unjudged += 1
            elif chances[cell] > 0:
                lowest = float(np.nanmin(np.where(board.unknown, chances, np.nan)))
                guesses += 1
                unproved += lowest == 0
                thrown += float(chances[cell]) - lowest
                expected_mines += float(chances[cell])
            if game.layout.mines[cell]:
                raise PlayerFaultError(GameEnd.MINE)
            board = game.open_cells(board, [cell])
    except PlayerFaultError as fault:
        outcome = fault.outcome
    digest = sha256("\n".join(game.layout.rows()).encode()).digest()
    risks = (thrown, expected_mines)
    times = (seconds, slowest)
    return GameResult(outcome, moves, guesses, unproved, *risks, unjudged, *times, digest)


def is_legal(board: Board, cell: Coordinates) -> bool:
    """Return True if a cell is on the board and not open.

    Args:
        board: the position.
        cell: (row, col), any integers.
    """
    row, col = cell
    return 0 <= row < board.height and 0 <= col < board.width and bool(board.unknown[row, col])


def find_chances(board: Board, mines: int) -> NDArray[np.float64] | None:
    """Return the chance of a mine in each cell, (height, width), or None.

    Args:
        board: a position of a game.
        mines: the total of mines.
    """
    position = solve_position(board, mines)
    if position is not None:
        return position.chances
    answer = answer_question(Analyze(board, mines), Deadline.in_seconds(_PATIENCE))
    probabilities: NDArray[np.float64] | None = answer.probabilities
    return probabilities
