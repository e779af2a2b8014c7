"""The command ``language``: all consistent boards of a size, counted, in order, or at random."""

from typing import Any, Final

from app.cli.boards import read_board
from app.cli.errands import Command
from app.cli.show import Screen
from app.errands.languages import LANGUAGES
from minefield import Board, Notation


def _board(file: str) -> Board:
    return read_board(file, Notation.STANDARD, None, None)[0]


def _show(found: dict[str, Any], screen: Screen) -> None:
    """Count the consistent boards of a size, and print some: in order, or drawn at random."""
    if found["count"] is not None:
        screen.title(f"{found['count']} consistent boards of {found['rows']}x{found['cols']}")
    function = found["generating_function"]
    if function is not None:
        above, below = (_polynomial(function[part]) for part in ("numerator", "denominator"))
        print(f"of all lengths: ({above}) / ({below})")
    if "rank" in found:
        number = found["rank"]
        print("the given board is inconsistent" if number is None else f"its number: {number}")
    what = "number" if found["seed"] is None else f"seed {found['seed']}, draw"
    for place, rows in enumerate(found["boards"] or []):
        screen.board(f"{what} {int(found['offset']) + place}", rows)
    if found["next_offset"] is not None:
        print(f"more with --offset {found['next_offset']}, or with --limit")


def _polynomial(coefficients: list[str]) -> str:
    """A polynomial in x, as people write it."""
    terms = []
    for power, one in enumerate(map(int, coefficients)):
        if one:
            variable = ("", "x")[power] if power < 2 else f"x^{power}"
            size = "" if abs(one) == 1 and power else str(abs(one))
            terms.append(f"{'-' if one < 0 else '+'} {size}{variable}")
    return " ".join(terms).removeprefix("+ ")


COMMANDS: Final = {"language": Command(errand=LANGUAGES, show=_show, read={"after": _board})}
