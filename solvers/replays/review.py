"""The review of a game: for each click that opened something, what was known before it.

Layouts are all equally likely, as in the rest of the project, and the number of mines is known.
The programs never have a mine under the first click, so that this one is no guess.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import BOUNDED, NeedsMoreEffort
from minecheck.solvers.findings import Move, Win
from minecheck.solvers.replays.reading import Replay, ReplayClick
from minecheck.solvers.router import answer_question
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.moves import Moves

#: The chance of the best play is looked for where so few layouts are left.
_MOST_LAYOUTS: Final = 2_000
#: Seconds for the best move of one position.
_MOVE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class BetterClick:
    """A cell that was better to open, and the chance of a mine there."""

    cell: Coordinates
    mine: float


@dataclass(frozen=True, slots=True)
class ReviewedClick:
    """A click that opened something, or a mine.

    What was not found in time is None.

    Attributes:
        number: of the click among all clicks of the replay, from 0.
        click: the click.
        board: what was shown before it, without flags.
        cells: the closed cells that it opened itself, mines included.
        survival: the share of the layouts without a mine in these cells; 1 for the first click
            of a game, if it did not open a mine.
        safe: a cell that was proved safe before the click; the first click is safe anywhere.
        better: a better click, None also if there was none.
        win: the chance to win with best play before the click, where it was cheap to find.
        reviewed: False if there was no time for this click.
    """

    number: int
    click: ReplayClick
    board: Board
    cells: tuple[Coordinates, ...]
    survival: Fraction | None
    safe: Coordinates | None
    better: BetterClick | None
    win: Win | None
    reviewed: bool = True

    @property
    def is_guess(self) -> bool:
        """True if the click might have opened a mine."""
        return self.survival is not None and self.survival < 1

    @property
    def is_needless(self) -> bool:
        """True if the click was a guess, and another cell was proved safe."""
        return self.is_guess and self.safe is not None


@dataclass(frozen=True, slots=True)
class ReplayReview:
    """The review of a game.

    Attributes:
        clicks: those that opened something, or a mine, in order.
    """

    clicks: tuple[ReviewedClick, ...]

    @property
    def complete(self) -> bool:
        """True if there was time for all clicks."""
        return all(click.reviewed for click in self.clicks)

    @property
    def luck(self) -> float | None:
        """Minus the logarithm to base 10 of the product of the chances that were survived.

        None if some are not known.
        """
        if not self.complete:
            return None
        survived = [survival.survival for survival in self.clicks if not survival.click.lost]
        return sum(-log10(survival) for survival in survived if survival) + 0.0


def review_replay(replay: Replay, deadline: Deadline | None = None) -> ReplayReview:
    """Review a game, as far as there is time.

    Args:
        replay: the game.
        deadline: when to stop.
    """
    deadline = deadline or Deadline()
    codes = replay.layout.to_codes()
    clicks: list[ReviewedClick] = []
    for number, click, shown, flags in _iterate_moments(replay):
        if not (click.opened or click.lost):
            continue
        board = Board(np.where(shown, codes, np.int8(UNKNOWN)))
        cells = tuple(_list_own_cells(click, shown, flags))
        try:
            deadline.check()
            reviewed = _review_click(number, click, board, cells, replay.layout, deadline)
        except (DeadlinePassed, NeedsMoreEffort):
            reviewed = ReviewedClick(number, click, board, cells, None, None, None, None, False)
        clicks.append(reviewed)
    return ReplayReview(tuple(clicks))


def draw_moment(replay: Replay, clicks: int) -> Board:
    """Return the board as the player saw it after some clicks, with flags and a mine that was hit.

    Args:
        replay: the game.
        clicks: how many clicks have been made, at most all.
    """
    shown = np.zeros(replay.layout.mines.shape, np.bool_)
    flags, hits = np.zeros_like(shown), np.zeros_like(shown)
    for click in islice(replay.clicks, clicks):
        if click.lost:
            for cell in _list_own_cells(click, shown, flags):
                hits[cell] = replay.layout.mines[cell]
        _apply_click(click, shown, flags)
    cells = np.where(flags & ~shown, np.int8(FLAG), np.int8(UNKNOWN))
    cells = np.where(shown, replay.layout.to_codes(), cells)
    return Board(np.where(hits, np.int8(MINE), cells))


def _iterate_moments(
    replay: Replay,
) -> Iterator[tuple[int, ReplayClick, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield each click with its number, and the cells that are open and have flags before it."""
    shown = np.zeros(replay.layout.mines.shape, np.bool_)
    flags = np.zeros_like(shown)
    for number, click in enumerate(replay.clicks):
        yield number, click, shown, flags
        _apply_click(click, shown, flags)


