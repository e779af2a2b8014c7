"""The command ``circuit``: a Boolean formula as a board."""

import json
import sys
from typing import Annotated, Any

import typer

from app.cli.boards import Json
from app.cli.ending import refuse
from app.cli.questions import Unlimited
from app.problems import ProblemError


def circuit(
    formula: Annotated[str, typer.Argument(help='The formula, such as "(a & b) | !c"')],
    gates: Annotated[
        bool, typer.Option("--gates", help="Tell where variables and gates are, instead")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print a board whose layouts are the satisfying assignments of a Boolean formula.

    Its rows can be piped into other commands: minecheck circuit "a & b" | minecheck count -
    """
    # Only here is the form of a request needed, and that of the answer.
    from app.routes.circuits import AskCircuit, told

    try:
        body = told(AskCircuit(formula=formula), Unlimited())
    except ProblemError as error:
        refuse(error)
    if as_json:
        sys.stdout.buffer.write(body + b"\n")
    elif gates:
        _show(json.loads(body))
    else:
        print("\n".join(json.loads(body)["board"]))


def _show(found: dict[str, Any]) -> None:
    print(f"{found['rows']} rows, {found['cols']} columns, {found['cells']} cells")
    for name, cells in found["variables"].items():
        row, col = cells[0]
        print(f"{name} is true if row {row} column {col} is a mine")
    for gate in found["gates"]:
        print(f"{gate['kind']} at row {gate['row']}, column {gate['col']}: {gate['formula']}")
