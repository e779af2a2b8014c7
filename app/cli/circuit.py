"""The command ``circuit``: a Boolean formula as a board."""

from typing import Annotated, Any, Final

import typer

from minecheck.app.cli.functions import Command
from minecheck.app.cli.show import Screen
from minecheck.app.functions.circuits import CIRCUITS


def _show_circuit(circuit: dict[str, Any], screen: Screen, *, gates: bool) -> None:
    """Print a board whose layouts are the satisfying assignments of a Boolean formula.

    Its rows can be piped into other commands: minecheck circuit "a & b" | minecheck count -
    """
    if not gates:
        print("\n".join(circuit["board"]))
        return
    print(f"{circuit['rows']} rows, {circuit['cols']} columns, {circuit['cells']} cells")
    for name, cells in circuit["variables"].items():
        row, col = cells[0]
        print(f"{name} is true if row {row} column {col} is a mine")
    for gate in circuit["gates"]:
        print(f"{gate['kind']} at row {gate['row']}, column {gate['col']}: {gate['formula']}")


COMMANDS: Final = {
    "circuit": Command(
        operation=CIRCUITS,
        show=_show_circuit,
        arguments={
            "formula": Annotated[str, typer.Argument(help='The formula, such as "(a & b) | !c"')]
        },
        is_piped=True,
        flags={"gates": "Tell where variables and gates are, instead"},
    ).make_function()
}
