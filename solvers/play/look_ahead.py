"""Moves where the end of the game is not near, by what is known of this click and the next one.

Tested in tests/solvers/play/test_moves.py.
"""

from bisect import insort
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.play.click import Click
from minecheck.solvers.play.even_guesses import EvenGuesses
from minecheck.solvers.play.weights import load_weights
from minecheck.solvers.positions.solve import Position

#: The number of clicks that are examined beyond the requested ones.
_MORE_CLICKS: Final = 30
#: The score of cells that are proved safe, above any other.
_PROVED: Final = 2.0
#: The scores of cells that cost nothing begin here.
_FREE: Final = 1.0
#: Sums of floats differ by less than this from the exact ones.
_ROUNDING: Final = 1e-9


class _Ranked(NamedTuple):
    """A cell and what it is ordered by; lower is better."""

    score: float
    dead: bool
    promise: float
    cell: Coordinates


class LookAhead:
    """A position, looked at one click ahead; see `solvers.play.moves.Adviser` for ``chances``."""

    def __init__(
        self,
        board: Board,
        mines: int,
        position: Position,
        chances: NDArray[np.float64],
        deadline: Deadline,
    ) -> None:
        self._board = board
        self._mines = mines
        self._known = position
        self._chances = chances
        self._deadline = deadline
        self._alike: dict[tuple[int, int], Click] = {}
        #: True if all usual candidates were examined.
        self.complete = True
        #: Nobody survives two clicks more often, nor wins.
        self.bound = 0.0

    def rank_cells(self, closed: Sequence[Coordinates], most: int) -> list[Coordinates]:
        """Rank cells by their score, best first.

        Args:
            closed: cells that are not shown, by ascending risk.
            most: how many of the best ones have to be among the result, as far as time allows.
        """
        if self._chances[closed[0]] == 0.0:
            ranked = self._rank_proved(closed, most)
        else:
            ranked = self._rank_guesses(closed, most)
        return [entry.cell for entry in ranked] or list(closed)

    def find_click(self, cell: Coordinates) -> Click | None:
        """Return the click on a cell, or on one that is alike.

        None if the time is over, or what follows is not ordinary.
        """
        kind = self._describe_surroundings(cell)
        if kind not in self._alike:
            in_time = self._deadline.left > 0
            click = (
                Click.from_board(self._board, self._mines, cell, self._layouts) if in_time else None
            )
            if click is None:
                self.complete = False
                return None
            self._alike[kind] = click
        return self._alike[kind]

    @cached_property
    def _layouts(self) -> int:
        """Layouts of the position, which take long to count on a large board."""
        return self._known.count

    def _rank_proved(self, closed: Sequence[Coordinates], most: int) -> list[_Ranked]:
        """Return the cells that are proved safe, informative ones first."""
        self.bound = 1.0
        ranked: list[_Ranked] = []
        for cell in closed:
            enough = len(ranked) >= most
            if enough and (self._chances[cell] > 0.0 or not ranked[most - 1].dead):
                break
            click = self._click_if_examined(cell, most)
            if click is None:
                break
            score = _PROVED if self._chances[cell] == 0.0 else click.outlook
            insort(ranked, _Ranked(-score, click.dead, -click.promise, cell))
        return ranked

    def _rank_guesses(self, closed: Sequence[Coordinates], count: int) -> list[_Ranked]:
        """Rank cells none of which is proved safe."""
        even = EvenGuesses(self._board, self._mines, self._known, self._deadline)
        weights = load_weights()
        least = weights.near * (1.0 - float(self._chances[closed[0]]))
        ranked: list[_Ranked] = []
        left_out = survived = 0.0
        for cell in closed:
            safe = 1.0 - float(self._chances[cell])
            if safe < least and len(ranked) >= count and cell not in even.cells:
                left_out = max(left_out, safe)
                continue
            free = cell in even.free
            share = even.compute_lost_share(cell)
            most = safe + weights.even * share
            if not free and len(ranked) >= count:
                worse = most <= -ranked[count - 1].score and safe <= survived
                if worse or safe + share < least:
                    left_out = max(left_out, safe)
                    continue
            click = self._click_if_examined(cell, count)
            if click is None:
                left_out = max(left_out, safe)
                break
            survived = max(survived, click.survived)
            # No outlook is better than the safest next click.
            enough = len(ranked) >= count and not free
            if enough and click.survived * most / safe < -ranked[count - 1].score:
                continue
            score = click.outlook * most / safe
            score = _FREE + click.outlook if free and not click.dead else score
            insort(ranked, _Ranked(-score, click.dead, -click.promise, cell))
        self.bound = max(left_out, self._survive_two_clicks(survived))
        return ranked

    def _click_if_examined(self, cell: Coordinates, most: int) -> Click | None:
        """Return the click on a cell; None where no more of them are to be looked at."""
        enough = len(self._alike) == most + _MORE_CLICKS
        return (
            None
            if enough and self._describe_surroundings(cell) not in self._alike
            else self.find_click(cell)
        )

    def _survive_two_clicks(self, best: float) -> float:
        """Return the exact chance to survive two clicks, not the ``best`` sum of floats."""
        clicks = [click for click in self._alike.values() if click.survived >= best - _ROUNDING]
        exact = [1.0 if click.survival is None else float(click.survival) for click in clicks]
        return max(exact, default=0.0)

    def _describe_surroundings(self, cell: Coordinates) -> tuple[int, int]:
        """Return the same pair for cells after which everything goes the same way.

        These are cells that no clue sees, as far as all cells around have none either.
        """
        row, col = cell
        near = np.s_[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2]
        cells = self._board.cells[near]
        loose = self._known.kinds[near] == self._known.boxes
        if not np.all(loose | (cells == MINE)):
            return row, col
        return -1 - int(np.count_nonzero(loose)), int(np.count_nonzero(cells == MINE))
