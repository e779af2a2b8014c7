"""The operation languages: consistent boards of a size, counted, in order, or at random."""

from contextlib import suppress
from random import Random
from time import monotonic
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import orjson
from pydantic import BaseModel, Field, WithJsonSchema

from minecheck.app import problems
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import (
    BOARD_SCHEMA,
    DeadlineMs,
    Offset,
    RequestFields,
    Rows,
    Seed,
)
from minecheck.app.questions.requests import most_in_an_answer
from minecheck.app.questions.verdict import Count, Solver
from minecheck.automata.language import MOST_ROWS, Boards, Language, build_language
from minecheck.minefield import Board, draw
from minecheck.minefield.board import SAFE
from minecheck.minefield.numerals import format_count
from minecheck.solvers import Deadline, DeadlinePassed
from minecheck.solvers.documents import numbers, render
from minecheck.solvers.tasks.task import Example

_PAGE: Final = 10
#: An integer of either sign, in decimal digits.
_Coefficient = Annotated[str, Field(pattern=r"^-?[0-9]+$")]


class AskLanguage(RequestFields):
    """The size of boards, and the numbers of those to list."""

    rows: int = Field(ge=1, description=f"Number of rows, up to {MOST_ROWS}")
    cols: int = Field(ge=1, description="Number of columns")
    safe: bool = Field(
        default=False, description="Whether cells may be `S`, safe with their number unknown"
    )
    offset: Offset = Field(
        default=0,
        description="Number of the first board to return, as an integer or a string of digits",
    )
    after: Annotated[Any, WithJsonSchema(BOARD_SCHEMA)] = Field(
        default=None,
        description="Instead of an offset: a board, consistent or not, after which the first comes",
    )
    limit: int | None = Field(
        default=None, ge=1, description=f"How many boards at most, by default {_PAGE}"
    )
    seed: Seed = None
    deadline_ms: DeadlineMs = None


class GeneratingFunction(BaseModel):
    """The numbers of boards of all lengths, as a quotient of polynomials in lowest terms."""

    numerator: list[_Coefficient] = Field(description="From the constant on")
    denominator: list[_Coefficient]


class LanguageAnswer(BaseModel):
    """Consistent boards; what was not worked out in time is null."""

    count: Count | None = Field(description="Of all consistent boards of this size")
    states: int | None = Field(
        description="Of the smallest deterministic automaton for these rows, the dead one included"
    )
    generating_function: GeneratingFunction | None = Field(
        description="The coefficient of the n-th power is the number of boards of n columns; null "
        "for three rows, too"
    )
    seed: str | None = Field(
        pattern=r"^[0-9]+$", description="Of boards at random: send it again for the same"
    )
    offset: Count | None = Field(description="Number of the first board below")
    boards: list[Rows] | None = Field(
        description="Sorted by columns from the first, columns by cells from the top, cells as "
        "`012345678?BS`; or at random, all equally likely"
    )
    next_offset: Count | None = Field(description="Where the boards continue")
    rank: Count | None = Field(
        default=None, description="With `after`: the number of that board; null if inconsistent"
    )
    rows: int
    cols: int
    safe: bool
    solver: Solver


class LanguageInput(NamedTuple):
    """The boards that are requested."""

    rows: int
    cols: int
    safe: bool
    offset: int
    limit: int
    after: Board | None
    seed: int | None


def _make_input(ask: AskLanguage, limits: Limits) -> LanguageInput:
    """Return the boards of a request.

    Raises:
        ProblemError: there are none, or too many.
    """
    if ask.rows > MOST_ROWS:
        problems.reject_field(
            "too-many-rows",
            f"Languages have at most {MOST_ROWS} rows: the smallest automaton for "
            "4 rows has 914,880 states.",
            "Swap rows and cols: a board and its transpose are consistent alike."
            if ask.cols <= MOST_ROWS
            else f"Ask for {MOST_ROWS} rows or fewer; /v1/check takes boards of any size.",
            "/rows",
        )
    longest = limits.max_cells // ask.rows
    problems.require_at_most("cols", ask.cols, longest, format_count(longest, "column"))
    most = most_in_an_answer(ask.rows * ask.cols, limits)
    limit = min(_PAGE, most) if ask.limit is None else ask.limit
    problems.require_at_most("limit", limit, most)
    after = None if ask.after is None else _read_board_after(ask, limits.max_cells)
    return LanguageInput(ask.rows, ask.cols, ask.safe, ask.offset, limit, after, ask.seed)


