"""Kadlac's types of errors in a row, and where in the row an error lies.

Source: M. Kadlac, Explorations of the Minesweeper Consistency Problem (2003),
section 7, Table 3. The table has the errors of up to four squares inside a
board. There are others, at the ends (``2``, ``11`` and ``1?1B`` cannot begin a
board) and of every length (``01?1B``, ``01?1?0``, ``01?1?1B`` and so on), and
those have no subtype.

Tested in tests/automata/test_kadlac.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

ErrorType: TypeAlias = Literal["1e", "2e", "Be"]

#: Table 3: the subtypes of each type. A subtype fills four squares; X is any symbol.
TYPES: Final[Mapping[ErrorType, tuple[str, ...]]] = MappingProxyType(
    {
        "1e": ("010X", "011X", "111X", "01?0", "11?0"),
        "2e": ("02XX", "12XX", "22XX", "0?2X"),
        "Be": ("0BXX", "B1BX", "B1?2"),
    }
)


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Squares ``start`` to ``stop - 1`` of a row, which contradict each other on every board.

    The piece is as small as can be: without its first or its last square, or
    without an end of the board that it touches, it can be completed.

    Attributes:
        type: Table 3's type. A piece that is not in the table is named by the
            rule that the table keeps to: Be with a mine in it, else 2e with a
            2, else 1e. None for a clue above two, which Kadlac has no symbol for.
        subtype: Table 3's subtype, the same for mirror images; None for a
            piece that is not in the table.
        start: the first square, from 0.
        stop: one past the last square.
        at_start: whether it matters that the board begins at ``start``.
        at_end: whether it matters that the board ends at ``stop``.
    """

    type: ErrorType | None
    subtype: str | None
    start: int
    stop: int
    at_start: bool = False
    at_end: bool = False


def classify_piece(piece: str) -> tuple[ErrorType | None, str | None]:
    """Return the type and subtype of a smallest piece; ``e`` in it is an end of the board."""
    entry = _list_pieces().get(piece)
    return entry if entry else (_find_type(piece), None)


@cache
def _list_pieces() -> dict[str, tuple[ErrorType, str]]:
    """List the pieces in Table 3, mirror images too, each with its type and subtype."""
    return {
        piece[::step]: (error, subtype)
        for error, subtypes in TYPES.items()
        for subtype in subtypes
        for piece in [subtype.rstrip("X")]
        for step in (1, -1)
    }


def _find_type(piece: str) -> ErrorType | None:
    if "B" in piece:
        return "Be"
    if "2" in piece:
        return "2e"
    return "1e" if "1" in piece else None
