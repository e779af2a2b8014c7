"""A board taken out of what it was sent in.

Tested in tests/minefield/reader/test_read.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from minecheck.minefield.reader.reading import BoardReading
from minecheck.minefield.reader.sizes import note_size

#: Fields of JSON that hold a board, the likelier ones first.
BOARD_FIELDS: Final = (
    *("board", "layout", "grid", "cells", "field", "minefield", "map", "rows", "data", "tiles"),
    *("matrix", "squares", "view", "puzzle", "state", "gameboard", "game_board", "gameBoard"),
    *("current_board", "currentBoard", "board_state", "boardState", "position", "visible"),
    *("values", "numbers"),
    *("minesweeper", "text", "content", "input"),
)


@dataclass(frozen=True, slots=True)
class Container:
    """A board taken out of what it was sent in.

    ``board`` is text, a list of strings, or nested lists; ``notation`` is the one that the
    container names, None if it names none. It may state sizes, as (rows, cols), and the codes of
    ``symbols``.
    """

    board: Any
    kind: str
    mines: int | None = None
    notation: str | None = None
    notes: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
    symbols: Mapping[str, int] = field(default_factory=dict)

    def complete(self, reading: BoardReading) -> BoardReading:
        """Return a reading of the board with the total and the notes of the container."""
        total = reading.mines if self.mines is None else self.mines
        whole = replace(reading, mines=total, notation=self.kind).with_notes(*self.notes)
        return note_size(self.sizes, whole)
