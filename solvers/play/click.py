"""The possible outcomes of a click, their chances, and the quality of the positions after it.

Tested in tests/solvers/play/test_moves.py.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.play.outlook import compute_outlook
from minecheck.solvers.positions.solve import Position, solve_position

#: The number of values that a cell may show, 0 to 8.
NUMBERS: Final = 9


@dataclass(eq=False)
class Outcome:
    """A number that a click shows, and the position then."""

    number: int
    board: Board
    position: Position

    @cached_property
    def next_click(self) -> tuple[Coordinates, float] | None:
        """The cell that is least likely a mine, and that chance; None if only mines are left."""
        safe_cells = np.argwhere(self.board.cells == SAFE)
        if safe_cells.size:
            row, col = safe_cells[0].tolist()
            return (row, col), 0.0
        chances = self.position.chances
        cell = divmod(int(np.argmin(np.where(np.isnan(chances), 1.0, chances))), self.board.width)
        chance = float(chances[cell])
        return None if np.isnan(chance) or chance == 1.0 else (cell, chance)

    @property
    def risk(self) -> float:
        """The least chance of a mine in the next click; 0 if there is none to make."""
        return 0.0 if self.next_click is None else self.next_click[1]


@dataclass(eq=False)
class Click:
    """A click on a cell in a position of ``total`` layouts, with all that it may show.

    ``outcomes`` are those that are possible, by ascending number.
    """

    cell: Coordinates
    mines: int
    total: int
    outcomes: list[Outcome]

    @classmethod
    def from_board(cls, board: Board, mines: int, cell: Coordinates, total: int) -> "Click | None":
        """Return the click on a cell that is not shown; None if no ordinary position follows.

        Args:
            board: what is shown.
            mines: the total of mines.
            cell: (row, col) of the cell.
            total: the number of layouts of the position.
        """
        safe = solve_position(board.with_codes({cell: SAFE}), mines)
        row, col = cell
        around = board.cells[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2]
        least = int(np.count_nonzero(around == MINE))
        most = least + int(np.count_nonzero((around == UNKNOWN) | (around == FLAG)))
        most -= board.cells[cell] != SAFE
        outcomes = []
        for number in range(least, most + 1):
            after = board.with_codes({cell: number})
            position = solve_position(after, mines)
            if position is not None:
                outcomes.append(Outcome(number, after, position))
        # No position is found where there is none, or where it is not ordinary.
        if sum(outcome.position.count for outcome in outcomes) != (safe.count if safe else 0):
            return None
        return cls(cell, mines, total, outcomes)

    @cached_property
    def numbers(self) -> list[Fraction]:
        """The chance of each number, 0 to 8; they add up to that of surviving the click."""
        shares = [Fraction(0)] * NUMBERS
        for outcome in self.outcomes:
            shares[outcome.number] = Fraction(outcome.position.count, self.total)
        return shares

    @property
    def dead(self) -> bool:
        """True if it shows the same in all layouts in which it is safe."""
        return len(self.outcomes) < 2

    @property
    def progress(self) -> Fraction:
        """The chance that a safe cell is proved then, or that nothing is left to do."""
        safe = sum(outcome.position.count for outcome in self.outcomes if outcome.risk == 0.0)
        return Fraction(safe, self.total)

    @cached_property
    def promise(self) -> float:
        """The same as a float, to rank by."""
        return float(self.progress)

    @property
    def survival(self) -> Fraction | None:
        """The chance to survive this click and the next one, if that is on the safest cell.

        None where that is no ordinary position.
        """
        survived = list(map(self._count_survived, self.outcomes))
        return None if None in survived else Fraction(sum(filter(None, survived)), self.total)

    @cached_property
    def survived(self) -> float:
        """The same, nearly, for less."""
        return sum(
            outcome.position.count / self.total * (1 - outcome.risk) for outcome in self.outcomes
        )

    @cached_property
    def outlook(self) -> float:
        """The chance to survive it, times the outlook then; see `compute_outlook`."""
        return sum(
            outcome.position.count
            / self.total
            * compute_outlook(outcome.board, self.mines, outcome.position)
            for outcome in self.outcomes
        )

    def _count_survived(self, outcome: Outcome) -> int | None:
        """Count the layouts of an outcome in which the safest cell is safe."""
        if outcome.next_click is None or outcome.risk == 0.0:
            return outcome.position.count
        safe = solve_position(outcome.board.with_codes({outcome.next_click[0]: SAFE}), self.mines)
        return None if safe is None else safe.count
