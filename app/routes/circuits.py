"""The route POST /v1/circuits: a Boolean formula as a board."""

from typing import Any, Final, Literal

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app import problems
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import LayoutRows, Place, Rows
from app.requests.body import read_model
from app.settings import Settings
from minefield import Layout, draw
from solvers.circuits.circuit import MOST_CELLS, Circuit, Gate, circuit
from solvers.circuits.formula import (
    MOST_CHARACTERS,
    MOST_GATES,
    MOST_VARIABLES,
    FormulaError,
    parse,
)
from solvers.circuits.gadgets import SIDE

router: Final = APIRouter(tags=["circuits"])


class AskCircuit(BaseModel):
    """A formula, and a layout of its board that is to be read back."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    formula: str = Field(
        description="What is laid: names, `0`, `1`, brackets, and from the tightest to the "
        "loosest `!` or `~`, `&`, `^`, `|`, `->`, `<->`; of up to "
        f"{MOST_CHARACTERS} characters, {MOST_VARIABLES} variables and {MOST_GATES} operators"
    )
    layout: LayoutRows | None = Field(
        default=None,
        description="A layout of the board, as other answers draw it: which assignment is it?",
    )


class GateAnswer(BaseModel):
    """A gate on the board."""

    kind: Literal["not", "and", "xor", "or", "implies", "iff"]
    formula: str = Field(description="The part of the formula that it stands for")
    row: int = Field(description="Its uppermost row")
    col: int = Field(description="Its leftmost column")
    height: int
    width: int
    output: Place = Field(description="A mine in this cell means that the part is true")


class CircuitAnswer(BaseModel):
    """A board with as many layouts as the formula has satisfying assignments."""

    board: Rows
    rows: int
    cols: int
    cells: int
    variables: dict[str, list[Place]] = Field(
        description="By name the cells in which a mine means true, from the top"
    )
    gates: list[GateAnswer] = Field(description="Each after its operands")
    output: Place = Field(description="The cell of the whole formula; it has to be a mine")
    assignment: dict[str, bool] | None = Field(
        description="What the given layout says; null without one"
    )


_ASKED: Final = {"formula": "!a"}
_ROWS: Final = """\
000000000 000000000 000000000 000000000 001232100 001BBB100 0013?3100 0001?1000 000111000
0001?1000 0001?1000 001232100 001B?B100 002353200 001B?B100 002353200 001B?B100 001232100
0001?1000 000111000 000000000 000000000 000000000 000000000 000000000 000000000 000000000
"""
ANSWERED: Final = {
    "board": _ROWS.split(),
    "rows": 27,
    "cols": 9,
    "cells": 243,
    "variables": {"a": [[9, 4]]},
    "gates": [
        {
            "kind": "not",
            "formula": "!a",
            "row": 9,
            "col": 0,
            "height": 9,
            "width": 9,
            "output": [18, 4],
        }
    ],
    "output": [18, 4],
    "assignment": None,
}


@router.post(
    "/v1/circuits",
    summary="A Boolean formula as a board: its layouts are the satisfying assignments",
    operation_id="circuits",
    response_class=Response,
    responses={
        200: {
            "description": "The board, and where its wires and gates are",
            "model": CircuitAnswer,
            "content": {"application/json": {"example": ANSWERED}},
        },
        **problems.described(400, 408, 413, 415, 422, 503),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": AskCircuit.model_json_schema(), "example": _ASKED}
            },
        }
    },
)
async def circuits(request: Request) -> Response:
    """The largest board is laid in milliseconds: no worker is needed."""
    body = await read_model(request, AskCircuit, answered)
    return Response(body, media_type="application/json")


def answered(ask: AskCircuit, settings: Settings, _: float) -> bytes:
    """The body of the answer to a request, as `told`."""
    return told(ask, settings)


def told(ask: AskCircuit, limits: Limits) -> bytes:
    """The body of the answer.

    Raises:
        ProblemError: the formula cannot be read, is too large, or has no such layout.
    """
    try:
        made = circuit(parse(ask.formula), min(MOST_CELLS, limits.max_cells))
    except FormulaError as error:
        problems.refuse(error.code, error.detail, error.fix, "/formula")
    return orjson.dumps(
        {
            "board": draw(made.board),
            "rows": made.board.height,
            "cols": made.board.width,
            "cells": made.board.cells.size,
            "variables": made.variables,
            "gates": [_gate(gate) for gate in made.gates],
            "output": made.output,
            "assignment": None if ask.layout is None else made.assignment(_layout(ask, made)),
        }
    )


def _gate(gate: Gate) -> dict[str, Any]:
    return {
        "kind": gate.kind,
        "formula": gate.text,
        "row": gate.row,
        "col": gate.col,
        "height": SIDE,
        "width": SIDE,
        "output": gate.output,
    }


def _layout(ask: AskCircuit, made: Circuit) -> Layout:
    """The layout that was sent.

    Raises:
        ProblemError: it is none of this board.
    """
    layout = puzzles.drawn(ask.layout)
    if layout.mines.shape != made.board.shape:
        height, width = layout.mines.shape
        problems.refuse(
            "bad-value",
            f"The layout has {height} rows and {width} columns.",
            f"Send one of {made.board.height} rows and {made.board.width} columns.",
            "/layout",
        )
    for row, col in layout.contradictions(made.board)[:1]:
        problems.refuse(
            "bad-value",
            f"The layout does not fit the board at row {row}, column {col}.",
            "Send a layout of the board, such as /v1/layouts lists.",
            f"/layout/{row}/{col}",
        )
    return layout
