"""From an answer to JSON."""

from dataclasses import asdict
from decimal import Decimal
from typing import Any

import orjson

from automata import drawn
from minefield import Layout
from solvers import Answer, Question, Task


def rendered(question: Question, answer: Answer) -> bytes:
    """The JSON body of the answer to a question."""
    return orjson.dumps(document(question, answer))


def document(question: Question, answer: Answer) -> dict[str, Any]:
    """The answer as JSON types; counts are decimal strings."""
    conflict, flags, task = answer.conflict, answer.flags, question.task
    found: dict[str, Any] = {"consistent": answer.consistent}
    if question.window:
        found["window"] = asdict(question.window)
        found["loosened"] = answer.loosened and [
            {
                "clue": (clue.row, clue.col),
                "number": clue.number,
                "low": clue.low,
                "high": clue.high,
            }
            for clue in answer.loosened
        ]
        found["witness"] = answer.witness and drawn(
            question.board, question.window, answer.witness.mines
        )
    if task in (Task.CHECK, Task.ANALYZE):
        found["witness"] = answer.witness.rows() if answer.witness else None
    if task in (Task.COUNT, Task.LAYOUTS, Task.ANALYZE, Task.STRIPS):
        found["count"] = digits(answer.count)
    if task in (Task.COUNT, Task.ANALYZE):
        by_mines = answer.by_mines
        found["by_mines"] = (
            None if by_mines is None else {str(m): digits(n) for m, n in by_mines.items()}
        )
    if task is Task.LAYOUTS:
        layouts = answer.layouts
        found["offset"] = digits(question.offset)
        found["layouts"] = None if layouts is None else [layout.rows() for layout in layouts]
        found["next_offset"] = digits(answer.next_offset)
    if task in (Task.FORCED, Task.ANALYZE, Task.STRIPS):
        forced = answer.forced
        found["forced"] = forced and {"mines": forced.mines, "safe": forced.safe}
    if task in (Task.ANALYZE, Task.STRIPS):
        chances = answer.probabilities
        # orjson writes NaN, which stands for a known cell, as null.
        found["probabilities"] = None if chances is None else chances.tolist()
    return found | {
        "conflict": conflict and conflict.clues,
        "conflict_mines": conflict and conflict.mines,
        "conflict_minimal": conflict and conflict.minimal,
        "flags": flags and {"right": flags.right, "wrong": flags.wrong, "unproved": flags.unproved},
        "solver": {
            "name": answer.method,
            "complete": answer.complete,
            "elapsed_ms": round(answer.elapsed * 1000, 3),
        },
    }


def line(layout: Layout) -> bytes:
    """A layout as one line of NDJSON: the list of its rows."""
    return orjson.dumps(layout.rows()) + b"\n"


def digits(number: int | None) -> str | None:
    """The decimal digits of a number of any size (`str` refuses more than 4300)."""
    return None if number is None else f"{Decimal(number):f}"
