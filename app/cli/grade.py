"""The command ``grade``: how hard a game is, and where it needs its first guess."""

from functools import partial
from operator import itemgetter
from typing import Annotated, Any, Final

import typer

from minecheck.app.cli.functions import Command
from minecheck.app.cli.show import Screen, show_moves
from minecheck.app.functions.grade import GRADE
from minecheck.app.limits import LimitValues
from minecheck.minefield import formats
from minecheck.minefield.numerals import format_count


def _show_grade(grade: dict[str, Any], screen: Screen) -> None:
    """Grade a game: how hard it is, and where it needs its first guess.

    It is played by the easiest steps. The status is 0 if it needs no guess, 1 if it does.
    """
    verdict = {True: "no guess is needed", False: "a guess is needed", None: "not known in time"}
    screen.print_title(verdict[grade["guess_free"]])
    print(f"openings: {grade['openings']}, 3BV: {grade['3bv']}")
    if grade["fewest_clicks"] is not None:
        print(describe_fewest_clicks(grade["fewest_clicks"]))
    steps = [f"{times} {level}" for level, times in grade["steps"].items() if times]
    print(f"steps: {', '.join(steps) or 'none'}")
    if grade["stuck"] is not None:
        _show_stuck(grade["stuck"], screen)


def describe_fewest_clicks(found: dict[str, Any]) -> str:
    """Describe the fewest clicks in one line, and their estimates."""
    fewest = f"{found['high']}" if found["exact"] else f"{found['low']} to {found['high']}"
    return f"fewest clicks: {fewest} (ZiNi: {found['zini']}, Human ZiNi: {found['human_zini']})"


def _show_stuck(stuck: dict[str, Any], screen: Screen) -> None:
    unknown = sum(row.count("?") for row in stuck["board"])
    screen.print_title(f"stuck, with {format_count(unknown, 'cell')} left")
    if stuck["moves"] is None:
        screen.print_board("", stuck["board"])
    else:
        show_moves(screen, stuck["board"], stuck)


_FILES: Final = typer.Argument(
    metavar="FILE",
    help="Files with a whole map each: rows, or any format of docs/formats.md. - reads stdin, as "
    "no FILE does if a map is piped into the command",
)
COMMANDS: Final = {
    "grade": Command(
        operation=GRADE,
        show=_show_grade,
        verdict=itemgetter("guess_free"),
        files=Annotated[list[str] | None, _FILES],
        limits=partial(LimitValues, max_cells=formats.MOST_CELLS),
    ).make_function()
}
