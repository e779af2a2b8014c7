"""From an answer to JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from app.answers.cells import OnBoard, drawing
from app.answers.parts import Part, clues
from minefield import Board, Layout, Rules, Variant
from solvers import Answer, Question


def rendered(parts: Sequence[Part], question: Question, answer: Answer) -> bytes:
    """The JSON body of the answer to a question, which consists of these parts."""
    return orjson.dumps(document(parts, question, answer), option=orjson.OPT_SERIALIZE_NUMPY)


def document(parts: Sequence[Part], question: Question, answer: Answer) -> dict[str, Any]:
    """The answer as what orjson writes; counts are decimal strings."""
    draw = drawing(question)
    found: dict[str, Any] = {"consistent": answer.consistent}
    for part in parts:
        found |= part(question, answer, draw)
    found["conflict"] = clues(answer.conflict, draw)
    if answer.feasible is not None:
        least, most = answer.feasible
        found["feasible_mines"] = {"least": least, "most": most}
    if question.flags:
        found["flags"] = answer.flags and asdict(answer.flags)
    if not isinstance(question.board, Rules):
        found |= size(question.board, question.mines)
    found["solver"] = solver(answer.method, answer.complete, answer.elapsed)
    if answer.note:
        found["solver"]["note"] = answer.note
    return found


def size(board: Board | Variant, mines: int | None) -> dict[str, Any]:
    """How large the board is that was read, and how many mines were told: as its sender meant?"""
    rows, cols = board.cells.shape
    return {"rows": rows, "cols": cols, "mines": mines}


def solver(name: str, complete: bool, elapsed: float) -> dict[str, Any]:
    """Who answered, whether that is all, and how long it took, from seconds."""
    return {"name": name, "complete": complete, "elapsed_ms": round(elapsed * 1000, 3)}


def line(draw: OnBoard, layout: Layout) -> bytes:
    """A layout as one line of NDJSON: the list of its rows."""
    return orjson.dumps(draw.layout(layout)) + b"\n"
