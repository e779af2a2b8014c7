"""Replays of games on the web that JSMinesweeper opens: JSON, with what each click showed.

    {"header": {"width": 2, "height": 1, "mines": 1},
     "replay": [{"type": 0, "x": 0, "y": 0, "time": 0, "touchCells": [0, 0, 1, 0, 0]}]}

A click has the type 0 for opening, 1 for a flag, 3 for a chord, and the milliseconds since the game
began. `touchCells` has five numbers for each cell that changed, of which three matter: column, row,
and what is shown there. That is a number, 10 for a flag that is set or removed, 11 for the mine
that was opened, and after it 10 for the other mines and 12 for wrong flags.

There is no layout: where the mines are follows from the end of the game.

Tested in tests/solvers/replays/test_msor.py.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import orjson

from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.replays.bounds import require_clicks, require_size

_OPEN, _FLAG, _CHORD = 0, 1, 3
_LAST_NUMBER, _MARKED, _EXPLODED, _WRONG = 8, 10, 11, 12
_NUMBERS_OF_A_CELL: Final = 5
_KINDS: Final = (_OPEN, _FLAG, _CHORD)
_SHOWN: Final = {*range(_LAST_NUMBER + 1), _MARKED, _EXPLODED, _WRONG}


class _Click(NamedTuple):
    """A click as the file has it."""

    kind: int
    cell: Coordinates
    seconds: float
    changes: list[tuple[Coordinates, int]]


def has_msor_sign(content: bytes) -> bool:
    """Return True if a file begins as files of this format do."""
    return content.lstrip()[:1] == b"{" and b'"replay"' in content


def read_msor(content: bytes) -> dict[str, Any]:
    """Return what a replay holds, in the fields that `solvers.replays.reading` takes.

    Args:
        content: the file.

    Raises:
        ValueError: it cannot be read, and why.
    """
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise ValueError("it is not JSON") from None
    header, steps = _get(document, "header", dict), _get(document, "replay", list)
    rows, cols, mines = (_get(header, name, int) for name in ("height", "width", "mines"))
    require_size(rows, cols)
    require_clicks(len(steps))
    clicks = [_read_click(step, rows, cols) for step in steps]
    played = _Played(rows, cols)
    shown = [played.add_click(click) for click in clicks]
    return {
        "player": "",
        "program": "",
        "country": "",
        "board": np.where(played.find_mines(mines), -1, 0).tolist(),
        "seconds": clicks[-1].seconds if clicks else 0.0,
        "started": 0,
        "ended": 0,
        "clicks": shown,
        "numbers": [[*cell, number] for cell, number in played.numbers.items()],
    }


class _Played:
    """The numbers, flags and mines that a game has shown so far.

    Args:
        rows: of the board.
        cols: of the board.
    """

    def __init__(self, rows: int, cols: int) -> None:
        self.numbers: dict[Coordinates, int] = {}
        self._shape = (rows, cols)
        self._flags: set[Coordinates] = set()
        self._mines: set[Coordinates] = set()
        self._lost = False

    def add_click(self, click: _Click) -> dict[str, Any]:
        """Return a click with its effect; clicks after the one that lost the game have none."""
        opened: list[list[int]] = []
        lost = False
        # This says of each cell that the click touches whether it had a flag before.
        before: dict[Coordinates, bool] = {}
        changes = [(click.cell, _MARKED)] if click.kind == _FLAG else click.changes
        for cell, shown in changes:
            before.setdefault(cell, cell in self._flags)
            if shown <= _LAST_NUMBER:
                self.numbers[cell] = shown
                opened.append(list(cell))
            elif shown == _EXPLODED:
                self._lost = lost = True
                self._mines.add(cell)
            elif shown == _WRONG:
                self._flags.discard(cell)
            elif self._lost and click.kind != _FLAG:
                self._mines.add(cell)
            else:
                self._flags ^= {cell}
        return {
            "time": click.seconds,
            "cell": list(click.cell),
            "counted": [int(click.kind == kind) for kind in _KINDS],
            "opened": sorted(opened),
            "flagged": self._list_changed(before, has_flag=True),
            "unflagged": self._list_changed(before, has_flag=False),
            "lost": lost,
        }

    def _list_changed(self, before: dict[Coordinates, bool], *, has_flag: bool) -> list[list[int]]:
        """List cells that have a flag now and had none, or the other way round."""
        return sorted(
            list(cell)
            for cell, had_flag in before.items()
            if had_flag != has_flag and (cell in self._flags) == has_flag
        )

    def find_mines(self, total: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return where the mines are.

        Raises:
            ValueError: the game does not show it.
        """
        mines = np.zeros(self._shape, np.bool_)
        if len(self.numbers) == mines.size - total:
            mines[:] = True
            for cell in self.numbers:
                mines[cell] = False
            return mines
        for cell in self._mines | self._flags:
            mines[cell] = True
        if not self._lost or mines.sum() != total:
            raise ValueError("the game did not end, so that its mines are not known")
        return mines


def _read_click(step: object, rows: int, cols: int) -> _Click:
    kind, row, col = (_get(step, name, int) for name in ("type", "y", "x"))
    if kind not in _KINDS:
        raise ValueError(f"it has a click of the unknown type {kind}")
    seconds = _get(step, "time", int, float) / 1000
    touched = [] if kind == _FLAG else _get(step, "touchCells", list)
    if len(touched) % _NUMBERS_OF_A_CELL or not all(type(number) is int for number in touched):
        raise ValueError("it has a click whose touchCells are not five numbers for each cell")
    changes = [
        ((touched[first + 1], touched[first]), touched[first + 2])
        for first in range(0, len(touched), _NUMBERS_OF_A_CELL)
    ]
    for (at_row, at_col), shown in [*changes, ((row, col), 0)]:
        if not (0 <= at_row < rows and 0 <= at_col < cols):
            raise ValueError("it has a click off the board")
        if shown not in _SHOWN:
            raise ValueError(f"it shows the unknown number {shown} on a cell")
    return _Click(kind, (row, col), seconds, changes)


def _get(fields: object, name: str, *types: type) -> Any:
    """Return a field of a JSON object.

    Raises:
        ValueError: it is missing, or has another type.
    """
    value = fields.get(name) if isinstance(fields, dict) else None
    if type(value) not in types:
        raise ValueError(f"it has no {name}, or not of its type")
    return value
