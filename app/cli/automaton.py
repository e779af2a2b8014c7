"""The commands ``run``, ``paths`` and ``step``: an automaton column by column, and path by path."""

from typing import Annotated, Any, Final

import typer

from minecheck.app.cli.functions import Command
from minecheck.app.cli.show import Screen
from minecheck.app.functions.paths import PATHS
from minecheck.app.functions.run import RUN
from minecheck.app.functions.step import STEP
from minecheck.minefield.numerals import format_count

_MACHINE: Final = Annotated[str, typer.Argument(help="kadlac, hu-lin, or strip-1 to strip-12")]


def _show_run(run: dict[str, Any], screen: Screen) -> None:
    """Print the states of an automaton after each column of a board."""
    if run["consistent"] is not None:
        screen.print_title("accepted" if run["consistent"] else "rejected")
    print(f"start: {run['start']}")
    for step in run["steps"] or []:
        live = set(step["live"])
        dead = [state for state in step["reached"] if state not in live]
        dead_note = f" (no further: {' '.join(dead)})" if dead else ""
        print(f"{step['symbol']}: {' '.join(step['live']) or 'none'}{dead_note}")
    if run.get("output") is not None:
        print(f"output: {run['output']}")
    for error in run.get("errors", ()):
        print(_describe_error(error))
    for column in run.get("impossible", ()):
        print(f"column {column['column']}: {column['why']}")


def _describe_error(error: dict[str, Any]) -> str:
    """Describe an error of Kadlac's machine: its type, after her Table 3, and where it lies."""
    start, stop = error["start"], error["stop"] - 1
    where = f"square {start}" if start == stop else f"squares {start} to {stop}"
    ends = [
        name for name, is_there in (("first", "at_start"), ("last", "at_end")) if error[is_there]
    ]
    at_end = f", at the {' and the '.join(ends)} square of the board" if ends else ""
    if error["type"] is None:
        return f"error at {where}: no clue of a row is above 2"
    subtype = "" if error["subtype"] is None else f", subtype {error['subtype']}"
    return f"error of type {error['type']}{subtype} at {where}{at_end}"


def _show_paths(listing: dict[str, Any], screen: Screen) -> None:
    """Count the paths of an automaton over a board, and print some, with why they are rejected."""
    if listing["accepted"] is not None:
        counts = f"{listing['accepted']} accepted, {listing['rejected']} rejected"
        screen.print_title(f"paths of {listing['machine']}: {counts}")
    for path in listing["paths"] or []:
        layouts = "" if path["layouts"] in (None, "1") else f" ({path['layouts']} layouts)"
        print(f"{path['outcome']}: {' > '.join(path['states'])}{layouts}")
        if path["why"] is not None:
            print(f"  {path['why']}")
    if listing["more"]:
        print(f"more with --offset {listing['next_offset']}, or with --limit")


def _show_step(answer: dict[str, Any], screen: Screen) -> None:
    """Print the states of an automaton after one column more, whatever its width.

    States that begin with - have to stand after --: minecheck step strip-4 -- '1?0?' B--- ----
    """
    if answer["moves"] is not None:
        accepting = f"{len(answer['accepting'])} accepting"
        screen.print_title(f"{format_count(answer['states'], 'state')}, {accepting}")
        for move in answer["moves"]:
            print(f"{move['state']}: {' '.join(move['next']) or 'none'}")
        if "why" in answer:
            print(answer["why"])


def _is_consistent(answer: dict[str, Any]) -> bool | None:
    return answer["consistent"] if answer["solver"]["complete"] else None


COMMANDS: Final = {
    "run": Command(
        operation=RUN, show=_show_run, verdict=_is_consistent, arguments={"machine": _MACHINE}
    ).make_function(),
    "paths": Command(
        operation=PATHS, show=_show_paths, verdict=_is_consistent, arguments={"machine": _MACHINE}
    ).make_function(),
    "step": Command(
        operation=STEP,
        show=_show_step,
        arguments={
            "machine": _MACHINE,
            "column": Annotated[str, typer.Argument(help="Its cells, from top to bottom")],
            "states": Annotated[
                list[str] | None, typer.Argument(help="The states before it; by default the start")
            ],
        },
    ).make_function(),
}
