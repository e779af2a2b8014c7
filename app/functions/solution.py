"""The operation solution: what another solver printed for a board, as a layout."""

from typing import Final, NamedTuple, NoReturn

import orjson
from pydantic import BaseModel, Field

from minecheck.app import problems
from minecheck.app.functions.export import make_question
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import AskPuzzle, JsonCell
from minecheck.app.questions.verdict import AnyCell, Layout
from minecheck.solvers import Deadline, Question
from minecheck.solvers.documents.cells import choose_drawing
from minecheck.solvers.export import solution
from minecheck.solvers.export.solution import SolutionError
from minecheck.solvers.tasks.task import Example


class AskSolution(AskPuzzle):
    """A board, or rules, that were exported, and what a solver printed."""

    output: str = Field(
        description="What the solver printed: lines `v 1 -2 0` or `v x1 -x2`, MiniZinc's "
        "`x1 = 0;`, or what (get-model) or (get-value) prints in SMT-LIB"
    )


class Broken(BaseModel):
    """The clues that a layout breaks."""

    clues: list[JsonCell] | list[int] = Field(description="For rules: their positions from 0")
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


class SolutionInput(NamedTuple):
    """A board with its total, and what a solver printed for it."""

    question: Question
    output: str


def _make_input(ask: AskSolution, limits: Limits) -> SolutionInput:
    return SolutionInput(make_question(ask, limits), ask.output)


def answer_solution(request: SolutionInput, deadline: Deadline) -> bytes:
    """Return the solution in an output, as JSON: no deadline is needed to read it.

    Raises:
        ProblemError: there is none in it.
    """
    question, output = request
    try:
        claimed = solution.read_solution(output)
        judged = solution.judge_solution(claimed, question.board, question.mines)
    except SolutionError as error:
        problems.reject_field("bad-solution", error.detail, error.fix, "/output")
    draw = choose_drawing(question)
    return orjson.dumps(
        {
            "satisfiable": claimed.satisfiable,
            "layout": judged and draw.render_layout(judged.layout),
            "fits": judged and judged.fits,
            "broken": None
            if judged is None or judged.fits
            else {"clues": draw.render_clues(judged.clues), "total": judged.total},
            "unassigned": judged and draw.all_cells(judged.unassigned),
        }
    )


def _partial_answer(request: SolutionInput, elapsed: float) -> NoReturn:
    raise problems.make_late_problem("Give it more time.")


SOLUTION: Final = FunctionOperation(
    name="solution",
    path="/v1/solution",
    tag="export",
    summary="What a solver printed for an exported board, as a layout",
    description="A layout that does not fit is an answer, which names the clues that it breaks.",
    request=AskSolution,
    response=SolutionAnswer,
    make_input=_make_input,
    answer=answer_solution,
    partial_answer=_partial_answer,
    examples={
        "board": Example(
            {"board": ["?1?"], "mines": 1, "output": "s SATISFIABLE\nv -1 2 0\n"},
            {
                "satisfiable": True,
                "layout": ["01B"],
                "fits": True,
                "broken": None,
                "unassigned": [],
            },
        ),
    },
)
