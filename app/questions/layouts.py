"""All layouts of a board, by number."""

from functools import partial
from math import prod
from typing import Annotated, Any, Final

from pydantic import Field, WithJsonSchema

from app import problems
from app.answers import numbers, parts
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import AskPage, Cutting
from app.questions.record import Record, Stream, example
from app.questions.verdict import AnyAnswer, Count, Layout
from minefield import Puzzle
from solvers import Answer, Question, Task

_PAGE: Final = 100
#: Cells of all layouts in one JSON answer, at most.
_ANSWER_CELLS: Final = 20_000_000
_LAYOUT_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
    ],
    "examples": [["B100"]],
}

#: What a stream of layouts is.
LAYOUT_LINES: Final = (
    "one layout per line, none at all if no layout fits. If cut short, "
    "the last line is an object with `complete` false, `consistent` and `next_offset`"
)


class AskLayouts(AskPage):
    """A board whose layouts are wanted."""

    layout: Annotated[Any, WithJsonSchema(_LAYOUT_SCHEMA)] = Field(
        default=None,
        description="A layout whose rank is wanted, drawn as in answers; not for a stream, which "
        "gives no rank",
    )
    window: Cutting | None = Field(
        default=None,
        description="The part of the board that is laid out, by the clues in it alone: an object, "
        "or row,col,height,width in one string",
    )


class LayoutsAnswer(AnyAnswer):
    """A page of layouts."""

    count: Count | None
    offset: Count
    layouts: list[Layout] | None
    next_offset: Count | None = Field(description="Where the next page starts; null on the last")
    rank: Count | None = Field(
        default=None,
        description="Number of the layout that was asked about: the offset that finds it",
    )


def most_in_an_answer(cells: int, limits: Limits) -> int:
    """How many layouts, or boards, of so many cells the service gives in one answer."""
    return min(limits.max_layouts, max(1, _ANSWER_CELLS // max(1, cells)))


def limit_of(ask: AskPage, board: Puzzle, limits: Limits, stream: bool) -> int:
    """How many layouts are wanted; a page of layouts is as large as the board times that.

    Raises:
        ProblemError: more than the service gives in one answer.
    """
    most = most_in_an_answer(prod(board.shape), limits)
    limit = ask.limit or min(_PAGE, most)
    if not stream:
        problems.at_most("limit", limit, most)
    return limit


def _question(ask: AskLayouts, board: Puzzle, limits: Limits, stream: bool) -> Question:
    if ask.layout is not None and stream:
        problems.refuse(
            "bad-value",
            "A stream of layouts gives no rank.",
            "Leave layout out, or ask for JSON with Accept: application/json.",
            "/layout",
        )
    return Question(
        Task.LAYOUTS,
        board,
        ask.mines,
        backend=ask.backend,
        offset=ask.offset,
        limit=limit_of(ask, board, limits, stream),
        window=None if ask.window is None else puzzles.window(ask.window, board),
        layout=None if ask.layout is None else puzzles.layout(ask.layout, board),
    )


def _rank(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    return {} if question.layout is None else {"rank": numbers.digits(answer.rank)}


LAYOUTS: Final = Record(
    name="layouts",
    summary="All layouts, a page at a time or one per line",
    asked=AskLayouts,
    answered=LayoutsAnswer,
    question=_question,
    parts=(parts.count, partial(parts.page, "layouts"), _rank),
    stream=Stream('["B100"]\n["01B1"]\n', LAYOUT_LINES),
    examples={
        "board": example(
            {"board": ["?1??"], "mines": 1},
            "frontier",
            count="2",
            offset="0",
            layouts=[["B100"], ["01B1"]],
            next_offset=None,
        ),
        "rules": example(
            {
                "rules": [
                    {"cells": ["a", "b"], "mines": 1},
                    {"cells": ["b", "c", "d"], "low": 2, "high": 3},
                ],
                "total_cells": 5,
                "mines": 3,
                "limit": 1,
                "layout": {"mines": ["a", "c", "d"], "others": []},
            },
            "search+frontier",
            count="4",
            offset="0",
            layouts=[{"mines": ["b", "c"], "others": [0]}],
            next_offset="1",
            rank="2",
        ),
    },
)
