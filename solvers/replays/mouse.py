"""A game played by the buttons of a mouse, as the programs for players do it.

A click acts when its button is released; a right one when it is pressed. Both buttons together, the
middle one, or the left one with the shift key are a chord. After a chord by both buttons, the
release of the second one does nothing.

Tested in tests/solvers/replays/test_rawvf.py.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final

import numpy as np

from minecheck.minefield.board import FLAG, MINE, UNKNOWN, list_around
from minecheck.minefield.game import reveal_cells
from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Coordinates


class MouseEvent(StrEnum):
    """An event of the buttons, by the name that replays give it."""

    LEFT_DOWN = "lc"
    LEFT_UP = "lr"
    RIGHT_DOWN = "rc"
    RIGHT_UP = "rr"
    MIDDLE_DOWN = "mc"
    MIDDLE_UP = "mr"
    SHIFT_LEFT_DOWN = "sc"


class Action(StrEnum):
    """The effect of a click on a cell."""

    OPEN = "open"
    CHORD = "chord"
    FLAG = "flag"


class Mouse:
    """The state of the buttons, which decides what an event does to a cell.

    Args:
        left_is_chord: whether a left click on an open cell is a chord.
    """

    def __init__(self, left_is_chord: bool) -> None:
        self._left_is_chord = left_is_chord
        self._left = self._right = self._middle = False
        # The left button is a chord, as the shift key was held; the held button does nothing.
        self._shift = self._spent = False

    def handle(self, event: MouseEvent, is_open: bool) -> Action | None:
        """Return what an event does to the cell under the mouse; None if it does nothing.

        Args:
            event: the event.
            is_open: whether the cell is open.
        """
        match event:
            case MouseEvent.LEFT_DOWN | MouseEvent.SHIFT_LEFT_DOWN:
                self._left, self._spent = True, False
                self._shift = event is MouseEvent.SHIFT_LEFT_DOWN
                return None
            case MouseEvent.RIGHT_DOWN:
                self._right, self._spent = True, False
                return None if self._left else Action.FLAG
            case MouseEvent.MIDDLE_DOWN:
                self._middle = True
                self._left = self._right = self._shift = self._spent = False
                return None
            case MouseEvent.LEFT_UP:
                return self._release_left(is_open)
            case MouseEvent.RIGHT_UP:
                chord = self._left and self._right and not self._spent
                self._right, self._spent = False, self._left and (chord or self._spent)
                return Action.CHORD if chord else None
            case MouseEvent.MIDDLE_UP:
                held, self._middle = self._middle, False
                return Action.CHORD if held else None

    def _release_left(self, is_open: bool) -> Action | None:
        held, spent, shift = self._left, self._spent, self._shift
        self._left = self._shift = False
        self._spent = held and self._right
        if not held or spent:
            return None
        chord = self._right or shift or (self._left_is_chord and is_open)
        return Action.CHORD if chord else Action.OPEN


class MousePlay:
    """A game that is played on a layout.

    Args:
        layout: where the mines are.
        has_marks: whether a right click on a flag makes it a question mark.
        left_is_chord: whether a left click on an open cell is a chord.
    """

    def __init__(self, layout: Layout, has_marks: bool, left_is_chord: bool) -> None:
        self._codes = layout.to_codes()
        self._shown = np.full_like(self._codes, UNKNOWN)
        self._marks: set[Coordinates] = set()
        self._has_marks = has_marks
        self._mouse = Mouse(left_is_chord)
        self._acts: Final[dict[Action, Callable[[Coordinates], dict[str, Any]]]] = {
            Action.OPEN: self._open,
            Action.CHORD: self._chord,
            Action.FLAG: self._flag,
        }

    def handle(self, event: MouseEvent, cell: Coordinates) -> dict[str, Any] | None:
        """Return the click that an event completes, without its time; None if there is none.

        Clicks have the fields that `solvers.replays.reading` takes.

        Args:
            event: the event.
            cell: the cell under the mouse, which may be off the board.
        """
        on_board = all(0 <= at < size for at, size in zip(cell, self._codes.shape, strict=True))
        action = self._mouse.handle(event, on_board and self._is_open(cell))
        if action is None or not on_board:
            return None
        counted = [int(action is kind) for kind in (Action.OPEN, Action.FLAG, Action.CHORD)]
        effect = {"opened": [], "flagged": [], "unflagged": [], "lost": False}
        return {"cell": list(cell), "counted": counted, **effect, **self._acts[action](cell)}

    def _open(self, cell: Coordinates) -> dict[str, Any]:
        return self._open_closed([cell])

    def _chord(self, cell: Coordinates) -> dict[str, Any]:
        around = list_around(cell, self._codes.shape)
        flags = sum(self._shown[near] == FLAG for near in around)
        if self._shown[cell] != flags:
            return {}
        return self._open_closed(around)

    def _flag(self, cell: Coordinates) -> dict[str, Any]:
        if self._is_open(cell):
            return {}
        if self._shown[cell] == FLAG:
            self._shown[cell] = UNKNOWN
            if self._has_marks:
                self._marks.add(cell)
            return {"unflagged": [list(cell)]}
        if cell in self._marks:
            self._marks.remove(cell)
            return {}
        self._shown[cell] = FLAG
        return {"flagged": [list(cell)]}

    def _open_closed(self, cells: Iterable[Coordinates]) -> dict[str, Any]:
        """Open cells that are closed and have no flag, and what zeros among them open."""
        closed = [cell for cell in cells if self._shown[cell] == UNKNOWN]
        safe = [cell for cell in closed if self._codes[cell] != MINE]
        cols = self._shown.shape[1]
        clicks = np.array([row * cols + col for row, col in safe], np.int64)
        opened = np.sort(reveal_cells(self._codes, self._shown, clicks)).tolist()
        return {
            "opened": [list(divmod(cell, cols)) for cell in opened],
            "lost": len(safe) < len(closed),
        }

    def _is_open(self, cell: Coordinates) -> bool:
        return bool(self._shown[cell] < UNKNOWN)