def _answer_language(request: LanguageInput, deadline: Deadline) -> bytes:
    """Return the body of the answer, as far as it is found in time.

    Raises:
        ProblemError: there is no board of the number that was asked for.
    """
    started = monotonic()
    fields: dict[str, Any] = {}
    with suppress(DeadlinePassed):
        deadline.check()
        chosen = build_language(request.rows, request.safe)
        fields |= _describe_all_lengths(chosen)
        boards = chosen.boards_of_length(request.cols, deadline.check)
        fields["count"] = numbers.format_integer(boards.count)
        fields |= _render_page(boards, request, deadline)
    return _render_answer(request, monotonic() - started, fields)


def _describe_all_lengths(chosen: Language) -> dict[str, Any]:
    """Return the facts about boards of all lengths."""
    function = chosen.generating_function()
    return {
        "states": chosen.states,
        "generating_function": function
        and {
            name: [numbers.format_integer(coefficient) for coefficient in part]
            for name, part in function._asdict().items()
        },
    }


def _render_page(boards: Boards, request: LanguageInput, deadline: Deadline) -> dict[str, Any]:
    """Return a page of boards."""
    start, rank = request.offset, {}
    if request.after is not None:
        start, consistent = boards.rank(request.after)
        rank = {"rank": numbers.format_integer(start) if consistent else None}
        start += consistent
    elif request.seed is None and start > boards.count:
        raise problems.make_offset_problem(start, boards.count, "board")
    stop = start + request.limit
    if request.seed is None:
        stop = min(stop, boards.count)
    drawn = []
    for number in range(start, stop):
        deadline.check()
        if request.seed is None:
            drawn.append(boards.unrank(number))
        else:
            drawn.append(boards.sample(Random(f"{request.seed:x},{number:x}")))
    has_more = request.seed is not None or stop < boards.count
    return {
        "offset": numbers.format_integer(start),
        "boards": [draw(board) for board in drawn],
        "next_offset": numbers.format_integer(stop) if has_more else None,
        **rank,
    }


def _render_answer(
    request: LanguageInput, elapsed: float, fields: dict[str, Any] | None = None
) -> bytes:
    """Return the answer as JSON: what is not among the fields is null."""
    fields = fields or {}
    names = [name for name in LanguageAnswer.model_fields if name != "rank" or "rank" in fields]
    fixed = {
        "seed": None if request.seed is None else str(request.seed),
        "rows": request.rows,
        "cols": request.cols,
        "safe": request.safe,
        "solver": render.describe_automaton(f"strip-{request.rows}", "boards" in fields, elapsed),
    }
    return orjson.dumps(dict.fromkeys(names) | fields | fixed)


def _read_board_after(ask: AskLanguage, most: int) -> Board:
    """Read the board after which the others come.

    Raises:
        ProblemError: it is none of this size and alphabet, or an offset or a seed is given, too.
    """
    if ask.offset or ask.seed is not None:
        problems.reject_field(
            "bad-value",
            "The request has both after and an offset, or a seed.",
            "Send one of the two.",
            "/after",
        )
    board = puzzles.read_board(ask.after, most, field="after")
    if board.shape != (ask.rows, ask.cols):
        problems.reject_field(
            "bad-value",
            f"The board has {board.height} rows and {board.width} columns.",
            f"Send one of {ask.rows} rows and {ask.cols} columns, as rows and cols say.",
            "/after",
        )
    if not ask.safe:
        for row, col in np.argwhere(board.cells == SAFE)[:1].tolist():
            problems.reject_field(
                "bad-value",
                f"The cell at row {row}, column {col} is S.",
                "Send safe: true, for boards with S.",
                f"/after/{row}/{col}",
            )
    return board


LANGUAGES: Final = FunctionOperation(
    name="languages",
    path="/v1/languages",
    tag="automata",
    summary="All consistent boards of a size: how many, in order, the n-th, at random",
    description="The boards are generated by the automaton that decides them.",
    request=AskLanguage,
    response=LanguageAnswer,
    make_input=_make_input,
    answer=_answer_language,
    partial_answer=_render_answer,
    examples={
        "row": Example(
            {"rows": 1, "cols": 2, "offset": 8},
            {
                "count": "11",
                "states": 6,
                "generating_function": {
                    "numerator": ["1"],
                    "denominator": ["1", "-3", "-2", "1"],
                },
                "seed": None,
                "offset": "8",
                "boards": [["B1"], ["B?"], ["BB"]],
                "next_offset": None,
                "rows": 1,
                "cols": 2,
                "safe": False,
                "solver": {
                    "name": "automata",
                    "machines": ["strip-1"],
                    "complete": True,
                    "elapsed_ms": 0.4,
                },
            },
        ),
    },
)
