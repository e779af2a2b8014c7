"""The command ``board``: boards to play."""

from typing import Any, Final

from minecheck.app.cli.functions import Command
from minecheck.app.cli.show import Screen
from minecheck.app.functions.boards import BOARDS
from minecheck.app.settings import Settings
from minecheck.minefield.numerals import format_count


def _show_board(game: dict[str, Any], screen: Screen, *, solution: bool) -> None:
    """Make a board to play: random, with an opening, or one that needs no guess.

    It is shown as it is after the first click; a drill (--technique) as it stands before the step
    that it is about, which --solution tells.
    """
    if not game["found"]:
        print(f"no such board in {format_count(game['tries'], 'attempt')}")
        return
    graded = "" if game["difficulty"] is None else f", {game['difficulty']}"
    row, col = game["first"]
    rows = game["layout" if solution else "board"]
    drill = game.get("drill")
    if drill is not None:
        graded = f", {drill['technique']}"
    screen.print_board(f"seed {game['seed']}{graded}", rows, {(row, col)})
    if drill is not None and solution:
        for step in drill["steps"]:
            print(step["text"])


COMMANDS: Final = {
    "board": Command(
        operation=BOARDS,
        show=_show_board,
        verdict=lambda game: game["found"] or None,
        defaults={"rows": 16, "cols": 30, "mines": 99},
        flags={"solution": "Show where the mines are"},
        limits=Settings,
    ).make_function()
}