def _apply_click(click: ReplayClick, shown: NDArray[np.bool_], flags: NDArray[np.bool_]) -> None:
    for cell in click.opened:
        shown[cell] = True
    if click.kind in ("flag", "unflag"):
        flags[click.cell] ^= not shown[click.cell]


def _list_own_cells(
    click: ReplayClick, shown: NDArray[np.bool_], flags: NDArray[np.bool_]
) -> Iterator[Coordinates]:
    """Yield the cells that a click opens itself, not as neighbours of a zero among them."""
    if click.kind == "open":
        yield click.cell
        return
    row, col = click.cell
    height, width = shown.shape
    rows = range(max(0, row - 1), min(height, row + 2))
    cols = range(max(0, col - 1), min(width, col + 2))
    for cell in product(rows, cols):
        if not (shown[cell] or flags[cell]):
            yield cell


def _review_click(
    number: int,
    click: ReplayClick,
    board: Board,
    cells: tuple[Coordinates, ...],
    layout: Layout,
    deadline: Deadline,
) -> ReviewedClick:
    """Return the review of one click.

    Raises:
        DeadlinePassed: there is no time for it.
        NeedsMoreEffort: it takes more than bounded effort.
    """
    is_first = bool(np.all(board.cells == UNKNOWN))
    if is_first and not click.lost:
        return ReviewedClick(number, click, board, cells, Fraction(1), click.cell, None, None)
    mines = layout.total
    analysis = answer_question(Analyze(board, mines), deadline, BOUNDED)
    if analysis.count is None or analysis.probabilities is None or analysis.forced is None:
        raise DeadlinePassed
    survival = _compute_survival(board, cells, mines, int(analysis.count), deadline)
    safe = analysis.forced.safe[0] if analysis.forced.safe else None
    better = win = None
    if analysis.count <= _MOST_LAYOUTS or (survival < 1 and safe is None):
        soon = Deadline.in_seconds(min(_MOVE_SECONDS, deadline.left))
        question = Moves(board, mines, limit=1, cell=cells[0] if len(cells) == 1 else None)
        ranked = answer_question(question, soon, BOUNDED).moves
        if ranked is not None:
            win = ranked.win
            if survival < 1 and ranked.moves:
                better = _compare_moves(ranked.moves[0], ranked.moves[-1])
    if survival < 1 and safe is not None:
        better = BetterClick(safe, 0.0)
    return ReviewedClick(number, click, board, cells, survival, safe, better, win)


def _compute_survival(
    board: Board, cells: tuple[Coordinates, ...], mines: int, layouts: int, deadline: Deadline
) -> Fraction:
    """Return the share of the layouts without a mine in some cells.

    Raises:
        DeadlinePassed: there is no time for it.
    """
    opened = board.cells.copy()
    for cell in cells:
        opened[cell] = SAFE
    count = answer_question(Count(Board(opened), mines), deadline, BOUNDED).count
    if count is None:
        raise DeadlinePassed
    return Fraction(int(count), layouts)


def _compare_moves(best: Move, own: Move) -> BetterClick | None:
    """Return the best move if it is better than what was opened, by what is known of both.

    Args:
        best: the best move.
        own: what was opened; the best move itself if that was no single cell.
    """
    if best is not own:
        if best.win is not None and own.win is not None:
            gained = best.win > own.win
        elif best.survival is not None and own.survival is not None:
            gained = best.survival > own.survival
        else:
            gained = best.mine < own.mine
        if not gained:
            return None
    return BetterClick(best.cell, best.mine)
