"""The command ``language``: all consistent boards of a size, counted, in order, or at random."""

import json
import sys
from typing import Annotated, Any

import typer

from app.cli.boards import Json, Seconds, read_board
from app.cli.ending import NO_ANSWER, fail
from app.cli.questions import Unlimited, aside, waiting
from app.cli.show import Screen
from app.problems import ProblemError
from minefield import Notation
from solvers import Deadline


def language(
    rows: Annotated[int, typer.Option(min=1, help="Number of rows, up to 3")],
    cols: Annotated[int, typer.Option(min=1, help="Number of columns")],
    safe: Annotated[
        bool, typer.Option("--safe", help="Let cells be S, safe with their number unknown")
    ] = False,
    offset: Annotated[str | None, typer.Option(help="Number of the first board, from 0")] = None,
    after: Annotated[
        str | None, typer.Option(help="File with a board after which the first comes")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many boards at most")] = None,
    seed: Annotated[
        str | None, typer.Option(help="Draw boards at random; the same seed draws the same")
    ] = None,
    deadline: Seconds = None,
    as_json: Json = False,
) -> None:
    """Count the consistent boards of a size, and print some: in order, or drawn at random."""
    # Only here is the form of a request needed, and that of the answer.
    from app.requests.jobs import validated
    from app.routes.languages import AskLanguage, told, wanted_of

    asked: dict[str, Any] = {"offset": offset, "limit": limit, "seed": seed}
    fields = {name: one for name, one in asked.items() if one is not None}
    if after is not None:
        fields["after"] = read_board(after, Notation.STANDARD, None, None)[0]
    try:
        ask = validated(AskLanguage, {"rows": rows, "cols": cols, "safe": safe, **fields})
        wanted = wanted_of(ask, Unlimited())
    except ProblemError as error:
        field = error.document["pointer"].split("/")[1]
        fail(f"--{field}: {error.document['detail']} {error.document['fix']}")
    until = Deadline.after(None if deadline is None else waiting(deadline))
    body = aside(lambda: told(wanted, until))
    if as_json:
        sys.stdout.buffer.write(body + b"\n")
    else:
        _show(json.loads(body), until)
    if not json.loads(body)["solver"]["complete"]:
        print("incomplete: the deadline passed", file=sys.stderr)
        raise typer.Exit(NO_ANSWER)


def _show(found: dict[str, Any], until: Deadline) -> None:
    screen = Screen(until)
    if found["count"] is not None:
        screen.title(f"{found['count']} consistent boards of {found['rows']}x{found['cols']}")
    function = found["generating_function"]
    if function is not None:
        above, below = (_polynomial(function[part]) for part in ("numerator", "denominator"))
        print(f"of all lengths: ({above}) / ({below})")
    if "rank" in found:
        number = found["rank"]
        print("the given board is inconsistent" if number is None else f"its number: {number}")
    what = "number" if found["seed"] is None else f"seed {found['seed']}, draw"
    for place, rows in enumerate(found["boards"] or []):
        screen.board(f"{what} {int(found['offset']) + place}", rows)


def _polynomial(coefficients: list[str]) -> str:
    """A polynomial in x, as people write it."""
    terms = []
    for power, one in enumerate(map(int, coefficients)):
        if one:
            variable = ("", "x")[power] if power < 2 else f"x^{power}"
            size = "" if abs(one) == 1 and power else str(abs(one))
            terms.append(f"{'-' if one < 0 else '+'} {size}{variable}")
    return " ".join(terms).removeprefix("+ ")
