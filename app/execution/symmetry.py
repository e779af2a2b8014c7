"""The symmetries of a rectangle, and answers carried along with them.

A board that is turned or mirrored has the same answers, turned or mirrored:
mines, numbers and chances go where their cells go, and counts stay.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import orjson

from minefield.board import Cells

Item = TypeVar("Item")

_Place: TypeAlias = list[int]
_Shape: TypeAlias = tuple[int, int]


class Symmetry(NamedTuple):
    """How a board is moved: in this order, and each only where it is true.

    ``turned`` exchanges rows and columns, ``upended`` takes the last row first,
    ``mirrored`` the last column.
    """

    turned: bool
    upended: bool
    mirrored: bool

    def since(self, before: "Symmetry") -> "Symmetry":
        """From what ``before`` moved somewhere to what this moves to the same place."""
        upended = before.upended != self.upended
        mirrored = before.mirrored != self.mirrored
        # Rows that are turned back afterwards have become columns.
        flips = (mirrored, upended) if self.turned else (upended, mirrored)
        return Symmetry(before.turned != self.turned, *flips)

    def grid(self, rows: Sequence[Iterable[Item]]) -> list[list[Item]]:
        """Rows of cells, moved."""
        moved = [list(row) for row in (zip(*rows, strict=True) if self.turned else rows)]
        if self.mirrored:
            moved = [row[::-1] for row in moved]
        return moved[::-1] if self.upended else moved

    def place(self, place: _Place, shape: _Shape) -> _Place:
        """Where the cell [row, col] is afterwards, on a board that then has this shape."""
        row, col = reversed(place) if self.turned else place
        height, width = shape
        return [
            height - 1 - row if self.upended else row,
            width - 1 - col if self.mirrored else col,
        ]


#: All eight; the first leaves everything where it is.
SYMMETRIES: Final = tuple(Symmetry(*moves) for moves in product((False, True), repeat=3))
UNMOVED: Final = SYMMETRIES[0]


def canonical(cells: Cells) -> tuple[bytes, Symmetry]:
    """The cells in the form that all boards symmetric to this one have in common.

    ``cells`` is int8 (height, width). Of the forms that are no higher than
    wide it is the least, row by row, with the symmetry that makes it.
    """
    height, width = cells.shape
    forms = _forms(cells, turned=False) if height <= width else []
    if height >= width:
        forms += _forms(cells.T, turned=True)
    return min(forms)


def _forms(cells: Cells, turned: bool) -> list[tuple[bytes, Symmetry]]:
    """The four that flips make."""
    plain, mirrored = cells.tobytes(), cells[:, ::-1].tobytes()
    # Bytes are turned round faster than arrays are flipped.
    return [
        (plain, Symmetry(turned, False, False)),
        (mirrored, Symmetry(turned, False, True)),
        (mirrored[::-1], Symmetry(turned, True, False)),
        (plain[::-1], Symmetry(turned, True, True)),
    ]


def carried(body: bytes, symmetry: Symmetry, shape: _Shape) -> bytes:
    """The JSON body of an answer about a board, as it is about the moved board.

    ``shape`` is that of the moved board. The answer is one to check, count,
    forced, analyze or repair, without a certificate; what names cells comes in
    the order in which such answers have it.
    """
    answer: dict[str, Any] = orjson.loads(body)
    for field, carry in _CARRIED.items():
        if answer.get(field) is not None:
            answer[field] = carry(answer[field], symmetry, shape)
    if answer.get("safest"):
        answer["safest"] = _safest(answer["safest"], answer["probabilities"])
    return orjson.dumps(answer)


def _drawn(rows: list[str], symmetry: Symmetry, shape: _Shape) -> list[str]:
    return ["".join(row) for row in symmetry.grid(rows)]


def _chances(rows: list[list[Any]], symmetry: Symmetry, shape: _Shape) -> list[list[Any]]:
    return symmetry.grid(rows)


def _places(places: list[_Place], symmetry: Symmetry, shape: _Shape) -> list[_Place]:
    """In reading order."""
    return sorted(symmetry.place(place, shape) for place in places)


def _clues(conflict: dict[str, Any], symmetry: Symmetry, shape: _Shape) -> dict[str, Any]:
    return conflict | {"clues": _places(conflict["clues"], symmetry, shape)}


def _sorted_out(
    verdicts: dict[str, list[_Place]], symmetry: Symmetry, shape: _Shape
) -> dict[str, list[_Place]]:
    return {verdict: _places(cells, symmetry, shape) for verdict, cells in verdicts.items()}


def _repairs(
    repairs: list[list[dict[str, Any]]], symmetry: Symmetry, shape: _Shape
) -> list[list[dict[str, Any]]]:
    """Each by its clues, all of them by their clues and numbers."""

    def order(change: dict[str, Any]) -> tuple[_Place, int]:
        return change["clue"], change["number"]

    moved = [
        sorted(
            ({**change, "clue": symmetry.place(change["clue"], shape)} for change in repair),
            key=order,
        )
        for repair in repairs
    ]
    return sorted(moved, key=lambda repair: [order(change) for change in repair])


def _safest(safest: list[dict[str, Any]], chances: list[list[Any]]) -> list[dict[str, Any]]:
    """As many cells again: where the last ones have equals, others may now come first."""
    cells: dict[Any, list[_Place]] = {one["probability"]: [] for one in safest}
    for row, line in enumerate(chances):
        for col, chance in enumerate(line):
            if chance in cells:
                cells[chance].append([row, col])
    found = [
        {"cell": cell, "probability": chance} for chance, alike in cells.items() for cell in alike
    ]
    return found[: len(safest)]


_Carry: TypeAlias = Callable[[Any, Symmetry, _Shape], Any]

#: The fields that say where something is.
_CARRIED: Final[dict[str, _Carry]] = {
    "witness": _drawn,
    "forced": _sorted_out,
    "probabilities": _chances,
    "conflict": _clues,
    "flags": _sorted_out,
    "repairs": _repairs,
}
