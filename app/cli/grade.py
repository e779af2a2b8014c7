"""The command ``grade``: how hard a game is, and where it needs its first guess."""

from functools import partial
from typing import Annotated, Any, Final

import typer

from app.cli.errands import Command
from app.cli.questions import Unlimited
from app.cli.show import Screen, show_moves
from app.errands.grade import GRADE
from minefield import formats
from minefield.amounts import several


def _show(found: dict[str, Any], screen: Screen) -> None:
    """Tell how hard a game is, and where it needs its first guess.

    It is played by the easiest steps. The status is 0 if it needs no guess, 1 if it does.
    """
    verdict = {True: "no guess is needed", False: "a guess is needed", None: "not known in time"}
    screen.title(verdict[found["guess_free"]])
    print(f"openings: {found['openings']}, 3BV: {found['3bv']}")
    steps = [f"{many} {level}" for level, many in found["steps"].items() if many]
    print(f"steps: {', '.join(steps) or 'none'}")
    if found["stuck"] is not None:
        _show_stuck(found["stuck"], screen)


def _show_stuck(stuck: dict[str, Any], screen: Screen) -> None:
    left = sum(row.count("?") for row in stuck["board"])
    screen.title(f"stuck, with {several(left, 'cell')} left")
    if stuck["moves"] is None:
        screen.board("", stuck["board"])
    else:
        show_moves(screen, stuck["board"], stuck)


def _guess_free(found: dict[str, Any]) -> bool | None:
    verdict: bool | None = found["guess_free"]
    return verdict


_FILE: Final = typer.Argument(
    help="File with the whole map: rows, or any format of docs/formats.md; - reads stdin"
)
COMMANDS: Final = {
    "grade": Command(
        errand=GRADE,
        show=_show,
        verdict=_guess_free,
        arguments={"file": Annotated[str, _FILE]},
        limits=partial(Unlimited, max_cells=formats.MOST_CELLS),
    )
}
