"""Whether an answer says what the certificate of its count shows."""

from collections.abc import Mapping
from fractions import Fraction
from math import nextafter
from typing import Any

from minefield.amounts import digits
from minefield.certificates.counting import Counted
from minefield.certificates.fields import CertificateError
from minefield.rules import Plain, Rules


def compare(answer: Mapping[str, Any], puzzle: Plain, found: Counted) -> None:
    """Look at the count, the layouts by mines, forced cells and chances, those that are told.

    ``answer`` is as the service gives it. Layouts by mines are only compared where the certificate
    is by mines.

    Raises:
        CertificateError: the answer says something else.
    """
    told: list[tuple[str, Any]] = [("count", digits(found.count))]
    if found.by_mines is not None:
        told.append(("by_mines", {str(mines): digits(n) for mines, n in found.by_mines.items()}))
    if found.count and (answer.get("forced") or answer.get("probabilities")):
        told.append(("forced", _forced(puzzle, found)))
        told.append(("probabilities", _chances(puzzle, found, _are_text(answer))))
    for name, right in told:
        given = answer.get(name)
        if given is not None and given != right:
            raise CertificateError(name, None, "It is not what follows from the certificate.")


def _forced(puzzle: Plain, found: Counted) -> dict[str, list[Any]]:
    named = len(puzzle.number) if isinstance(puzzle, Rules) else puzzle.cells.size
    return {
        kind: [
            cell_of(puzzle, cell)
            for cell, mine in sorted(found.forced.items())
            if mine is wanted and cell < named
        ]
        for kind, wanted in (("mines", True), ("safe", False))
    }


def cell_of(puzzle: Plain, cell: int) -> Any:
    """A cell as answers have it: row and column, or the name that rules give it."""
    if isinstance(puzzle, Rules):
        names = [*puzzle.number]
        return names[cell] if cell < len(names) else cell - len(names)
    return [*divmod(cell, puzzle.width)]


def _chances(puzzle: Plain, found: Counted, text: bool) -> Any:
    chances = {
        cell: fraction(chance) if text else _nearest(chance)
        for cell, chance in found.chances.items()
    }
    if isinstance(puzzle, Rules):
        return {name: chances[cell] for name, cell in puzzle.number.items()}
    height, width = puzzle.shape
    return [[chances.get(row * width + col) for col in range(width)] for row in range(height)]


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
