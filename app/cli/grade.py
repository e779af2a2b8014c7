"""The command ``grade``: how hard a game is, and where it needs its first guess."""

import sys
from time import monotonic
from typing import Annotated

import typer

from app.cli.boards import Form, Json, Seconds, place, read_bytes
from app.cli.ending import CONSISTENT, INCONSISTENT, NO_ANSWER, fail
from app.cli.questions import aside, waiting
from app.cli.show import Screen, show_moves
from app.problems import ProblemError
from minefield import draw, formats
from minefield.amounts import several
from minefield.formats import AUTO
from solvers import Deadline
from solvers.games.grade import Grade, Stuck
from solvers.games.grade import grade as graded


def grade(
    file: Annotated[
        str,
        typer.Argument(
            help="File with the whole map: rows, or any format of docs/formats.md; - reads stdin"
        ),
    ],
    first: Annotated[
        str | None,
        typer.Option(help="The first click: row,column from 0; needed unless the file has it"),
    ] = None,
    form: Form = None,
    deadline: Seconds = None,
    as_json: Json = False,
) -> None:
    """Tell how hard a game is, and where it needs its first guess.

    It is played by the easiest steps. The status is 0 if it needs no guess, 1 if it does.
    """
    # Only here is the form of a request needed, and that of the answer.
    from app.routes.grade import MOST_MOVES, AskGrade, game_of, rendered

    until = Deadline.after(None if deadline is None else waiting(deadline))
    ask = AskGrade(
        file=read_bytes(file),
        format=form or formats.named(file) or AUTO,
        first=None if first is None else list(place(first, "--first")),
    )
    try:
        game = game_of(ask, formats.MOST_CELLS)
    except ProblemError as error:
        document = error.document
        option = "--first" if document.get("pointer") == "/first" else file
        fail(f"{option}: {document['detail']} {document['fix']}")
    started = monotonic()
    found = aside(lambda: graded(game, MOST_MOVES, until))
    if as_json:
        sys.stdout.buffer.write(rendered(game, found, monotonic() - started) + b"\n")
    else:
        _show(found, Screen(until))
    if found.guess_free is None:
        raise typer.Exit(NO_ANSWER)
    raise typer.Exit(CONSISTENT if found.guess_free else INCONSISTENT)


def _show(found: Grade, screen: Screen) -> None:
    verdict = {True: "no guess is needed", False: "a guess is needed", None: "not known in time"}
    screen.title(verdict[found.guess_free])
    print(f"openings: {found.openings}, 3BV: {found.clicks}")
    steps = [f"{many} {level.label}" for level, many in found.steps.items() if many]
    print(f"steps: {', '.join(steps) or 'none'}")
    if found.stuck is not None:
        _show_stuck(found.stuck, screen)
    if not found.complete:
        print("incomplete: the deadline passed, or the position takes more work", file=sys.stderr)


def _show_stuck(stuck: Stuck, screen: Screen) -> None:
    left = int(stuck.board.unknown.sum())
    screen.title(f"stuck, with {several(left, 'cell')} left")
    found = stuck.answer.moves
    if found is None:
        screen.board("", draw(stuck.board))
    else:
        show_moves(screen, stuck.board, found)
