"""The command ``language``: all consistent boards of a size, counted, in order, or at random."""

from typing import Any, Final

from minecheck.app.cli.board_files import read_board
from minecheck.app.cli.functions import Command
from minecheck.app.cli.show import Screen
from minecheck.app.functions.languages import LANGUAGES
from minecheck.minefield import Board


def _read_board_after(file: str) -> Board:
    return read_board(file, None, None, None)[0]


def _show_language(language: dict[str, Any], screen: Screen) -> None:
    """Count the consistent boards of a size, and print some: in order, or drawn at random."""
    if language["count"] is not None:
        screen.print_title(
            f"{language['count']} consistent boards of {language['rows']}x{language['cols']}"
        )
    function = language["generating_function"]
    if function is not None:
        above, below = (_format_polynomial(function[part]) for part in ("numerator", "denominator"))
        print(f"of all lengths: ({above}) / ({below})")
    if "rank" in language:
        number = language["rank"]
        print("the given board is inconsistent" if number is None else f"its number: {number}")
    label = "number" if language["seed"] is None else f"seed {language['seed']}, draw"
    for index, rows in enumerate(language["boards"] or []):
        screen.print_board(f"{label} {int(language['offset']) + index}", rows)
    if language["next_offset"] is not None:
        print(f"more with --offset {language['next_offset']}, or with --limit")


def _format_polynomial(coefficients: list[str]) -> str:
    """Format a polynomial in x, as people write it."""
    terms = []
    for power, coefficient in enumerate(map(int, coefficients)):
        if coefficient:
            variable = ("", "x")[power] if power < 2 else f"x^{power}"
            size = "" if abs(coefficient) == 1 and power else str(abs(coefficient))
            terms.append(f"{'-' if coefficient < 0 else '+'} {size}{variable}")
    return " ".join(terms).removeprefix("+ ")


COMMANDS: Final = {
    "language": Command(
        operation=LANGUAGES, show=_show_language, read={"after": _read_board_after}
    ).make_function()
}
