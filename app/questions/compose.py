"""Which are the fewest clues that keep what a board tells?"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from app import problems
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import AskBoard, LayoutRows, Place, Rows
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer
from minefield import Board, Layout, Puzzle, draw
from minefield.board import MINE
from solvers import Answer, Question, Task
from solvers.answer import Reveal as Found
from solvers.question import Composition, Keep, Leave, Symmetry


class AskCompose(AskBoard):
    """A board of which some clues are to stay."""

    mines: int | None = Field(
        default=None,
        ge=0,
        description="Exact number of mines on the whole board, where those who solve it are told",
    )
    keep: Annotated[
        Keep | None,
        Field(strict=False),
        WithJsonSchema({"anyOf": [{"type": "string", "enum": list(Keep)}, {"type": "null"}]}),
    ] = Field(
        default=None,
        description="What the clues have to keep. Of a layout, a board that shows every cell: that "
        "no other fits (layout), or that it can be solved without guesses (solvable). Of any "
        "board: the verdict, and all that is known of its cells (forced). By default layout for a "
        "layout, forced for other boards",
    )
    difficulty: Literal["trivial", "subset", "bounds", "look-ahead", "global", "search"] | None = (
        Field(
            default=None,
            description="With solvable: the hardest steps that it may need; by default bounds",
        )
    )
    symmetry: Annotated[
        Symmetry, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Symmetry)})
    ] = Field(
        default=Symmetry.NONE,
        description="What the cells of the clues that are kept have to be symmetric under",
    )
    leave: Annotated[
        Leave, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Leave)})
    ] = Field(
        default=Leave.UNKNOWN,
        description="What is left of the other clues: unknown cells, or safe ones without numbers",
    )
    reveals: int = Field(
        default=0,
        ge=0,
        description="How many hidden clues of the board are wanted at most: those that would "
        "decide most",
    )
    layout: LayoutRows = Field(
        default=None,
        description="With reveals: the layout whose clues are hidden; by default all layouts count",
    )


class Reveal(BaseModel):
    """A hidden clue, and what it would decide; without a layout in expectation, if it is safe."""

    cell: Place
    forced: float = Field(description="How many other cells it would force")
    bits: float | None = Field(
        description="Logarithm to base 2 of the number of layouts that it would leave; null where "
        "it takes too long to count them"
    )


class ComposeAnswer(AnyAnswer):
    """The fewest clues that keep what a board tells."""

    keep: Keep = Field(description="What the clues have to keep")
    clues: int | None = Field(description="How many clues there are to choose from")
    enough: bool | None = Field(description="Whether all of them together are enough")
    size: int | None = Field(description="How many clues are kept; null if none were found")
    lower_bound: int | None = Field(description="No fewer clues than these are enough")
    optimal: bool | None = Field(description="Whether it is known that no fewer clues are enough")
    board: Rows | None = Field(description="The board with the clues that are kept")
    kept: list[Place] | None = Field(description="Where these are")
    removed: list[Place] | None = Field(
        description="Where the other clues were: if optimal, the most that can go together"
    )
    redundant: list[Place] | None = Field(
        description="Clues that may go by themselves, while all others stay; under a symmetry with "
        "those that they are carried to"
    )
    reveals: list[Reveal] | None = Field(
        description="Hidden clues that would decide most, those that force most cells first; null "
        "if none were asked for"
    )


#: What is told of clues that were chosen.
_FOUND: Final = (
    "clues",
    "enough",
    "size",
    "lower_bound",
    "optimal",
    "board",
    "kept",
    "removed",
    "redundant",
    "reveals",
)


def _question(ask: AskCompose, board: Puzzle, limits: Limits, stream: bool) -> Question:
    problems.at_most("reveals", ask.reveals, limits.max_layouts)
    layout = None if ask.layout is None else puzzles.drawn(ask.layout)
    asked = Composition(
        ask.keep or _keep(board, ask.mines),
        ask.difficulty,
        ask.symmetry,
        ask.leave,
        ask.reveals,
        layout,
    )
    return Question(Task.COMPOSE, board, ask.mines, composition=asked)


def _keep(board: Puzzle, mines: int | None) -> Keep:
    """What is kept where nothing is said of it."""
    if isinstance(board, Board) and not board.unknown.any():
        return Keep.LAYOUT if Layout(board.cells == MINE).fits(board, mines) else Keep.FORCED
    return Keep.FORCED


def _composed(question: Question, answer: Answer, draw_on: OnBoard) -> dict[str, Any]:
    found, asked = answer.composed, question.composition or Composition()
    if found is None:
        return {"keep": asked.keep, **dict.fromkeys(_FOUND)}
    kept = found.kept
    return {
        "keep": asked.keep,
        "clues": len(found.offered),
        "enough": found.enough,
        "size": None if kept is None else len(kept),
        "lower_bound": found.lower_bound,
        "optimal": found.optimal,
        "board": found.board and draw(found.board),
        "kept": kept,
        "removed": None if kept is None else sorted(set(found.offered).difference(kept)),
        "redundant": found.redundant,
        "reveals": None if found.reveals is None else list(map(_reveal, found.reveals)),
    }


def _reveal(found: Found) -> dict[str, Any]:
    return {"cell": found.cell, "forced": found.forced, "bits": found.bits}


COMPOSE: Final = Record(
    name="compose",
    summary="The fewest clues that keep what a board tells, and what best to reveal",
    asked=AskCompose,
    answered=ComposeAnswer,
    question=_question,
    parts=(_composed,),
    examples={
        "board": example(
            {"board": ["1B10", "1121", "001B"], "mines": 2},
            "frontier",
            keep="layout",
            clues=10,
            enough=True,
            size=3,
            lower_bound=3,
            optimal=True,
            board=["??10", "?1??", "????"],
            kept=[[0, 2], [0, 3], [1, 1]],
            removed=[[0, 0], [1, 0], [1, 2], [1, 3], [2, 0], [2, 1], [2, 2]],
            redundant=[
                [0, 0],
                [0, 2],
                [0, 3],
                [1, 0],
                [1, 1],
                [1, 2],
                [1, 3],
                [2, 0],
                [2, 1],
                [2, 2],
            ],
            reveals=None,
        ),
    },
)
