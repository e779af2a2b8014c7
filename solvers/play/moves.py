"""The best moves of a position, and how good they are.

Where the layouts can be listed, the end of the game is searched and moves are ordered by the chance
to win (`solvers.play.endgame`). Elsewhere they are ordered by what the click and the next one are
worth (`solvers.play.look_ahead`). Proved safe cells come first in any case.
"""

from bisect import insort
from dataclasses import replace
from fractions import Fraction
from math import prod
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import SAFE, Board, list_coordinates
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.findings import Move, RankedMoves
from minecheck.solvers.play.click import NUMBERS, Click
from minecheck.solvers.play.endgame import Endgame
from minecheck.solvers.play.endgame_layouts import HIT
from minecheck.solvers.play.guesses import find_guesses
from minecheck.solvers.play.look_ahead import LookAhead
from minecheck.solvers.positions.solve import Position

#: The end of a game is searched up to this many layouts, and this many for each unit of effort, so
#: that listing them does not take longer than the search.
_MOST_LAYOUTS: Final = 50_000
_EFFORT_A_LAYOUT: Final = 2_000
#: The part of the time that the end of a game may take: what is left of it suffices to look ahead,
#: so that an answer with more time never says less.
_END_SHARE: Final = 0.8


def list_proved_moves(board: Board, safe: list[Coordinates], limit: int) -> RankedMoves:
    """Return the moves of a position of which no more is known than its safe cells.

    Args:
        board: what is shown.
        safe: cells that are proved safe.
        limit: the most moves.
    """
    safe_already = list_coordinates(board.cells == SAFE)
    return RankedMoves(
        [Move(cell, True, 0.0) for cell in (safe_already + safe)[:limit]], complete=False
    )


