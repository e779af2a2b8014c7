"""The errand export: a board in the formats of other solvers."""

from typing import Annotated, Final, NamedTuple, NoReturn

from pydantic import Field, WithJsonSchema

from app import problems
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import AskPuzzle
from app.questions.record import Errand, Example
from minefield import Variant
from solvers import Deadline, DeadlinePassed, Question, QuestionError, Task
from solvers.export.catalogue import FORMATS, Name
from solvers.export.instance import Instance

#: Characters of a file, at most: boards up to 1000x1000 in most formats.
MOST_CHARACTERS: Final = 100_000_000


class AskExport(AskPuzzle):
    """A board, or rules, for another solver."""

    into: Annotated[
        Name, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Name)})
    ] = Field(description="The format that the solver reads")


class Wanted(NamedTuple):
    """A board with its total, and the format that it is written in."""

    question: Question
    into: Name


def _wanted(ask: AskExport, limits: Limits) -> Wanted:
    return Wanted(question_of(ask, limits), ask.into)


def _headers(wanted: Wanted) -> dict[str, str]:
    return {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Disposition": f'attachment; filename="board{FORMATS[wanted.into].suffix}"',
    }


def told(wanted: Wanted, deadline: Deadline) -> bytes:
    """The file, of at most `MOST_CHARACTERS`.

    Raises:
        ProblemError: it would be larger, or takes too long.
    """
    pieces: list[str] = []
    size = 0
    instance = Instance.of(wanted.question.board, wanted.question.mines)
    try:
        for piece in FORMATS[wanted.into].written(instance, deadline):
            pieces.append(piece)
            size += len(piece)
            most = f"{MOST_CHARACTERS:,} characters of file"
            problems.at_most("board", size, MOST_CHARACTERS, most)
    except DeadlinePassed:
        return _untold(wanted, 0.0)
    return "".join(pieces).encode()


def _untold(wanted: Wanted, elapsed: float) -> NoReturn:
    raise problems.not_in_time("Ask for another format, or give it more time.")


def question_of(ask: AskPuzzle, limits: Limits) -> Question:
    """The board and its total, checked as for any question.

    Raises:
        ProblemError: they make no sense.
    """
    puzzle = puzzles.puzzle(ask, limits.max_cells)
    beyond = puzzle.beyond if isinstance(puzzle, Variant) else None
    if beyond is not None:
        problems.refuse(
            "bad-value",
            "Only clues that are exact or an interval of mines, one a cell, are written for "
            "other solvers.",
            f"Leave out {beyond}.",
            f"/{beyond}",
        )
    try:
        return Question(Task.CHECK, puzzle, ask.mines)
    except QuestionError as error:
        raise problems.of_question(error) from None


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
EXPORT: Final = Errand(
    name="export",
    path="/v1/export",
    tag="export",
    summary="A board in a format of other solvers: DIMACS, OPB, MiniZinc, SMT-LIB",
    description="The layouts are the solutions; nothing is worked out before. Comments name the "
    "cell of each variable, and each clue.",
    asked=AskExport,
    answered=None,
    wanted=_wanted,
    told=told,
    untold=_untold,
    headers=_headers,
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
