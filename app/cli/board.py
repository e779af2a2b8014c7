"""The command ``board``: boards to play."""

import sys
from time import monotonic
from typing import Annotated

import typer

from app.cli.boards import Json, Seconds, place
from app.cli.ending import CONSISTENT, NO_ANSWER, fail
from app.cli.questions import aside, waiting
from app.cli.show import Screen
from app.settings import Settings
from minefield import draw
from minefield.amounts import several
from solvers import Deadline, QuestionError, fresh_seed
from solvers.games.generator import Kind, Wanted, generate
from solvers.reasons.deduction import LEVELS, Level


def board(
    height: Annotated[int, typer.Option(help="Number of rows")] = 16,
    width: Annotated[int, typer.Option(help="Number of columns")] = 30,
    mines: Annotated[int, typer.Option(help="Number of mines")] = 99,
    kind: Annotated[Kind, typer.Option(help="What the board promises")] = Kind.GUESS_FREE,
    first: Annotated[str | None, typer.Option(help="The first click: row,column from 0")] = None,
    difficulty: Annotated[
        str | None, typer.Option(help="The hardest step that may be needed, such as subset")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed gives the same board")
    ] = None,
    deadline: Seconds = None,
    as_json: Json = False,
    solution: Annotated[bool, typer.Option("--solution", help="Show where the mines are")] = False,
) -> None:
    """Make a board to play: random, with an opening, or one that needs no guess.

    It is shown as it is after the first click.
    """
    if solution and as_json:
        fail("--solution: JSON always has it")
    if difficulty is not None and difficulty not in LEVELS:
        fail(f"--difficulty: use one of {', '.join(LEVELS)}")
    hardest = Level.SEARCH if difficulty is None else LEVELS[difficulty]
    click = (height // 2, width // 2) if first is None else place(first, "--first")
    drawn_by = fresh_seed() if seed is None else seed
    try:
        wanted = Wanted(height, width, mines, kind, click, drawn_by, hardest)
    except QuestionError as error:
        fail(f"--{error.field}: {error}")
    if height * width > (most := Settings().max_cells):
        fail(f"--height, --width: a board has at most {several(most, 'cell')} here")
    started = monotonic()
    until = Deadline.after(None if deadline is None else waiting(deadline))
    found = aside(lambda: generate(wanted, until))
    if as_json:
        # Only here is the form of the HTTP answer needed.
        from app.routes.boards import rendered

        sys.stdout.buffer.write(rendered(wanted, found, monotonic() - started) + b"\n")
    elif found.game is not None:
        graded = "" if found.difficulty is None else f", {found.difficulty.label}"
        rows = found.game.layout.rows() if solution else draw(found.game.opened)
        Screen(until).board(f"seed {drawn_by}{graded}", rows, {click})
    else:
        print(f"incomplete: no such board in {several(found.tries, 'attempt')}", file=sys.stderr)
    raise typer.Exit(CONSISTENT if found.game is not None else NO_ANSWER)
