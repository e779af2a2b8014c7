"""The commands ``export`` and ``solution``: boards for other solvers, and what these printed."""

from typing import Annotated, Any, Final

import typer

from minecheck.app.cli.annotations import File
from minecheck.app.cli.board_files import read_text
from minecheck.app.cli.functions import Command
from minecheck.app.cli.show import Screen
from minecheck.app.functions import export, solution


def _show_export(answer: dict[str, Any], screen: Screen) -> None:
    """Print a board in a format of other solvers: its layouts are their solutions."""


def _show_solution(solution: dict[str, Any], screen: Screen) -> None:
    """Show what a solver printed for an exported board as a layout, judged by the board.

    The status is 0 if it fits, 1 if it does not or there is none.
    """
    if not solution["satisfiable"]:
        claim = "does not know" if solution["satisfiable"] is None else "says that there is none"
        print(f"no layout: the solver {claim}")
        return
    broken, unassigned = solution["broken"], solution["unassigned"]
    screen.print_board("it fits" if solution["fits"] else "it does not fit", solution["layout"])
    if broken:
        for row, col in broken["clues"]:
            print(f"broken: the clue at row {row}, column {col}")
        if broken["total"]:
            print("broken: the total of mines")
    if unassigned:
        print(f"not mentioned, and taken for safe: {' '.join(f'{r},{c}' for r, c in unassigned)}")


_OUTPUT: Final = typer.Argument(help="File with what the solver printed; - reads stdin")
COMMANDS: Final = {
    "export": Command(operation=export.EXPORT, show=_show_export).make_function(),
    "solution": Command(
        operation=solution.SOLUTION,
        show=_show_solution,
        verdict=lambda found: None if found["satisfiable"] is None else bool(found["fits"]),
        arguments={"file": File, "output": Annotated[str, _OUTPUT]},
        read={"output": read_text},
    ).make_function(),
}
