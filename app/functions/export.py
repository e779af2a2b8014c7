"""The operation export: a board in the formats of other solvers."""

from typing import Annotated, Final, NamedTuple, NoReturn

from pydantic import Field, WithJsonSchema

from minecheck.app import problems
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import AskPuzzle
from minecheck.minefield import Variant
from minecheck.solvers import Deadline, DeadlinePassed, QuestionError
from minecheck.solvers.export.catalogue import FORMATS, ExportName
from minecheck.solvers.export.instance import Instance
from minecheck.solvers.question import QuestionWithTotal
from minecheck.solvers.tasks.task import Example

#: Characters of a file, at most: boards up to 1000x1000 in most formats.
MOST_CHARACTERS: Final = 100_000_000


class AskExport(AskPuzzle):
    """A board, or rules, for another solver."""

    into: Annotated[
        ExportName,
        Field(strict=False),
        WithJsonSchema({"type": "string", "enum": list(ExportName)}),
    ] = Field(description="The format that the solver reads")


class ExportInput(NamedTuple):
    """A board with its total, and the format that it is written in."""

    question: QuestionWithTotal
    into: ExportName


def _make_input(ask: AskExport, limits: Limits) -> ExportInput:
    return ExportInput(make_question(ask, limits), ask.into)


def _make_headers(request: ExportInput) -> dict[str, str]:
    return {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Disposition": f'attachment; filename="board{FORMATS[request.into].suffix}"',
    }


def answer_export(
    request: ExportInput, deadline: Deadline, most_characters: int = MOST_CHARACTERS
) -> bytes:
    """Return the file.

    Raises:
        ProblemError: it would be longer, or takes too long.
    """
    pieces: list[str] = []
    size = 0
    instance = Instance.from_puzzle(request.question.board, request.question.mines)
    try:
        for piece in FORMATS[request.into].written(instance, deadline):
            pieces.append(piece)
            size += len(piece)
            most = f"{most_characters:,} characters of file"
            problems.require_at_most("board", size, most_characters, most)
    except DeadlinePassed:
        return _partial_answer(request, 0.0)
    return "".join(pieces).encode()


def _partial_answer(request: ExportInput, elapsed: float) -> NoReturn:
    raise problems.make_late_problem("Ask for another format, or give it more time.")


def make_question(ask: AskPuzzle, limits: Limits) -> QuestionWithTotal:
    """Return the board and its total, checked as for any question.

    Raises:
        ProblemError: they make no sense.
    """
    puzzle = puzzles.read_puzzle(ask, limits.max_cells)
    beyond = puzzle.beyond if isinstance(puzzle, Variant) else None
    if beyond is not None:
        problems.reject_field(
            "bad-value",
            "Only clues that are exact or an interval of mines, one a cell, are written for "
            "other solvers.",
            f"Leave out {beyond}.",
            f"/{beyond}",
        )
    try:
        return QuestionWithTotal(puzzle, ask.mines)
    except QuestionError as error:
        raise problems.make_question_problem(error, ask) from None


_WRITTEN: Final = """\
* #variable= 4 #constraint= 3
* A layout is a solution: a cell has a mine where its variable is 1.
* x1 is row 0, column 0
* x2 is row 0, column 2
* x3 is row 1, column 1
* x4 is row 1, column 2
* clue at row 0, column 1: exactly 1 mine among 4 unknown cells
+1 x1 +1 x2 +1 x3 +1 x4 = 1 ;
* clue at row 1, column 0: exactly 1 mine among 2 unknown cells
+1 x1 +1 x3 = 1 ;
* total: exactly 1 mine among 4 unknown cells
+1 x1 +1 x2 +1 x3 +1 x4 = 1 ;
"""
EXPORT: Final = FunctionOperation(
    name="export",
    path="/v1/export",
    tag="export",
    summary="A board in a format of other solvers: DIMACS, OPB, MiniZinc, SMT-LIB",
    description="The layouts are the solutions; nothing is worked out before. Comments name the "
    "cell of each variable, and each clue.",
    request=AskExport,
    response=None,
    make_input=_make_input,
    answer=answer_export,
    partial_answer=_partial_answer,
    headers=_make_headers,
    batched=False,
    examples={
        "board": Example({"board": ["?1?", "1??"], "mines": 1, "into": "opb"}, _WRITTEN),
        "rules": Example(
            {
                "rules": [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 1}],
                "into": "smtlib",
            },
            None,
        ),
    },
)
