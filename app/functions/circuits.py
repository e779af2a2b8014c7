"""The operation circuits: a Boolean formula as a board."""

from typing import Any, Final, Literal

import orjson
from pydantic import BaseModel, Field

from minecheck.app import problems
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import DeadlineMs, JsonCell, LayoutRows, RequestFields, Rows
from minecheck.minefield import Layout, draw
from minecheck.solvers import Deadline
from minecheck.solvers.circuits.circuit import MOST_CELLS, Circuit, Gate, build_circuit
from minecheck.solvers.circuits.formula import (
    MOST_CHARACTERS,
    MOST_GATES,
    MOST_VARIABLES,
    FormulaError,
    parse_formula,
)
from minecheck.solvers.circuits.gadgets import SIDE
from minecheck.solvers.tasks.task import Example


class AskCircuit(RequestFields):
    """A formula, and a layout of its board that is to be read back."""

    formula: str = Field(
        description="What is laid: names, `0`, `1`, brackets, and from the tightest to the "
        "loosest `!` or `~`, `&`, `^`, `|`, `->`, `<->`; of up to "
        f"{MOST_CHARACTERS} characters, {MOST_VARIABLES} variables and {MOST_GATES} operators"
    )
    layout: LayoutRows | None = Field(
        default=None,
        description="A layout of the board, as other answers draw it: which assignment is it?",
    )
    deadline_ms: DeadlineMs = None


class GateAnswer(BaseModel):
    """A gate on the board."""

    kind: Literal["not", "and", "xor", "or", "implies", "iff"]
    formula: str = Field(description="The part of the formula that it stands for")
    row: int = Field(description="Its uppermost row")
    col: int = Field(description="Its leftmost column")
    height: int
    width: int
    output: JsonCell = Field(description="A mine in this cell means that the part is true")


class CircuitAnswer(BaseModel):
    """A board with as many layouts as the formula has satisfying assignments."""

    board: Rows
    rows: int
    cols: int
    cells: int
    variables: dict[str, list[JsonCell]] = Field(
        description="By name the cells in which a mine means true, from the top"
    )
    gates: list[GateAnswer] = Field(description="Each after its operands")
    output: JsonCell = Field(description="The cell of the whole formula; it has to be a mine")
    assignment: dict[str, bool] | None = Field(
        description="What the given layout says; null without one"
    )


def _make_input(ask: AskCircuit, limits: Limits) -> dict[str, Any]:
    """Make the answer: the largest board is laid in milliseconds.

    Raises:
        ProblemError: the formula cannot be read, is too large, or has no such layout.
    """
    try:
        circuit = build_circuit(parse_formula(ask.formula), min(MOST_CELLS, limits.max_cells))
    except FormulaError as error:
        problems.reject_field(error.code, error.detail, error.fix, "/formula")
    return {
        "board": draw(circuit.board),
        "rows": circuit.board.height,
        "cols": circuit.board.width,
        "cells": circuit.board.cells.size,
        "variables": circuit.variables,
        "gates": [_render_gate(gate) for gate in circuit.gates],
        "output": circuit.output,
        "assignment": None
        if ask.layout is None
        else circuit.read_assignment(_read_layout(ask, circuit)),
    }


def _render_answer(answer: dict[str, Any], _: Deadline) -> bytes:
    return orjson.dumps(answer)


def _render_gate(gate: Gate) -> dict[str, Any]:
    return {
        "kind": gate.kind,
        "formula": gate.text,
        "row": gate.row,
        "col": gate.col,
        "height": SIDE,
        "width": SIDE,
        "output": gate.output,
    }


def _read_layout(ask: AskCircuit, circuit: Circuit) -> Layout:
    """Read the layout that was sent.

    Raises:
        ProblemError: it is none of this board.
    """
    layout = puzzles.read_rows_of_layout(ask.layout)
    if layout.mines.shape != circuit.board.shape:
        height, width = layout.mines.shape
        problems.reject_field(
            "bad-value",
            f"The layout has {height} rows and {width} columns.",
            f"Send one of {circuit.board.height} rows and {circuit.board.width} columns.",
            "/layout",
        )
    for row, col in layout.list_contradictions(circuit.board)[:1]:
        problems.reject_field(
            "bad-value",
            f"The layout does not fit the board at row {row}, column {col}.",
            "Send a layout of the board, such as /v1/layouts lists.",
            f"/layout/{row}/{col}",
        )
    return layout


_ROWS: Final = """\
000000000 000000000 000000000 000000000 001232100 001BBB100 0013?3100 0001?1000 000111000
0001?1000 0001?1000 001232100 001B?B100 002353200 001B?B100 002353200 001B?B100 001232100
0001?1000 000111000 000000000 000000000 000000000 000000000 000000000 000000000 000000000
"""

CIRCUITS: Final = FunctionOperation(
    name="circuits",
    path="/v1/circuits",
    tag="circuits",
    summary="A Boolean formula as a board: its layouts are the satisfying assignments",
    description="With the coordinates of its wires and gates.",
    request=AskCircuit,
    response=CircuitAnswer,
    make_input=_make_input,
    answer=_render_answer,
    partial_answer=None,
    examples={
        "not": Example(
            {"formula": "!a"},
            {
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
            },
        ),
    },
)
