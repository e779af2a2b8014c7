"""Whether an answer says what the certificate of its count shows."""

from collections.abc import Mapping
from fractions import Fraction
from math import nextafter
from typing import Any, Final

from minefield.amounts import digits
from minefield.certificates.chances import chances_of, forced_of
from minefield.certificates.counting import Counted
from minefield.certificates.document import drawn_puzzle, read_certificate
from minefield.certificates.fields import CertificateError
from minefield.certificates.judge import verify
from minefield.rules import Plain, Rules

#: What answers tell of cells.
_OF_CELLS: Final = ("forced", "others", "probabilities", "safest")
#: The field ``safest`` has so many cells.
_SAFEST: Final = 10


def compare(answer: Mapping[str, Any], puzzle: Plain, mines: int | None, found: Counted) -> None:
    """Look at everything that follows, as far as it is told, and at the witness.

    ``answer`` is as the service gives it. Layouts by mines are compared only where the certificate
    is by mines.

    Raises:
        CertificateError: the answer says something else.
    """
    told: dict[str, Any] = {"count": digits(found.count)}
    if found.by_mines is not None:
        told["by_mines"] = {str(number): digits(n) for number, n in found.by_mines.items()}
    if found.count and any(answer.get(name) for name in _OF_CELLS):
        told |= _of_cells(puzzle, found, _are_text(answer))
    for name, right in told.items():
        given = answer.get(name)
        if given is not None and given != right:
            raise CertificateError(name, None, "It is not what follows from the certificate.")
    if answer.get("witness") is not None:
        witness = read_certificate(
            {**drawn_puzzle(puzzle), "claim": "consistent", "mines": mines}
            | {"witness": answer["witness"]}
        )
        verify(witness)


def _of_cells(puzzle: Plain, found: Counted, text: bool) -> dict[str, Any]:
    """Forced cells and chances, as answers have them."""
    chances = chances_of(found)
    forced = forced_of(chances)
    written = {cell: fraction(one) if text else _nearest(one) for cell, one in chances.items()}
    rules = puzzle if isinstance(puzzle, Rules) else None
    named = sorted(cell for cell in chances if rules is None or cell < len(rules.number))
    mines = [cell_of(puzzle, cell) for cell in named if forced.get(cell) is True]
    safe = [cell_of(puzzle, cell) for cell in named if forced.get(cell) is False]
    told: dict[str, Any] = {"forced": {"mines": mines, "safe": safe}}
    told["safest"] = [
        {"cell": cell_of(puzzle, cell), "probability": written[cell]}
        for cell in sorted(named, key=lambda cell: (chances[cell], cell))[:_SAFEST]
    ]
    if rules is None:
        height, width = puzzle.shape
        told["probabilities"] = [
            [written.get(row * width + col) for col in range(width)] for row in range(height)
        ]
        return told
    told["probabilities"] = {name: written[cell] for name, cell in rules.number.items()}
    others = len(chances) - len(named)
    if others:
        last = max(chances)
        of_all = {True: "mines", False: "safe", None: None}[forced.get(last)]
        told["others"] = {"cells": others, "probability": written[last], "forced": of_all}
    return told


def cell_of(puzzle: Plain, cell: int) -> Any:
    """A cell as answers have it: row and column, or the name that rules give it."""
    if isinstance(puzzle, Rules):
        names = [*puzzle.number]
        return names[cell] if cell < len(names) else cell - len(names)
    return [*divmod(cell, puzzle.width)]


def fraction(chance: Fraction) -> str:
    """A chance as answers have it that are asked for fractions."""
    return f"{digits(chance.numerator)}/{digits(chance.denominator)}"


def _nearest(chance: Fraction) -> float:
    """The nearest double, but 0 or 1 only where it is that exactly."""
    if chance in (0, 1):
        return float(chance)
    return min(max(float(chance), nextafter(0.0, 1.0)), nextafter(1.0, 0.0))


def _are_text(answer: Mapping[str, Any]) -> bool:
    """Whether chances are told as fractions."""
    given = answer.get("probabilities")
    rows = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    flat = [cell for row in rows for cell in (row if isinstance(row, list) else [row])]
    return any(isinstance(cell, str) for cell in flat)
