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

from minefield.amounts import several
from minefield.game import Game
from minefield.layout import Layout
from minefield.openings import beside
from solvers.deadline import Deadline, DeadlinePassed
from solvers.games.proved_play import GradedPlay, Play, graded
from solvers.question import SEEDS, Place, QuestionError
from solvers.reasons.deduction import Level

#: Layouts are laid afresh as long as they have so many cells in all, at least one.
_FRESH_CELLS: Final = 50_000
#: Changes of a layout, at least, and for each cell, before the next one.
_CHANGES: Final = 200
_CHANGES_A_CELL: Final = 1
#: One in so many changes reaches two cells far, the others one.
_FAR: Final = 4


class Kind(StrEnum):
    """What is promised of a board."""

    RANDOM = "random"
    OPENING = "opening"
    GUESS_FREE = "guess-free"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A board that is wanted.

    ``first`` is the first click, (row, col) from 0: no mine is there, and none
    around it unless the kind is `Kind.RANDOM`. ``hardest`` is the hardest step
    that a board without guesses may need. ``seed`` lies in 0..SEEDS - 1.

    Raises:
        QuestionError: there is no such board.
    """

    height: int
    width: int
    mines: int
    kind: Kind
    first: Place
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
        if self.kind is not Kind.GUESS_FREE and self.hardest is not Level.SEARCH:
            raise QuestionError("difficulty", "Only boards without guesses are graded.")
        room = self.height * self.width - self._free.size
        if not 0 <= self.mines <= room:
            free = "the first click" if self.kind is Kind.RANDOM else "what it opens"
            raise QuestionError(
                "mines", f"Beside {free} there is room for 0 to {several(room, 'mine')}."
            )

    @property
    def _free(self) -> NDArray[np.int64]:
        """The cells without a mine, numbered in reading order."""
        reach = 0 if self.kind is Kind.RANDOM else 1
        return _around(self.first, reach, self.height, self.width)

    @property
    def room(self) -> NDArray[np.bool_]:
        """Where mines may be, (height * width,)."""
        found = np.ones(self.height * self.width, np.bool_)
        found[self._free] = False
        return found


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


def generate(wanted: Wanted, deadline: Deadline | None = None) -> Generated:
    """A board as wanted; the same for the same wish, however long it takes.

    The deadline ends the search and changes nothing else.
    """
    deadline = deadline or Deadline()
    draws = np.random.PCG64(wanted.seed)
    if wanted.kind is not Kind.GUESS_FREE:
        return Generated(Game(_laid(wanted, draws), wanted.first), None, 1, True)
    game, tries = None, 0
    try:
        for play in _plays(wanted, draws, deadline):
            tries += 1
            if play.finish():
                game = play.game
                break
        assert game is not None, "it goes on until one is found"
        return Generated(game, graded(game, deadline), tries, True)
    except DeadlinePassed:
        return Generated(game, None, tries, False)


def _plays(wanted: Wanted, draws: np.random.PCG64, deadline: Deadline) -> Iterator[Play]:
    """Plays to finish, each of another layout; one that got stuck is changed, or given up."""
    cells = wanted.height * wanted.width
    for _ in range(max(1, _FRESH_CELLS // cells)):
        yield _fresh(wanted, draws, deadline)
    while True:
        best = _fresh(wanted, draws, deadline)
        yield best
        for _ in range(_CHANGES + _CHANGES_A_CELL * cells):
            play = best.changed(_relaid(wanted, best, draws))
            yield play
            if play.known >= best.known:
                best = play


def _fresh(wanted: Wanted, draws: np.random.PCG64, deadline: Deadline) -> Play:
    game = Game(_laid(wanted, draws), wanted.first)
    if wanted.hardest is Level.SEARCH:
        return Play(game, deadline)
    return GradedPlay(game, deadline, wanted.hardest)


def _laid(wanted: Wanted, draws: np.random.PCG64) -> Layout:
    """Any layout with the same chance: mines are where the smallest of random numbers are.

    Only raw 64-bit words are drawn, which no version of numpy changes.
    """
    places = np.flatnonzero(wanted.room)
    mines = np.zeros(wanted.room.size, np.bool_)
    mines[places[_shuffled(places.size, draws)[: wanted.mines]]] = True
    return Layout(mines.reshape(wanted.height, wanted.width))


def _relaid(wanted: Wanted, play: Play, draws: np.random.PCG64) -> NDArray[np.bool_]:
    """The layout of a stuck play where cells around one that is stuck are exchanged."""
    height, width = wanted.height, wanted.width
    border = play.stuck[beside(play.cells <= 8).ravel()[play.stuck]]
    choice = border if border.size else play.stuck
    place, reach = (int(word) for word in draws.random_raw(2))
    centre = divmod(int(choice[place % choice.size]), width)
    near = _around(centre, 1 if reach % _FAR else 2, height, width)
    near = near[wanted.room[near]]
    mines = play.game.layout.mines.ravel().copy()
    mines[near] = mines[near[_shuffled(near.size, draws)]]
    return mines.reshape(height, width)


def _shuffled(size: int, draws: np.random.PCG64) -> NDArray[np.int64]:
    """0..size - 1 in random order."""
    return np.argsort(draws.random_raw(size), kind="stable")


def _around(centre: Place, reach: int, height: int, width: int) -> NDArray[np.int64]:
    """The square of cells around one, numbered in reading order."""
    row, col = centre
    rows = np.arange(max(0, row - reach), min(height, row + reach + 1))
    cols = np.arange(max(0, col - reach), min(width, col + reach + 1))
    return np.asarray((rows[:, np.newaxis] * width + cols).ravel(), np.int64)
