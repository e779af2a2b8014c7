"""The routes to other solvers and back: boards in their formats, solutions as layouts."""

import pickle
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, WithJsonSchema

from app import problems
from app.answers.cells import drawing
from app.execution.workers import Workers, early
from app.limits import Limits
from app.problems import ProblemError
from app.questions import puzzles
from app.questions.fields import AskPuzzle, Place
from app.questions.verdict import AnyCell, Layout
from app.requests.body import read_model
from app.requests.jobs import due
from app.routes import openapi
from app.settings import Settings
from minefield import Variant
from solvers import Deadline, DeadlinePassed, Question, QuestionError, Task
from solvers.export import solution
from solvers.export.catalogue import FORMATS, Name
from solvers.export.instance import Instance
from solvers.export.solution import SolutionError

Found = TypeVar("Found")

router: Final = APIRouter(tags=["export"])

#: Characters of a file over HTTP, at most: boards up to 1000x1000 in most formats.
MOST_CHARACTERS: Final = 100_000_000

_BOARD: Final = ["?1?", "1??"]
#: What `_BOARD` is in OPB, with one mine in all.
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


class AskExport(AskPuzzle):
    """A board, or rules, for another solver."""

    into: Annotated[
        Name, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Name)})
    ] = Field(description="The format that the solver reads")


class AskSolution(AskPuzzle):
    """A board, or rules, that were exported, and what a solver printed."""

    output: str = Field(
        description="What the solver printed: lines `v 1 -2 0` or `v x1 -x2`, MiniZinc's "
        "`x1 = 0;`, or what (get-model) or (get-value) prints in SMT-LIB"
    )


class Broken(BaseModel):
    """What a layout breaks."""

    clues: list[Place] | list[int] = Field(description="For rules: their positions from 0")
    total: bool = Field(description="Whether it has another total of mines")


class SolutionAnswer(BaseModel):
    """A solver's solution as a layout."""

    satisfiable: bool | None = Field(description="What the solver says; null if it does not know")
    layout: Layout | None = Field(description="Its solution; null if there is none")
    fits: bool | None = Field(description="Whether that is a layout of the board")
    broken: Broken | None = Field(description="What it breaks, if it does not fit")
    unassigned: list[AnyCell] | None = Field(
        description="Unknown cells that the output does not mention; they are taken for safe"
    )


_ASKED: Final[Mapping[str, dict[str, Any]]] = {
    "board": {"board": _BOARD, "mines": 1, "into": "opb"},
    "rules": {
        "rules": [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 1}],
        "into": "smtlib",
    },
}
_SOLVED: Final[Mapping[str, dict[str, Any]]] = {
    "board": {"board": ["?1?"], "mines": 1, "output": "s SATISFIABLE\nv -1 2 0\n"},
}
ANSWERED: Final = {
    "satisfiable": True,
    "layout": ["01B"],
    "fits": True,
    "broken": None,
    "unassigned": [],
}


@router.post(
    "/v1/export",
    summary="A board in a format of other solvers: DIMACS, OPB, MiniZinc, SMT-LIB",
    operation_id="export",
    response_class=Response,
    responses={
        200: {
            "description": "The file; its comments name the cell of each variable, and each clue",
            "content": {"text/plain": {"schema": {"type": "string"}, "example": _WRITTEN}},
        },
        **problems.described(400, 408, 413, 415, 422, 503),
    },
    openapi_extra=openapi.described(AskExport, _ASKED),
)
async def export(request: Request) -> Response:
    """The layouts are the solutions; nothing is worked out before."""
    packed, into, deadline = await read_model(request, AskExport, exported)
    fix = "Ask for another format, or give it more time with deadline_ms."
    text = await _worked(request, deadline, fix, packed, written, into, early(deadline))
    disposition = f'attachment; filename="board{FORMATS[into].suffix}"'
    return Response(
        text,
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": disposition},
    )


@router.post(
    "/v1/solution",
    summary="What a solver printed for an exported board, as a layout",
    operation_id="solution",
    response_class=Response,
    responses={
        200: {
            "description": "The layout, judged by the board",
            "model": SolutionAnswer,
            "content": {"application/json": {"example": ANSWERED}},
        },
        **problems.described(400, 408, 413, 415, 422, 503),
    },
    openapi_extra=openapi.described(AskSolution, _SOLVED),
)
async def solved(request: Request) -> Response:
    """A layout that does not fit is an answer, which names the clues that it breaks."""
    packed, output, deadline = await read_model(request, AskSolution, printed)
    fix = "Give it more time with deadline_ms."
    body = await _worked(request, deadline, fix, packed, told, output)
    return Response(body, media_type="application/json")


def written(question: Question, into: Name, deadline: Deadline) -> str:
    """The file, of at most `MOST_CHARACTERS`.

    Raises:
        ProblemError: it would be larger.
        DeadlinePassed: it takes too long.
    """
    pieces: list[str] = []
    size = 0
    instance = Instance.of(question.board, question.mines)
    for piece in FORMATS[into].written(instance, deadline):
        pieces.append(piece)
        size += len(piece)
        problems.at_most("board", size, MOST_CHARACTERS, f"{MOST_CHARACTERS:,} characters of file")
    return "".join(pieces)


def told(question: Question, output: str) -> bytes:
    """The solution in an output, as JSON.

    Raises:
        ProblemError: there is none in it.
    """
    try:
        found = solution.read(output)
        judged = solution.judged(found, question.board, question.mines)
    except SolutionError as error:
        problems.refuse("bad-solution", error.detail, error.fix, "/output")
    draw = drawing(question)
    return orjson.dumps(
        {
            "satisfiable": found.satisfiable,
            "layout": judged and draw.layout(judged.layout),
            "fits": judged and judged.fits,
            "broken": None
            if judged is None or judged.fits
            else {"clues": draw.clues(judged.clues), "total": judged.total},
            "unassigned": judged and draw.all_cells(judged.unassigned),
        }
    )


def exported(ask: AskExport, settings: Settings, arrived: float) -> tuple[bytes, Name, Deadline]:
    """The question of a request, packed, with the format, and by when.

    Raises:
        ProblemError: it makes no sense.
    """
    packed = pickle.dumps(_question(ask, settings))
    return packed, ask.into, due(ask.deadline_ms, arrived, settings)


def printed(ask: AskSolution, settings: Settings, arrived: float) -> tuple[bytes, str, Deadline]:
    """The question of a request, packed, with the output, and by when.

    Raises:
        ProblemError: it makes no sense.
    """
    packed = pickle.dumps(_question(ask, settings))
    return packed, ask.output, due(ask.deadline_ms, arrived, settings)


def _question(ask: AskPuzzle, limits: Limits) -> Question:
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


async def _worked(
    request: Request,
    deadline: Deadline,
    fix: str,
    packed: bytes,
    function: Callable[..., Found],
    *arguments: object,
) -> Found:
    """What a worker returns for a function of a question, packed, and other arguments.

    Raises:
        ProblemError: it is not done by the deadline; what helps is the ``fix``.
    """
    workers: Workers = request.app.state.workers
    try:
        return await workers.run(
            _of_packed, packed, function, *arguments, deadline=deadline, gone=request.receive
        )
    except (TimeoutError, DeadlinePassed):
        raise ProblemError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "deadline-passed",
            "It was not done by the deadline.",
            fix,
        ) from None


def _of_packed(packed: bytes, function: Callable[..., Found], *arguments: object) -> Found:
    """In a worker: rules may be so many that to unpack them would keep all others waiting."""
    return function(pickle.loads(packed), *arguments)
