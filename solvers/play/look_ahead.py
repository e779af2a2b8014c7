"""Moves where the end of the game is not near, by what is known of this click and the next one."""

from bisect import insort
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from tomllib import loads
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.board import MINE, Board
from solvers.counting.position import Position
from solvers.deadline import Deadline
from solvers.play.click import Click
from solvers.play.even_guesses import EvenGuesses
from solvers.question import Place

#: Clicks that are looked at beyond those that are wanted.
_MORE_CLICKS: Final = 30
#: The score of cells that are proved safe, above any other.
_PROVED: Final = 2.0
#: The scores of cells that cost nothing begin here.
_FREE: Final = 1.0
#: Sums of floats differ by less than this from the exact ones.
_ROUNDING: Final = 1e-9


class Weights(NamedTuple):
    """What scores are made with; weights.toml says what each weight is, and why."""

    even: float
    near: float


@cache
def weights() -> Weights:
    """The weights in weights.toml."""
    told = loads(files("solvers.play").joinpath("weights.toml").read_text())
    return Weights(told["even"], told["near"])


class _Ranked(NamedTuple):
    """A cell and what it is ordered by; lower is better."""

    score: float
    dead: bool
    promise: float
    place: Place


class LookAhead:
    """A position, looked at one click ahead; see `solvers.play.moves.Adviser` for ``chances``."""

    def __init__(
        self,
        board: Board,
        mines: int,
        known: Position,
        chances: NDArray[np.float64],
        deadline: Deadline,
    ) -> None:
        self._board = board
        self._mines = mines
        self._known = known
        self._chances = chances
        self._deadline = deadline
        self._alike: dict[tuple[int, int], Click] = {}
        #: Whether all was looked at that is usually.
        self.complete = True
        #: Nobody survives two clicks more often, nor wins.
        self.bound = 0.0

    def ranked(self, closed: Sequence[Place], wanted: int) -> list[Place]:
        """Cells by their score, best first; ``closed`` ones come by ascending risk.

        At least the ``wanted`` best ones are among them, as far as the time is enough.
        """
        if self._chances[closed[0]] == 0.0:
            found = self._proved(closed, wanted)
        else:
            found = self._guessed(closed, wanted)
        return [one.place for one in found] or list(closed)

    def click(self, place: Place) -> Click | None:
        """The click on a cell, or on one that is alike.

        None if the time is over, or what follows is not ordinary.
        """
        kind = self._surroundings(place)
        if kind not in self._alike:
            in_time = self._deadline.left > 0
            click = (
                Click.of(self._board, self._mines, place, self._known.count) if in_time else None
            )
            if click is None:
                self.complete = False
                return None
            self._alike[kind] = click
        return self._alike[kind]

    def _proved(self, closed: Sequence[Place], wanted: int) -> list[_Ranked]:
        """Cells that are proved safe, those that tell something first."""
        self.bound = 1.0
        found: list[_Ranked] = []
        for place in closed:
            enough = len(found) >= wanted
            if enough and (self._chances[place] > 0.0 or not found[wanted - 1].dead):
                break
            click = self._looked_at(place, wanted)
            if click is None:
                break
            score = _PROVED if self._chances[place] == 0.0 else click.score
            insort(found, _Ranked(-score, click.dead, -click.promise, place))
        return found

    def _guessed(self, closed: Sequence[Place], wanted: int) -> list[_Ranked]:
        """Cells none of which is proved safe."""
        even = EvenGuesses(self._board, self._mines, self._known, self._deadline)
        weight, near = weights()
        least = near * (1.0 - float(self._chances[closed[0]]))
        found: list[_Ranked] = []
        left_out = survived = 0.0
        for place in closed:
            safe = 1.0 - float(self._chances[place])
            if safe < least and len(found) >= wanted and place not in even.cells:
                left_out = max(left_out, safe)
                continue
            free = place in even.free
            share = even.share(place)
            most = safe + weight * share
            if not free and len(found) >= wanted:
                worse = most <= -found[wanted - 1].score and safe <= survived
                if worse or safe + share < least:
                    left_out = max(left_out, safe)
                    continue
            click = self._looked_at(place, wanted)
            if click is None:
                left_out = max(left_out, safe)
                break
            survived = max(survived, click.score)
            score = click.score * most / safe
            score = _FREE + click.score if free and not click.dead else score
            insort(found, _Ranked(-score, click.dead, -click.promise, place))
        self.bound = max(left_out, self._survived(survived))
        return found

    def _looked_at(self, place: Place, wanted: int) -> Click | None:
        """The click on a cell; None where no more of them are to be looked at."""
        enough = len(self._alike) == wanted + _MORE_CLICKS
        return (
            None if enough and self._surroundings(place) not in self._alike else self.click(place)
        )

    def _survived(self, best: float) -> float:
        """The exact chance to survive two clicks, in place of the ``best`` sum of floats."""
        clicks = [one for one in self._alike.values() if one.score >= best - _ROUNDING]
        exact = [1.0 if one.survival is None else float(one.survival) for one in clicks]
        return max(exact, default=0.0)

    def _surroundings(self, place: Place) -> tuple[int, int]:
        """The same for cells after which everything goes the same way.

        These are cells that no clue sees, as far as all cells around have none either.
        """
        row, col = place
        near = np.s_[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2]
        cells = self._board.cells[near]
        loose = self._known.kinds[near] == self._known.boxes
        if not np.all(loose | (cells == MINE)):
            return row, col
        return -1 - int(np.count_nonzero(loose)), int(np.count_nonzero(cells == MINE))