class Adviser:
    """The search for the best moves of a consistent position.

    ``chances`` are those of a mine in each unknown cell, exactly 0 and 1 where that is proved, and
    NaN elsewhere, (height, width). ``position`` is what the compiled call says of the board, None
    if it does not take it. ``effort`` bounds the search of the end of a game, see `Endgame`.
    """

    def __init__(
        self,
        board: Board,
        mines: int,
        chances: NDArray[np.float64],
        position: Position | None,
        effort: int,
        deadline: Deadline,
    ) -> None:
        self._board = board
        self._mines = mines
        self._deadline = deadline
        self._effort = effort
        self._chances = np.where(board.cells == SAFE, 0.0, chances)
        self._position = position
        #: The end of the game, once it is played out.
        self._endgame: Endgame | None = None

    def rank_moves(self, limit: int, also: Coordinates | None = None) -> RankedMoves:
        """Return the best moves, best first, and the value of the position.

        Args:
            limit: the most moves.
            also: a cell that comes last if it is not among these.
        """
        ranked = self._find_best(limit)
        if also is not None and all(move.cell != also for move in ranked.moves):
            move = self._describe_move(also)
            ranked.moves.append(move)
            is_valued = self._endgame is None or move.win is not None
            ranked.complete &= is_valued and move.numbers is not None
        return ranked

    def _find_best(self, limit: int) -> RankedMoves:
        flat = self._chances.ravel()
        closed = [cell for cell in np.argsort(flat, kind="stable").tolist() if flat[cell] < 1.0]
        if not closed:
            return RankedMoves([], 1.0, 1.0, [])
        if self._position is None or self._deadline.left <= 0:
            moves = [self._make_move(self._locate_cell(cell)) for cell in closed[:limit]]
            return RankedMoves(moves, complete=False)
        total = self._position.count
        ranked = RankedMoves([], float(Fraction(1, total)), 1.0)
        ranked.guesses = find_guesses(self._board, self._mines, self._position, self._deadline)
        if self._deadline.left <= 0:
            # The rest takes long to begin on a large board.
            ranked.moves = [self._make_move(self._locate_cell(cell)) for cell in closed[:limit]]
            ranked.high = prod(guess.chance for guess in ranked.guesses)
            ranked.complete = False
            return ranked
        most = min(_MOST_LAYOUTS, self._effort // _EFFORT_A_LAYOUT)
        endgame = None
        # Counting again takes long on a large board.
        if total <= most:
            endgame = Endgame.from_position(
                self._board, self._mines, self._position, most, self._effort
            )
        if endgame is not None:
            low, high = endgame.bound_value(self._deadline.take_share(_END_SHARE))
            ranked.low, ranked.high = low / total, high / total
            if low == high:
                self._endgame = endgame
                self._play_out(endgame, low, limit, ranked)
                return ranked
        # More effort may play the position out.
        ranked.complete = total > _MOST_LAYOUTS
        self._look_ahead(closed, limit, ranked)
        # Each of them has to be constructed in any case.
        ranked.high = min(ranked.high, prod(guess.chance for guess in ranked.guesses))
        return ranked

    def _play_out(self, endgame: Endgame, value: int, limit: int, answer: RankedMoves) -> None:
        """Rank moves by the chance to win."""
        total = endgame.layouts
        hits = np.count_nonzero(endgame.numbers == HIT, axis=0)
        # The most and the least layouts that are won, negative, and the index of the cell.
        ranked: list[tuple[int, int, int]] = []
        # Informative cells come first among safe ones.
        dead = np.all(endgame.numbers == endgame.numbers[:1], axis=0)
        order = np.lexsort((dead, hits)).tolist()
        # The best move is known first, in case the deadline ends the search of the others.
        best = self._find_winning(endgame, value, hits, order)
        order.sort(key=lambda index: index != best)
        for index in order:
            if len(ranked) >= limit and total - hits[index] <= -ranked[limit - 1][0]:
                break
            low, high = value, value
            if hits[index] > 0:
                # Moves that are worth no more than the last one to return need not be valued.
                enough = -ranked[limit - 1][0] if len(ranked) >= limit else 0
                low, high = endgame.bound_after_opening(index, self._deadline, enough)
                # No move is worth more than the position.
                high = min(high, value)
                if high <= enough:
                    continue
            # Less likely mines come first among equals.
            insort(ranked, (-high, -low, index), key=itemgetter(0, 1))
        for high, low, index in ranked[:limit]:
            cell = self._locate_cell(int(endgame.cells[index]))
            click = Click.from_board(self._board, self._mines, cell, total)
            move = self._describe_click(cell, click)
            answer.moves.append(replace(move, win=-low / total if low == high else None))
            answer.complete &= low == high

    def _find_winning(
        self, endgame: Endgame, value: int, hits: NDArray[np.int64], order: list[int]
    ) -> int | None:
        """Return the index of the first cell, in some order, that is worth what the position is."""
        for index in order:
            if hits[index] == 0:
                return index
            if endgame.bound_after_opening(index, self._deadline, value - 1)[0] == value:
                return index
        return None

    def _look_ahead(self, closed: list[int], limit: int, ranked: RankedMoves) -> None:
        """Rank moves by what is known of the next two clicks; ``closed`` come by ascending risk."""
        assert self._position is not None, "looked at before"
        known = (self._board, self._mines, self._position, self._chances)
        ahead = LookAhead(*known, self._deadline)
        for cell in ahead.rank_cells(list(map(self._locate_cell, closed)), limit)[:limit]:
            ranked.moves.append(self._describe_click(cell, ahead.find_click(cell)))
        ranked.complete &= ahead.complete
        ranked.high = min(ranked.high, ahead.bound)

    def _describe_move(self, cell: Coordinates) -> Move:
        """Describe a move in full, however bad it is."""
        if self._chances[cell] == 1.0:
            none = [0.0] * NUMBERS
            return replace(
                self._make_move(cell), numbers=none, progress=0.0, survival=0.0, win=0.0, dead=True
            )
        if self._position is None or self._deadline.left <= 0:
            return self._make_move(cell)
        total = self._position.count
        move = self._describe_click(cell, Click.from_board(self._board, self._mines, cell, total))
        if self._endgame is None:
            return move
        number = cell[0] * self._board.width + cell[1]
        index = int(np.searchsorted(self._endgame.cells, number))
        low, high = self._endgame.bound_after_opening(index, self._deadline)
        return replace(move, win=low / total if low == high else None)

    def _describe_click(self, cell: Coordinates, click: Click | None) -> Move:
        """Describe a move by a click on this cell, or on one that is alike."""
        known = self._make_move(cell)
        if click is None:
            return known
        survival = click.survival
        return replace(
            known,
            numbers=[float(chance) for chance in click.numbers],
            progress=float(click.progress),
            survival=None if survival is None else float(survival),
            dead=click.dead,
        )

    def _make_move(self, cell: Coordinates) -> Move:
        """Return a move with the facts that are known immediately."""
        chance = float(self._chances[cell])
        return Move(cell, chance == 0.0, chance)

    def _locate_cell(self, cell: int) -> Coordinates:
        row, col = divmod(cell, self._board.width)
        return row, col
