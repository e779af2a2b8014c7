"""The commands ``export`` and ``solution``: boards for other solvers, and what these printed."""

import json
import sys
from typing import Annotated

import typer

from app.cli.boards import Dialect, File, Form, Json, Mines, Seconds, Trust, read_board, read_text
from app.cli.ending import CONSISTENT, INCONSISTENT, NO_ANSWER, fail
from app.cli.questions import aside, waiting
from app.cli.show import Screen
from app.problems import ProblemError
from minefield import Notation
from solvers import Deadline, DeadlinePassed, Question, QuestionError, Task
from solvers.export.catalogue import FORMATS, Name
from solvers.export.instance import Instance


def export(
    file: File,
    into: Annotated[Name, typer.Option(help="The format that the solver reads")],
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    deadline: Seconds = None,
) -> None:
    """Print a board in a format of other solvers: its layouts are their solutions."""
    question = _question(file, notation, form, mines, trust_flags)
    until = Deadline.after(None if deadline is None else waiting(deadline))

    def written() -> str:
        instance = Instance.of(question.board, question.mines)
        try:
            return "".join(FORMATS[into].written(instance, until))
        except DeadlinePassed:
            fail("--deadline: it was not enough")

    sys.stdout.write(aside(written))


def solution(
    file: File,
    output: Annotated[str, typer.Argument(help="File with what the solver printed; - reads stdin")],
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    as_json: Json = False,
) -> None:
    """Show what a solver printed for an exported board as a layout, judged by the board.

    The status is 0 if it fits, 1 if it does not or there is none.
    """
    # Only here is the form of an answer needed.
    from app.routes.export import told

    question = _question(file, notation, form, mines, trust_flags)
    text = read_text(output)

    def judged() -> bytes:
        try:
            return told(question, text)
        except ProblemError as error:
            fail(f"{output}: {error.document['detail']} {error.document['fix']}")

    body = aside(judged)
    found = json.loads(body)
    if as_json:
        sys.stdout.buffer.write(body + b"\n")
    else:
        _show(found)
    if found["satisfiable"] is None:
        raise typer.Exit(NO_ANSWER)
    raise typer.Exit(CONSISTENT if found["fits"] else INCONSISTENT)


def _show(found: dict[str, object]) -> None:
    if not found["satisfiable"]:
        known = "does not know" if found["satisfiable"] is None else "says that there is none"
        print(f"no layout: the solver {known}")
        return
    screen = Screen(Deadline())
    layout, broken, unassigned = found["layout"], found["broken"], found["unassigned"]
    assert isinstance(layout, list)
    screen.board("it fits" if found["fits"] else "it does not fit", layout)
    if isinstance(broken, dict):
        for row, col in broken["clues"]:
            print(f"broken: the clue at row {row}, column {col}")
        if broken["total"]:
            print("broken: the total of mines")
    if isinstance(unassigned, list) and unassigned:
        print(f"not mentioned, and taken for safe: {' '.join(f'{r},{c}' for r, c in unassigned)}")


def _question(
    file: str, notation: str, form: str | None, mines: int | None, trust_flags: bool
) -> Question:
    board, total = read_board(file, notation, form, mines)
    try:
        return Question(Task.CHECK, board.trusting_flags() if trust_flags else board, total)
    except QuestionError as error:
        fail(f"--mines: {error}")
