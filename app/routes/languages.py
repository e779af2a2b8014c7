"""The route POST /v1/languages: consistent boards of a size, counted, in order, or at random."""

from contextlib import suppress
from random import Random
from time import monotonic
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from app import problems
from app.answers import numbers, render
from app.execution.workers import Workers
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import BOARD_SCHEMA, DeadlineMs, Offset, Rows, Seed
from app.questions.layouts import most_in_an_answer
from app.questions.verdict import Count, Solver
from app.requests.body import read_model
from app.requests.jobs import due
from app.settings import Settings
from automata.language import MOST_ROWS, Boards, Language, language
from minefield import Board, draw
from minefield.amounts import several
from minefield.board import SAFE
from solvers import Deadline, DeadlinePassed

router: Final = APIRouter(tags=["automata"])

_PAGE: Final = 10
#: An integer of either sign, in decimal digits.
_Coefficient = Annotated[str, Field(pattern=r"^-?[0-9]+$")]


class AskLanguage(BaseModel):
    """The size of boards, and which of them are wanted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    rows: int = Field(ge=1, description=f"Number of rows, up to {MOST_ROWS}")
    cols: int = Field(ge=1, description="Number of columns")
    safe: bool = Field(
        default=False, description="Whether cells may be `S`, safe with their number unknown"
    )
    offset: Offset = Field(
        default=0,
        description="Number of the first board wanted, as an integer or a string of digits",
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


class Wanted(NamedTuple):
    """Which boards are wanted."""

    rows: int
    cols: int
    safe: bool
    offset: int
    limit: int
    after: Board | None
    seed: int | None


_ASKED: Final = {"rows": 1, "cols": 2, "offset": 8}
ANSWERED: Final = {
    "count": "11",
    "states": 6,
    "generating_function": {"numerator": ["1"], "denominator": ["1", "-3", "-2", "1"]},
    "seed": None,
    "offset": "8",
    "boards": [["B1"], ["B?"], ["BB"]],
    "next_offset": None,
    "rows": 1,
    "cols": 2,
    "safe": False,
    "solver": {"name": "strip-1", "complete": True, "elapsed_ms": 0.4},
}


@router.post(
    "/v1/languages",
    summary="All consistent boards of a size: how many, in order, the n-th, at random",
    operation_id="languages",
    response_class=Response,
    responses={
        200: {
            "description": "The boards, and what is known of all lengths",
            "model": LanguageAnswer,
            "content": {"application/json": {"example": ANSWERED}},
        },
        **problems.described(400, 408, 413, 415, 422, 503),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": AskLanguage.model_json_schema(), "example": _ASKED}
            },
        }
    },
)
async def languages(request: Request) -> Response:
    """The boards are generated by the automaton that decides them."""
    wanted, deadline = await read_model(request, AskLanguage, asked)
    workers: Workers = request.app.state.workers
    started = monotonic()
    body = await workers.found(told, wanted, deadline=deadline, gone=request.receive)
    if body is None:
        body = _rendered(wanted, {}, monotonic() - started)
    return Response(body, media_type="application/json")


def asked(ask: AskLanguage, settings: Settings, arrived: float) -> tuple[Wanted, Deadline]:
    """What a request asks, and by when.

    Raises:
        ProblemError: it makes no sense.
    """
    return wanted_of(ask, settings), due(ask.deadline_ms, arrived, settings)


def wanted_of(ask: AskLanguage, limits: Limits) -> Wanted:
    """The boards that are asked for.

    Raises:
        ProblemError: there are none, or too many.
    """
    if ask.rows > MOST_ROWS:
        problems.refuse(
            "too-many-rows",
            f"Languages are known of boards of up to {MOST_ROWS} rows: the smallest automaton for "
            "4 rows has 914,880 states.",
            "Exchange rows and columns: a board is as consistent turned over."
            if ask.cols <= MOST_ROWS
            else f"Ask for {MOST_ROWS} rows or fewer; /v1/check takes boards of any size.",
            "/rows",
        )
    longest = limits.max_cells // ask.rows
    problems.at_most("cols", ask.cols, longest, several(longest, "column"))
    most = most_in_an_answer(ask.rows * ask.cols, limits)
    limit = min(_PAGE, most) if ask.limit is None else ask.limit
    problems.at_most("limit", limit, most)
    after = None if ask.after is None else _after(ask, limits.max_cells)
    return Wanted(ask.rows, ask.cols, ask.safe, ask.offset, limit, after, ask.seed)


def told(wanted: Wanted, deadline: Deadline) -> bytes:
    """The body of the answer, as far as it is found in time.

    Raises:
        ProblemError: there is no board of the number that was asked for.
    """
    started = monotonic()
    found: dict[str, Any] = {}
    with suppress(DeadlinePassed):
        deadline.check()
        chosen = language(wanted.rows, wanted.safe)
        found |= _known(chosen)
        boards = chosen.boards(wanted.cols, deadline.check)
        found["count"] = numbers.digits(boards.count)
        found |= _page(boards, wanted, deadline)
    return _rendered(wanted, found, monotonic() - started, complete="boards" in found)


def _known(chosen: Language) -> dict[str, Any]:
    """What is known of all lengths."""
    function = chosen.rational()
    return {
        "states": chosen.states,
        "generating_function": function
        and {
            name: [numbers.digits(one) for one in part] for name, part in function._asdict().items()
        },
    }


def _page(boards: Boards, wanted: Wanted, deadline: Deadline) -> dict[str, Any]:
    """The boards that are wanted."""
    first, rank = wanted.offset, {}
    if wanted.after is not None:
        first, consistent = boards.before(wanted.after)
        rank = {"rank": numbers.digits(first) if consistent else None}
        first += consistent
    elif wanted.seed is None and first >= boards.count:
        raise problems.beyond(first, boards.count, "board")
    stop = first + wanted.limit
    if wanted.seed is None:
        stop = min(stop, boards.count)
    found = []
    for number in range(first, stop):
        deadline.check()
        if wanted.seed is None:
            found.append(boards.board(number))
        else:
            found.append(boards.drawn(Random(f"{wanted.seed:x},{number:x}")))
    more = wanted.seed is not None or stop < boards.count
    return {
        "offset": numbers.digits(first),
        "boards": [draw(board) for board in found],
        "next_offset": numbers.digits(stop) if more else None,
        **rank,
    }


def _rendered(
    wanted: Wanted, found: dict[str, Any], elapsed: float, *, complete: bool = False
) -> bytes:
    unknown = dict.fromkeys(LanguageAnswer.model_fields.keys() - {"rank"})
    names = [name for name in LanguageAnswer.model_fields if name in unknown | found]
    known = {
        "seed": None if wanted.seed is None else str(wanted.seed),
        "rows": wanted.rows,
        "cols": wanted.cols,
        "safe": wanted.safe,
        "solver": render.solver(f"strip-{wanted.rows}", complete, elapsed),
    }
    document = unknown | found | known
    return orjson.dumps({name: document[name] for name in names})


def _after(ask: AskLanguage, most: int) -> Board:
    """The board after which the others come.

    Raises:
        ProblemError: it is none of this size and alphabet, or an offset or a seed is given, too.
    """
    if ask.offset or ask.seed is not None:
        problems.refuse(
            "bad-value",
            "The request has both after and an offset, or a seed.",
            "Send one of the two.",
            "/after",
        )
    board = puzzles.read_board(ask.after, most, field="after")
    if board.shape != (ask.rows, ask.cols):
        problems.refuse(
            "bad-value",
            f"The board has {board.height} rows and {board.width} columns.",
            f"Send one of {ask.rows} rows and {ask.cols} columns, as rows and cols say.",
            "/after",
        )
    if not ask.safe:
        for row, col in np.argwhere(board.cells == SAFE)[:1].tolist():
            problems.refuse(
                "bad-value",
                f"The cell at row {row}, column {col} is S.",
                "Send safe: true, for boards with S.",
                f"/after/{row}/{col}",
            )
    return board
