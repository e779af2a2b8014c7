"""The commands ``paths`` and ``step``: an automaton path by path, and column by column."""

import json
import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from app.cli.boards import Dialect, File, Form, Json, Seconds, Trust, read_board
from app.cli.ending import CONSISTENT, INCONSISTENT, NO_ANSWER, fail, refuse
from app.cli.questions import Unlimited, aside, waiting
from app.cli.show import Screen
from app.problems import ProblemError
from minefield import Notation
from minefield.amounts import several
from solvers import Deadline

Machine = Annotated[str, typer.Argument(help="kadlac, hu-lin, or strip-1 to strip-12")]


class Outcome(StrEnum):
    """Which paths are wanted."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"


def paths(
    machine: Machine,
    file: File,
    window: Annotated[
        str | None, typer.Option(help="What to cut out of the board: row,col,height,width")
    ] = None,
    outcome: Annotated[
        Outcome | None, typer.Option(help="Which are printed; by default all")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many are printed at most")] = None,
    picture: Annotated[bool, typer.Option("--picture", help="Print the tree as SVG")] = False,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    deadline: Seconds = None,
    as_json: Json = False,
) -> None:
    """Count the paths of an automaton over a board, and print some, with why they are rejected."""
    # Only here is the form of a request needed, and that of the answer.
    from app.requests.jobs import validated
    from app.routes import path_tree
    from app.routes.paths import AskPaths, wanted_of
    from automata.drawing import TooLargeToDraw

    board, _ = read_board(file, notation, form, None)
    asked = {"window": window, "outcome": outcome and outcome.value, "limit": limit}
    fields = {name: one for name, one in asked.items() if one is not None}
    if trust_flags:
        fields["flags"] = "trust"
    until = Deadline.after(None if deadline is None else waiting(deadline))
    try:
        ask = validated(AskPaths, {"board": board, "picture": picture, **fields})
        wanted = wanted_of(machine, ask, Unlimited())
        body = aside(lambda: path_tree.told(wanted, until))
    except ProblemError as error:
        refuse(error)
    except TooLargeToDraw as error:
        fail(f"--picture: {error}")
    if as_json or picture:
        sys.stdout.buffer.write(body if picture else body + b"\n")
    if picture:
        return
    found = json.loads(body)
    if not as_json:
        _show(found, Screen(until))
    if not found["solver"]["complete"]:
        print("incomplete: too much time or memory", file=sys.stderr)
        raise typer.Exit(NO_ANSWER)
    raise typer.Exit(CONSISTENT if found["consistent"] else INCONSISTENT)


def _show(found: dict[str, Any], screen: Screen) -> None:
    if found["accepted"] is not None:
        counts = f"{found['accepted']} accepted, {found['rejected']} rejected"
        screen.title(f"paths of {found['machine']}: {counts}")
    for path in found["paths"] or []:
        layouts = "" if path["layouts"] in (None, "1") else f" ({path['layouts']} layouts)"
        print(f"{path['outcome']}: {' > '.join(path['states'])}{layouts}")
        if path["why"] is not None:
            print(f"  {path['why']}")
    if found["more"]:
        print("more with --limit")


def step(
    machine: Machine,
    column: Annotated[str, typer.Argument(help="The cells of a column, from top to bottom")],
    states: Annotated[
        list[str] | None, typer.Argument(help="The states before it; without them the start")
    ] = None,
    deadline: Seconds = None,
    as_json: Json = False,
) -> None:
    """Print the states of an automaton after one column more, whatever its width.

    States that begin with - have to stand after --: minecheck step strip-4 -- '1?0?' B--- ----
    """
    from app.requests.jobs import validated
    from app.routes import machines, steps

    until = Deadline.after(None if deadline is None else waiting(deadline))
    try:
        machines.width(machine)
        ask = validated(steps.AskStep, {"column": column, "states": states or None})
        wanted = steps.wanted_of(machine, ask)
        body = aside(lambda: steps.told(wanted, until))
    except ProblemError as error:
        refuse(error)
    found = json.loads(body)
    if as_json:
        sys.stdout.buffer.write(body + b"\n")
    elif found["moves"] is not None:
        Screen(until).title(
            f"{several(found['states'], 'state')}, {len(found['accepting'])} accepting"
        )
        for move in found["moves"]:
            print(f"{move['state']}: {' '.join(move['next']) or 'none'}")
        if "why" in found:
            print(found["why"])
    if not found["solver"]["complete"]:
        print("incomplete: too much time, or too many moves", file=sys.stderr)
        raise typer.Exit(NO_ANSWER)
