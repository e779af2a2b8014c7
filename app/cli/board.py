"""The command ``board``: boards to play."""

from typing import Any, Final

from app.cli.errands import Command
from app.cli.show import Screen
from app.errands.boards import BOARDS
from app.settings import Settings
from minefield.amounts import several


def _show(found: dict[str, Any], screen: Screen, *, solution: bool) -> None:
    """Make a board to play: random, with an opening, or one that needs no guess.

    It is shown as it is after the first click.
    """
    if not found["found"]:
        print(f"no such board in {several(found['tries'], 'attempt')}")
        return
    graded = "" if found["difficulty"] is None else f", {found['difficulty']}"
    row, col = found["first"]
    rows = found["layout" if solution else "board"]
    screen.board(f"seed {found['seed']}{graded}", rows, {(row, col)})


def _found(found: dict[str, Any]) -> bool | None:
    return found["found"] or None


COMMANDS: Final = {
    "board": Command(
        errand=BOARDS,
        show=_show,
        verdict=_found,
        defaults={"height": 16, "width": 30, "mines": 99},
        flags={"solution": "Show where the mines are"},
        limits=Settings,
    )
}
