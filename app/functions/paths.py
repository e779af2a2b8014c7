"""The operation paths: the paths of an automaton over a board, one by one."""

from typing import Final, Literal

from pydantic import BaseModel, Field

from minecheck.app import problems
from minecheck.app.functions import machines, path_tree
from minecheck.app.functions.machines import AskReading
from minecheck.app.functions.path_tree import PathsInput
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import JsonCell, Offset
from minecheck.app.questions.verdict import Count, Solver, WindowAnswer
from minecheck.automata.tree_drawing import MOST_COLUMNS, MOST_LEAVES
from minecheck.solvers.tasks.task import Example

#: Paths in an answer, unless it is said how many.
_PAGE: Final = 100


class AskPaths(AskReading):
    """A board, or a window of it, read by an automaton, and the paths that are requested."""

    outcome: Literal["accepted", "rejected"] | None = Field(
        default=None, description="Which paths are listed; without it, all"
    )
    offset: Offset = Field(
        default=0,
        description="Number of the first path to return, as an integer or a string of digits: of "
        "those of the `outcome`, if there is one",
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
    clues: list[JsonCell] = Field(
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
    read: WindowAnswer | None = Field(
        default=None, description="With a window: the part of the board that is read"
    )
    accepted: Count | None = Field(description="How many paths are accepted, listed or not")
    rejected: Count | None = Field(description="How many end without being accepted")
    offset: Count | None = Field(description="Number of the first path below")
    paths: list[PathAnswer] | None
    tree: list[TreeNode] | None = Field(description="The same paths; each node after its parent")
    more: bool | None = Field(description="Whether there are paths after those that are listed")
    next_offset: Count | None = Field(description="Where the paths continue")
    solver: Solver


def _make_input(ask: AskPaths, limits: Limits) -> PathsInput:
    """Return the paths of a request.

    Raises:
        ProblemError: the machine does not read such a board, or too many paths are requested.
    """
    problems.require_at_most("limit", ask.limit or 1, path_tree.MOST_PATHS)
    board, window = machines.read_by(ask.machine, ask, limits)
    limit = ask.limit or (MOST_LEAVES if ask.picture else _PAGE)
    return PathsInput(ask.machine, board, window, ask.offset, limit, ask.outcome, ask.picture)


def _make_headers(request: PathsInput) -> dict[str, str]:
    return {"Content-Type": "image/svg+xml" if request.picture else "application/json"}


PATHS: Final = FunctionOperation(
    name="paths",
    path="/v1/automata/{machine}/paths",
    tag="automata",
    summary="The paths of an automaton over a board: counted, listed, and as a tree",
    description="Each path ends where the board does, or at a column that it cannot read.",
    request=AskPaths,
    response=PathsAnswer,
    make_input=_make_input,
    answer=path_tree.answer_paths,
    partial_answer=path_tree.partial_answer,
    headers=_make_headers,
    other_types=("image/svg+xml",),
    examples={
        "board": Example(
            {"machine": "hu-lin", "board": ["1", "?"]},
            {
                "machine": "hu-lin",
                "consistent": True,
                "accepted": "1",
                "rejected": "1",
                "offset": "0",
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
                        "parent": 0 if number else None,
                        "column": 0 if number else None,
                        "symbol": "1?" if number else None,
                        "state": state,
                        "placed": placed,
                        "fate": fate,
                    }
                    for number, (state, placed, fate) in enumerate(
                        [
                            ("s0", [], "goes on"),
                            ("10?0", ["1S"], "dies"),
                            ("11?B", ["1B"], "accepted"),
                        ]
                    )
                ],
                "more": False,
                "next_offset": None,
                "solver": {
                    "name": "automata",
                    "machines": ["hu-lin"],
                    "complete": True,
                    "elapsed_ms": 0.4,
                },
            },
        ),
    },
)
