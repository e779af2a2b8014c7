"""Facts about cells in the form in which answers state them.

Tested in tests/minefield/certificates/test_agreement.py.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import nextafter
from typing import Any, Final

from minecheck.minefield.board import Board
from minecheck.minefield.certificates.fields import CertificateError, require_list
from minecheck.minefield.numerals import format_integer
from minecheck.minefield.rules import Plain, Rules

#: The number of cells in the field ``safest``.
_SAFEST: Final = 10


def render_cells(puzzle: Plain, cells: Sequence[int]) -> list[Any]:
    """Return cells as answers have them: row and column, or the name that rules give each.

    Args:
        puzzle: the board or rules of the cells.
        cells: their numbers.
    """
    if isinstance(puzzle, Rules):
        names = [*puzzle.number]
        return [names[cell] if cell < len(names) else cell - len(names) for cell in cells]
    return [[*divmod(cell, puzzle.width)] for cell in cells]


def to_key(field: str, cell: object) -> object:
    """Return a cell as something that sets can hold.

    Args:
        field: the field that an error names.
        cell: a cell as JSON has it.

    Raises:
        CertificateError: it is neither [row, col] nor a name.
    """
    if isinstance(cell, list | tuple) and [type(part) for part in cell] == [int, int]:
        return cell[0], cell[1]
    if isinstance(cell, str):
        return cell
    raise CertificateError(field, "It has an entry that is not a cell.")


def to_keys(field: str, cells: object) -> set[object]:
    """Return all cells in a list as something that sets can hold.

    Args:
        field: the field that an error names.
        cells: the JSON value, a list of cells.

    Raises:
        CertificateError: it is not a list, or has something that is neither [row, col] nor a name.
    """
    return {to_key(field, cell) for cell in require_list(field, cells)}


def write_forced(puzzle: Plain, forced: Mapping[int, bool]) -> dict[str, list[Any]]:
    """Return the field ``forced``; cells without a name are left out.

    Args:
        puzzle: the board or rules of the cells.
        forced: whether each forced cell, by number, is a mine.
    """
    named = [cell for cell in sorted(forced) if _is_named(puzzle, cell)]
    return {
        "mines": render_cells(puzzle, [cell for cell in named if forced[cell]]),
        "safe": render_cells(puzzle, [cell for cell in named if not forced[cell]]),
    }


def write_flags(board: Board, forced: Mapping[int, bool]) -> dict[str, list[Any]]:
    """Return which flags are right and which are wrong, as the field ``flags`` has them.

    Args:
        board: the board with its flags.
        forced: whether each forced cell, by number, is a mine.
    """
    flags = [row * board.width + col for row, col in board.flags]
    return {
        "right": render_cells(board, [cell for cell in flags if forced.get(cell) is True]),
        "wrong": render_cells(board, [cell for cell in flags if forced.get(cell) is False]),
    }


def write_chances(puzzle: Plain, chances: Mapping[int, Fraction], like: object) -> dict[str, Any]:
    """Return the fields ``probabilities`` and ``safest``, and each cell's chance as ``written``.

    Args:
        puzzle: the board or rules of the cells.
        chances: the chance of a mine in each cell, by number.
        like: the answer's own probabilities; if there is a text in them, chances are fractions.
    """
    text = _has_text(like)
    written = {
        cell: format_fraction(chance) if text else _round_chance(chance)
        for cell, chance in chances.items()
    }
    named = [cell for cell in sorted(chances) if _is_named(puzzle, cell)]
    safest = sorted(named, key=lambda cell: (chances[cell], cell))[:_SAFEST]
    facts: dict[str, Any] = {
        "written": written,
        "safest": [
            {"cell": cell, "probability": written[number]}
            for cell, number in zip(render_cells(puzzle, safest), safest, strict=True)
        ],
    }
    if isinstance(puzzle, Rules):
        facts["probabilities"] = {name: written[cell] for name, cell in puzzle.number.items()}
    else:
        height, width = puzzle.shape
        facts["probabilities"] = [
            [written.get(row * width + col) for col in range(width)] for row in range(height)
        ]
    return facts


def format_fraction(chance: Fraction) -> str:
    """Return a chance as answers with ``fractions`` write it."""
    return f"{format_integer(chance.numerator)}/{format_integer(chance.denominator)}"


def _is_named(puzzle: Plain, cell: int) -> bool:
    return not isinstance(puzzle, Rules) or cell < len(puzzle.number)


def _round_chance(chance: Fraction) -> float:
    """Return the nearest double, but 0 or 1 only where the chance is exactly that."""
    if chance in (0, 1):
        return float(chance)
    return min(max(float(chance), nextafter(0.0, 1.0)), nextafter(1.0, 0.0))


def _has_text(chances: object) -> bool:
    """Return True if chances are written as fractions."""
    rows = (
        chances.values()
        if isinstance(chances, dict)
        else chances
        if isinstance(chances, list)
        else ()
    )
    flat = [cell for row in rows for cell in (row if isinstance(row, list) else [row])]
    return any(isinstance(cell, str) for cell in flat)
