"""The route POST /v1/automata/{name}/paths: the paths of an automaton over a board, one by one."""

from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from app import problems
from app.execution.workers import Workers
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import AskBoard, Cutting, Place
from app.questions.verdict import Count, Solver
from app.questions.verdict import Window as WindowShown
from app.requests.body import read_model
from app.requests.jobs import due
from app.routes import machines, openapi, path_tree
from app.routes.path_tree import Wanted
from app.settings import Settings
from automata.drawing import TooLargeToDraw
from automata.tree_drawing import MOST_COLUMNS, MOST_LEAVES
from solvers import Deadline

router: Final = APIRouter(prefix="/v1/automata", tags=["automata"])

#: Paths in an answer, unless it is said how many.
_PAGE: Final = 100


class AskPaths(AskBoard):
    """A board, or a window of it, that an automaton reads, and which of its paths are wanted."""

    window: Cutting | None = Field(
        default=None,
        description="What is read instead of the whole board, as for /v1/strips: an object, or "
        "row,col,height,width in one string",
    )
    outcome: Literal["accepted", "rejected"] | None = Field(
        default=None, description="Which paths are listed; without it, all"
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description=f"How many paths are listed at most, up to {path_tree.MOST_PATHS}; by default "
        f"{_PAGE}. Of long boards there are fewer: up to {path_tree.MOST_LISTED} states in all",
    )
    picture: bool = Field(
        default=False,
        description=f"Whether the answer is the tree as SVG: up to {MOST_LEAVES} paths "
        f"of {MOST_COLUMNS} columns",
    )


class PathAnswer(BaseModel):
    """A path, from the start to where it ends."""

    outcome: Literal["accepted", "rejected"]
    leaf: int = Field(description="Its last node in the tree")
    states: list[str] = Field(description="From the start on")
    layouts: Count | None = Field(
        description="How many layouts it stands for; null where it is rejected, and for kadlac"
    )
    stops_at: int | None = Field(
        description="The column that cannot be read, or the number of columns where the end of the "
        "board rejects the path; null where it is accepted"
    )
    clues: list[Place] = Field(
        description="The clues that reject it, none of which could be left out; those still in "
        "need of mines where the board ends"
    )
    why: str | None = Field(description="The same in words; null where it is accepted")


class TreeNode(BaseModel):
    """A state on one path or on several, which have run together so far."""

    id: int
    parent: int | None
    column: int | None = Field(description="The column read last; null for the start")
    symbol: str | None = Field(description="What was read there, as the automaton spells it")
    state: str
    placed: list[str] | None = Field(
        description="What the state places in that column: `B` mines, numbers on clues, `S` on "
        "other safe cells; null for kadlac"
    )
    fate: Literal["goes on", "accepted", "dies"]


class PathsAnswer(BaseModel):
    """The paths of an automaton over a board."""

    machine: str
    consistent: bool | None
    read: WindowShown | None = Field(
        default=None, description="With a window: the part of the board that is read"
    )
    accepted: Count | None = Field(description="How many paths are accepted, listed or not")
    rejected: Count | None = Field(description="How many end without being accepted")
    paths: list[PathAnswer] | None
    tree: list[TreeNode] | None = Field(description="The same paths; each node after its parent")
    more: bool | None = Field(description="Whether there are more paths than are listed")
    solver: Solver


ASKED: Final[dict[str, dict[str, Any]]] = {
    "board": {"board": ["1", "?"]},
    "window": {"board": ["1??", "B1?"], "window": "0,0,1,2"},
}
ANSWERED: Final[dict[str, Any]] = {
    "machine": "hu-lin",
    "consistent": True,
    "accepted": "1",
    "rejected": "1",
    "paths": [
        {
            "outcome": "rejected",
            "leaf": 1,
            "states": ["s0", "10?0"],
            "layouts": None,
            "stops_at": 1,
            "clues": [[0, 0]],
            "why": "The board ends, and the 1 at row 0, column 0 still needs 1 mine.",
        },
        {
            "outcome": "accepted",
            "leaf": 2,
            "states": ["s0", "11?B"],
            "layouts": "1",
            "stops_at": None,
            "clues": [],
            "why": None,
        },
    ],
    "tree": [
        {
            "id": number,
            "parent": None if number == 0 else 0,
            "column": None if number == 0 else 0,
            "symbol": None if number == 0 else "1?",
            "state": state,
            "placed": placed,
            "fate": fate,
        }
        for number, (state, placed, fate) in enumerate(
            [("s0", [], "goes on"), ("10?0", ["1S"], "dies"), ("11?B", ["1B"], "accepted")]
        )
    ],
    "more": False,
    "solver": {"name": "hu-lin", "complete": True, "elapsed_ms": 0.4},
}

_Name = Annotated[
    str,
    Path(
        description="kadlac, hu-lin, or strip-1 to strip-12",
        openapi_examples={"hu-lin": {"value": "hu-lin"}},
    ),
]


@router.post(
    "/{name}/paths",
    summary="The paths of an automaton over a board: counted, listed, and as a tree",
    operation_id="paths",
    response_class=Response,
    responses={
        200: {
            "description": "The paths",
            "model": PathsAnswer,
            "content": {"application/json": {"example": ANSWERED}, "image/svg+xml": {}},
        },
        **problems.described(400, 404, 408, 413, 415, 422, 503),
    },
    openapi_extra=openapi.described(AskPaths, ASKED),
)
async def paths(request: Request, name: _Name) -> Response:
    """Each path ends where the board does, or at a column that it cannot read."""
    machines.width(name)
    started = monotonic()
    wanted, deadline = await read_model(request, AskPaths, partial(asked, name))
    workers: Workers = request.app.state.workers
    try:
        body = await workers.found(path_tree.told, wanted, deadline=deadline, gone=request.receive)
        if body is None:
            body = path_tree.untold(wanted, monotonic() - started)
    except TooLargeToDraw as error:
        raise of_tree(error) from None
    return Response(body, media_type="image/svg+xml" if wanted.picture else "application/json")


def asked(name: str, ask: AskPaths, settings: Settings, arrived: float) -> tuple[Wanted, Deadline]:
    """What a request asks, and by when.

    Raises:
        ProblemError: it makes no sense.
    """
    return wanted_of(name, ask, settings), due(ask.deadline_ms, arrived, settings)


def wanted_of(name: str, ask: AskPaths, limits: Limits) -> Wanted:
    """What is asked for.

    Raises:
        ProblemError: the machine does not read such a board, or too many paths are wanted.
    """
    problems.at_most("limit", ask.limit or 1, path_tree.MOST_PATHS)
    board = puzzles.board(ask, limits.max_cells)
    window = None if ask.window is None else puzzles.window(ask.window, board)
    machines.columns(name, board, machines.part(board, window))
    limit = ask.limit or (MOST_LEAVES if ask.picture else _PAGE)
    return Wanted(name, board, window, limit, ask.outcome, ask.picture)


def of_tree(error: TooLargeToDraw) -> problems.ProblemError:
    """A tree that is too large for a picture."""
    return problems.ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "too-large-to-draw",
        f"{str(error).capitalize()}.",
        "Ask for fewer paths by a limit, for one outcome, or for no picture.",
        pointer="/picture",
    )
