"""Boards to play: any, with an opening, or such that no guess is ever needed.

A board needs no guess when from the first click on there is always a cell
that what is shown, and the total of mines, prove safe, until all are shown.
Such boards are found by playing them. Layouts are laid afresh at first; the
one that can be played is then any of them with the same chance. Where they
are too rare for that, a layout is changed where the game got stuck, and
played on from the round in which the change is first seen: what was proved
before was proved from clues that stay as they are, so it stays true.

S. Tatham's Mines and ms_toollib change stuck layouts, too, each in its own way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count
from minecheck.minefield.openings import dilate_cells
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.games.proved_play import GradedPlay, Play, grade_steps
from minecheck.solvers.question import SEEDS, QuestionError
from minecheck.solvers.reasons.deduction import Level

#: New layouts are drawn up to this many cells in all, but at least one.
_FRESH_CELLS: Final = 50_000
#: Changes of a layout, at least, and for each cell, before the next one.
_CHANGES: Final = 200
_CHANGES_A_CELL: Final = 1
#: One in this many changes affects two distant cells, the others one.
_FAR: Final = 4


class Guarantee(StrEnum):
    """The guarantee of a board."""

    RANDOM = "random"
    OPENING = "opening"
    GUESS_FREE = "guess-free"


def choose_first(guarantee: Guarantee, height: int, width: int) -> Coordinates:
    """Return the usual first click: (3, 3) for an opening, (0, 0) if it is only safe.

    On boards without that cell it is the middle.
    """
    row, col = (0, 0) if guarantee is Guarantee.RANDOM else (3, 3)
    return (row, col) if row < height and col < width else (height // 2, width // 2)


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """The options of a board to be generated.

    ``first`` is the first click, (row, col) from 0: no mine is there, and none
    around it unless the kind is `Guarantee.RANDOM`. ``hardest`` is the hardest step
    that a board without guesses may need. ``seed`` lies in 0..SEEDS - 1.

    Raises:
        QuestionError: there is no such board.
    """

    height: int
    width: int
    mines: int
    kind: Guarantee
    first: Coordinates
    seed: int
    hardest: Level = Level.SEARCH

    def __post_init__(self) -> None:
        for field in ("height", "width"):
            if getattr(self, field) < 1:
                raise QuestionError(field, "A board has at least one row and one column.")
        row, col = self.first
        if not (0 <= row < self.height and 0 <= col < self.width):
            raise QuestionError("first", "The first click is outside the board.")
        if not 0 <= self.seed < SEEDS:
            raise QuestionError("seed", f"A seed lies between 0 and {SEEDS - 1}.")
        if self.kind is not Guarantee.GUESS_FREE and self.hardest is not Level.SEARCH:
            raise QuestionError("difficulty", "Only guess-free boards have a difficulty.")
        room = self.height * self.width - self._free.size
        if not 0 <= self.mines <= room:
            first_only = self.kind is Guarantee.RANDOM
            free = "the first click" if first_only else "the cells that the first click opens"
            raise QuestionError(
                "mines",
                f"There is room for 0 to {format_count(room, 'mine')} besides {free}.",
                fix=f"Send 0 to {room}.",
            )

    @property
    def _free(self) -> NDArray[np.int64]:
        """The cells without a mine, numbered in reading order."""
        reach = 0 if self.kind is Guarantee.RANDOM else 1
        return _list_cells_around(self.first, reach, self.height, self.width)

    @property
    def room(self) -> NDArray[np.bool_]:
        """Cells that may hold mines, (height * width,)."""
        is_free = np.ones(self.height * self.width, np.bool_)
        is_free[self._free] = False
        return is_free


@dataclass(frozen=True, slots=True)
class Generated:
    """What came of it: the game, if one was found in time.

    ``difficulty`` is the hardest step that a game without guesses needs; None
    for the other kinds, and where the time was over. ``tries`` counts layouts,
    changed ones included.
    """

    game: Game | None
    difficulty: Level | None
    tries: int
    complete: bool


def generate_board(options: BoardOptions, deadline: Deadline | None = None) -> Generated:
    """Generate a board with these options; equal options give equal boards, however long it takes.

    Args:
        options: the size, mines, seed and guarantee.
        deadline: when the search ends; it changes nothing else.
    """
    deadline = deadline or Deadline()
    draws = np.random.PCG64(options.seed)
    if options.kind is not Guarantee.GUESS_FREE:
        return Generated(deal_game(options, draws), None, 1, True)
    game, tries = None, 0
    try:
        for play in _iterate_plays(options, draws, deadline):
            tries += 1
            if play.play_on():
                game = play.game
                break
        assert game is not None, "it goes on until one is found"
        return Generated(game, grade_steps(game, deadline), tries, True)
    except DeadlinePassed:
        return Generated(game, None, tries, False)


def _iterate_plays(
    options: BoardOptions, draws: np.random.PCG64, deadline: Deadline
) -> Iterator[Play]:
    """Yield plays to finish, each of another layout; one that got stuck is changed, or given up."""
    cells = options.height * options.width
    for _ in range(max(1, _FRESH_CELLS // cells)):
        yield _start_play(options, draws, deadline)
    while True:
        best = _start_play(options, draws, deadline)
        yield best
        for _ in range(_CHANGES + _CHANGES_A_CELL * cells):
            play = best.with_layout(_change_layout(options, best, draws))
            yield play
            if play.known >= best.known:
                best = play


def _start_play(options: BoardOptions, draws: np.random.PCG64, deadline: Deadline) -> Play:
    game = deal_game(options, draws)
    if options.hardest is Level.SEARCH:
        return Play(game, deadline)
    return GradedPlay(game, deadline, options.hardest)


def deal_game(options: BoardOptions, draws: np.random.PCG64) -> Game:
    """Return a game of the requested size whose first click is safe, or an opening."""
    return Game(_lay_mines(options, draws), options.first)


def _lay_mines(options: BoardOptions, draws: np.random.PCG64) -> Layout:
    """Lay mines where the smallest of random numbers are: any layout with the same chance.

    Only raw 64-bit words are drawn, which no version of numpy changes.
    """
    allowed = np.flatnonzero(options.room)
    mines = np.zeros(options.room.size, np.bool_)
    mines[allowed[_shuffle_numbers(allowed.size, draws)[: options.mines]]] = True
    return Layout(mines.reshape(options.height, options.width))


def _change_layout(options: BoardOptions, play: Play, draws: np.random.PCG64) -> NDArray[np.bool_]:
    """Return the layout of a stuck play with cells around a stuck one exchanged."""
    height, width = options.height, options.width
    border = play.stuck[dilate_cells(play.cells <= 8).ravel()[play.stuck]]
    choice = border if border.size else play.stuck
    pick, reach = (int(word) for word in draws.random_raw(2))
    centre = divmod(int(choice[pick % choice.size]), width)
    near = _list_cells_around(centre, 1 if reach % _FAR else 2, height, width)
    near = near[options.room[near]]
    mines = play.game.layout.mines.ravel().copy()
    mines[near] = mines[near[_shuffle_numbers(near.size, draws)]]
    return mines.reshape(height, width)


def _shuffle_numbers(size: int, draws: np.random.PCG64) -> NDArray[np.int64]:
    """Return 0..size - 1 in random order."""
    return np.argsort(draws.random_raw(size), kind="stable")


def _list_cells_around(
    centre: Coordinates, reach: int, height: int, width: int
) -> NDArray[np.int64]:
    """Return the square of cells around one, numbered in reading order."""
    row, col = centre
    rows = np.arange(max(0, row - reach), min(height, row + reach + 1))
    cols = np.arange(max(0, col - reach), min(width, col + reach + 1))
    return np.asarray((rows[:, np.newaxis] * width + cols).ravel(), np.int64)
